import { writeCorrectionsWorkbook } from '../intake/corrections.ts';
import type { FileDesk } from '../intake/file-desk.ts';
import { readOrderFile } from '../intake/read-file.ts';
import { STYLED_ROWS_MAX } from '../intake/readers/limits.ts';

/** Works in this process: for tests and simulations whose files do no harm. */
export const deskInThisProcess: FileDesk = {
  read: readOrderFile,
  writeCorrections: (path, corrections, rowCount) => writeCorrectionsWorkbook(path, corrections, rowCount > STYLED_ROWS_MAX ? 'plain' : 'styled'),
};
