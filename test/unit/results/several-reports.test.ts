import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import type { ResultProject, ResultReport } from '../../../src/results/model.ts';
import { writeResults } from '../../../src/results/write-results.ts';
import { sampleInput, sampleProject } from '../../support/full-summary.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

function report(id: string, type: string, completionTime: number, summary: Record<string, unknown>): ResultReport {
  return { id, type, path: `reports/${id}.pdf`, summary: { id, project: { completionTime }, summary } };
}

const FULL = 'Full-scope Underwriting Report';
const ROOF = 'Roof-only Underwriting Report';
const DAY = 86_400;

/** The older report is the fuller one, and is listed last. */
const TWICE = sampleProject({
  projectId: '1',
  reports: [
    report('R-new', ROOF, 2 * DAY, {
      roof: { overallCondition: 'Poor', material: { Metal: 100 }, chimneyCount: null, hasTarp: false },
      factors: [{ text: 'Missing shingles' }],
      recommendations: [{ text: 'Call a roofer.' }],
    }),
    report('R-old', FULL, DAY, {
      yearBuilt: 1990,
      livingArea: 1800,
      roof: { overallCondition: 'Good', material: { Slate: 60, Metal: 40 }, chimneyCount: 2, hasTarp: false },
      risk: { vacant: true, forSale: null },
      factors: [{ text: 'Yard debris' }],
      recommendations: [{ text: 'Clear the yard.' }, { text: 'Mend the fence.' }],
      sustainability: { solarReady: true },
    }),
  ],
});
const ONCE = sampleProject({ projectId: '2', reports: [report('R-2', FULL, DAY, { yearBuilt: 2001 })] });

type Row = Readonly<Record<string, string>>;

async function written(projects: readonly ResultProject[]) {
  await using folder = await temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  await writeResults(
    { csv: { results: at('results.csv'), folder: at('csv') }, jsonl: at('results.jsonl'), html: at('report.html') },
    sampleInput(projects),
  );
  const table = async (name: string): Promise<Row[] | null> => {
    const text = await readFile(at(name), 'utf8').catch(() => null);
    return text === null ? null : parse(text, { bom: true, columns: true });
  };
  const lines = (await readFile(at('results.jsonl'), 'utf8')).trim().split('\n');
  return {
    results: (await table('results.csv')) ?? [],
    reports: await table('csv/Reports.csv'),
    factors: await table('csv/Factors.csv'),
    recommendations: await table('csv/Recommendations.csv'),
    surprises: await table('csv/Surprises.csv'),
    attention: await table('csv/Attention.csv'),
    fields: await table('csv/Fields.csv'),
    lines: lines.map((line) => JSON.parse(line) as Record<string, unknown>),
    page: await readFile(at('report.html'), 'utf8'),
  };
}

test("Results shows the newest report's values, then older ones, with disagreements", async () => {
  const { results, surprises, attention } = await written([TWICE, ONCE]);
  expect(results[0]).toMatchObject({
    Report: `${ROOF} <reports/R-new.pdf>`,
    'Further reports': `${FULL} <reports/R-old.pdf>`,
    'Roof: overall condition': 'Poor',
    'Roof: material, metal': '100%',
    'Roof: material, slate': '',
    'Roof: chimneys': '2',
    'Roof: tarp': 'No',
    'Property: year built': '1990',
    'Risk: for sale': '–',
    'Findings: factors': '1',
    'Property: recommendations': '1',
  });
  expect(results[0]?.['Reports disagree on']?.split('\n').toSorted()).toEqual([
    'Findings: factors: other entries in another report',
    'Property: recommendations: 1 (another report: 2)',
    'Roof: material, metal: 100% (another report: 40%)',
    'Roof: material, slate: nothing (another report: 60%)',
    'Roof: overall condition: Poor (another report: Good)',
  ]);
  expect(results[1]).toMatchObject({
    'Property: year built': '2001',
    'Reports disagree on': '',
    'Further reports': '',
  });
  expect(surprises?.map(({ Source }) => Source)).toEqual(['summary.sustainability.solarReady']);
  expect(attention).toHaveLength(1);
  expect(attention?.[0]?.['All reasons']).toContain('Occupancy: vacant');
});

test('Reports has a row for each of several reports, with every value', async () => {
  const { reports, fields } = await written([TWICE, ONCE]);
  expect(reports).toMatchObject([
    {
      'Project ID': '1',
      Report: `${ROOF} <reports/R-new.pdf>`,
      'Report ID': 'R-new',
      'Report no.': '1',
      'Project: completed': '1970-01-03T00:00:00Z',
      'Roof: overall condition': 'Poor',
      'Roof: chimneys': '–',
      'Property: year built': '',
      'Findings: factors': '1',
    },
    {
      'Project ID': '1',
      'Report ID': 'R-old',
      'Report no.': '2',
      'Project: completed': '1970-01-02T00:00:00Z',
      'Roof: overall condition': 'Good',
      'Roof: material, slate': '60%',
      'Roof: chimneys': '2',
      'Property: year built': '1990',
    },
  ]);
  expect(fields?.filter(({ Sheet }) => Sheet === 'Reports').map(({ Column }) => Column)).toEqual([
    'Report',
    'Report ID',
    'Report no.',
  ]);
  expect((await written([ONCE])).reports).toBeNull();
});

