import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import exceljs, { type Workbook } from 'exceljs';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import type { OrderPayload } from '../../../src/domain/row.ts';
import type { NotOrderedRow, ResultsInput, ResultsOverview } from '../../../src/results/model.ts';
import { writeResults } from '../../../src/results/write-results.ts';
import { projectWith, sampleInput, sampleOrder, stream } from '../../support/full-summary.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** What somebody opens in the morning. */
async function opened(input: ResultsInput): Promise<Workbook> {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'results.xlsx');
  await writeResults({ xlsx: path }, input);
  const workbook = new exceljs.Workbook();
  await workbook.xlsx.readFile(path);
  return workbook;
}

/** The rows of a sheet, by the titles of its columns. */
function rowsOf(workbook: Workbook, name: string): Record<string, unknown>[] {
  const sheet = workbook.getWorksheet(name);
  const titles = ((sheet?.getRow(1).values ?? []) as string[]).slice(1);
  const rows: Record<string, unknown>[] = [];
  for (let row = 2; row <= (sheet?.rowCount ?? 0); row += 1)
    rows.push(Object.fromEntries(titles.map((title, index) => [title, sheet?.getCell(row, index + 1).value])));
  return rows;
}

const HOLES = { summary: { roof: { hasHoles: true } } };
const ORDER: OrderPayload = {
  ...sampleOrder,
  dwellingCoverage: 350_000,
  otherStructureCoverage: 35_000.5,
  contentCoverage: 100_000,
  isRenewal: true,
  agentName: 'Dana Whitlock',
  supplementalServices: [],
  yearBuilt: 1960,
  carrierProvidedLivingArea: 1800,
  division: 'East',
  insuredBy: 'A Carrier',
  note: 'Call first.',
};

test('Attention shows the facts for a decision and earlier decisions', async () => {
  const decision = { decision: 'Refer', by: 'Ann', notes: '=1' };
  const workbook = await opened(
    sampleInput([
      projectWith(HOLES, { projectId: '1', order: ORDER, isNew: true, decision }),
      projectWith(HOLES, { projectId: '2' }),
    ]),
  );
  const [decided, open] = rowsOf(workbook, 'Attention');
  expect(decided).toMatchObject({
    Level: 'Medium',
    New: 'Yes',
    Points: 40,
    Why: '! Roof: holes → non-renew',
    'Suggested action': 'Non-renew',
    Decision: 'Refer',
    By: 'Ann',
    Notes: '=1',
    Insured: 'Ada Winter',
    Property: { text: '12 Harbour Road, Boston, MA 02139', hyperlink: 'report.html' },
    Agent: 'Dana Whitlock',
    'Policy type': 'Homeowners Insurance',
    Renewal: 'Yes',
    'Effective date': new Date(Date.UTC(2026, 0, 15)),
    'Coverage A': 350_000,
    'Coverage B': 35_000.5,
    'Coverage C': 100_000,
    Services: '4-Point',
  });
  expect(open).toMatchObject({ New: 'No', Decision: null, Renewal: null, 'Coverage A': null });
  const sheet = workbook.getWorksheet('Attention');
  const why = sheet?.getCell('F2');
  expect(JSON.stringify(why?.note)).toContain('summary.roof.hasHoles = Yes');
  expect(sheet?.getCell('J2').dataValidation).toMatchObject({
    type: 'list',
    formulae: ['"Accept,Re-inspect,Repair,Non-renew,Decline or cancel,(clear)"'],
  });
  expect(sheet?.getCell('J2').dataValidation.showErrorMessage).not.toBe(true);
});

test('Changes says of each weighed attribute whether it is better or worse', async () => {
  const before = { roof: { hasHoles: false, hasTarp: true }, lotSize: 1 };
  const report = { id: 'R-0', type: '', path: null, summary: { id: 'R-0', summary: before } };
  const earlier = { projectId: '1', at: 0, known: 'address', reports: [report] } as const;
  const now = { summary: { roof: { hasHoles: true, hasTarp: false }, lotSize: 2 } };
  const workbook = await opened(sampleInput([projectWith(now, { earlier })]));
  expect(Object.fromEntries(rowsOf(workbook, 'Changes').map((row) => [row['Source'], row['Better or worse']]))).toEqual(
    { 'summary.roof.hasHoles': 'Worse', 'summary.roof.hasTarp': 'Better', 'summary.lotSize': null },
  );
  expect(numbersOf(workbook, ALL_HOUSES)).toMatchObject({ 'Worse than before': 1, 'Better than before': 0 });
});

