import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import exceljs from 'exceljs';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import {
  fullSummary,
  projectWith,
  sampleInput,
  sampleOrder,
  sampleProject,
  stream,
} from '../../support/full-summary.ts';
import type { ResultsInput } from '../../../src/results/model.ts';
import { writeResults } from '../../../src/results/write-results.ts';

const AWKWARD = [
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  "'quoted",
  '\tindented',
  '＝1',
  'a, "b"\nc',
  ' spaced ',
  '',
  '00123',
  '–',
];

async function written(input: ResultsInput) {
  await using folder = await temporaryFolder();
  const at = (name: string): string => join(folder.path, name);
  const answer = await writeResults(
    {
      csv: { results: at('results.csv'), folder: at('results-csv') },
      jsonl: at('results.jsonl'),
      xlsx: at('results.xlsx'),
    },
    input,
  );
  const files = await readdir(at('results-csv'));
  const tables: Record<string, string> = { Results: await readFile(at('results.csv'), 'utf8') };
  for (const file of files) tables[file.replace('.csv', '')] = await readFile(at(`results-csv/${file}`), 'utf8');
  const workbook = new exceljs.Workbook();
  await workbook.xlsx.readFile(at('results.xlsx'));
  const lines = (await readFile(at('results.jsonl'), 'utf8')).split('\n');
  return { answer, tables, workbook, lines };
}

/** The cells of a CSV file as another library reads them, with the guarding apostrophes taken away. */
function cellsOf(csv: string): string[][] {
  const rows = parse(csv, { bom: true, record_delimiter: '\r\n' });
  return rows.map((row) => row.map((cell) => (cell.startsWith("'") ? cell.slice(1) : cell)));
}

test("writes CSV with the workbook's tables, columns, and rows", async () => {
  const { tables, workbook } = await written(
    sampleInput([projectWith(fullSummary()), projectWith({ summary: { risk: { forSale: null, vacant: false } } })]),
  );
  const sheets = workbook.worksheets.map(({ name }) => name).filter((name) => name !== 'Overview');
  expect(Object.keys(tables).toSorted()).toEqual(sheets.toSorted());
  for (const name of sheets) {
    const csv = tables[name] ?? '';
    expect(csv.startsWith('\uFEFF')).toBe(true);
    const cells = cellsOf(csv);
    const sheet = workbook.getWorksheet(name);
    const titles = ((sheet?.getRow(1).values ?? []) as unknown[]).slice(1);
    expect([name, cells[0], cells.length]).toEqual([name, titles, sheet?.rowCount]);
    expect(new Set(cells.map((row) => row.length))).toEqual(new Set([titles.length]));
  }
  const [titles = [], first = [], second = []] = cellsOf(tables['Results'] ?? '');
  const shown = (row: readonly string[], title: string): string | undefined => row[titles.indexOf(title)];
  expect(shown(first, 'Roof: geometry, gable')).toBe('40%');
  expect(shown(first, 'Project: inspected')).toBe('2026-01-01T00:00:00Z');
  expect(shown(first, 'Effective date')).toBe('2026-01-15');
  expect(shown(first, 'ZIP')).toBe('02139');
  expect(shown(first, 'Report')).toBe('Full-scope Underwriting Report <reports/R 1#a.pdf>');
  expect([shown(second, 'Risk: for sale'), shown(second, 'Risk: vacant'), shown(second, 'Risk: rental')]).toEqual([
    '–',
    'No',
    '',
  ]);
});

test('writes CSV text that is never a formula and reads back exactly', async () => {
  const { tables } = await written(
    sampleInput([
      projectWith({ summary: { risk: { hazardScore: -5 }, factors: AWKWARD.map((text) => ({ text })), '=title': 1 } }),
    ]),
  );
  const raw = parse(tables['Factors'] ?? '', { bom: true });
  const column = raw[0]?.indexOf('Text') ?? -1;
  for (const row of raw) expect(row[column] ?? '').not.toMatch(/^[=+\-@\t\r＝]/);
  expect(
    cellsOf(tables['Factors'] ?? '')
      .slice(1)
      .map((row) => row[column]),
  ).toEqual(AWKWARD);
  const results = parse(tables['Results'] ?? '', { bom: true });
  expect(results[1]?.[results[0]?.indexOf('Risk: hazard score') ?? -1]).toBe('-5');
});

