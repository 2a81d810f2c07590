import { mainJob } from './main-job.ts';

// A workbook and a CSV file: test/proof/end-to-end/main-job.test.ts takes all samples.
mainJob(['02-agency-workbook.xlsx', '05-second-look.csv']);
