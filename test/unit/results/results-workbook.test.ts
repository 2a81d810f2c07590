import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import exceljs, { type Workbook } from 'exceljs';
import { expect, test } from 'vitest';
import sharp from 'sharp';
import {
  fullSummary,
  projectWith,
  sampleInput,
  sampleOrder,
  sampleProject,
  stream,
} from '../../support/full-summary.ts';
import { readOrderFile } from '../../../src/intake/read-orders.ts';
import { writeOrdersWorkbook } from '../../../src/results/tables/orders.ts';
import { PROJECT_COLUMNS } from '../../../src/results/tables/results-columns.ts';
import { JudgedProjects, type OrderLine, type ResultsInput } from '../../../src/results/model.ts';
import { writeResults } from '../../../src/results/write-results.ts';

async function written<Answer>(
  write: (path: string) => Promise<Answer>,
): Promise<{ workbook: Workbook; answer: Answer }> {
  const folder = await mkdtemp(join(tmpdir(), 'results-'));
  try {
    const path = join(folder, 'book.xlsx');
    const answer = await write(path);
    const workbook = new exceljs.Workbook();
    await workbook.xlsx.readFile(path);
    return { workbook, answer };
  } finally {
    await rm(folder, { recursive: true });
  }
}

const results = (input: ResultsInput) => written((path) => writeResults({ xlsx: path }, input));

/** The values of a sheet's column below the header. */
function columnOf(workbook: Workbook, sheetName: string, title: string): unknown[] {
  const sheet = workbook.getWorksheet(sheetName);
  const column = ((sheet?.getRow(1).values ?? []) as unknown[]).indexOf(title);
  if (sheet === undefined || column < 1) throw new Error(`no column ${title} on ${sheetName}`);
  return Array.from({ length: sheet.rowCount - 1 }, (_, index) => sheet.getCell(index + 2, column).value);
}

test("fills every column and every list's sheet from a full summary", async () => {
  const { workbook, answer } = await results(sampleInput([projectWith(fullSummary())]));
  expect(workbook.worksheets.map(({ name }) => name)).toEqual([
    'Overview',
    'Results',
    'Attention',
    'Roofs',
    'Portfolio',
    'Factors',
    'Recommendations',
    'Appliances',
    'Recalls',
    'Class actions',
    'Roof comparison',
    'Exterior comparison',
    'Pools',
    'Inspection history',
    '3D model',
    'Floors',
    'Not ordered',
    'Fields',
  ]);
  const sheet = workbook.getWorksheet('Results');
  const empty: unknown[] = [];
  const columns = answer.columns.filter(({ list }) => list === '').length;
  expect(columns).toBeGreaterThan(150);
  for (let column = PROJECT_COLUMNS.length + 1; column <= PROJECT_COLUMNS.length + columns; column += 1) {
    if (sheet?.getCell(2, column).value === null) empty.push(sheet.getCell(1, column).value);
  }
  expect(empty).toEqual([]);
  expect(columnOf(workbook, 'Results', 'Project: inspected')).toEqual([new Date(Date.UTC(2026, 0, 1))]);
  expect(columnOf(workbook, 'Results', 'Roof: geometry, gable')).toEqual([0.4]);
  expect(columnOf(workbook, 'Recalls', 'Appliance no.')).toEqual([1, 1, 2, 2]);
  expect(columnOf(workbook, 'Recalls', 'Recall no.')).toEqual([1, 2, 1, 2]);
  expect(columnOf(workbook, 'Recalls', 'Project ID')).toEqual(Array.from({ length: 4 }, () => '9007199254740993'));
  const fields = columnOf(workbook, 'Fields', 'Source');
  expect(fields).toContain('summary.interior.appliances[].recallData[].fix');
  const ofReports = fields.filter((source) => source !== 'order and ledger' && source !== 'inspection-batch');
  expect(new Set(ofReports).size).toBe(ofReports.length);
});

test('keeps absent, null, and false apart, and lists projects without reports', async () => {
  const { workbook, answer } = await results(
    sampleInput([
      projectWith({ summary: { risk: { forSale: null } } }),
      projectWith({ summary: { risk: { forSale: false } } }),
      sampleProject({ projectId: '3' }),
    ]),
  );
  expect(answer).toMatchObject({ columns: [{ path: 'summary.risk.forSale' }], projects: 3 });
  expect(columnOf(workbook, 'Results', 'Risk: for sale')).toEqual(['–', 'No', null]);
  expect(columnOf(workbook, 'Results', 'Project ID')[2]).toBe('3');
  expect(columnOf(workbook, 'Results', 'ZIP')).toEqual(['02139', '02139', '02139']);
});

