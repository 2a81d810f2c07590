import { writeCorrectionsWorkbook } from '../../src/intake/corrections/corrections.ts';
import { readDecisionFile } from '../../src/intake/decisions.ts';
import { type FileWorker, readOrderFile } from '../../src/intake/read-orders.ts';
import { STYLED_ROWS_MAX } from '../../src/intake/readers/row-source.ts';

/** Works in this process: for tests and simulations whose files do no harm. */
export const deskInThisProcess: FileWorker = {
  read: readOrderFile,
  readDecisions: readDecisionFile,
  writeCorrections: (path, corrections, rowCount) =>
    writeCorrectionsWorkbook(path, corrections, rowCount > STYLED_ROWS_MAX ? 'plain' : 'styled'),
};
