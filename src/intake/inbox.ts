import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Sleep } from '../domain/ports.ts';

/** A file that people dropped. */
export interface DroppedFile {
  readonly path: string;
  readonly name: string;
}

interface Look {
  readonly file: DroppedFile;
  readonly size: number;
  readonly modifiedAt: number;
  /** The inode's change time: unlike the modified time, a copy does not bring its own. */
  readonly changedAt: number;
}

const IGNORED = [/^~\$/, /^\./, /\.(tmp|part|crdownload)$/i];

/** The files of a folder that people may have dropped: no links, no folders, nothing that a program is still writing under another name. */
export async function listDropped(folder: string): Promise<readonly DroppedFile[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !IGNORED.some((pattern) => pattern.test(entry.name)))
    .map((entry) => ({ path: join(folder, entry.name), name: entry.name }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * Parts the files that have been still for `settleMs` from those that may still be written. Waits once, for the rest of that time,
 * and looks again; a file that is younger or has changed stays for the next run.
 */
export async function settle(
  files: readonly DroppedFile[],
  settleMs: number,
  { clock, sleep }: { clock: Clock; sleep: Sleep },
  signal?: AbortSignal,
): Promise<{ readonly settled: readonly DroppedFile[]; readonly settling: readonly DroppedFile[] }> {
  const first = await lookAt(files);
  const rest = Math.max(0, ...first.map((look) => restOf(look, settleMs, clock)));
  if (rest > 0) await sleep(rest, signal);
  const second = new Map((await lookAt(files)).map((look) => [look.file.path, look]));
  const settled = first.filter((look) => {
    const again = second.get(look.file.path);
    return again !== undefined && sameLook(look, again) && restOf(again, settleMs, clock) === 0;
  });
  const still = new Set(settled.map((look) => look.file.path));
  return { settled: settled.map((look) => look.file), settling: files.filter((file) => second.has(file.path) && !still.has(file.path)) };
}

/** How long a file must still be left alone; never more than the whole time, however wrong its clock is. */
function restOf(look: Look, settleMs: number, clock: Clock): number {
  const age = clock.now() - Math.max(look.changedAt, look.modifiedAt > clock.now() ? 0 : look.modifiedAt);
  return Math.min(settleMs, Math.max(0, Math.ceil(settleMs - age)));
}

function sameLook(a: Look, b: Look): boolean {
  return a.size === b.size && a.modifiedAt === b.modifiedAt && a.changedAt === b.changedAt;
}

async function lookAt(files: readonly DroppedFile[]): Promise<readonly Look[]> {
  const looks = await Promise.all(
    files.map(async (file) => {
      const stats = await lstat(file.path).catch(() => null);
      return stats === null ? null : { file, size: stats.size, modifiedAt: stats.mtimeMs, changedAt: stats.ctimeMs };
    }),
  );
  return looks.filter((look) => look !== null);
}