// Absent, null, and false are three things.
test('writes a JSON line per project with raw values by path', async () => {
  const summary = {
    risk: { forSale: null, vacant: false },
    roof: { geometry: { Gable: 40 }, 'odd.name': 9_007_199_254_740_993n },
    hazards: ['a', 'b'],
    exterior: { pool: [{ type: 'In-ground' }, {}] },
  };
  const project = projectWith(
    { summary },
    { order: { ...sampleOrder, insuredName: 'two\nlines' }, photos: [{ id: 'i1', path: 'photos/i1.jpg' }] },
  );
  const { lines, answer } = await written(sampleInput([project, projectWith({}, { projectId: '2' })]));
  expect([answer.projects, lines.length, lines[2]]).toEqual([2, 3, '']);
  expect(lines[0]).toContain('"summary.roof.odd\\\\.name":9007199254740993');
  const first: unknown = JSON.parse(lines[0] ?? '');
  expect(first).toMatchObject({
    projectId: '9007199254740993',
    policyNumber: '00123456',
    status: 'Returned to Client',
    returnedAt: '2026-01-05T06:30:00.000Z',
    collectedAt: null,
    order: { insuredName: 'two\nlines' },
    reports: [{ id: 'R-1', path: 'reports/R 1#a.pdf' }],
    photos: [{ id: 'i1', path: 'photos/i1.jpg' }],
    earlier: null,
    values: {
      'summary.risk.forSale': null,
      'summary.risk.vacant': false,
      'summary.roof.geometry.Gable': 40,
      'summary.hazards': ['a', 'b'],
      'summary.exterior.pool': [{ type: 'In-ground' }, {}],
    },
  });
  expect(first).not.toHaveProperty(['values', 'summary.risk.rental']);
});

test('writes the same workbook whatever else is written with it', async () => {
  await using folder = await temporaryFolder();
  const input = sampleInput([projectWith(fullSummary())]);
  await writeResults({ xlsx: join(folder.path, 'alone.xlsx') }, input);
  await writeResults(
    {
      xlsx: join(folder.path, 'beside.xlsx'),
      csv: { results: join(folder.path, 'r.csv'), folder: join(folder.path, 'csv') },
    },
    input,
  );
  expect(
    (await readFile(join(folder.path, 'alone.xlsx'))).equals(await readFile(join(folder.path, 'beside.xlsx'))),
  ).toBe(true);
});

test('writes lines without a workbook, and portable CSV file names', async () => {
  await using folder = await temporaryFolder();
  const input = sampleInput([projectWith({ summary: { con: [{ a: 1 }], 'a<b>|"c': [{ b: 1 }] } })], {
    notOrdered: () => stream([]),
  });
  await writeResults({ jsonl: join(folder.path, 'results.jsonl') }, input);
  expect(await readdir(folder.path)).toEqual(['results.jsonl']);
  await writeResults({ csv: { results: join(folder.path, 'results.csv'), folder: join(folder.path, 'csv') } }, input);
  expect(await readdir(join(folder.path, 'csv'))).toEqual(
    expect.arrayContaining(['List Con.csv', 'A b c.csv', 'Fields.csv', 'Not ordered.csv']),
  );
});

