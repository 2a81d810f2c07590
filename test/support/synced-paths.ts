import { open, readlink } from 'node:fs/promises';
import { vi } from 'vitest';

/**
 * Every path that is synced while `work` runs, in order, relative to `root`; the root itself is `.`. What a power cut
 * takes is what was not synced: each sync is let through. Only on Linux.
 */
export async function pathsSyncedBy(root: string, work: () => Promise<unknown>): Promise<readonly string[]> {
  const syncs: Promise<string>[] = [];
  await using handle = await open(root, 'r');
  const prototype = Object.getPrototypeOf(handle) as { sync: (this: { fd: number }) => Promise<void> };
  const original = prototype.sync;
  const spy = vi.spyOn(prototype, 'sync').mockImplementation(async function sync(this: { fd: number }) {
    syncs.push(readlink(`/proc/self/fd/${this.fd}`));
    await syncs.at(-1);
    return original.call(this);
  });
  try {
    await work();
  } finally {
    spy.mockRestore();
  }
  const found = await Promise.all(syncs);
  return found.map((path) => (path === root ? '.' : path.slice(root.length + 1)));
}
