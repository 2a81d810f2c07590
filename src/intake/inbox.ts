import { constants } from 'node:fs';
import { access, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../domain/errors.ts';
import type { Clock, Sleep } from '../domain/ports.ts';

/** A file that people dropped. */
export interface DroppedFile {
  readonly path: string;
  /** Its own name, without a folder. */
  readonly name: string;
  /** The name of the sender's folder as it stands there; empty for a file that lies directly in the inbox. */
  readonly folder: string;
}

/** What lies in a folder that people drop files in. */
export interface Dropped {
  readonly files: readonly DroppedFile[];
  /** What cannot even be looked at: its name, and why in a sentence. */
  readonly closed: readonly { readonly name: string; readonly reason: string }[];
}

interface Look {
  readonly file: DroppedFile;
  readonly size: number;
  readonly modifiedAt: number;
  /** The inode's change time: unlike the modified time, a copy does not bring its own. */
  readonly changedAt: number;
}

/** What programs write on their way, and what file managers leave behind. */
const IGNORED = [/^~\$/, /^\./, /\.(tmp|part|partial|crdownload)$/i, /^(thumbs\.db|desktop\.ini)$/i];
/** Folders that systems put on a share: nobody's. */
const IGNORED_FOLDERS = [/^[.~$@#]/, /^(lost\+found|system volume information|__macosx)$/i];

/**
 * The files of a folder that people may have dropped, and of the folders in it, one for each sender: no links, no deeper folders, nothing
 * that a program is still writing under another name. In order of sender and name. Throws where the folder itself cannot be listed.
 */
export async function listDropped(root: string): Promise<Dropped> {
  const entries = await readdir(root, { withFileTypes: true });
  const files = filesOf(entries, root, '');
  const closed = await closedNames(files);
  const senders = entries.filter((entry) => entry.isDirectory() && !IGNORED_FOLDERS.some((pattern) => pattern.test(entry.name)));
  for (const { name } of senders.toSorted(byName)) {
    try {
      const inside = filesOf(await readdir(join(root, name), { withFileTypes: true }), join(root, name), name);
      closed.push(...(await closedNames(inside)));
      files.push(...inside);
    } catch (failure) {
      closed.push({ name: `${name}/`, reason: `The folder cannot be listed (${messageOf(failure)}): let the user who runs this read, write and enter it.` });
    }
  }
  const names = new Set(closed.map(({ name }) => name));
  return { files: files.filter((file) => !names.has(shownName(file))), closed };
}

/** A dropped file as people know it: `name.xlsx`, or `sender/name.xlsx`. */
export function shownName({ folder, name }: Pick<DroppedFile, 'folder' | 'name'>): string {
  return folder === '' ? name : `${folder}/${name}`;
}

type Entry = { readonly name: string; isFile(): boolean; isDirectory(): boolean };

function filesOf(entries: readonly Entry[], folder: string, sender: string): DroppedFile[] {
  return entries
    .filter((entry) => entry.isFile() && !IGNORED.some((pattern) => pattern.test(entry.name)))
    .toSorted(byName)
    .map(({ name }) => ({ path: join(folder, name), name, folder: sender }));
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1;
}

/** A name that is no text (bytes of another encoding) comes back with a mark in it, and leads nowhere. */
async function closedNames(files: readonly DroppedFile[]): Promise<{ name: string; reason: string }[]> {
  const marked = files.filter(({ name }) => name.includes('\uFFFD'));
  const closed: { name: string; reason: string }[] = [];
  for (const file of marked) {
    const leadsNowhere = await access(file.path, constants.F_OK).then(
      () => false,
      () => true,
    );
    if (leadsNowhere) closed.push({ name: shownName(file), reason: 'Its name is written in an encoding other than UTF-8, so it cannot be opened: rename it.' });
  }
  return closed;
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

/** What is known of a file that the system would not tell about just now: it equals nothing, so it stays for the next run. */
const CANNOT_TELL = { size: Number.NaN, mtimeMs: 0, ctimeMs: 0 };

function isGone(failure: unknown): boolean {
  return failure instanceof Error && 'code' in failure && failure.code === 'ENOENT';
}

async function lookAt(files: readonly DroppedFile[]): Promise<readonly Look[]> {
  const looks = await Promise.all(
    files.map(async (file) => {
      const stats = await lstat(file.path).catch((failure: unknown) => (isGone(failure) ? null : CANNOT_TELL));
      return stats === null ? null : { file, size: stats.size, modifiedAt: stats.mtimeMs, changedAt: stats.ctimeMs };
    }),
  );
  return looks.filter((look) => look !== null);
}
