import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeResults } from '../../../src/results/write-results.ts';
import { projectWith, sampleInput, sampleOrder } from '../../support/full-summary.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Each house has a grave reason that no other has, and that no action rests on. */
const HOUSES = [
  { risk: { vacant: true }, roof: { hasTarp: true } },
  { risk: { vacant: true }, bldg: { hasFoundationCracks: true } },
  { risk: { vacant: true }, interior: { hasVisibleLeaks: true } },
].map((summary, index) =>
  projectWith({ summary }, { projectId: `${index + 1}`, order: { ...sampleOrder, streetAddress: `${index} Oak St` } }),
);

test('writeResults shows the reason that decides the action first, in every format', async () => {
  await using folder = await temporaryFolder();
  const [results, table, jsonl, html] = ['results.csv', 'csv', 'results.jsonl', 'report.html'].map((name) =>
    join(folder.path, name),
  ) as [string, string, string, string];
  await writeResults({ csv: { results, folder: table }, jsonl, html }, sampleInput(HOUSES));
  const each = (text: unknown) => HOUSES.map(() => text);

  const lines = (await readFile(jsonl, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { suggestedFor: string; findings: { reason: string }[] });
  expect(lines.map(({ suggestedFor, findings }) => [suggestedFor, findings[0]?.reason])).toEqual(
    each(['Occupancy: vacant', 'Occupancy: vacant']),
  );
  expect((await readFile(join(table, 'Attention.csv'), 'utf8')).match(/"! .*/g)).toEqual(
    each('"! Occupancy: vacant → non-renew'),
  );
  const page = await readFile(html, 'utf8');
  expect(page.match(/<p class="action"><strong>[^<]*/g)).toEqual(
    each('<p class="action"><strong>Occupancy: vacant → non-renew'),
  );
  expect(page.match(/class="why"[^>]*>[^<]*<\/td><td data-label="Suggested"[^>]*>[^<]*/g)).toEqual(
    each(expect.stringMatching(/>Occupancy: vacant<\/td>.*>non-renew: vacant$/)),
  );
  expect(page.match(/<dt>Suggested action<\/dt><dd>[^<]*/g)).toEqual(
    each('<dt>Suggested action</dt><dd>non-renew: vacant'),
  );
});
