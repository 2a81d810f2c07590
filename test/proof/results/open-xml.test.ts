import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeResults } from '../../../src/results/write-results.ts';
import { fullSummary, projectWith, sampleInput } from '../../support/full-summary.ts';
import { OPEN_XML_NOTE, openXmlProblems, withoutOpenXmlValidator } from '../../support/open-xml-validator.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test.skipIf(withoutOpenXmlValidator)(
  `${OPEN_XML_NOTE}a results workbook passes the Open XML SDK validator`,
  async () => {
    await using folder = await temporaryFolder();
    const results = join(folder.path, 'results.xlsx');
    await writeResults({ xlsx: results }, sampleInput([projectWith(fullSummary()), projectWith({})]));
    expect(await openXmlProblems(results)).toEqual([]);
  },
);