test("list sheets hold and name each report's entries", async () => {
  const { factors, recommendations } = await written([TWICE]);
  expect(factors?.map((row) => [row['Factor no.'], row['Report'], row['Text']])).toEqual([
    ['1', `${ROOF} <reports/R-new.pdf>`, 'Missing shingles'],
    ['1', `${FULL} <reports/R-old.pdf>`, 'Yard debris'],
  ]);
  expect(recommendations?.map((row) => [row['Report'], row['Text']])).toEqual([
    [`${ROOF} <reports/R-new.pdf>`, 'Call a roofer.'],
    [`${FULL} <reports/R-old.pdf>`, 'Clear the yard.'],
    [`${FULL} <reports/R-old.pdf>`, 'Mend the fence.'],
  ]);
});

test('JSON lines and the page show each report and its disagreements', async () => {
  const { lines, page } = await written([TWICE, ONCE]);
  expect(lines[0]).toMatchObject({
    reports: [
      { id: 'R-new', values: { 'summary.roof.overallCondition': 'Poor', 'summary.roof.chimneyCount': null } },
      { id: 'R-old', values: { 'summary.yearBuilt': 1990, 'summary.factors': [{ text: 'Yard debris' }] } },
    ],
    values: { 'summary.roof.overallCondition': 'Poor', 'summary.yearBuilt': 1990 },
  });
  expect(lines[0]?.['disagreements']).toContainEqual({
    path: 'summary.roof.overallCondition',
    shown: 'Poor',
    others: ['Good'],
  });
  expect(lines[1]).toMatchObject({ reports: [{ id: 'R-2', type: FULL, path: 'reports/R-2.pdf' }], disagreements: [] });
  expect(page).toContain('<li>Roof: overall condition: Poor (another report: Good)</li>');
});

test('names a value once that several other reports share', async () => {
  const reports = ['Poor', 'Good', 'Good'].map((overallCondition, older) =>
    report(`R-${older}`, FULL, (3 - older) * DAY, { roof: { overallCondition } }),
  );
  const { lines } = await written([sampleProject({ projectId: '1', reports })]);
  expect(lines[0]?.['disagreements']).toEqual([
    { path: 'summary.roof.overallCondition', shown: 'Poor', others: ['Good'] },
  ]);
});

test('Report opens the fullest of several reports of one inspection', async () => {
  const damage = report('R-2', 'Premium Damage Assessment Report', DAY, { roof: { hasTarp: false } });
  const full = report('R-1', FULL, DAY, { roof: { hasTarp: false }, yearBuilt: 1990 });
  const { results } = await written([sampleProject({ reports: [full, damage] })]);
  expect(results[0]).toMatchObject({ Report: `${FULL} <reports/R-1.pdf>`, 'Reports disagree on': '' });
});

test('ignores another order of entries or other photos', async () => {
  const factors = (...texts: string[]) => texts.map((text) => ({ text, image: [{ id: `${texts[0]}-${text}` }] }));
  const { results } = await written([
    sampleProject({
      reports: [
        report('R-1', FULL, DAY, { factors: factors('a', 'b'), roof: { comments: ['x'] } }),
        report('R-2', FULL, 2 * DAY, { factors: factors('b', 'a'), roof: { comments: ['y'] }, risk: { vacant: null } }),
      ],
    }),
  ]);
  expect(results[0]?.['Reports disagree on']).toBe('');
});

test('Results takes the report completed last, even if inspected first', async () => {
  const reports = [
    { ...report('R-1', FULL, 2 * DAY, { yearBuilt: 1990 }), inspected: DAY },
    { ...report('R-2', FULL, DAY, { yearBuilt: 1991 }), inspected: 3 * DAY },
  ].map(({ inspected, ...one }) => ({
    ...one,
    summary: one.summary && { ...one.summary, project: { ...one.summary.project, inspectionTime: inspected } },
  }));
  const { results } = await written([sampleProject({ projectId: '1', reports })]);
  expect(results[0]).toMatchObject({ 'Property: year built': '1990', Report: `${FULL} <reports/R-1.pdf>` });
});

test('Further reports links the first report with a file', async () => {
  const reports = [
    report('R-3', FULL, 3 * DAY, { yearBuilt: 1990 }),
    { ...report('R-2', ROOF, 2 * DAY, {}), path: null },
    report('R-1', ROOF, DAY, {}),
  ];
  const { results } = await written([sampleProject({ projectId: '1', reports })]);
  expect(results[0]?.['Further reports']).toBe(`${ROOF}; ${ROOF} <reports/R-1.pdf>`);
});
