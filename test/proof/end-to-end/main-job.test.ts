import { basename } from 'node:path';
import { mainJob } from '../../end-to-end/main-job.ts';
import { sampleFiles } from '../../support/temporary-workspace.ts';

mainJob((await sampleFiles()).map((path) => basename(path)));
