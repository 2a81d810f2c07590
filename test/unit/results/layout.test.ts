import { expect, test } from 'vitest';
import type { ReportSummary } from '../../../src/contract/document.ts';
import { LayoutCollector } from '../../../src/results/tables/report-columns.ts';
import { validSheetName } from '../../../src/results/workbook.ts';
import { flattenSummary } from '../../../src/results/flatten.ts';
import { listKeyTitles } from '../../../src/results/tables/lists.ts';
import { PROJECT_COLUMNS } from '../../../src/results/tables/results-columns.ts';
import { fullSummary } from '../../support/full-summary.ts';

function layoutOf(...summaries: readonly Partial<ReportSummary>[]) {
  const collector = new LayoutCollector();
  for (const summary of summaries) collector.add(flattenSummary({ id: 'R', ...summary }));
  return collector.layout(
    PROJECT_COLUMNS.map(({ title }) => title),
    listKeyTitles,
  );
}

/** Changes on purpose only: a column keeps its place and its title from one night to the next. */
test('keeps the committed columns', async () => {
  const { columns, lists } = layoutOf(fullSummary());
  const snapshot = {
    Results: [...PROJECT_COLUMNS.map(({ title }) => title), ...columns.map(({ title, path }) => `${title} <${path}>`)],
    ...Object.fromEntries(
      lists.map((list) => [
        list.sheet,
        [...listKeyTitles(list.path), ...list.columns.map(({ title, path }) => `${title} <${list.path}[].${path}>`)],
      ]),
    ),
  };
  await expect(`${JSON.stringify(snapshot, null, 2)}\n`).toMatchFileSnapshot('columns.snapshot.json');
});

test('orders known columns as documented, then unknown ones as they came', () => {
  const { columns } = layoutOf(
    { summary: { zeta: 1, roof: { hasTarp: true, geometry: { Dome: 10, Hip: 40 } } } },
    { summary: { alpha: 1, yearBuilt: 1990, roof: { geometry: { Flat: 50 }, odd: 2 } }, project: { id: 1 } },
  );
  expect(columns.map(({ title }) => title)).toEqual([
    'Project: id',
    'Property: year built',
    'Roof: geometry, flat',
    'Roof: geometry, hip',
    'Roof: geometry, dome',
    'Roof: tarp',
    'Property: zeta',
    'Property: alpha',
    'Roof: odd',
  ]);
});

test('makes columns and sheets only for existing values', () => {
  expect(layoutOf({ summary: { factors: [], risk: {} } })).toMatchObject({
    columns: [{ path: 'summary.factors', counted: true }],
    lists: [],
  });
});

test('makes titles unique for all attribute names', () => {
  const { columns } = layoutOf({
    summary: { roof: { tarp: 1, Tarp: 2, hasTarp: true }, risk: { 'gated Community': 1, gatedCommunity: true } },
  });
  const titles = columns.map(({ title }) => title.toLowerCase());
  expect(new Set(titles).size).toBe(5);
  expect(columns.map(({ title }) => title)).toContain('Roof: tarp (summary.roof.tarp)');
});

test('gives unknown lists their own sheets with valid, unique names', () => {
  const { lists } = layoutOf({
    summary: {
      a: { results: [{ x: 1 }] },
      b: { results: [{ x: 1 }] },
      history: [{ dateInspected: '2020-01-01', visits: [{ y: 1 }] }],
      'a/b*[c]': [{ z: 1 }],
    },
  });
  expect(lists.map(({ sheet, path }) => [sheet, path])).toEqual([
    ['Inspection history', 'summary.history'],
    ['Results 2', 'summary.a.results'],
    ['Results 3', 'summary.b.results'],
    ['Visits', 'summary.history[].visits'],
    ['A b c', 'summary.a/b*[c]'],
  ]);
  expect(listKeyTitles('summary.history[].visits').slice(-5, -3)).toEqual(['Inspection no.', 'Visits no.']);
});

test('limits a sheet name to 31 characters, not empty, not History', () => {
  const taken = new Set(['x'.repeat(31)]);
  expect(validSheetName('x'.repeat(60), taken)).toBe(`${'x'.repeat(29)} 2`);
  expect(validSheetName('history', taken)).toBe('List history');
  expect(validSheetName("'?*", taken)).toBe('List');
});

test('stops at 4,000 columns for a map keyed by ids', () => {
  const { columns, spilled } = layoutOf({
    summary: { byId: Object.fromEntries(Array.from({ length: 5000 }, (_, id) => [`i${id}`, id])) },
  });
  expect([columns.length, spilled.length]).toEqual([4000, 1000]);
});