test('Overdue and Overview count the overdue projects of each agent', async () => {
  const late = (agentName?: string) => ({
    projectId: '7',
    order: { ...sampleOrder, agentName },
    dueDate: '2026-01-01',
    status: 'Assigned to Pilot',
    statusAt: 0,
    why: '',
  });
  const overdue = [late('Ann'), late(), late('Ann')];
  const workbook = await opened(sampleInput([], { overview: { ...sampleInput([]).overview, overdue } }));
  const title = 'Overdue at this agent';
  expect(rowsOf(workbook, 'Overdue').map((row) => row[title])).toEqual([2, 1, 2]);
  const names = workbook.getWorksheet('Overview')?.getColumn(1).values ?? [];
  expect(names.slice(names.indexOf('Overdue, by agent') + 1).slice(0, 2)).toEqual(['Ann', 'no agent named']);
});

test('Results has the level of each house', async () => {
  const workbook = await opened(sampleInput([projectWith(HOLES), projectWith({ summary: {} })]));
  expect(rowsOf(workbook, 'Results').map((row) => row['Level'])).toEqual(['Medium', null]);
});

test('Ended lists every canceled project of the delivery', async () => {
  const canceled = { status: 'Project Canceled', statusAt: Date.UTC(2026, 0, 2) };
  const ended = [
    { kind: 'canceled', reason: 'No reason.', projects: [{ projectId: '1', order: ORDER, at: 0 }] },
  ] as const;
  const workbook = await opened(
    sampleInput(
      ['1', '2'].map((projectId) => projectWith({}, { ...canceled, projectId })),
      { overview: { ...sampleInput([]).overview, ended } },
    ),
  );
  expect(rowsOf(workbook, 'Ended').map((row) => [row['Project ID'], row['New']])).toEqual([
    ['1', 'Yes'],
    ['2', 'No'],
  ]);
});

// The earlier inspection stays on Results and says so.
test("counts a house's later inspection of the same service only", async () => {
  const earlier = (known: 'address' | 'policy') => ({ projectId: '1', at: 0, known, reports: [] });
  const other: OrderPayload = { ...sampleOrder, serviceName: 'Roof Only' };
  for (const [second, replacedBy] of [
    [projectWith(HOLES, { projectId: '2', earlier: earlier('address') }), '2'],
    // Another service does not see all that the first one saw, and one policy may cover several houses.
    [projectWith(HOLES, { projectId: '2', earlier: earlier('address'), order: other }), null],
    [projectWith(HOLES, { projectId: '2', earlier: earlier('policy') }), null],
    [projectWith({ summary: {} }, { projectId: '2', earlier: earlier('address'), status: 'closed out' }), null],
  ] as const) {
    const workbook = await opened(sampleInput([projectWith(HOLES, { projectId: '1' }), second]));
    const listed = second.status === 'closed out' ? ['1'] : replacedBy === null ? ['1', '2'] : ['2'];
    for (const sheet of ['Attention', 'Roofs'])
      expect(rowsOf(workbook, sheet).map((row) => row['Project ID'])).toEqual(listed);
    expect(rowsOf(workbook, 'Results').map((row) => row['Replaced by'])).toEqual([replacedBy, null]);
  }
});

test('Changes compares no list of an inspection of another kind', async () => {
  const listing = (hazards: string[], lotSize: number) => ({ id: 'R-0', summary: { hazards, lotSize } });
  const earlier = (serviceName: string) => ({
    projectId: '1',
    at: 0,
    known: 'address' as const,
    serviceName,
    reports: [{ id: 'R-0', type: '', path: null, summary: listing(['Visible leak'], 1) }],
  });
  for (const [service, compared] of [
    [sampleOrder.serviceName, ['summary.hazards', 'summary.lotSize']],
    ['Roof Only', ['summary.lotSize']],
  ] as const) {
    const workbook = await opened(sampleInput([projectWith(listing([], 2), { earlier: earlier(service) })]));
    expect(rowsOf(workbook, 'Changes').map((row) => row['Source'])).toEqual(compared);
  }
});

