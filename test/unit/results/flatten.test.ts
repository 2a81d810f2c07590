import { expect, test } from 'vitest';
import type { SummaryAttribute } from '../../../src/contract/summary-attributes.ts';
import { parseExactJson } from '../../../src/contract/json.ts';
import { SUMMARY_CATALOG } from '../../../src/contract/summary-attributes.ts';
import { attributeCell } from '../../../src/results/table-cells.ts';
import { type FlatRecord, flattenSummary, type Leaf } from '../../../src/results/flatten.ts';
import { fullSummary, sampleOf } from '../../support/full-summary.ts';
import { mergeReports } from '../../../src/results/flatten.ts';

const flat = (summary: Record<string, unknown>, project: Record<string, unknown> = {}) =>
  flattenSummary({ id: 'R', type: 'T', project, summary });
const leaves = (record: FlatRecord): Record<string, Leaf> =>
  Object.fromEntries([...record.values].map(([path, { leaf }]) => [path, leaf]));

/** Every leaf that the record lacks or holds wrongly. */
function wrong(attributes: readonly SummaryAttribute[], record: FlatRecord): string[] {
  return attributes.flatMap((attribute) => {
    const { path, type, keys, items = [] } = attribute;
    const sample = sampleOf(attribute);
    const same = (at: string, value: unknown) =>
      JSON.stringify(record.values.get(at)?.leaf) === JSON.stringify(value) ? [] : [at];
    if (type === 'percentages' || type === 'counts' || type === 'flags' || type === 'details') {
      return (keys ?? ['area']).flatMap((key) => same(`${path}.${key}`, (sample as Record<string, unknown>)[key]));
    }
    if (type !== 'objects') return same(path, sample);
    if (path === 'image')
      return same(
        path,
        Array.from({ length: 2 }, () => `a text for ${items[0]?.title ?? ''}`),
      );
    const list = record.lists.get(path);
    return [
      ...same(path, 2),
      ...(list?.items.length === 2 ? list.items.flatMap((item) => wrong(items, item)) : [`${path}[]`]),
    ];
  });
}

test('keeps every documented attribute under its path, through all lists', () => {
  expect(wrong(SUMMARY_CATALOG, flattenSummary(fullSummary()))).toEqual([]);
});

test('keeps absent, null, false, empty text, and empty list apart', () => {
  const record = flat({ risk: { vacant: false, forSale: null }, hazards: [], bldg: { construction: '' } });
  expect(leaves(record)).toEqual({
    'summary.risk.vacant': false,
    'summary.risk.forSale': null,
    'summary.hazards': [],
    'summary.bldg.construction': '',
  });
});

test('keeps undocumented attributes, keys, sections, lists, and fields', () => {
  const record = flattenSummary({
    id: 'R',
    type: 'T',
    project: { colour: 'red' },
    summary: {
      roof: { geometry: { Gable: 60, Dome: 40 }, 'odd.name': 1 },
      drone: { flights: [{ pilot: 'P', heights: [1, 2] }] },
      nested: [[1], 2],
    },
    version: 3,
  });
  expect(leaves(record)).toEqual({
    'project.colour': 'red',
    'summary.roof.geometry.Gable': 60,
    'summary.roof.geometry.Dome': 40,
    'summary.roof.odd\\.name': 1,
    'summary.drone.flights': 1,
    'summary.nested': ['[1]', 2],
    version: 3,
  });
  expect(record.values.get('summary.roof.geometry.Dome')).toMatchObject({
    key: 'Dome',
    attribute: { path: 'summary.roof.geometry' },
  });
  expect(record.lists.get('summary.drone.flights')?.items.map(leaves)).toEqual([{ pilot: 'P', heights: [1, 2] }]);
});

test('keeps a value whose shape is not documented as it is', () => {
  const record = flat({
    risk: 'unknown',
    roof: { geometry: 'gable', comparison: 'none', comments: { de: 'gut' } },
    history: { policyNumber: 'P' },
    factors: ['a', null],
  });
  expect(leaves(record)).toMatchObject({
    'summary.risk': 'unknown',
    'summary.roof.geometry': 'gable',
    'summary.roof.comparison': 'none',
    'summary.roof.comments.de': 'gut',
    'summary.history': 1,
    'summary.factors': 2,
  });
  expect(record.lists.get('summary.history')?.items.map(leaves)).toEqual([{ policyNumber: 'P' }]);
  expect(record.lists.get('summary.factors')?.items.map(leaves)).toEqual([{ '': 'a' }, { '': null }]);
});

test('treats __proto__ as a plain name and keeps large ids exact', () => {
  const summary = parseExactJson('{"__proto__":{"polluted":true},"constructor":1,"bigId":9007199254740993}') as Record<
    string,
    unknown
  >;
  expect(leaves(flat(summary))).toEqual({
    'summary.__proto__.polluted': true,
    'summary.constructor': 1,
    'summary.bigId': 9007199254740993n,
  });
  expect(attributeCell(9007199254740993n, { attribute: undefined, key: null, counted: false })?.value).toBe(
    '9007199254740993',
  );
});