test('keeps text that looks like a formula, link, or rich text', async () => {
  const texts = [
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '=HYPERLINK("http://x")',
    '{"richText":[]}',
    '  spaced <&> "quoted" ',
    '00123',
  ];
  const { workbook } = await results(
    sampleInput(
      [
        projectWith(
          {
            type: '=evil',
            summary: { odd: { '=title': texts[0] }, hazards: [texts[1]], factors: texts.map((text) => ({ text })) },
          },
          { order: { ...sampleOrder, insuredName: '=1+1', policyNumber: '-5' } },
        ),
      ],
      {
        notOrdered: () =>
          stream([
            {
              kind: 'rejection',
              openSince: 0,
              sender: '=s',
              corrections: '=c',
              isNew: true,
              file: '=f',
              sheet: '@s',
              rowNumber: 2,
              policyNumber: '+1',
              inspectionNumber: '',
              insuredName: '=1',
              streetAddress: '',
              reasons: ['=why'],
              projectId: null,
            },
          ]),
      },
    ),
  );
  expect(columnOf(workbook, 'Factors', 'Text')).toEqual(texts);
  expect(columnOf(workbook, 'Results', 'Insured')).toEqual(['=1+1']);
  expect(columnOf(workbook, 'Results', 'Policy number')).toEqual(['-5']);
  expect(columnOf(workbook, 'Not ordered', 'Why')).toEqual(['=why']);
  for (const sheet of workbook.worksheets) {
    sheet.eachRow((row) =>
      row.eachCell((cell) => expect([cell.type, cell.formula]).not.toContain(exceljs.ValueType.Formula)),
    );
  }
});

test('links reports and photos, also images in lists', async () => {
  const summary = {
    summary: { roof: { hasHoles: true }, factors: [{ text: 'f', image: [{ id: 'lost' }, { id: 'i1' }] }] },
  };
  const { workbook } = await results(
    sampleInput([
      projectWith(summary, { photosPath: 'photos/1', photoCount: 12, photos: [{ id: 'i1', path: 'photos/1/i1.jpg' }] }),
    ]),
  );
  const report = { text: 'Full-scope Underwriting Report', hyperlink: 'reports/R%201%23a.pdf' };
  expect(columnOf(workbook, 'Results', 'Report')).toEqual([report]);
  expect(columnOf(workbook, 'Results', 'Photos')).toEqual([{ text: '12 photos', hyperlink: 'photos/1' }]);
  expect(columnOf(workbook, 'Factors', 'Images')).toEqual([{ text: 'lost; i1', hyperlink: 'photos/1/i1.jpg' }]);
  expect(columnOf(workbook, 'Attention', 'Report')).toEqual([report]);
  expect(columnOf(workbook, 'Attention', 'Why')).toEqual(['! Roof: holes → non-renew']);
});

test('lists the riskiest house first and omits houses that are not flagged', async () => {
  const risky = (projectId: string, exterior: Record<string, unknown>) =>
    projectWith({ summary: { exterior } }, { projectId });
  const { workbook } = await results(
    sampleInput([
      risky('medium', { hasPoolWithoutFence: true, hasWaterDamage: true }),
      risky('below', { hasPoolWithoutFence: true }),
      risky('none', { hasDogPresent: false }),
      risky('high', { hasPoolWithoutFence: true, hasWaterDamage: true, hasUnsafeTreeCondition: true }),
    ]),
  );
  expect(columnOf(workbook, 'Attention', 'Project ID')).toEqual(['high', 'medium']);
});

test('filters all rows, freezes panes, and limits the cell length', async () => {
  const { workbook } = await results(
    sampleInput([projectWith({ summary: { hazards: ['x'.repeat(50_000)] } }), sampleProject()]),
  );
  const sheet = workbook.getWorksheet('Results');
  expect(sheet?.autoFilter).toBe(`A1:${sheet?.getColumn(PROJECT_COLUMNS.length + 1).letter ?? ''}3`);
  expect(sheet?.views[0]).toMatchObject({ state: 'frozen', ySplit: 1, xSplit: 3 });
  expect(String(columnOf(workbook, 'Results', 'Property: hazards')[0])).toHaveLength(32_767);
});