test('counts hazards and roofs once per house, on Overview and the page', async () => {
  await using folder = await temporaryFolder();
  const paths = { xlsx: join(folder.path, 'results.xlsx'), html: join(folder.path, 'report.html') };
  const report = (overallCondition: string, estAge: string) => ({
    summary: { roof: { overallCondition, estAge }, factors: [{ name: 'ROOF_TARP', text: 'x' }] },
  });
  const earlier = { projectId: '1', at: 0, known: 'address', reports: [] } as const;
  const projects = [
    projectWith(report('Poor', '1 ~ 5 years'), { projectId: '1' }),
    projectWith(report('Good', '5 - 10 years'), { projectId: '2', earlier }),
    projectWith(report('Good', '5 - 10 years'), { projectId: '3' }),
  ];
  await writeResults(paths, sampleInput(projects));
  const workbook = new exceljs.Workbook();
  await workbook.xlsx.readFile(paths.xlsx);
  const told: unknown[][] = [];
  workbook.getWorksheet('Overview')?.eachRow((row) => told.push((row.values as unknown[]).slice(1, 3)));
  const after = (heading: string) => told.slice(told.findIndex(([words]) => String(words).startsWith(heading)) + 1);
  expect([after('Hazards, by kind')[0], after('Roofs, by condition')[0]]).toEqual([
    ['Roof tarp', 2],
    ['Good', 2],
  ]);
  const page = await readFile(paths.html, 'utf8');
  expect(page.match(/data-value="[^"]*" aria-pressed/g)).toEqual([
    'data-value="Roof tarp" aria-pressed',
    'data-value="Good" aria-pressed',
  ]);
  // A bar shows the houses that it counts.
  expect(page.match(/&quot;roof&quot;:&quot;[^&]*&quot;/g)?.toSorted()).toEqual([
    '&quot;roof&quot;:&quot;&quot;',
    ...Array(2).fill('&quot;roof&quot;:&quot;Good&quot;'),
  ]);
});

test('Results shows the ordered coverages as numbers, empty if not ordered', async () => {
  const rows = rowsOf(await opened(sampleInput([projectWith(HOLES, { order: ORDER }), projectWith(HOLES)])), 'Results');
  expect(rows[0]).toMatchObject({
    New: 'No',
    'Coverage A': 350_000,
    'Coverage B': 35_000.5,
    'Coverage C': 100_000,
    'Ordered living area': 1800,
    'Ordered year built': 1960,
    Agent: 'Dana Whitlock',
    'Insured by': 'A Carrier',
    Division: 'East',
    Renewal: 'Yes',
    Note: 'Call first.',
  });
  expect(rows[1]).toMatchObject({ 'Coverage A': null, Agent: null, Renewal: null });
});

test('repeats order columns in list rows and rounds off binary noise', async () => {
  const workbook = await opened(
    sampleInput([projectWith({ summary: { lotSize: 0.1 + 0.2, exterior: { pool: [{ size: 'Small' }] } } })]),
  );
  expect(rowsOf(workbook, 'Pools')[0]).toMatchObject({
    'Policy number': '00123456',
    Insured: 'Ada Winter',
    Property: { text: '12 Harbour Road, Boston, MA 02139', hyperlink: 'report.html' },
    Size: 'Small',
  });
  expect(rowsOf(workbook, 'Results')[0]).toMatchObject({ 'Property: lot size': 0.3 });
});

test('lists ended projects apart, and recent events apart from totals', async () => {
  const project = (projectId: string) => ({ projectId, order: ORDER, at: Date.UTC(2026, 0, 5) });
  const old = { kind: 'closed out', reason: 'No access.', projects: [project('8'), project('9')] } as const;
  const overview: ResultsOverview = {
    ...sampleInput([]).overview,
    night: { ...sampleInput([]).overview.night, since: Date.UTC(2026, 0, 5, 2), returned: 3, wentBack: 2 },
    ended: [
      { kind: 'canceled', reason: 'The insured canceled.', projects: [project('7')] },
      { ...old, projects: [project('8')] },
    ],
    stillEnded: [old],
    openRows: 4,
  };
  const closedOut = projectWith(
    { summary: { closeoutReasons: ['No access.'], risk: { inaccessible: true, overallCondition: 'Poor' } } },
    { projectId: '8', isNew: true },
  );
  const workbook = await opened(sampleInput([closedOut], { overview }));
  expect(
    rowsOf(workbook, 'Ended').map((row) => [
      row['Project ID'],
      row['What happened'],
      row['New'],
      row['Reason'],
      row['Agent'],
    ]),
  ).toEqual([
    ['7', 'Canceled', 'Yes', 'The insured canceled.', 'Dana Whitlock'],
    ['8', 'Closed out', 'Yes', 'No access.', 'Dana Whitlock'],
    ['9', 'Closed out', 'No', 'No access.', 'Dana Whitlock'],
  ]);
  expect(rowsOf(workbook, 'Attention')).toEqual([]);
  expect(rowsOf(workbook, 'Results')[0]).toMatchObject({ 'Attention points': null });
  const reports = '1 new report (0 inspected, 1 closed out without an inspection), 2 returned without a report yet';
  expect(numbersOf(workbook)).toEqual({
    'New reports': 1,
    'New reports: closed out': 1,
    'Not ordered, past due': 0,
    Overdue: 0,
    'Rows to fix': 4,
    'In short': `Since your last delivery on Jan 5, 2026: ${reports}, 2 rows went back to be fixed.`,
  });
});