test('shows changes since the last report on Attention, Changes, and lines', async () => {
  const earlier = {
    projectId: '77',
    at: Date.UTC(2025, 0, 5),
    known: 'address',
    reports: projectWith({
      summary: {
        risk: { overallCondition: 'Good' },
        roof: { overallCondition: 'Good' },
        exterior: { hasDogPresent: false },
        ...numbered(0),
      },
    }).reports,
  } as const;
  const { workbook, lines, tables } = await written(
    sampleInput([
      projectWith(
        {
          summary: {
            risk: { overallCondition: 'Poor' },
            roof: { overallCondition: 'Poor' },
            exterior: { hasDogPresent: true },
            ...numbered(1),
          },
        },
        { earlier },
      ),
    ]),
  );
  const attention = JSON.stringify(workbook.getWorksheet('Attention')?.getRow(2).values);
  expect(attention).toMatch(/risk rated Poor\\n\+ roof/);
  const changes = cellsOf(tables['Changes'] ?? '');
  expect(changes).toHaveLength(14);
  expect(changes.map((row) => row.slice(5))).toContainEqual([
    'Roof: overall condition',
    'Good',
    'Poor',
    'Worse',
    '77',
    '2025-01-05T00:00:00Z',
    'same address',
    'summary.roof.overallCondition',
  ]);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    earlier: {
      projectId: '77',
      known: 'address',
      changes: expect.arrayContaining([{ path: 'summary.roof.overallCondition', before: 'Good', now: 'Poor' }]),
    },
  });
});

/** Ten attributes that the document does not list. */
function numbered(value: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`odd${index}`, value]));
}

test('shows the start and length of a long list on the page', async () => {
  const read: number[] = [];
  const overdue = {
    length: 5000,
    async *[Symbol.asyncIterator]() {
      const walk = read.push(0) - 1;
      for (let at = 0; at < 5000; at += 1, read[walk] = at)
        yield {
          projectId: String(at),
          order: sampleOrder,
          dueDate: '2026-03-01',
          status: 'Assigned',
          statusAt: 0,
          why: 'x',
        };
    },
  };
  await using folder = await temporaryFolder();
  const input = sampleInput([]);
  await writeResults(
    { html: join(folder.path, 'report.html') },
    { ...input, overview: { ...input.overview, overdue } },
  );
  const page = await readFile(join(folder.path, 'report.html'), 'utf8');
  expect(page).toMatch(/5,000 projects .*\bdue date\b/);
  expect(page).toMatch(/\b1,000 of 5,000: .*\bOverdue\b/);
  // The sheet has them all.
  expect([page.match(/<td data-label="Why it is late"/g)?.length, read]).toEqual([1000, [5000, 5000, 1000]]);
});

test('limits the page to the riskiest houses and counts all', async () => {
  const waiting = Array.from({ length: 5100 }, (_, index) =>
    sampleProject({ projectId: String(1000 + index), reports: [] }),
  );
  const said = {
    report: projectWith({ summary: {} }, { projectId: '9001' }),
    risky: projectWith({ summary: { roof: { overallCondition: 'Poor', hasTarp: true } } }, { projectId: '9002' }),
  };
  await using folder = await temporaryFolder();
  const html = join(folder.path, 'report.html');
  const { projects, levels } = await writeResults({ html }, sampleInput([...waiting, said.report, said.risky]));
  const page = await readFile(html, 'utf8');
  const shown = [...page.matchAll(/<article id="p(\d+)"/g)].map(([, id]) => id);
  expect([projects, Object.values(levels).reduce((sum, count) => sum + count, 0)]).toEqual([5102, 1]);
  expect([shown.length, shown[0], ...shown.slice(-2)]).toEqual([5000, '9002', '5997', '9001']);
  expect(page).toContain('This page has 5,000 of 5,102 projects');
});

test('gives a house without a report a level at zero points', async () => {
  const { attention } = sampleInput([]);
  const levels = { ...attention.levels, low: { points: 0 } };
  const waiting = sampleProject({ reports: [] });
  await using folder = await temporaryFolder();
  const answer = await writeResults(
    { xlsx: join(folder.path, 'results.xlsx') },
    sampleInput([waiting], { attention: { ...attention, levels } }),
  );
  expect(answer.levels).toEqual({ High: 0, Medium: 0, Low: 1, below: 0 });
});