test('passes a fault in the projects to the caller', async () => {
  const input = sampleInput([], {
    projects: async function* () {
      yield sampleProject();
      throw new Error('the ledger is away');
    },
  });
  await expect(results(input)).rejects.toThrow('the ledger is away');
  await expect(
    written((path) => writeResults({ xlsx: join(path, 'no', 'folder.xlsx') }, sampleInput([]))),
  ).rejects.toThrow('ENOENT');
});

test('writeOrdersWorkbook shows repairs, and codes and links for self-inspections', async () => {
  const line: OrderLine = {
    state: 'created',
    reason: null,
    projectId: '1',
    source: { file: 'a.csv', sheet: 'a', rowNumber: 2 },
    order: sampleOrder,
    inspectionCode: '',
    inspectionLink: '',
    repairs: [
      { field: 'zipcode', column: 'ZIP', cell: 'D2', held: '2139', sent: '02139', why: 'a ZIP code has five digits' },
      { field: 'yearBuilt', column: 'Built', cell: 'E2', held: '1985?', sent: '', why: 'it could not be read' },
    ],
  };
  const self: OrderLine = {
    ...line,
    projectId: '2',
    order: { ...sampleOrder, serviceName: 'Self 4-Point Underwriting' },
    repairs: [],
    inspectionCode: 'AB12CD',
    inspectionLink: 'https://inspect.example/AB12CD',
  };
  const refused: OrderLine = {
    ...self,
    state: 'refused',
    reason: '=said no',
    projectId: null,
    inspectionCode: null,
    inspectionLink: null,
  };
  const { workbook } = await written((path) =>
    writeOrdersWorkbook(path, {
      run: 'r',
      writtenAt: Date.UTC(2026, 0, 6),
      orders: () => stream([line, self, refused]),
    }),
  );
  expect(columnOf(workbook, 'Orders', 'Repaired')).toEqual([
    'ZIP: 2139 → 02139 (a ZIP code has five digits)\nBuilt: 1985? → left out (it could not be read)',
    null,
    null,
  ]);
  expect(columnOf(workbook, 'Orders', 'Order status')).toEqual(['created', 'created', 'refused']);
  expect(columnOf(workbook, 'Orders', 'State')).toEqual(Array.from({ length: 3 }, () => sampleOrder.state));
  expect(columnOf(workbook, 'Orders', 'Why')).toEqual([null, null, '=said no']);
  expect(columnOf(workbook, 'Send to insured', 'Code')).toEqual(['AB12CD']);
  expect(columnOf(workbook, 'Send to insured', 'Link')).toEqual(['https://inspect.example/AB12CD']);
  expect(columnOf(workbook, 'Send to insured', 'Message')).toEqual([
    expect.stringMatching(/^Dear .* code is AB12CD\..* phone: https:\/\/inspect\.example\/AB12CD$/),
  ]);
});

test('readOrderFile refuses an orders workbook', async () => {
  await written(async (path) => {
    await writeOrdersWorkbook(path, { run: 'r', writtenAt: Date.UTC(2026, 0, 6), orders: () => stream([]) });
    await expect(readOrderFile(path, 'orders.xlsx', { headers: {}, today: '2026-01-06' })).rejects.toMatchObject({
      code: 'orders-workbook',
    });
  });
});

test('shows a value that filled an empty cell without an arrow', async () => {
  const repair = { field: 'note', column: '', cell: '', held: '', sent: '[ref IB-1]', why: 'no number' } as const;
  const line: OrderLine = {
    state: 'created',
    reason: null,
    projectId: '1',
    source: { file: 'a.xlsx', sheet: 'S', rowNumber: 2 },
    order: sampleOrder,
    repairs: [repair],
    inspectionCode: null,
    inspectionLink: null,
  };
  const { workbook } = await written((path) =>
    writeOrdersWorkbook(path, { run: 'r', writtenAt: 0, orders: () => stream([line]) }),
  );
  expect(columnOf(workbook, 'Orders', 'Repaired')).toEqual(['note: [ref IB-1] (no number)']);
});

const headersOf = (workbook: Workbook, sheet: string): unknown[] =>
  ((workbook.getWorksheet(sheet)?.getRow(1).values ?? []) as unknown[]).slice(1);