const ALL_HOUSES = 'All inspections in this workbook, new or not';

/** A section of Overview. */
function numbersOf(workbook: Workbook, section = 'Last night'): Record<string, unknown> {
  const rows: unknown[][] = [];
  workbook.getWorksheet('Overview')?.eachRow((row) => rows.push((row.values as unknown[]).slice(1)));
  const from = rows.findIndex(([heading]) => heading === section) + 1;
  const to = rows.findIndex(([words], index) => index > from && words === ' ');
  return Object.fromEntries(rows.slice(from, to).map(([words, number]) => [String(words), number]));
}

test('Overview begins with the cases to decide, without decided ones', async () => {
  const decision = { decision: 'Refer', by: 'Ann', notes: '' };
  const house = (projectId: string, others = {}) =>
    projectWith(HOLES, { projectId, order: { ...ORDER, streetAddress: `${projectId} Oak St` }, ...others });
  const workbook = await opened(sampleInput([house('1', { decision }), house('2', { isNew: true })]));
  const sheet = workbook.getWorksheet('Overview');
  const rows = sheet?.getColumn(1).values ?? [];
  const from = rows.indexOf('Decide these first');
  const cells = [1, 2, 3, 4, 5].map((column) => sheet?.getCell(from + 1, column).value);
  expect(cells[0]).toEqual({ text: 'Ada Winter, 2 Oak St', hyperlink: 'report.html' });
  expect(cells.slice(1)).toEqual([
    'Roof: holes → non-renew\nRenewal, effective Jan 15, 2026\n2 Oak St, Boston, MA 02139 (project 2)',
    'Medium',
    350_000,
    ORDER.insuredPhone,
  ]);
  expect(rows[from + 2]).toBe(' ');
  expect(numbersOf(workbook)).toMatchObject({ 'New reports': 1, 'New reports: Medium': 1 });
});

test('Attention lists a fully inspected house despite closeout reasons', async () => {
  const inspected = { summary: { ...HOLES.summary, closeoutReasons: ['Cancellation is confirmed.'] } };
  const workbook = await opened(sampleInput([projectWith(inspected)]));
  expect(rowsOf(workbook, 'Attention')).toMatchObject([{ Why: '! Roof: holes → non-renew' }]);
  expect(rowsOf(workbook, 'Results')).toMatchObject([{ 'Findings: closeout reasons': 'Cancellation is confirmed.' }]);
});

const ROW = {
  file: 'a.xlsx',
  sheet: 's',
  rowNumber: 2,
  policyNumber: 'P',
  inspectionNumber: '',
  insuredName: 'I',
  streetAddress: 'S',
  reasons: ['why'],
  projectId: null,
  isNew: false,
} as const;

test('Not ordered shows the age, sender, and workbook of a row', async () => {
  const back = {
    ...ROW,
    kind: 'rejection',
    openSince: Date.UTC(2025, 11, 27, 1),
    sender: 'smith',
    corrections: 'corrections/smith/a - to fix.xlsx',
  } as const;
  const again = {
    ...ROW,
    kind: 'duplicate',
    openSince: Date.UTC(2026, 0, 6),
    sender: null,
    corrections: null,
    isNew: true,
  } as const;
  const givenUp = { ...again, kind: 'given up' } as const;
  const workbook = await opened(sampleInput([], { notOrdered: () => stream([back, again, givenUp]) }));
  expect(rowsOf(workbook, 'Not ordered')).toEqual([
    expect.objectContaining({
      Kind: 'Rejection',
      New: 'No',
      'Days open': 10,
      Sender: 'smith',
      'Corrections workbook': 'corrections/smith/a - to fix.xlsx',
    }),
    expect.objectContaining({
      Kind: 'Duplicate',
      New: 'Yes',
      'Days open': null,
      Sender: null,
      'Corrections workbook': null,
    }),
    expect.objectContaining({ Kind: 'Given up', 'Days open': null }),
  ]);
});

