import { createHash, hash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { link, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { messageOf, hasCode } from '../domain/errors.ts';
import type { Clock } from '../domain/ports.ts';
import { sentence } from '../domain/sentences.ts';
import type { ArtifactKind, StoredArtifact, ProjectRecord } from '../ledger/ledger.ts';
import { sha256OfFile, syncFolder, temporaryName } from '../ops/durable-files.ts';
import { safeFileName } from '../ops/safe-file-name.ts';
import { checkStoredFiles } from '../ops/stored-files.ts';
import type { ReadOutcome } from '../service/outcome.ts';
import { readOrThrow, type ApiAccess } from '../service/reads.ts';
import type { OpenFile } from '../service/redirects.ts';
import type { CollectContext } from './collect-plan.ts';
import { type ExpectedKind, type FileCheck, verifyContent } from './verify-content.ts';

export type WantedFile = Readonly<{
  kind: Exclude<ArtifactKind, 'summary'>;
  id: string;
  /** An image's comes from its content. */
  type: string;
  detail: Readonly<Record<string, string>>;
  place: number;
  /** Otherwise only a summary refers to it, and it may be long gone. */
  isListed: boolean;
  open: () => Promise<ReadOutcome<OpenFile>>;
}>;

/** A kill loses at most this many downloads. */
const ON_RECORD_AT_ONCE = 24;

type FilesOwner = Pick<ProjectRecord, 'id' | 'statusAt' | 'collectedAt'>;
type Reads = Omit<ApiAccess, 'client'>;
type ProjectFilesContext = Pick<CollectContext, 'ledger' | 'root' | 'store'>;

type Entry = Readonly<{
  record: () => Promise<void>;
  spare?: string | null;
}>;

/**
 * `flush` records new files together after syncing names and folder. Never overwrites or removes a recorded file: a
 * replacement is a new version.
 */
export class ProjectFiles {
  readonly #project;
  readonly #artifacts;
  readonly #onDisk;
  readonly #lost;
  readonly #context;
  readonly #asked = new Set<string>();
  #waiting: Entry[] = [];

  private constructor(
    project: FilesOwner,
    artifacts: readonly StoredArtifact[],
    files: readonly StoredArtifact[],
    lost: ReadonlyMap<StoredArtifact, string>,
    context: ProjectFilesContext,
  ) {
    this.#project = project;
    this.#artifacts = artifacts;
    this.#onDisk = files.filter((file) => !lost.has(file));
    this.#lost = new Set([...lost.keys()].map(nameOf));
    this.#context = context;
  }

  /** Compares the stored files with their records, and records which are lost. */
  static async open(project: FilesOwner, context: ProjectFilesContext) {
    const files = await context.ledger.filesOf(project.id);
    const lost = await checkStoredFiles(files, context);
    return new ProjectFiles(project, await context.ledger.artifactsOf(project.id), files, lost, context);
  }

  /** Null if the file is already stored. */
  async file(wanted: WantedFile, reads: Reads) {
    const { kind, id, type, detail, place } = wanted;
    const name = keyOf(kind, id);
    this.#asked.add(name);
    this.#move(kind, id, place);
    if (this.#isHere(kind, id)) return null;
    const latest = this.#latest(kind, id);
    const result = await download(wanted.open, this.targetOf(kind, id), kind, reads);
    switch (result.kind) {
      case 'stored': {
        const what = { kind, serviceId: id, type: kind === 'image' ? result.mediaType : type, place };
        if (latest?.sha256 === result.sha256 && !this.#lost.has(nameOf(latest))) this.#confirm(latest, result.path);
        else this.keep({ ...what, detail: { ...detail, mediaType: result.mediaType } }, result);
        if (this.#waiting.length >= ON_RECORD_AT_ONCE) await this.flush();
        return null;
      }
      case 'missing':
        if (kind === 'report') return { name, what: `The file of report ${id} is not available (404).`, isVital: true };
        // By the document, only the redirect shows that an image is missing.
        return wanted.isListed ? { name, what: `Image ${id} is not available (404).`, isVital: false } : null;
      case 'broken':
        return { name, what: `The file of ${kind} ${id} arrived damaged: ${result.reason}.`, isVital: true };
    }
  }

  /** The summary stored since this return. */
  async summary(id: string, place: number) {
    this.#asked.add(keyOf('summary', id));
    this.#move('summary', id, place);
    const latest = this.#latest('summary', id);
    if (latest === undefined || !this.#isHere('summary', id)) return null;
    return readFile(join(this.#context.root, latest.path)).catch(() => null);
  }

  /** Byte for byte; a new version if it differs. */
  async keepSummary(id: string, type: string, bytes: Buffer, place: number | null) {
    const latest = this.#latest('summary', id);
    const sha256 = hash('sha256', bytes);
    if (latest?.sha256 === sha256 && !this.#lost.has(nameOf(latest))) return this.#confirm(latest, null);
    const target = this.targetOf('summary', id);
    const partial = temporaryName(target);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(partial, bytes, { flush: true });
    const path = await placeStored(partial, target, 'json', sha256);
    this.keep({ kind: 'summary', serviceId: id, type, detail: {}, place }, { path, bytes: bytes.length, sha256 });
  }

  hasReport(id: string) {
    return this.#onDisk.some((file) => file.kind === 'report' && file.serviceId === id);
  }

  /** The latest version of this id, or of any id. */
  hasContent(kind: ArtifactKind, sha256: string, id?: string) {
    return this.#onDisk.some(
      (file) => file.kind === kind && file.sha256 === sha256 && (id === undefined || file.serviceId === id),
    );
  }

  /** Of the next version, without extension. */
  targetOf(kind: ArtifactKind, id: string) {
    return join(this.#folder, `${distinctFileName(`${kind}-${id}`)}-v${(this.#latest(kind, id)?.version ?? 0) + 1}`);
  }

  keep(
    what: Pick<StoredArtifact, 'kind' | 'serviceId' | 'type' | 'detail' | 'place'>,
    { path, bytes, sha256 }: Pick<StoredArtifact, 'path' | 'bytes' | 'sha256'>,
  ) {
    const version = (this.#latest(what.kind, what.serviceId)?.version ?? 0) + 1;
    const stored = relative(this.#context.root, path).replaceAll('\\', '/');
    const artifact = { ...what, version, projectId: this.#project.id, path: stored, bytes, sha256 };
    const record = async () => {
      if (await this.#context.ledger.recordArtifact(artifact)) return;
      throw new StorageError(`Another host has stored other content of ${what.kind} ${what.serviceId}.`);
    };
    this.#waiting.push({ record });
  }

  /** Records what was stored, in one commit with `then`. */
  async flush(then: readonly (() => Promise<void>)[] = []) {
    const waiting = this.#waiting;
    this.#waiting = [];
    if (waiting.length > 0) await Promise.all([this.#folder, this.#context.store].map(syncFolder));
    await Promise.all([...waiting.map(({ record }) => record), ...then].map((record) => record()));
    for (const { spare } of waiting) if (spare) await rm(spare, { force: true });
  }

  /** Damaged or missing files that were not requested again. Call after everything is recorded. */
  async lostOtherwise() {
    if (this.#lost.size === 0) return [];
    return (await this.#context.ledger.filesOf(this.#project.id)).flatMap(({ kind, serviceId, path, lost }) => {
      const name = keyOf(kind, serviceId);
      if (lost === null || this.#asked.has(name)) return [];
      const what = sentence('files-incomplete/lost', { name, path, lost });
      return [{ name: `stored ${name}`, what, isVital: false }];
    });
  }

  /** Call while no download is running. */
  async tidy() {
    for (const name of await readdir(this.#folder).catch(() => []))
      if (/\.part(?:ial)?$/.test(name)) await rm(join(this.#folder, name), { recursive: true, force: true });
  }

  /** Intact and of this return; for a collected project of any. */
  #isHere(kind: ArtifactKind, id: string) {
    const latest = this.#latest(kind, id);
    if (latest === undefined || this.#lost.has(nameOf(latest))) return false;
    return (
      this.#project.collectedAt !== null ||
      Math.max(latest.recordedAt, latest.confirmedAt ?? 0) >= this.#project.statusAt
    );
  }

  #latest(kind: ArtifactKind, id: string) {
    return this.#artifacts
      .filter((artifact) => artifact.kind === kind && artifact.serviceId === id)
      .toSorted((a, b) => b.version - a.version)[0];
  }

  get #folder() {
    return join(this.#context.store, this.#project.id);
  }

  #move(kind: ArtifactKind, id: string, place: number) {
    const latest = this.#latest(kind, id);
    if (latest === undefined || latest.place === place) return;
    this.#waiting.push({ record: () => this.#context.ledger.placeArtifact({ ...latest, place }) });
  }

  /** The same bytes are no new version: removes the copy after recording. */
  #confirm(latest: StoredArtifact, again: string | null) {
    this.#waiting.push({ record: () => this.#context.ledger.confirmArtifact(latest), spare: again });
  }
}

function keyOf(kind: ArtifactKind, id: string) {
  return `${kind} ${id}`;
}

function nameOf({ kind, serviceId, version }: StoredArtifact) {
  return `${keyOf(kind, serviceId)} ${version}`;
}

/** Different ids give different names, even if they differ only in illegal characters. */
export function distinctFileName(name: string) {
  const safe = safeFileName(name);
  return safe === name ? safe : `${safe}-${hash('sha256', name).slice(0, 8)}`;
}

export type Download = Readonly<
  | {
      kind: 'stored';
      path: string;
      bytes: number;
      sha256: string;
      mediaType: string;
    }
  | { kind: 'missing' }
  /** Another try would not help. */
  | { kind: 'broken'; reason: string; isFinal?: true }
>;

type Stored = Exclude<Download, { kind: 'missing' }>;

export class StorageError extends Error {
  override readonly name = 'StorageError';
}

/** A full disk ends the run; other failures concern one place. */
export function isDiskFull(failure: unknown) {
  const cause = failure instanceof StorageError ? failure.cause : failure;
  return hasCode(cause, 'ENOSPC', 'EDQUOT', 'EROFS', 'EMFILE', 'ENFILE');
}

const TRIES = 3;
const FILE_BYTES_MAX = 8 * 1024 ** 3;
const FILE_MS_MAX = 60 * 60 * 1000;
const SPEED_COUNTS_FROM_MS = 30_000;
const BYTES_PER_SECOND_MIN = 1_024;

export function transferProblem(bytes: number, ms: number) {
  if (bytes > FILE_BYTES_MAX) return 'it does not end';
  if (ms > FILE_MS_MAX) return 'it took longer than an hour';
  return ms > SPEED_COUNTS_FROM_MS && bytes < (BYTES_PER_SECOND_MIN * ms) / 1000 ? 'it arrived too slowly' : null;
}

/**
 * Temporary name → length, magic bytes, end, checksums, hash → fsync → rename. The caller syncs the folder. Retries a
 * broken file with a new URL, then leaves it for the next run. `target` has no extension: content decides. Throws
 * ServiceUnavailable and StorageError.
 */
export async function download(
  openFile: () => Promise<ReadOutcome<OpenFile>>,
  target: string,
  expected: ExpectedKind,
  reads: Reads,
): Promise<Download> {
  let broken: Download = { kind: 'broken', reason: 'it was not tried' };
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const opened = await readOrThrow(() => opening(openFile), reads);
    if (opened === null) return { kind: 'missing' };
    const result: Stored =
      'refused' in opened
        ? { kind: 'broken', reason: opened.refused }
        : await storeFile(opened, target, expected, reads.clock);
    if (result.kind === 'stored' || result.isFinal) return result;
    broken = result;
  }
  return broken;
}

/** A refused file is no outage of the service. */
async function opening(
  openFile: () => Promise<ReadOutcome<OpenFile>>,
): Promise<ReadOutcome<OpenFile | { readonly refused: string }>> {
  const outcome = await openFile();
  return outcome.kind === 'transient' && outcome.aboutItem === true
    ? { kind: 'ok', value: { refused: outcome.reason } }
    : outcome;
}

/** Removes a broken file. Throws StorageError. */
export async function storeFile(file: OpenFile, target: string, expected: ExpectedKind, clock: Clock): Promise<Stored> {
  // Another host may fetch the same file.
  const partial = temporaryName(target);
  await mkdir(dirname(target), { recursive: true });
  const hash = createHash('sha256');
  const began = clock.now();
  let bytes = 0;
  let problem: string | null = null;
  const counting = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      hash.update(chunk);
      problem = transferProblem(bytes, clock.now() - began);
      done(problem === null ? null : new Error(problem), chunk);
    },
  });
  try {
    await pipeline(file.stream, counting, createWriteStream(partial, { flush: true }));
  } catch (failure) {
    await rm(partial, { force: true });
    throwIfOurs(failure);
    const reason = `the transfer broke off: ${messageOf(failure)}`;
    return { kind: 'broken', reason, ...(problem !== null && { isFinal: true }) };
  }
  const { contentLength, contentType } = file;
  const verified: FileCheck =
    contentLength === null || contentLength === bytes
      ? await verifyContent(partial, bytes, expected, contentType)
      : { kind: 'broken', reason: `${bytes} bytes came instead of ${contentLength}` };
  if (verified.kind === 'broken') {
    await rm(partial, { force: true });
    return verified;
  }
  const sha256 = hash.digest('hex');
  const path = await placeStored(partial, target, verified.extension, sha256);
  return { kind: 'stored', path, bytes, sha256, mediaType: verified.mediaType };
}

/** If another host recorded this name with other content, ours is named by its hash. */
async function placeStored(partial: string, target: string, extension: string, sha256: string) {
  const path = `${target}.${extension}`;
  try {
    await link(partial, path);
  } catch {
    // After any failure: without hard links, a rename would overwrite it.
    const there = await sha256OfFile(path).catch(() => null);
    const isTaken = there !== null && there !== sha256;
    const free = isTaken ? `${target}-${sha256.slice(0, 12)}.${extension}` : path;
    // Equal bytes, or no hard links.
    await rename(partial, free);
    return free;
  }
  await rm(partial);
  return path;
}

function throwIfOurs(failure: unknown) {
  if (
    isDiskFull(failure) ||
    hasCode(failure, 'EACCES', 'EPERM', 'EIO', 'EISDIR', 'ENOTDIR', 'ENOENT', 'ELOOP', 'ENXIO')
  )
    throw new StorageError(cannotStore(failure), { cause: failure });
}

export function cannotStore(failure: unknown) {
  return `Files cannot be stored: ${messageOf(failure)}.`;
}
