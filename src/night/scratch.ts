import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf, isSystemError, usageErrorOf } from '../domain/errors.ts';
import { EXIT, type StoppedBy } from './exit-codes.ts';

export async function temporaryFolder(prefix: string) {
  try {
    return await mkdtemp(join(tmpdir(), prefix));
  } catch (failure) {
    throw usageErrorOf('no-temporary-folder', { folder: tmpdir(), message: messageOf(failure) });
  }
}

export async function explainFolderFaults<T>(folder: string, work: () => Promise<T>) {
  return work().catch((failure: unknown) => {
    if (!isSystemError(failure)) throw failure;
    throw usageErrorOf('folder-not-writable', { folder, message: messageOf(failure) }, failure);
  });
}

/** Removed even if a signal ends the command: it may hold a copy of the ledger. */
export async function makeScratchFolder() {
  const path = await temporaryFolder('inspection-batch-');
  const remove = () => rmSync(path, { recursive: true, force: true });
  const end = (signal: NodeJS.Signals) => {
    remove();
    process.exit(EXIT[signal as StoppedBy]);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, end);
  return {
    path,
    [Symbol.dispose]() {
      remove();
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, end);
    },
  };
}