describe('the sheet Not ordered', () => {
  const row = { ...ROW, kind: 'rejection', openSince: 0, sender: null, corrections: null } as const;
  const written = async (...rows: readonly NotOrderedRow[]): Promise<Record<string, unknown>[]> =>
    rowsOf(await opened(sampleInput([], { notOrdered: () => stream(rows) })), 'Not ordered');

  test('counts calendar days: rows seconds apart are the same age', async () => {
    const writtenAt = sampleInput([]).writtenAt;
    const rows = await written(
      ...[0, 1000].map((apart) => ({ ...row, openSince: writtenAt - 7 * 24 * 60 * 60 * 1000 + apart })),
    );
    expect(rows.map((one) => one['Days open'])).toEqual([7, 7]);
  });

  test.each([
    [{ ...row, corrections: 'corrections/a.xlsx' }, /^Fix it/],
    [row, /next run/],
    [{ ...row, kind: 'duplicate', projectId: '7' }, /project 7/],
    [{ ...row, kind: 'held' }, /person decides/],
    [{ ...row, kind: 'given up' }, /abandoned it/],
  ] as const)('has a next step: %#', async (one, step) => {
    expect((await written(one))[0]?.['Next step']).toMatch(step);
  });
});

test('Photos starts with the riskiest house; Roofs shows roofs only', async () => {
  const jpeg = await sharp({ create: { width: 160, height: 120, channels: 3, background: '#336699' } })
    .jpeg()
    .toBuffer();
  const photo = (id: string, description: string) => ({
    id,
    path: `photos/${id}.jpg`,
    description,
    thumbnail: async () => jpeg,
  });
  const hazard = { text: 'Tarp on the roof', component: 'Roof', image: [{ id: 'x' }] };
  const calm = projectWith(
    { summary: { roof: { overallCondition: 'Good' } } },
    { projectId: '1', photos: [photo('r', 'Roof Overview')], photoCount: 1 },
  );
  const risky = projectWith(
    { summary: { roof: { overallCondition: 'Poor', hasTarp: true }, factors: [hazard] } },
    { projectId: '2', photos: [photo('x', 'Elevation Front')], photoCount: 1 },
  );
  const workbook = await opened(sampleInput([calm, risky], { thumbnails: { perProject: 1, inAll: 1 } }));
  expect(rowsOf(workbook, 'Photos').map((row) => row['Project ID'])).toEqual(['2', '1']);
  expect(
    workbook
      .getWorksheet('Photos')
      ?.getImages()
      .map(({ range }) => range.tl.nativeRow),
  ).toEqual([1]);
  expect(rowsOf(workbook, 'Roofs').map((row) => [row['Project ID'], row['Roof photo']])).toEqual([
    ['2', expect.stringContaining('labeled')],
    ['1', expect.objectContaining({ text: 'Roof Overview' })],
  ]);
  expect(
    workbook
      .getWorksheet('Roofs')
      ?.getImages()
      .map(({ range }) => range.tl.nativeRow),
  ).toEqual([2]);
});

test('prints Results and Attention one page wide', async () => {
  const workbook = await opened(sampleInput([projectWith(HOLES)]));
  expect(workbook.getWorksheet('Results')?.pageSetup).toMatchObject({
    orientation: 'landscape',
    fitToWidth: 1,
    printArea: 'A1:N2',
  });
  expect(workbook.getWorksheet('Attention')?.pageSetup).toMatchObject({
    orientation: 'landscape',
    fitToWidth: 1,
    printArea: 'A1:I2',
  });
});

test('prints Overview up to what needs a person', async () => {
  const workbook = await opened(sampleInput([projectWith(HOLES)]));
  const sheet = workbook.getWorksheet('Overview');
  const [, last] = /^A1:E(\d+)$/.exec(sheet?.pageSetup.printArea ?? '') ?? [];
  const headings = sheet?.getColumn(1).values ?? [];
  const sections = ['Action needed', 'All projects on record, by status', 'How to read the cells'];
  const isPrinted = (heading: string): boolean => headings.indexOf(heading) <= Number(last);
  expect(sections.map(isPrinted)).toEqual([true, false, false]);
});

