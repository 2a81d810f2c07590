import { createHash } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { ArtifactKind, ProjectRecord, StoredArtifact } from '../ledger/ledger.ts';
import { syncFolder, writeFileDurably } from '../ops/atomic-files.ts';
import { safeFileName } from '../ops/safe-file-name.ts';
import type { OpenFile } from '../service/open-file.ts';
import type { ReadOutcome } from '../service/outcome.ts';
import type { Lack } from './collect-plan.ts';
import { download, makeFolder } from './download.ts';
import type { CollectParts } from './parts.ts';

/** A file that a project should have. */
export interface WantedFile {
  readonly kind: Exclude<ArtifactKind, 'summary'>;
  readonly id: string;
  /** A report's type; an image's is what its content says. */
  readonly type: string;
  readonly detail: Readonly<Record<string, string>>;
  /** The service's own list has it; otherwise a summary refers to it, and it may be long gone. */
  readonly isListed: boolean;
  readonly open: () => Promise<ReadOutcome<OpenFile>>;
}

/** So many files are put on record at once: what a kill in between costs is downloaded again. */
const ON_RECORD_AT_ONCE = 24;

/**
 * The files of one project: where they lie, which are there, and how a new one gets its place. Files that came are put on record together,
 * by `flush`, once their names are on disk: a commit each would take longer than most downloads.
 */
export class Shelf {
  readonly #project: ProjectRecord;
  readonly #artifacts: readonly StoredArtifact[];
  readonly #parts: CollectParts;
  /** What is to go on record. */
  #waiting: (() => Promise<void>)[] = [];

  constructor(project: ProjectRecord, artifacts: readonly StoredArtifact[], parts: CollectParts) {
    this.#project = project;
    this.#artifacts = artifacts;
    this.#parts = parts;
  }

  /** Downloads a file unless this return's is here already. Null when it is safe, or what is lacking. */
  async file(wanted: WantedFile): Promise<Lack | null> {
    const { kind, id, type, detail } = wanted;
    if (this.#isOfThisReturn(kind, id)) return null;
    const latest = this.#latest(kind, id);
    const version = (latest?.version ?? 0) + 1;
    const result = await download(wanted.open, this.#target(kind, id, version), kind, this.#parts);
    switch (result.kind) {
      case 'stored': {
        const { mediaType } = result;
        if (latest?.sha256 === result.sha256) await this.#confirm(latest, result.path);
        else this.#record({ kind, serviceId: id, version, type: kind === 'image' ? mediaType : type, detail: { ...detail, mediaType } }, result);
        if (this.#waiting.length >= ON_RECORD_AT_ONCE) await this.flush();
        return null;
      }
      case 'missing':
        if (kind === 'report') return { what: `The file of report ${id} is not available (404).`, isVital: true };
        // The document: an image that does not exist is found out only behind its redirect.
        return wanted.isListed ? { what: `Image ${id} is not available (404).`, isVital: false } : null;
      case 'broken':
        return { what: `The file of ${kind} ${id} came broken: ${result.reason}.`, isVital: true };
    }
  }

  /** A summary of this return that is here already, or null. */
  async summary(id: string): Promise<Buffer | null> {
    const latest = this.#latest('summary', id);
    if (latest === undefined || !this.#isOfThisReturn('summary', id)) return null;
    return readFile(join(this.#parts.root, latest.path)).catch(() => null);
  }

  /** Keeps a summary byte for byte as it came, as a new version where it differs from the latest. */
  async keepSummary(id: string, type: string, bytes: Buffer): Promise<void> {
    const latest = this.#latest('summary', id);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    if (latest?.sha256 === sha256) return this.#confirm(latest);
    const version = (latest?.version ?? 0) + 1;
    const path = `${this.#target('summary', id, version)}.json`;
    await makeFolder(dirname(path));
    await writeFileDurably(path, bytes);
    this.#record({ kind: 'summary', serviceId: id, version, type, detail: {} }, { path, bytes: bytes.length, sha256 });
  }

  /** Puts what came on record, and then what follows from that, in one commit. */
  async flush(then: readonly (() => Promise<void>)[] = []): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    if (waiting.length > 0) await syncFolder(this.#folder);
    await Promise.all([...waiting, ...then].map((record) => record()));
  }

  /** Takes away what interrupted downloads left. Only once nothing is on its way any more. */
  async tidy(): Promise<void> {
    for (const name of await readdir(this.#folder).catch(() => [])) if (name.endsWith('.part')) await rm(join(this.#folder, name), { force: true });
  }

  #isOfThisReturn(kind: ArtifactKind, id: string): boolean {
    const latest = this.#latest(kind, id);
    return latest !== undefined && Math.max(latest.recordedAt, latest.confirmedAt ?? 0) >= this.#project.statusAt;
  }

  #latest(kind: ArtifactKind, id: string): StoredArtifact | undefined {
    return this.#artifacts.filter((artifact) => artifact.kind === kind && artifact.serviceId === id).toSorted((a, b) => b.version - a.version)[0];
  }

  get #folder(): string {
    return join(this.#parts.store, this.#project.id);
  }

  #target(kind: ArtifactKind, id: string, version: number): string {
    return join(this.#folder, `${fileNameOf(`${kind}-${id}`)}-v${version}`);
  }

  /** The same bytes again are no new version. */
  async #confirm(latest: StoredArtifact, again?: string): Promise<void> {
    if (again !== undefined) await rm(again);
    this.#waiting.push(() => this.#parts.ledger.confirmArtifact(latest));
  }

  #record(
    what: Pick<StoredArtifact, 'kind' | 'serviceId' | 'version' | 'type' | 'detail'>,
    { path, bytes, sha256 }: { readonly path: string; readonly bytes: number; readonly sha256: string },
  ): void {
    const stored = relative(this.#parts.root, path).replaceAll('\\', '/');
    this.#waiting.push(() => this.#parts.ledger.recordArtifact({ ...what, projectId: this.#project.id, path: stored, bytes, sha256 }));
  }
}

/** Two ids that differ only in what no file name can hold must not share one. */
export function fileNameOf(name: string): string {
  const safe = safeFileName(name);
  return safe === name ? safe : `${safe}-${createHash('sha256').update(name).digest('hex').slice(0, 8)}`;
}
