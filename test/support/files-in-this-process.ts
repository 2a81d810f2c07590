import type { IsolatedFileWorker as Apart } from '../../src/night/isolated-file-worker.ts';
import type { FileWorker } from '../../src/intake/read-orders.ts';
import { readUpdateFile } from '../../src/update/read-update-file.ts';
import { deskInThisProcess } from './desk-in-this-process.ts';

export { rowsOfText } from '../../src/night/isolated-file-worker.ts';

/** Replaces night/isolated-file-worker.ts in the commands that unit tests call (vitest.config.ts): a process for each file takes a second there, most of it to read the sources. */
export class IsolatedFileWorker implements Pick<
  Apart,
  'expect' | 'read' | 'readUpdates' | 'readDecisions' | 'writeCorrections'
> {
  readonly expect: Apart['expect'] = async () => {};
  readonly read: FileWorker['read'] = (...file) => deskInThisProcess.read(...file);
  readonly readUpdates: Apart['readUpdates'] = (...file) => readUpdateFile(...file);
  readonly readDecisions: FileWorker['readDecisions'] = (...file) => deskInThisProcess.readDecisions(...file);
  readonly writeCorrections: FileWorker['writeCorrections'] = (...file) => deskInThisProcess.writeCorrections(...file);
}