test('shows the id of an image reference and everything else it has', () => {
  const record = flat({
    recommendations: [{ text: 'Mend it', image: [{ id: 'a' }, { id: 'b', direction: 'Front' }] }],
  });
  expect(record.lists.get('summary.recommendations')?.items.map(leaves)).toEqual([
    { text: 'Mend it', image: ['a', 'b (direction: Front)'] },
  ]);
});

const report = (id: string, summary: Record<string, unknown>, project: Record<string, unknown> = {}, type = id) => ({
  id,
  type,
  summary: { id, project, summary },
});

test('mergeReports fills the newest values from older ones, never mixing shares', () => {
  const roofOnly = report(
    'roof',
    {
      roof: { geometry: { Flat: 100 }, overallCondition: 'Poor', chimneyCount: null, hasTarp: false, comments: [] },
      factors: [],
      risk: { businessOperation: '' },
    },
    { completionTime: 2000 },
  );
  const full = report(
    'full',
    {
      yearBuilt: 1990,
      roof: {
        geometry: { Gable: 60, Hip: 40 },
        overallCondition: 'Good',
        chimneyCount: 2,
        hasTarp: true,
        hasHoles: null,
        comments: ['c'],
      },
      factors: [{ text: 'f' }],
      risk: { businessOperation: 'Farming' },
    },
    { completionTime: 1000 },
  );
  const { record, reports } = mergeReports([roofOnly, { id: 'x', type: 'x', summary: null }, full]);
  expect(reports.map(({ id }) => id)).toEqual(['roof', 'full', 'x']);
  expect(leaves(record)).toEqual({
    'project.completionTime': 2000,
    'summary.yearBuilt': 1990,
    'summary.roof.geometry.Flat': 100,
    'summary.roof.overallCondition': 'Poor',
    'summary.roof.chimneyCount': 2,
    'summary.roof.hasTarp': false,
    'summary.roof.hasHoles': null,
    'summary.roof.comments': [],
    'summary.factors': 0,
    'summary.risk.businessOperation': 'Farming',
  });
  expect(record.lists.get('summary.factors')?.items).toEqual([]);
});

test.each([
  ['the completion', [{ completionTime: 5 }, { completionTime: 9 }, { completionTime: 7 }], ['2', '3', '1']],
  ['the inspection', [{ inspectionTime: 9 }, { inspectionTime: 5, completionTime: null }], ['1', '2']],
  ['the list, where times are the same', [{ completionTime: 5 }, { completionTime: 5 }], ['2', '1']],
  ['the list, where there is no time', [{}, {}, {}], ['3', '2', '1']],
  ['the completion as text or a large number', [{ completionTime: '9' }, { completionTime: 8n }], ['1', '2']],
])('mergeReports sorts by %s', (_what, projects, expected) => {
  const { reports } = mergeReports(projects.map((project, index) => report(`${index + 1}`, { yearBuilt: 1 }, project)));
  expect(reports.map(({ id }) => id)).toEqual(expected);
});

test('mergeReports takes the fullest report of one inspection first', () => {
  const sameTime = { completionTime: 5 };
  const full = report('full', { yearBuilt: 1, factors: [{ text: 'a' }, { text: 'b' }] }, sameTime);
  const short = report('short', { factors: [{ text: 'a' }] }, sameTime);
  expect(leaves(mergeReports([full, short]).record)).toMatchObject({ 'summary.factors': 2 });
});

test('mergeReports takes the report of a later day first, such as after a rework', () => {
  const project = { completionTime: 1_790_000_000 };
  const full = { ...report('1', { yearBuilt: 1987, exterior: { condition: 'Poor' } }, project), recordedAt: 0 };
  const later = { ...report('2', { yearBuilt: 1999 }, project), recordedAt: 86_400_000 };
  expect(mergeReports([full, later]).reports.map(({ id }) => id)).toEqual(['2', '1']);
  expect(mergeReports([full, { ...later, recordedAt: 1000 }]).reports.map(({ id }) => id)).toEqual(['1', '2']);
});

test('mergeReports puts a closeout after an inspection, however late', () => {
  const closeout = report(
    'closeout',
    { risk: { overallCondition: 'Closeout' }, closeoutReasons: ['No access.'] },
    { completionTime: 9 },
    'Inspection Closeout Report',
  );
  const full = report('full', { risk: { overallCondition: 'Good' }, roof: { hasTarp: false } }, { completionTime: 1 });
  const { record, reports } = mergeReports([full, closeout]);
  expect(reports.map(({ id }) => id)).toEqual(['full', 'closeout']);
  expect(leaves(record)).toMatchObject({
    'summary.risk.overallCondition': 'Good',
    'summary.closeoutReasons': ['No access.'],
  });
});
