import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { messageOf } from '../domain/errors.ts';
import type { Clock } from '../domain/ports.ts';
import { makeFolder } from '../ops/atomic-files.ts';
import { hasCode } from '../ops/system-error.ts';
import type { OpenFile } from '../service/redirects.ts';
import type { ReadOutcome } from '../service/outcome.ts';
import type { CollectParts } from './parts.ts';
import { readOrAway } from '../service/reads.ts';
import { type Expected, verifyContent } from './verify-content.ts';

/** What became of a download. */
export type Download =
  | { readonly kind: 'stored'; readonly path: string; readonly bytes: number; readonly sha256: string; readonly mediaType: string }
  | { readonly kind: 'missing' }
  /** `isFinal`: at once it would come no better. */
  | { readonly kind: 'broken'; readonly reason: string; readonly isFinal?: true };

/** A file cannot be kept where it should be. */
export class CannotStore extends Error {
  override readonly name = 'CannotStore';
}

/** Whether this machine cannot keep what comes, whatever it is: then the run ends with what it has. Otherwise one place alone is out of order. */
export function isFull(failure: unknown): boolean {
  const cause = failure instanceof CannotStore ? failure.cause : failure;
  return hasCode(cause, 'ENOSPC', 'EDQUOT', 'EROFS', 'EMFILE', 'ENFILE');
}

const TRIES = 3;
/** A file that does not end must not fill the disk, nor take the night: it has this long, and after a while must have come this fast. */
const FILE_BYTES_MAX = 8 * 1024 ** 3;
const FILE_MS_MAX = 60 * 60 * 1000;
const SPEED_COUNTS_FROM_MS = 30_000;
const BYTES_PER_SECOND_MIN = 1_024;

/** Why a transfer is broken off, or null. */
export function transferProblem(bytes: number, ms: number): string | null {
  if (bytes > FILE_BYTES_MAX) return 'it does not end';
  if (ms > FILE_MS_MAX) return 'it took longer than an hour';
  return ms > SPEED_COUNTS_FROM_MS && bytes < (BYTES_PER_SECOND_MIN * ms) / 1000 ? 'it came too slowly' : null;
}

/**
 * Brings one file to disk: temporary name → length, magic bytes, end, checksums, hash → fsync → rename; syncing the folder is left to
 * whoever puts it on record. A broken one is tried again with
 * a fresh URL, then given up for this run; nothing torn ever gets a final name. `target` has no extension: the content decides. Throws
 * ServiceAway and CannotStore.
 */
export async function download(openFile: () => Promise<ReadOutcome<OpenFile>>, target: string, expected: Expected, parts: CollectParts): Promise<Download> {
  let broken: Download = { kind: 'broken', reason: 'it was not tried' };
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const opened = await readOrAway(() => opening(openFile), parts);
    if (opened === null) return { kind: 'missing' };
    const result = 'refused' in opened ? ({ kind: 'broken', reason: opened.refused } as const) : await storeFile(opened, target, expected, parts.clock);
    if (result.kind === 'stored' || ('isFinal' in result && result.isFinal)) return result;
    broken = result;
  }
  return broken;
}

/** A refusal that is about this file alone is no word of the service: it must not count as one. */
async function opening(openFile: () => Promise<ReadOutcome<OpenFile>>): Promise<ReadOutcome<OpenFile | { readonly refused: string }>> {
  const outcome = await openFile();
  return outcome.kind === 'transient' && outcome.aboutItem === true ? { kind: 'ok', value: { refused: outcome.reason } } : outcome;
}

/** One try: whatever is wrong with what came is told, and nothing of it is left. Throws CannotStore. */
export async function storeFile(file: OpenFile, target: string, expected: Expected, clock: Clock): Promise<Exclude<Download, { kind: 'missing' }>> {
  const partial = `${target}.part`;
  await makeFolder(dirname(target));
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
    return { kind: 'broken', reason: `the transfer broke off: ${messageOf(failure)}`, ...(problem !== null && { isFinal: true }) };
  }
  const lengthIsRight = file.contentLength === null || file.contentLength === bytes;
  const verified = lengthIsRight
    ? await verifyContent(partial, bytes, expected, file.contentType)
    : ({ kind: 'broken', reason: `${bytes} bytes came instead of ${file.contentLength}` } as const);
  if (verified.kind === 'broken') {
    await rm(partial, { force: true });
    return verified;
  }
  const path = `${target}.${verified.extension}`;
  await rename(partial, path);
  return { kind: 'stored', path, bytes, sha256: hash.digest('hex'), mediaType: verified.mediaType };
}

function throwIfOurs(failure: unknown): void {
  if (isFull(failure) || hasCode(failure, 'EACCES', 'EPERM', 'EIO', 'EISDIR', 'ENOTDIR', 'ENOENT', 'ELOOP', 'ENXIO')) throw new CannotStore(cannotStore(failure), { cause: failure });
}

/** In words. */
export function cannotStore(failure: unknown): string {
  return `Files cannot be stored: ${messageOf(failure)}.`;
}
