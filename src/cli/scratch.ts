import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf, usageError } from '../domain/errors.ts';
import { EXIT, type StoppedBy } from './exit-codes.ts';

/** Makes a temporary folder. Throws ExplainedError (2) if it cannot. */
export async function temporaryFolder(prefix: string): Promise<string> {
  try {
    return await mkdtemp(join(tmpdir(), prefix));
  } catch (failure) {
    throw usageError(
      'no-temporary-folder',
      `No temporary folder can be made in ${tmpdir()}: ${messageOf(failure)}.`,
      'TMPDIR names another place for them.',
    );
  }
}

/** A temporary folder, removed even if a signal ends the command: it may hold a copy of the ledger. */
export async function scratchFolder(): Promise<Disposable & { readonly path: string }> {
  const path = await temporaryFolder('inspection-batch-');
  const remove = (): void => rmSync(path, { recursive: true, force: true });
  const end = (signal: NodeJS.Signals): void => {
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
