import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { messageOf } from '../domain/errors.ts';
import { syncFolder } from '../ops/atomic-files.ts';
import type { OpenFile } from '../service/open-file.ts';
import type { ReadOutcome } from '../service/outcome.ts';
import type { CollectParts } from './parts.ts';
import { readOrAway } from '../service/read-or-away.ts';
import { type Expected, verifyContent } from './verify-content.ts';

/** What became of a download. */
export type Download =
  | { readonly kind: 'stored'; readonly path: string; readonly bytes: number; readonly sha256: string; readonly mediaType: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'broken'; readonly reason: string };

const TRIES = 3;

/**
 * Brings one file to disk: temporary name → length, magic bytes, end, hash → fsync → rename. A broken one is tried again, then given
 * up for this run; nothing torn ever gets a final name. `target` has no extension: the content decides. Throws ServiceAway.
 */
export async function download(openFile: () => Promise<ReadOutcome<OpenFile>>, target: string, expected: Expected, parts: CollectParts): Promise<Download> {
  let broken: Download = { kind: 'broken', reason: 'it was not tried' };
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const file = await readOrAway(openFile, parts);
    if (file === null) return { kind: 'missing' };
    const result = await store(file, target, expected);
    if (result.kind === 'stored') return result;
    broken = result;
  }
  return broken;
}

async function store(file: OpenFile, target: string, expected: Expected): Promise<Download> {
  const partial = `${target}.part`;
  await mkdir(dirname(target), { recursive: true });
  const hash = createHash('sha256');
  let bytes = 0;
  const counting = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      hash.update(chunk);
      done(null, chunk);
    },
  });
  try {
    await pipeline(file.stream, counting, createWriteStream(partial, { flush: true }));
  } catch (failure) {
    await rm(partial, { force: true });
    return { kind: 'broken', reason: `the transfer broke off: ${messageOf(failure)}` };
  }
  if (file.contentLength !== null && file.contentLength !== bytes) {
    await rm(partial, { force: true });
    return { kind: 'broken', reason: `${bytes} bytes came instead of ${file.contentLength}` };
  }
  const verified = await verifyContent(partial, bytes, expected);
  if (verified.kind === 'broken') {
    await rm(partial, { force: true });
    return verified;
  }
  const path = `${target}.${verified.extension}`;
  await rename(partial, path);
  await syncFolder(dirname(path));
  return { kind: 'stored', path, bytes, sha256: hash.digest('hex'), mediaType: verified.mediaType };
}