test('keeps earlier columns in place and announces new ones', async () => {
  const first = await results(
    sampleInput([
      projectWith({
        summary: {
          roof: { hasTarp: true, odd: 1, material: { Thatch: 5 } },
          newList: [{ b: 1 }],
          exterior: { hasDogPresent: true },
        },
      }),
    ]),
  );
  expect(columnOf(first.workbook, 'Overview', 'Inspection results')).not.toContain('New columns in this workbook');
  const second = await results(
    sampleInput(
      [
        projectWith({
          summary: { yearBuilt: 1990, roof: { hasTarp: false, material: { Slate: 60 } }, newList: [{ a: 2, b: 3 }] },
        }),
      ],
      { earlierColumns: first.answer.columns },
    ),
  );
  const before = headersOf(first.workbook, 'Results');
  const after = headersOf(second.workbook, 'Results');
  expect(after.slice(0, before.length)).toEqual(before);
  expect(after.slice(before.length)).toEqual(['Property: year built', 'Roof: material, slate']);
  expect(columnOf(second.workbook, 'Results', 'Roof: odd')).toEqual([null]);
  expect(columnOf(second.workbook, 'Results', 'Roof: material, slate')).toEqual([0.6]);
  expect(headersOf(second.workbook, 'New list').slice(-2)).toEqual(['B', 'A']);
  const overview = columnOf(second.workbook, 'Overview', 'Inspection results');
  expect(overview.slice(overview.indexOf('New columns in this workbook') + 1).slice(0, 3)).toEqual([
    'Results: Property: year built',
    'Results: Roof: material, slate',
    'New list: A',
  ]);
});

test('shows small photos that open the large ones, within limits', async () => {
  const jpeg = await sharp({ create: { width: 160, height: 120, channels: 3, background: '#336699' } })
    .jpeg()
    .toBuffer();
  const photos = Array.from({ length: 5 }, (_, index) => ({
    id: String(index),
    path: `photos/${index}.jpg`,
    thumbnail: async () => (index === 0 ? null : jpeg),
  }));
  const project = projectWith({}, { photos, photoCount: 5 });
  const { workbook } = await results(
    sampleInput([project, projectWith({}), project, project], { thumbnails: { perProject: 2, inAll: 3 } }),
  );
  const sheet = workbook.getWorksheet('Photos');
  expect(sheet?.rowCount).toBe(4);
  expect(sheet?.getImages().map(({ range }) => [range.tl.nativeRow, range.tl.nativeCol])).toEqual([
    [1, 7],
    [1, 8],
    [2, 7],
  ]);
  expect(JSON.stringify(sheet?.getRow(4).values)).toMatch(/\blimit\b.*\bthumbnails\b/);
  const without = await results(sampleInput([project], { thumbnails: { perProject: 0, inAll: 3 } }));
  expect(without.workbook.getWorksheet('Photos')).toBeUndefined();
});

test('Roofs lists the worst roof first, with a photo of it', async () => {
  const photos = [
    { id: 'f', path: 'p/photos/1.jpg', description: 'Front' },
    { id: 'd', path: 'p/photos/2.jpg', description: 'Detail' },
    { id: 'o', path: 'p/photos/3.jpg', description: 'Roof overview' },
  ];
  const tarp = { text: 'A tarp', name: 'ROOF_TARP', component: 'Roof', location: 'Roof', image: [{ id: 'd' }] };
  const { workbook } = await results(
    sampleInput([
      projectWith(
        { summary: { roof: { overallCondition: 'Good' }, risk: { vacant: true } } },
        { projectId: '1', photos, photoCount: 3 },
      ),
      projectWith(
        { summary: { roof: { overallCondition: 'Fair', hasTarp: true, hasHoles: true }, factors: [tarp] } },
        { projectId: '2', photos, photoCount: 3 },
      ),
      projectWith(
        { summary: { roof: { overallCondition: 'Poor' } } },
        { projectId: '3', photos: photos.slice(0, 1), photoCount: 1 },
      ),
      projectWith({ summary: { roof: { overallCondition: null } } }, { projectId: '4' }),
      projectWith({ summary: { roof: { overallCondition: 'Average' } } }, { projectId: '5' }),
    ]),
  );
  expect(columnOf(workbook, 'Roofs', 'Project ID')).toEqual(['2', '3', '5', '1']);
  expect(columnOf(workbook, 'Roofs', 'Roof points')).toEqual([45, 30, 0, 0]);
  expect(columnOf(workbook, 'Roofs', 'Condition')).toEqual(['Fair', 'Poor', 'Average', 'Good']);
  expect(columnOf(workbook, 'Roofs', 'Roof photo')).toEqual([
    { text: 'Roof overview', hyperlink: 'p/photos/3.jpg' },
    expect.stringContaining('labeled'),
    null,
    { text: 'Roof overview', hyperlink: 'p/photos/3.jpg' },
  ]);
  expect(columnOf(workbook, 'Roofs', 'What is wrong with the roof')[0]).toBe(
    '· holes\n· tarp\n· fair condition overall',
  );
});

