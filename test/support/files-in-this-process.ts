import type { FilesApart as Apart } from '../../src/night/files-apart.ts';
import type { FileDesk } from '../../src/intake/read-orders.ts';
import { readUpdateFile } from '../../src/update/read-update-file.ts';
import { deskInThisProcess } from './desk-in-this-process.ts';

export { rowsOfText } from '../../src/night/files-apart.ts';

/** Stands in place of cli/files-apart.ts in the commands that unit tests call (vitest.config.ts): a process for each file takes a second there, most of it to read the sources. */
export class FilesApart implements Pick<Apart, 'read' | 'readUpdates' | 'readDecisions' | 'writeCorrections'> {
  readonly read: FileDesk['read'] = (...file) => deskInThisProcess.read(...file);
  readonly readUpdates: Apart['readUpdates'] = (...file) => readUpdateFile(...file);
  readonly readDecisions: FileDesk['readDecisions'] = (...file) => deskInThisProcess.readDecisions(...file);
  readonly writeCorrections: FileDesk['writeCorrections'] = (...file) => deskInThisProcess.writeCorrections(...file);
}
