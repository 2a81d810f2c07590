import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { runCommand } from '../../../src/cli/run-command.ts';
import { SUMMARY_CATALOG } from '../../../src/contract/summary-attributes.ts';
import type { ResultColumn } from '../../../src/domain/project.ts';
import { initialColumnChoice, readColumnChoice } from '../../../src/results/column-choice.ts';
import { temporaryWorkspace } from '../../support/temporary-workspace.ts';

const NEW_ONE: ResultColumn = {
  list: '',
  path: 'summary.roof.drone',
  keyedBy: null,
  title: 'Roof: drone',
  group: 'Roof',
  sheet: 'Results',
};
const choice = (sources: readonly string[]): string =>
  `columns:\n${sources.map((source) => `  - ${source}\n`).join('')}`;

test.each([
  ['summary.roof.hasTrap', 'summary.roof.hasTarp'],
  ['roof.hasTarp', 'summary.roof.hasTarp'],
  ['summary.Roof.HasTarp', 'summary.roof.hasTarp'],
  ['summary.yearbuild', 'summary.yearBuilt'],
  ['summary.roof', null],
  ['summary.exterior.pool[].sise', 'summary.exterior.pool[].size'],
  ['summary.exterior.pool.size', 'summary.exterior.pool[].size'],
  ['summary.roof.materials.Slate', null],
  ['Roof: tarp', null],
])('refuses %s and names the nearest source and the line', (source, nearest) => {
  const told = nearest === null ? /the nearest is \S+/ : `the nearest is ${nearest}`;
  expect(() =>
    readColumnChoice(
      choice(['summary.yearBuilt', source.includes(':') ? JSON.stringify(source) : source]),
      'mine.yaml',
      [NEW_ONE],
    ),
  ).toThrow(told);
  expect(() =>
    readColumnChoice(
      choice(['summary.yearBuilt', source.includes(':') ? JSON.stringify(source) : source]),
      'mine.yaml',
      [NEW_ONE],
    ),
  ).toThrow(`line 3: ${source} `);
});

test('accepts every attribute, every key, and every column once shown', () => {
  const known = [
    ...SUMMARY_CATALOG.map(({ path }) => path),
    'summary.roof.material.Slate',
    'summary.roof.material.Thatch',
    'summary.exterior.pool[].size',
    'summary.interior.appliances[].recallData[].recallNumber',
    'summary.roof.drone',
  ];
  expect(readColumnChoice(choice(known), 'mine.yaml', [NEW_ONE]).columns).toHaveLength(known.length);
  expect(() => readColumnChoice(choice(['summary.roof.drone']), 'mine.yaml')).toThrow('summary.roof.drone ');
  expect(readColumnChoice(initialColumnChoice([NEW_ONE]), 'mine.yaml', [NEW_ONE]).columns).toHaveLength(1);
});

test('ends a run with exit code 2 before intake', async () => {
  const names = {
    BASE_URL: 'http://127.0.0.1:9',
    CLIENT_ID: 'client',
    CLIENT_SECRET: 'secret',
    USERNAME: 'user',
    PASSWORD: 'password',
  };
  await using workspace = await temporaryWorkspace({
    env: Object.entries(names)
      .map(([name, value]) => `INSPECTION_${name}=${value}\n`)
      .join(''),
    config: 'results: { columns: mine.yaml }\n',
  });
  await writeFile(workspace.at('mine.yaml'), choice(['summary.roof.hasTrap']));
  await expect(runCommand('run', { workspace: workspace.path })).rejects.toMatchObject({
    kind: 'usage',
    message: expect.stringContaining('summary.roof.hasTarp'),
  });
});