test('Not ordered names the town of a house, if the row had one', async () => {
  const row = {
    ...ROW,
    kind: 'rejection',
    openSince: 0,
    sender: null,
    corrections: null,
    streetAddress: '1 Elm St',
  } as const;
  const rows = [{ ...row, city: 'Tampa', state: 'FL' }, row];
  const workbook = await opened(sampleInput([], { notOrdered: () => stream(rows) }));
  expect(rowsOf(workbook, 'Not ordered').map(({ Property }) => Property)).toEqual(['1 Elm St, Tampa FL', '1 Elm St']);
});

describe('the sheet Decisions', () => {
  const decision = {
    projectId: '7',
    order: sampleOrder,
    decision: 'Refer',
    by: 'Ann',
    notes: 'roof',
    status: 'Returned to Client',
    at: Date.UTC(2026, 0, 2),
    file: 'decisions.csv',
    isLatest: true,
    reasons: null,
  };

  test('shows each decision and whether it is in force', async () => {
    const earlier = { ...decision, isLatest: false };
    const workbook = await opened(
      sampleInput([], { decisions: [decision, { ...earlier, decision: '' }, earlier, { ...earlier, decision: '' }] }),
    );
    expect(rowsOf(workbook, 'Decisions')).toMatchObject([
      {
        'Project ID': '7',
        Decision: 'Refer',
        By: 'Ann',
        Outcome: expect.stringContaining(decision.status),
      },
      { Decision: '(cleared)', Outcome: expect.not.stringContaining(decision.status) },
      { Decision: 'Refer' },
      // A note alone.
      { Decision: null, Notes: 'roof' },
    ]);
  });

  test('has the reasons at that time, kept or of this delivery', async () => {
    await using folder = await temporaryFolder();
    const since = Date.UTC(2026, 0, 2);
    const input = sampleInput([projectWith(HOLES, { projectId: '8' })], {
      decisions: [
        { ...decision, projectId: '8', at: since + 1 },
        { ...decision, reasons: ['Vacant', 'Roof: tarp'] },
        { ...decision, projectId: '8', at: since },
      ],
      overview: { ...sampleInput([]).overview, night: { ...sampleInput([]).overview.night, since } },
    });
    const path = join(folder.path, 'decisions.csv');
    const { reasons } = await writeResults({ decisions: path }, input);
    const lines = (await readFile(path, 'utf8')).split('\r\n').slice(1);
    expect(lines.map((line) => line.split(',').at(-1))).toEqual([
      'Roof: holes',
      'Vacant; Roof: tarp',
      'Roof: holes',
      '',
    ]);
    expect([...reasons]).toEqual([['8', ['Roof: holes']]]);
  });

  test('is left out without decisions', async () => {
    expect((await opened(sampleInput([]))).getWorksheet('Decisions')).toBeUndefined();
  });

  test('lets the settings choose the words of the drop-down', async () => {
    const workbook = await opened(sampleInput([projectWith(HOLES)], { decisionWords: ['Keep', 'Drop'] }));
    expect(workbook.getWorksheet('Attention')?.getCell('J2').dataValidation.formulae).toEqual(['"Keep,Drop,(clear)"']);
  });
});

describe('a house that waits for a decision', () => {
  const waiting = { since: Date.UTC(2025, 11, 1), level: 'High' } as const;

  test.each([
    ['keeps its level without a new report', false, 'High'],
    ['has the level of a new report', true, 'Medium'],
  ])('%s', async (_what, isNew, level) => {
    const workbook = await opened(sampleInput([projectWith(HOLES, { isNew, waiting })]));
    expect(rowsOf(workbook, 'Results')).toMatchObject([{ Level: level }]);
  });

  test('waits on, also if it is no longer among the first cases', async () => {
    const ids = ['1', '2', '3', '4', '5', '6', '7'];
    const houses = ids.map((projectId) =>
      projectWith(HOLES, {
        projectId,
        order: { ...sampleOrder, streetAddress: `${projectId} Harbour Road` },
        waiting: { ...waiting, level: 'Medium' },
      }),
    );
    const { undecided } = await writeResults({}, sampleInput(houses));
    expect(undecided.map(({ projectId }) => projectId).toSorted()).toEqual(ids);
  });
});