test('Overdue shows days late and why, if anything is late', async () => {
  const day = 24 * 60 * 60 * 1000;
  const { overview, writtenAt } = sampleInput([]);
  const late = {
    projectId: '7',
    order: sampleOrder,
    dueDate: new Date(writtenAt - 9 * day).toISOString().slice(0, 10),
    status: 'Assigned to Pilot',
    statusAt: writtenAt - 3 * day,
    why: 'Not inspected yet.',
  };
  const { workbook } = await results(sampleInput([], { overview: { ...overview, overdue: [late] } }));
  expect(columnOf(workbook, 'Overdue', 'Days late')).toEqual([9]);
  expect(columnOf(workbook, 'Overdue', 'Why')).toEqual(['Not inspected yet.']);
  expect(columnOf(workbook, 'Overdue', 'What can be done')[0]).toContain('canceled');
  const { workbook: none } = await results(sampleInput([]));
  expect(none.getWorksheet('Overdue')).toBeUndefined();
});

test('takes the local day for due dates, and skips closed-out projects', async () => {
  const { overview, writtenAt } = sampleInput([]);
  const due = (projectId: string, dueDate: string, status = 'Assigned to Pilot') =>
    sampleProject({ projectId, status, returnedAt: null, reports: [], order: { ...sampleOrder, dueDate } });
  const late = {
    projectId: '1',
    order: sampleOrder,
    dueDate: '2026-01-04',
    status: 'Assigned to Pilot',
    statusAt: writtenAt,
    why: '',
  };
  const projects = [
    due('1', '2026-01-04'),
    due('2', '2026-01-05'),
    due('3', '2026-01-04', 'Closed Out'),
    due('4', '2026-01-04', 'closed-out'),
  ];
  // It is January 6 in UTC already.
  const input = sampleInput(projects, { overview: { ...overview, today: '2026-01-05', overdue: [late] } });
  const overdue: string[] = [];
  await new JudgedProjects(input).survey(
    ({ project, findings }) => overdue.push(...findings.map(({ reason }) => `${project.projectId} ${reason}`)),
    () => {},
  );
  expect(overdue).toEqual(['1 Order: past its due date']);
  const { workbook } = await results(input);
  expect(columnOf(workbook, 'Overdue', 'Days late')).toEqual([1]);
});

test('Fields explains the columns that the program adds', async () => {
  const { workbook } = await results(sampleInput([projectWith({ summary: { roof: { hasTarp: true } } })]));
  const [sheets, columns, meanings] = ['Sheet', 'Column', 'Meaning'].map((title) =>
    columnOf(workbook, 'Fields', title),
  );
  const level = sheets?.findIndex((sheet, index) => sheet === 'Attention' && columns?.[index] === 'Level') ?? -1;
  expect(meanings?.[level]).toMatch(/High: .*\btenth\b/);
  expect(new Set(sheets)).toEqual(new Set(['Results', 'Attention', 'Roofs', 'Portfolio', 'Not ordered']));
});

test('Overview draws a bar behind each count of a kind', async () => {
  const { workbook } = await results(sampleInput([projectWith(fullSummary())]));
  const sheet = workbook.getWorksheet('Overview');
  const headings = sheet?.getColumn(1).values ?? [];
  const first = headings.indexOf('Hazards, by kind') + 1;
  const { conditionalFormattings } = sheet as unknown as { conditionalFormattings: readonly { ref: string }[] };
  expect(conditionalFormattings.map(({ ref }) => ref)).toEqual(
    expect.arrayContaining([expect.stringMatching(new RegExp(`^B${first}:B\\d+$`))]),
  );
});
