import { expect, test } from 'vitest';
import { ExplainedError } from '../../../src/domain/errors.ts';
import { chooseColumns, initialColumnChoice, readColumnChoice } from '../../../src/results/column-choice.ts';
import { flattenSummary } from '../../../src/results/flatten.ts';
import { fullSummary } from '../../support/full-summary.ts';
import { columnsOnRecord, LayoutCollector } from '../../../src/results/tables/report-columns.ts';
import { listKeyTitles } from '../../../src/results/tables/lists.ts';

function layoutOf(summary: Record<string, unknown>) {
  const collector = new LayoutCollector();
  collector.add(flattenSummary({ id: 'R', ...summary }));
  return collector.layout([], listKeyTitles);
}

const LAYOUT = layoutOf({
  summary: {
    yearBuilt: 1990,
    roof: { hasTarp: true, material: { Slate: 60, Metal: 40 } },
    exterior: { pool: [{ type: 'a', size: 'Small' }] },
  },
});

// A listed attribute includes its keys.
test('puts listed columns first as named, then the others', () => {
  const choice = readColumnChoice(
    'columns:\n  - source: summary.roof.material\n    title: Material\n    group: Top\n  - summary.yearBuilt\n  - source: summary.exterior.pool[].size\n    title: How large\n',
    'a.yaml',
  );
  const { columns, lists } = chooseColumns(LAYOUT, choice);
  expect(columns.map(({ title, group }) => [title, group])).toEqual([
    ['Material, Slate', 'Top'],
    ['Material, Metal', 'Top'],
    ['Property: year built', 'Property'],
    ['Roof: tarp', 'Roof'],
    ['Exterior: pool list', 'Exterior'],
  ]);
  expect(lists[0]?.columns.map(({ title }) => title)).toEqual(['How large', 'Type']);
});

test('hides the other columns if asked', () => {
  const { columns, lists } = chooseColumns(
    LAYOUT,
    readColumnChoice('others: hidden\ncolumns:\n  - summary.yearBuilt\n', 'a.yaml'),
  );
  expect(columns.map(({ path }) => path)).toEqual(['summary.yearBuilt']);
  expect(lists[0]?.columns).toEqual([]);
});

test('changes nothing with the starting choice', () => {
  const full = layoutOf(fullSummary());
  for (const text of [initialColumnChoice([]), initialColumnChoice(columnsOnRecord(full))]) {
    const { columns } = chooseColumns(full, readColumnChoice(text, 'a.yaml'));
    expect(columns.map(({ path }) => path)).toEqual(full.columns.map(({ path }) => path));
  }
});

test('reports every problem at once with its line', () => {
  const text = 'others: some\ncolumns:\n  - title: x\n  - source: a\n    colour: red\n  - a\n  - a\n';
  expect(() => readColumnChoice(text, 'mine.yaml')).toThrow(ExplainedError);
  expect(() => readColumnChoice(text, 'mine.yaml')).toThrow(
    /“others” [^]*line 3: .*\bsource\b[^]*line 4: .*\bcolour\b[^]*line 7: a .*\btwice\b/,
  );
});
