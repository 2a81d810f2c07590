import { describe, expect, test } from 'vitest';
import type { Note, RowOutcome } from '../../../src/domain/row.ts';
import { type FileReading, readSource } from '../../../src/intake/read-orders.ts';
import { type CellLike, collected, inMemorySource } from '../../support/in-memory-source.ts';
import { codeAndFacts } from '../../support/code-and-facts.ts';

const HEADERS = [
  'Policy #',
  'Named Insured',
  'Address',
  'City',
  'State',
  'Zip',
  'Phone',
  'Email',
  'Service',
  'Policy type',
  'House type',
  'Note',
];
const ROW = [
  'HO-1',
  'Ruth Bader',
  '118 Oak Ridge Ln',
  'Tampa',
  'FL',
  '33609',
  '813-555-0142',
  'ruth@example.com',
  '4-Point',
  'Homeowners Insurance',
  'Residential Single Family',
];

function row(changes: Readonly<Record<string, CellLike>> = {}): CellLike[] {
  return HEADERS.map((header, at) => (header in changes ? changes[header] : ROW[at]));
}

async function read(
  sheets: Readonly<Record<string, readonly (readonly CellLike[])[]>>,
  fileName = 'orders.xlsx',
): Promise<{ readonly outcomes: readonly string[]; readonly notes: readonly Note[]; readonly reading: FileReading }> {
  const reading = await readSource(inMemorySource(sheets), fileName, { headers: {}, today: '2026-11-23' });
  const outcomes = (await collected(reading.rows())).map(ruled);
  return { outcomes, notes: reading.notes, reading };
}

function ruled(outcome: RowOutcome): string {
  const rules = outcome.kind === 'order' ? outcome.warnings : outcome.problems;
  return [outcome.kind === 'order' ? 'sent' : 'back:', ...rules.map(({ rule }) => rule)].join(' ');
}

async function withColumn(header: string, held: CellLike): Promise<string | undefined> {
  const changed = HEADERS.includes(header)
    ? [HEADERS, row({ [header]: held })]
    : [
        [...HEADERS, header],
        [...row(), held],
      ];
  return (await read({ Orders: changed })).outcomes[0];
}

const YES: CellLike = { kind: 'boolean', value: true };
const NO: CellLike = { kind: 'boolean', value: false };
const DAY: CellLike = { kind: 'date', iso: '2026-11-03', raw: '46329' };

test.each<[string, CellLike]>([
  ['Order Inspection?', 'N'],
  ['Order Inspection (Y/N)', 'no'],
  ['Order?', 'N'],
  ['Needs Inspection', NO],
  ['Needs Inspection', 'FALSE'],
  ['Inspection Required', 'No'],
  ['Insp Req', 0],
  ['Inspect?', 'n'],
  ['DNO', 'X'],
  ['DNO', 'per agent'],
  ['Do Not Order', YES],
  ['On Hold', 'x'],
  ['Void?', 1],
  ['Cancelled', '11/3/2026'],
  ['Transaction Type', 'Cancel'],
  ['Transaction Type', 'Delete'],
  ['Trans Type', 'CAN'],
  ['Trans Type', 'Non-Renewal'],
  ['Action', 'D'],
  ['Rec Code', 'D'],
  ['Deleted', 'T'],
  ['Deleted', '*'],
  ['Dup?', 'Y'],
  ['Ordered?', 'Y'],
  ['Active?', 'Inactive'],
  ['Inactive', 'Inactive'],
  ['Submit (Y/N)', 'N'],
  ['Status', 'Already ordered'],
  ['Status', 'Ordered already'],
  ['Named Insured', 'EXAMPLE - John Doe'],
  ['Named Insured', 'SAMPLE ONLY'],
  ['Named Insured', 'Example: Jane Doe'],
  ['Note', 'dup of line 2'],
  ['Transaction', 'XLC'],
  ['Transaction Type', 'Cancellation'],
  ['Cancellation Date', DAY],
  ['Cancel Dt', '11/03/2026'],
  ['Canc Eff Date', '2026-11-03'],
  ['Status', 'CANC'],
  ['Status', 'Cxl'],
  ['Status', 'Flat Cancel'],
  ['Policy Status', 'Pending Cancel'],
  ['Status', 'Pending-Cancel'],
  ['Status', 'DNO'],
  ['Status', 'Waived'],
  ['Inspection Status', 'Not needed'],
  ['Named Insured', '*** CANCELLED *** Ruth Bader'],
  ['Named Insured', 'CANCELLED Ruth Bader'],
  ['Named Insured', 'Ruth Bader (VOID)'],
  ['Named Insured', 'Ruth Bader - CANCELLED'],
  ['Named Insured', 'VOID - Ruth Bader'],
  ['Named Insured', 'DO NOT ORDER Ruth Bader'],
  ['Named Insured', 'Void'],
  ['Address', '[HOLD] 118 Oak Ridge Ln'],
  ['Address', '** DUPLICATE ** 118 Oak Ridge Ln'],
  ['Policy #', 'HO-1 (CXL)'],
  ['Note', 'Canceled by agent'],
  ['Note', 'CANCELLED 11/3'],
  ['Note', 'Cancelled - sold'],
  ['Note', 'Policy cancelled 11/3 for non-payment'],
  ['Note', 'Please cancel'],
  ['Note', 'No longer needed'],
  ['Note', 'Inspect 45 Rear Cottage Ln instead'],
  ['Note', 'Do not order until further notice'],
  ['Note', `Do not order - ${'the insured has sold the house. '.repeat(4)}`],
  ['Remarks 2', 'cancelled'],
  ['UW Comments', 'Canceled by agent'],
  ['Status', 'Hold - pending payment'],
  ['Status', 'Withdraw'],
  ['Status', 'Non-Pay Cancel'],
  ['Policy Status', 'NTU'],
  ['Order Inspection?', 'No - vacant'],
  ['Named Insured', 'Ruth Bader CANCELLED'],
  ['Named Insured', 'Ruth Bader/DNO'],
  ['Policy #', 'HO-1 CANCELLED'],
  ['Note', 'Order no longer needed'],
  ['Note', 'Remove from list'],
  ['Date Ordered', DAY],
  ['Date Inspected', '10/28/2026'],
  ['Inspection Status', 'Complete'],
  ['Status', 'Expired'],
  ['Status', 'Completed 10/2'],
  ['Inspection Status', 'Completed 10/2026'],
  ['Inspection Required Y/N', 'N'],
  ['Survey?', 'N'],
  ['Ready to order', 'No'],
  ['Insp on File?', 'Y'],
  ['Ordered w/ other vendor', 'Y'],
  ['Inspection Status', 'Have report'],
  ['Inspection Status', 'Vendor has it'],
  ['Note', 'Received 4pt already'],
  ['Note', '4pt on file'],
  ['Note', 'Already have an inspection from 2025'],
  ['Note', 'agent sending own 4pt'],
  ['Note', 'insd will provide own insp'],
  ['Note', 'using seller inspection'],
  ['Note', 'dead deal'],
  ['Note', 'NR sent 11/1'],
  ['Note', 'PC notice sent'],
  ['Note', 'in UW review'],
  ['Note', 'Rewritten w/ Slide'],
  ['Note', 'fell through'],
  ['Status', 'Canceled 3/2026'],
  ['Order Inspection?', 'Done - see file'],
  ['Note', 'ordered 11/3 by Sam'],
  ['Note', 'Address should be 12 Elm St per agent'],
  ['Note', 'Please make this a 4-Point instead'],
  ['Named Insured', 'TEST TEST'],
  ['Named Insured', 'Ruth Bader (test)'],
  ['Note', 'ordered through another vendor'],
  ['Note', 'NOT A NEW ORDER'],
  ['Note', 'Agent says do not inspect'],
  ['Note', 'policy not bound yet'],
  ['Note', 'Test order'],
  ['Status', 'Previously ordered'],
  ['Bound?', 'No'],
  ['Note', 'already sent to MUS 11/12'],
  ['Note', 'do not need, inspected last yr'],
  ['Note', 'inspected last yr'],
  ['Note', 'house demolished'],
  ['Note', 'non pay cancel pending'],
  ['Note', 'photos in file'],
])('rejects a row with %s: %o', async (header, held) => {
  expect(await withColumn(header, held)).toMatch(/^back: (?:.* )?row-withdrawn/);
});

test.each<[string, CellLike]>([
  ['Address', '12 Void Creek Rd'],
  ['Address', 'Void Creek Rd 12'],
  ['Address', '118 Archive St'],
  ['Address', '12 Hold Ln'],
  ['Note', 'Prior carrier cancelled for non-payment'],
  ['Note', 'Previously cancelled, reinstated'],
  ['Note', 'Cancel if nobody is at home after three attempts'],
  ['Note', 'Hold the dog'],
  ['Note', 'Cancellations in the last 3 years: none'],
  ['Note', 'Can be reached after 5 pm'],
  ['Named Insured', 'Cancela Maria'],
  ['Named Insured', 'Margaret Hold'],
  ['Named Insured', 'Void, Ruth'],
  ['Named Insured', 'Hold-Smith, Ann'],
  ['Named Insured', 'Example Holdings LLC'],
  ['Status', 'Reinstated'],
  ['Status', 'Active'],
  ['Transaction Type', 'Renewal'],
  ['Transaction Type', 'New Business'],
  ['Transaction Type', 'Reinstatement'],
  ['Order Inspection?', 'Y'],
  ['Order Inspection?', undefined],
  ['Needs Inspection', YES],
  ['Inspection Required', 'Yes'],
  ['DNO', undefined],
  ['DNO', 'N'],
  ['DNO', NO],
  ['Cancellation Date', undefined],
  ['Cancellation Date', 'N/A'],
  ['Cancellation Date', '12/31/9999'],
  ['Cancellation Date', 0],
  ['Prior Cancellation Date', DAY],
  ['Cancelled or non-renewed in the last 3 years?', 'Yes'],
  ['Reason', 'Cancelled'],
  ['Submission Status', 'Completed'],
  ['Order Date', DAY],
  ['Note', 'Closed gate, call first'],
  ['Named Insured', 'Test, Ann'],
  ['Named Insured', 'Sample'],
  ['Bound?', 'Yes'],
  ['Bound?', undefined],
  ['Note', 'Does not need a key, porch open'],
  ['Note', 'Photos in file are old, take new ones'],
  ['Note', 'Garage was demolished in 2020'],
  ['Note', 'Please have inspection completed by 12/5'],
  ['Note', 'Must have inspection before binding'],
  ['Note', 'Agent provided contact, insd will provide access'],
  ['Note', 'Roof completed 3 years ago'],
  ['Issued', '11/20/2026'],
  ['Ready', 'Y'],
  ['Inspection on file', 'N'],
  ['Replaced', '2015'],
])('orders a row with %s: %o', async (header, held) => {
  expect(await withColumn(header, held)).toMatch(/^sent(?! .*row-withdrawn)/);
});

test.each([
  ['Status', 'Cancelled - reinstated 11/3'],
  ['Note', 'Do not order roof only, full exterior please'],
  ['Note', 'Do not inspect the barn'],
  ['Note', 'Inspect the rear house instead'],
  ['Note', 'ordered by Sam'],
  ['Status', 'Rewritten'],
  ['Policy Status', 'Sent'],
])('orders a row with %s: %o with a warning', async (header, held) => {
  expect(await withColumn(header, held)).toBe('sent row-perhaps-done');
});

const BACK = 'back: row-withdrawn';
const ASKS = 'sent row-perhaps-done';
const UNKNOWN = 'back: row-status-unknown';
const SENT = 'sent';

describe('readOrders', () => {
  test.each([
    ['Completed', 'X', BACK],
    ['Completed', 'No', SENT],
    ['Completed', 'Not started', SENT],
    ['Inspection Completed', '10/2/2026', BACK],
    ['Inspection Complete?', 'Yes', BACK],
    ['Declined?', 'Y', BACK],
    ['Declined?', 'N', SENT],
    ['Needed', 'N', BACK],
    ['Needed', 'Y', SENT],
    ['Process', 'No', BACK],
    ['Process', 'Yes', SENT],
    ['Remove', 'X', BACK],
    ['Closed', '11/3/2026', BACK],
    ['Closed', 'Open', SENT],
    ['Date Closed', '11/3/2026', BACK],
    ['Vendor Ordered', '11/1/2026', BACK],
    ['Sent to vendor', '11/2/2026', BACK],
    ['Report Received', '11/2/2026', BACK],
    ['Report Received', 'Not received', SENT],
    ['Status', 'Canx', BACK],
    ['Status', 'Sold', BACK],
    ['Status', 'Sold - reinstated', ASKS],
    ['Status', 'NTO', BACK],
    ['Status', 'NR', BACK],
    ['Status', 'n/a - sold', BACK],
    ['Status', 'n/a (cancelled)', BACK],
    ['Status', 'N/A', SENT],
    ['Status', 'n/a - active', SENT],
    ['Status', "Rec'd 11/2", BACK],
    ['Status', 'Received', UNKNOWN],
    ['Status', 'Submitted', UNKNOWN],
    ['Status', 'Soldier Creek', UNKNOWN],
    ['Stage', 'Sold', SENT],
    ['Deal Stage', 'Closed Won', SENT],
    ['Pipeline Stage', 'Sold 11/20/2026', SENT],
    ['Deal Stage', 'Closed - Won', SENT],
    ['Stage', 'Lost', BACK],
    ['Deal Stage', 'Closed Lost', BACK],
    ['Stage', 'On hold', BACK],
    ['Inspection Status', 'Report received', BACK],
    ['Form Status', 'Completed', SENT],
    ['Note', 'Already done', BACK],
    ['Note', 'Already done by Sam', BACK],
    ['Note', 'house sold, policy being cancelled', BACK],
    ['Note', 'house sold, do not cancel', ASKS],
    ['Note', 'house sold 2019, new owner is the insured', ASKS],
    ['Note', 'policy being cancelled unless inspected', ASKS],
    ['Note', 'Member cancelled eff 12/1', BACK],
    ['Note', 'Homeowner cancelled 11/20', BACK],
    ['Note', 'Customer cancelled the appointment, reschedule', ASKS],
    ['Note', 'Owner will call back', SENT],
    ['Note', 'Member has two dogs', SENT],
    ['Note', 'Customer received the letter', SENT],
    ['Note', 'house not sold', SENT],
    ['Note', 'roof completed 2019', SENT],
    ['Note', 'pool closed', SENT],
    ['Note', 'received the keys', SENT],
    ['Date Sent', '11/2/2026', ASKS],
    ['Order Date', '11/2/2026', SENT],
    ['Inspection Date', '10/2/2026', SENT],
    ['Last Inspection Date', '10/2/2020', SENT],
  ])('judges only the row with %s: %o as %s', async (header, held, expected) => {
    const headers = HEADERS.includes(header) ? HEADERS : [...HEADERS, header];
    const marked = row({ 'Policy #': 'HO-2', [header]: held });
    if (headers !== HEADERS) marked.push(held);
    const sheet = [headers, row(), marked, row({ 'Policy #': 'HO-3' })];
    expect((await read({ Orders: sheet })).outcomes).toEqual([SENT, expected, SENT]);
  });

  test.each([
    ['Order Date', '11/2/2026'],
    ['Submission Status', 'Completed'],
  ])('orders all rows of a form with %s: %o', async (header, held) => {
    const sheet = [
      [...HEADERS, header],
      ...['HO-1', 'HO-2', 'HO-3'].map((number) => [...row({ 'Policy #': number }), held]),
    ];
    expect((await read({ Orders: sheet })).outcomes).toEqual([SENT, SENT, SENT]);
  });

  test('reads a sheet named Sold', async () => {
    expect((await read({ Sold: [HEADERS, row()] })).outcomes).toEqual([SENT]);
  });
});

test('rejects a corrected row with a canceling word, and explains', async () => {
  const { reading } = await read({ Orders: [HEADERS, row({ 'Named Insured': '*** CANCELLED *** Ruth Bader' })] });
  const [outcome] = await collected(reading.rows());
  expect(outcome).toMatchObject({
    kind: 'rejection',
    problems: [
      {
        rule: 'row-withdrawn',
        cell: 'B2',
        message: expect.stringMatching(/^Row 2 .*: "Named Insured" .*"\*\*\* CANCELLED \*\*\* Ruth Bader"/),
      },
    ],
  });
});

test.each([
  'CANCELLED - DO NOT ORDER',
  'VOID',
  'Cancelled policies',
  '*** DO NOT ORDER ***',
  'Cancelled by agent - Nov 23',
])('rejects only the rows under the title %s', async (title) => {
  const { outcomes, notes } = await read({
    Orders: [
      HEADERS,
      row(),
      [title],
      row({ 'Policy #': 'HO-2' }),
      ['Page 1 of 2'],
      row({ 'Policy #': 'HO-3' }),
      ['RENEWALS'],
      row({ 'Policy #': 'HO-4' }),
    ],
  });
  expect(outcomes).toEqual(['sent', 'back: row-withdrawn', 'back: row-withdrawn', 'sent']);
  expect(notes.map(codeAndFacts)).toContainEqual(expect.stringContaining(`"${title}"`));
});

test('rejects a row under such a title again from the corrections workbook', async () => {
  const { reading } = await read({ Orders: [HEADERS, ['CANCELLED - DO NOT ORDER'], row()] });
  const [outcome] = await collected(reading.rows());
  const cells = outcome?.record.cells ?? [];
  expect(cells.at(-1)).toEqual({ kind: 'text', text: 'CANCELLED - DO NOT ORDER' });
  expect((await read({ Orders: [HEADERS, cells] })).outcomes[0]).toMatch(/row-withdrawn/);
});

test('does not take a word alone under Status as a title', async () => {
  const { outcomes } = await read({
    Orders: [
      [...HEADERS, 'Status'],
      [...HEADERS.map(() => undefined), 'Cancelled'],
      [...row(), 'Active'],
    ],
  });
  expect(outcomes).toEqual(['back: row-hardly-filled', 'sent']);
});

const NOT_ON_THIS_LIST = 'Cancelled policies are not on this list';

test.each(['SAMPLE', 'Example', 'TEST'])('rejects the policy number %s', async (number) => {
  expect(await withColumn('Policy #', number)).toMatch(/^back: id-placeholder/);
});

test.each([
  'COMPLETED',
  'Done',
  'COMPLETED LAST MONTH',
  'Completed in October',
  'Previously ordered',
  'On hold - waiting for agent',
  'Sent to other vendor',
  'Orders below are already placed',
])('rejects the rows under the title %s', async (title) => {
  const sheet = [HEADERS, row(), [undefined, title], row({ 'Policy #': 'HO-2' })];
  expect((await read({ Orders: sheet })).outcomes).toEqual(['sent', 'back: row-withdrawn']);
});

test.each(['non renewals 2026.csv', 'Already ordered.xlsx'])('leaves out the file %s', async (name) => {
  await expect(read({ Orders: [HEADERS, row()] }, name)).rejects.toMatchObject({ code: 'file-left-out' });
});

const WAIVED = [...HEADERS, 'Inspection Waived?'];

test('reads a file whose name repeats a word of its flag column', async () => {
  const { outcomes } = await read({ Orders: [WAIVED, [...row(), 'N'], [...row(), 'Y']] }, 'waivers.xlsx');
  expect(outcomes).toEqual(['sent', 'back: row-withdrawn']);
});

test.each([
  ['waivers.xlsx', [WAIVED, row()]],
  ['waivers.xlsx', [HEADERS, row()]],
  ['Do not order - duplicates.xlsx', [HEADERS, row()]],
  ['Cancellations and waivers.xlsx', [HEADERS, row()]],
  [
    'Holds.xlsx',
    [
      [...HEADERS, 'Active'],
      [...row(), 'Y'],
    ],
  ],
  [
    'cancelled.xlsx',
    [
      [...HEADERS, 'Cancelled?'],
      [...row(), 'N'],
    ],
  ],
])('leaves out the file %s if no column decides: %o', async (name, sheet) => {
  await expect(read({ Orders: sheet }, name)).rejects.toMatchObject({ code: 'file-left-out' });
});

test('rejects a row whose note names another house over two lines', async () => {
  const sheet = [
    [...HEADERS, 'Comments'],
    [...row(), 'Inspect 45 Rear Cottage Ln\ninstead'],
  ];
  expect((await read({ Orders: sheet })).outcomes).toEqual(['back: row-withdrawn']);
});

test.each([
  'DO NOT INSPECT - done by prior carrier',
  'Do not order, last year was fine',
  'Waive inspection per UW',
  'Insp waived by UW',
  "no insp req'd",
  'Insp done 11/1',
  'Skip this one',
  'Pls hold',
  'On hold per agent',
  'Cancel eff 12/1',
  'policy not taken',
  'UW removed inspection requirement',
])('rejects a row whose note is %s', async (note) => {
  const sheet = [
    [...HEADERS, 'Remarks'],
    [...row(), note],
  ];
  expect((await read({ Orders: sheet })).outcomes).toEqual(['back: row-withdrawn']);
});

test('rejects a row whose column Do not order says not ordered', async () => {
  const sheet = [
    [...HEADERS, 'Do not order'],
    [...row(), 'Not ordered'],
  ];
  expect((await read({ Orders: sheet })).outcomes).toEqual(['back: row-withdrawn']);
});

test('rejects all rows under a legend of colors that withdraws some', async () => {
  const sheet = [['Red rows = cancelled, please skip'], HEADERS, row()];
  expect((await read({ Orders: sheet })).outcomes).toEqual(['back: row-withdrawn']);
});

test('applies a title above the header to the whole sheet', async () => {
  expect((await read({ Orders: [['CANCELLED - DO NOT ORDER'], HEADERS, row()] })).outcomes).toEqual([
    'back: row-withdrawn',
  ]);
  expect((await read({ Orders: [[NOT_ON_THIS_LIST], HEADERS, row()] })).outcomes).toEqual(['sent']);
});

test('applies the second title above the header to the whole sheet', async () => {
  const sheet = [['Smith Agency'], ['CANCELED'], HEADERS, row()];
  expect((await read({ Orders: sheet })).outcomes).toEqual(['back: row-withdrawn']);
});

test.each(['Cancelled', 'Do Not Order', 'VOID', 'Archive', 'Example', 'Cancelled Nov 2026', 'Old orders', 'CXL'])(
  'leaves out the sheet %s, named and counted',
  async (name) => {
    const { outcomes, notes, reading } = await read({
      Orders: [HEADERS, row()],
      [name]: [HEADERS, row({ 'Policy #': 'HO-2' }), row({ 'Policy #': 'HO-3' })],
    });
    expect(outcomes).toEqual(['sent']);
    expect(reading.layouts.map(({ sheet }) => sheet)).toEqual(['Orders']);
    expect(notes.map(codeAndFacts)).toContainEqual(
      expect.stringMatching(new RegExp(`^sheet-left-out "${name}" 2 "HO-2, Ruth Bader, `)),
    );
  },
);

test.each(['Void Creek Rd', 'Example Insurance Agency', 'Not cancelled', 'Sheet1', 'November'])(
  'reads the sheet %s',
  async (name) => {
    expect((await read({ [name]: [HEADERS, row()] })).outcomes).toEqual(['sent']);
  },
);

test('does not report a left-out sheet without orders', async () => {
  const { notes } = await read({ Orders: [HEADERS, row()], Archive: [['Nothing here']], Example: [HEADERS] });
  expect(notes.map(({ code }) => code)).not.toContain('sheet-left-out');
});

test('refuses a file whose sheets or whose name are all excluded', async () => {
  await expect(read({ Cancelled: [HEADERS, row()] })).rejects.toMatchObject({ code: 'sheet-left-out' });
  await expect(read({ 'cancelled 11-23.csv': [HEADERS, row()] }, 'cancelled 11-23.csv')).rejects.toMatchObject({
    code: 'file-left-out',
    message: expect.stringMatching(/^"cancelled 11-23.csv" /),
  });
  expect((await read({ 'archive.csv': [HEADERS, row()] }, 'archive.csv')).outcomes).toEqual(['sent']);
});

test.each<[string, CellLike]>([
  ['Note', 'Do not inspect on Sunday'],
  ['Note', "Don't schedule on weekends"],
  ['Note', 'Do not inspect at night'],
  ['Note', 'Hold - the keys are with Ann'],
])('orders a row with the remark %s: %o with a warning', async (header, held) => {
  expect(await withColumn(header, held)).toBe('sent row-perhaps-done');
});

test.each<[string, CellLike]>([
  ['Policy Status', 'No'],
  ['Order Inspection?', 'No. 4'],
  ['Address', '7 Cancelled Horse Trl'],
  ['Cancel Dt', '00/00/00'],
])('orders a row with harmless %s: %o', async (header, held) => {
  expect(await withColumn(header, held)).toBe('sent');
});

test.each(['Do Not Order - Ann', 'CANCELLED: per Ann', 'Void (Ann)', 'Ordered already'])(
  'leaves out a sheet named %s',
  async (name) => {
    const { outcomes, notes } = await read({ New: [HEADERS, row()], [name]: [HEADERS, row()] });
    expect(outcomes).toEqual(['sent']);
    expect(notes.map(({ code }) => code)).toContain('sheet-left-out');
  },
);

test.each(['Void Creek', 'Cancelled - reinstated', 'Do not order twice'])('reads a sheet named %s', async (name) => {
  const { outcomes } = await read({ New: [HEADERS, row()], [name]: [HEADERS, row({ 'Policy #': 'HO-2' })] });
  expect(outcomes).toEqual(['sent', 'sent']);
});

test('orders a row whose note takes its word back, with a warning', async () => {
  expect(await withColumn('Note', 'Cancelled 11/3, reinstated 11/5')).toMatch(/^sent row-perhaps/);
});

test('takes no sentence above the header for a title', async () => {
  const sentence = `CANCELED - ${'see the list that the agency keeps for it '.repeat(2)}`;
  expect((await read({ Orders: [[sentence], HEADERS, row()] })).outcomes).toEqual(['sent']);
});

test('rejects a row with a title in a column without a header', async () => {
  const sheet = [HEADERS, [...row(), undefined, 'Removals']];
  expect((await read({ Orders: sheet })).outcomes[0]).toMatch(/^back: row-withdrawn/);
});

test('orders a row with "ordered by Sam" under no header', async () => {
  const sheet = [HEADERS, [...row(), undefined, 'ordered by Sam']];
  expect((await read({ Orders: sheet })).outcomes).toEqual(['sent no-header-above']);
});

test('takes a lone word under Status, the first column, for a title', async () => {
  const sheet = [
    ['Status', ...HEADERS],
    ['Active', ...row()],
    ['CANCELED'],
    ['Active', ...row({ 'Policy #': 'HO-2' })],
  ];
  expect((await read({ Orders: sheet })).outcomes).toEqual(['sent', 'back: row-withdrawn']);
});

test('warns of the first of two cells that say perhaps', async () => {
  const sheet = [
    [...HEADERS, 'Policy Status'],
    [...row({ Note: 'ordered by Sam' }), 'Sent'],
  ];
  const [outcome] = await collected((await read({ Orders: sheet })).reading.rows());
  expect(outcome).toMatchObject({ warnings: [{ rule: 'row-perhaps-done', cell: 'L2' }] });
});

describe('readOrders', () => {
  test.each([
    'Insd sold house, cancel per agent',
    'Hold - do not order until UW approves',
    'Insp already completed by prior carrier, UW ok',
    'disregard, wrong address',
    'per UW no insp needed',
    'no longer insured with us',
    'rewrote w/ another co',
    'waiting on signed app - hold',
    'same as row 3',
    'deal fell thru',
    'insd passed away, policy void',
    'wait till Jan to order',
    'house burned down, total loss',
    'Reinstated 11/3, cancelled 11/20',
  ])('rejects a row if a clause of its note %s says stop', async (note) => {
    expect(await withColumn('Note', note)).toBe(BACK);
  });

  test.each([
    'prior carrier canceled',
    'cancel date of old policy 1/1',
    'hold key at office',
    'sold as-is condition',
    'call to hold dog',
    'Please complete by 12/5',
    'Please stop by the office for key',
    'To be completed by 12/1',
    'No inspection since 2015',
    'duplicate key under mat',
    'cx has dogs, call first',
    'FYI - gate code 1234',
  ])('orders a row with the harmless note %s', async (note) => {
    expect(await withColumn('Note', note)).toBe(SENT);
  });

  test.each(['Insured wants to cancel', 'Was cancelled, reinst 11/20 - ok to order', 'moved to Tampa', 'put on hold'])(
    'orders a row with the doubtful note %s with a warning',
    async (note) => {
      expect(await withColumn('Note', note)).toBe(ASKS);
    },
  );

  test.each([
    ['Flat Cx', BACK],
    ["CX'd", BACK],
    ['Pending Cx', BACK],
    ['Non-Pay', BACK],
    ["NR'd", BACK],
    ['Did not bind', BACK],
    ['Lost', BACK],
    ['Cancel/Rewrite', ASKS],
    ['Pending Inspection', SENT],
    ['Bound - not issued', SENT],
    ['No inspection on file', SENT],
  ])('judges a row with the status %s as %s', async (status, expected) => {
    expect(await withColumn('Policy Status', status)).toBe(expected);
  });

  test.each([
    ["Date Ord'd", '11/20/2026', BACK],
    ["Insp Rec'd", '11/20/2026', BACK],
    ['Report Rcvd', 'Y', BACK],
    ['Cx Date', '11/20/2026', BACK],
    ['Canc Eff', '11/20/2026', BACK],
    ['Term Date', '11/20/2026', BACK],
    ['Omit', 'X', BACK],
    ['Inspect Y/N', 'N', BACK],
    ['UW Approved?', 'No', BACK],
    ['Vendor Order #', 'V-8812', BACK],
    ['Ord Dt', '11/20/2026', ASKS],
    ['Ordered By', 'Tammy', SENT],
    ['Last Inspected', '11/20/2020', SENT],
  ])('judges a row with %s: %s as %s', async (header, held, expected) => {
    expect(await withColumn(header, held)).toBe(expected);
  });

  test.each(['Cx Date', 'Canc Eff', 'Term Date', "Date Ord'd", "Insp Rec'd", 'Ord Dt'])(
    'proposes %s for no date',
    async (header) => {
      const { reading } = await read({
        Orders: [
          [...HEADERS, header],
          [...row(), '11/20/2026'],
        ],
      });
      expect(reading.questions).toEqual([]);
    },
  );

  test.each(['HOLD FOR UW', 'WAITING ON UW', 'NOT READY', 'NEXT MONTH', 'CX', 'DEAD FILES', 'DO NOT ORDER YET'])(
    'rejects the rows under %s, which is no row to fix',
    async (title) => {
      expect((await read({ Orders: [HEADERS, row(), [title], row({ 'Policy #': 'HO-2' })] })).outcomes).toEqual([
        SENT,
        BACK,
      ]);
    },
  );

  test.each(['Waiting on UW', 'Pending', 'Not ready', 'No insp', 'Cx', 'Lost', 'Test', 'Prior yr'])(
    'leaves out the sheet named %s',
    async (name) => {
      const { outcomes, notes } = await read({ Orders: [HEADERS, row()], [name]: [HEADERS, row()] });
      expect(outcomes).toEqual([SENT]);
      expect(notes.map(({ code }) => code)).toContain('sheet-left-out');
    },
  );

  test.each(['2025', 'New', 'To Order', 'Pending inspections'])('reads the sheet named %s', async (name) => {
    expect((await read({ [name]: [HEADERS, row()] })).outcomes).toEqual([SENT]);
  });

  test('reads a sheet titled with inspections for next month', async () => {
    const titled = [['Inspections for next month'], HEADERS, row()];
    expect((await read({ Orders: titled })).outcomes).toEqual([SENT]);
  });
});

describe('readOrders', () => {
  test.each([
    'PolicyStatus',
    'POLICYSTATUS',
    'POLSTS',
    'POL_STAT_CD',
    'Pol Stat',
    'InspectionStatus',
    'INSPECTIONSTATUS',
    'UWDecision',
  ])('judges a row under the status header %s', async (header) => {
    const says = ['Active', 'Canceled', 'Lapsed', 'NR', 'XLC', 'Waived', 'On Hold', 'Decline', 'LAP', 'Ineligible'];
    const sheet = [[...HEADERS, header], ...says.map((word, at) => [...row({ 'Policy #': `HO-${at}` }), word])];
    expect((await read({ Orders: sheet })).outcomes).toEqual(says.map((word) => (word === 'Active' ? SENT : BACK)));
  });

  test.each(['LoanStatus', 'MaritalStatus', 'Claim Status', 'PriorStatus', 'SubmissionStatus'])(
    'orders a row with the harmless %s Closed 2019',
    async (header) => {
      expect(await withColumn(header, 'Closed 2019')).toBe(SENT);
    },
  );

  test.each([
    'COMPLETED IN NOVEMBER (for reference only)',
    'FOR REFERENCE ONLY',
    'Inspected - no action needed',
    'Next year (not yet)',
    'Done (for your records)',
    'Not due this month',
    'Hold for next month',
    'Ordered 11/12 (already in process)',
    'Lost business',
    'Ineligible',
  ])('holds the rows back under the title %s', async (title) => {
    const sheet = [HEADERS, row(), [title], HEADERS, row({ 'Policy #': 'HO-2' })];
    expect((await read({ Orders: sheet })).outcomes).toEqual([SENT, BACK]);
  });

  test.each([
    'Not yet inspected',
    'Not yet ordered (rush)',
    'Orders for next month',
    'For reference see tab 2',
    'Priority - action needed',
    'Group B (no interior)',
  ])('orders the rows under the harmless title %s', async (title) => {
    const sheet = [HEADERS, row(), [title], HEADERS, row({ 'Policy #': 'HO-2' })];
    expect((await read({ Orders: sheet })).outcomes).toEqual([SENT, SENT]);
  });

  const STOPS = [
    'pls hold off',
    'hold off until closing',
    'NR',
    'agent says no',
    'agent says no inspection needed',
    'not ours',
    'not our policy',
    'exempt',
    'insured cancelling eff 12/1',
    'policy will lapse',
    'transferred to Progressive',
    'switched to State Farm',
    'replaced w/ new policy HO99',
    'rewrite - see new policy',
    'already done by MUS in Oct',
    'inspected last month',
    'Ordered with other vendor',
    'Order placed with Millennium 11/20',
    'Insp in file',
    'Have photos already',
    'Using prior inspection',
    'No need to inspect',
    'Will cancel',
    'Lost to Progressive',
    'Did not close',
    'Not closing',
    'Hold til Jan',
    'Entered in error',
  ];
  test.each(['Note', 'Comments', 'Column1', 'Unnamed: 12'].flatMap((header) => STOPS.map((note) => [header, note])))(
    'rejects a row whose %s says %s',
    async (header = '', note = '') => {
      expect(await withColumn(header, note)).toBe(BACK);
    },
  );

  const HARMLESS = [
    'replaced roof 2020',
    'roof replaced w/ new shingles',
    'water heater replaced by owner 2021',
    'windows replaced with new impact glass',
    'hold key at office',
    'please hold off on calling before 9am',
    'use the hold off ramp entrance',
    'transferred from prior agent',
    'agent says no dogs',
    'insured says call first',
    'insured said closed gate',
    'fence is not ours',
    'not our old gate code, use 1234',
    'tax exempt church',
    'exempt from HOA rules',
    'rewrite of HO-3321',
    'will lapse if not inspected by 12/1',
    'switch to gate B after 5pm',
    'went to school with agent',
    'home near NR bridge',
    'not yet inspected',
    'insured may decline interior',
    'roof done by ABC in Oct 2021',
    'new policy number is on file',
    'see new policy form in file',
    'ordered with photos',
    'place order at front desk',
    'insp in file is from 2009, roof is new',
    'have photos of the roof',
    'using side gate, prior inspection missed it',
    'no need to call first',
    'will cancel appointment if it rains',
    'keys lost, call first',
    'gate did not close',
    'not closing the gate lets dogs out',
    'till is at the front',
    'opted out of paperless billing',
  ];
  test.each(['Note', 'Column1'].flatMap((header) => HARMLESS.map((note) => [header, note])))(
    'orders a row whose %s says %s',
    async (header = '', note = '') => {
      expect(await withColumn(header, note)).toBe(SENT);
    },
  );

  test.each(['inspected last month by the fire dept', 'transferred to me from Bob', 'repairs already done by owner'])(
    'orders a row with the doubtful note %s with a warning',
    async (note) => {
      expect(await withColumn('Note', note)).toBe(ASKS);
    },
  );
});

describe('readOrders', () => {
  const judgedUnder = async (header: string, says: readonly CellLike[]): Promise<readonly string[]> =>
    (
      await read({
        Orders: [[...HEADERS, header], ...says.map((word, at) => [...row({ 'Policy #': `HO-${at}` }), word])],
      })
    ).outcomes;

  const TRANSACTIONS = ['New Business', 'Renewal', 'Renewal', 'Endorsement #2', 'NB 12/1/2026'];

  test.each(['Last Transaction', 'Activity', 'Last Activity', 'Policy Event', 'Movement', 'Last Trx'])(
    'rejects a row with a stop among transactions under %s',
    async (header) => {
      const stops = ['Cancel', 'Cancellation', 'Non-Renewal', 'NREN', 'Lapse', 'XLC', 'Expired'];
      for (const stop of stops)
        expect(await judgedUnder(header, [...TRANSACTIONS, stop])).toEqual([...TRANSACTIONS.map(() => SENT), BACK]);
    },
  );

  test.each([
    ['Roof Work', ['New', 'Endorsed by engineer', 'Expired permit'], [SENT, SENT, SENT]],
    ['CLUE', ['Ordered', 'Ordered', 'Received'], [SENT, SENT, SENT]],
    ['Flood', ['Declined', 'Declined', 'Lapsed'], [SENT, SENT, SENT]],
    ['Prior Carrier Action', ['Renewal', 'Renewal', 'Expired'], [SENT, SENT, SENT]],
    ['Last Visit', ['Completed', 'Closed', 'Expired'], [SENT, SENT, SENT]],
  ] as const)('orders rows with %s, which is no column of transactions', async (header, says, expected) => {
    expect(await judgedUnder(header, says)).toEqual(expected);
  });

  test.each(
    ['Follow up', 'Vendor', 'Other', 'Column A'].flatMap((header) =>
      [
        'DO NOT ORDER',
        'already ordered 11/12',
        'Cancelled',
        'cancelled by agent',
        'Duplicate',
        'Duplicate of line 4',
        'HOLD',
        'on hold',
        'hold until 1/5',
        'no insp needed',
        'not bound yet',
        'moved to Citizens',
        'wrong address',
        'house sold',
        'non-renewed',
        'Hold for UW, do not order yet',
      ].map((says) => [header, says]),
    ),
  )('rejects a row whose unknown %s says %s', async (header = '', says = '') => {
    expect((await judgedUnder(header, ['call first', says]))[1]).toBe(BACK);
  });

  test.each([
    ['Agreements', 'Hold harmless'],
    ['Follow up', 'hold harmless agreement on file'],
    ['Key', 'duplicate key on file'],
    ['Other', 'Cancelled? No'],
    ['Other', 'Duplicate: N'],
    ['Other', 'On hold? no, call Ann'],
    ['Program', 'No Lapse Guarantee'],
    ['Program', 'Cancel-Safe Plan'],
    ['Plan name', 'Duplicate Coverage Plus'],
    ['Flood', 'Declined'],
    ['Trampoline', 'Removed'],
    ['Wind/Hail', 'Excluded'],
    ['Permit', 'not required'],
    ['CLUE', 'Ordered'],
    ['Photos', 'Received 11/2'],
    ['Application', 'waiting on signed app'],
    ['Sewer', 'inspection done 2020'],
    ['Foundation', 'Closed'],
    ['Escrow', 'Waived'],
    ['Contact', 'Skip'],
    ['Follow up', 'hold the dog'],
    ['Follow up', 'call to cancel the alarm'],
    ['Note', 'Cancelled? No'],
  ])('orders a row with the harmless %s: %s', async (header, says) => {
    expect(await withColumn(header, says)).toBe(SENT);
  });
});

test.each(['December new business', 'December renewals', 'Jan. 2027 Renewals'])(
  'takes the parent line %s for a title',
  async (title) => {
    expect((await read({ Orders: [HEADERS, [undefined, title], row()] })).outcomes).toEqual([SENT]);
  },
);

test.each(['April Smith', 'June Renewals LLC', 'May Additionson'])(
  'takes the lone name %s for no title',
  async (name) => {
    expect((await read({ Orders: [HEADERS, [undefined, name], row()] })).outcomes).toEqual([
      'back: row-hardly-filled',
      SENT,
    ]);
  },
);

describe('readOrders', () => {
  const odd = async (header: string, usual: CellLike, held: CellLike): Promise<string | undefined> => {
    const sheet = [
      [...HEADERS, header],
      ...['HO-1', 'HO-2', 'HO-3'].map((number, at) => [...row({ 'Policy #': number }), at === 1 ? held : usual]),
    ];
    const [first, marked, last] = (await read({ Orders: sheet })).outcomes;
    expect([first, last]).toEqual([SENT, SENT]);
    return marked;
  };

  test.each([
    ['Inspection Required Y/N', BACK],
    ["Req'd?", BACK],
    ['Survey?', BACK],
    ['Survey Needed (Y/N)', BACK],
    ['Insp Flag', BACK],
    ['Send to vendor', BACK],
    ['Order Now', BACK],
    ['Ready', BACK],
    ['Ready to order', BACK],
    ['Selected', BACK],
    ['Proceed', BACK],
    ['New Insp?', ASKS],
    ['Keep', ASKS],
    ['Go', ASKS],
    ['Taken', ASKS],
    ['Accepted', ASKS],
    ['In Force', ASKS],
    ['Survey', SENT],
    ['Required', SENT],
    ['Paid', SENT],
    ['Issued', SENT],
    ['Renewing?', SENT],
  ])('judges a row with N under %s as %s', async (header, expected) => {
    expect(await odd(header, 'Y', 'N')).toBe(expected);
  });

  test.each([
    ['Inspection on file', BACK],
    ['Insp on File?', BACK],
    ['Exempt', BACK],
    ['Sold?', BACK],
    ['Archived', BACK],
    ['Test', BACK],
    ['Demo', BACK],
    ['Ordered w/ other vendor', BACK],
    ['Photos on file', ASKS],
    ['Prior Insp OK', ASKS],
    ['Received', ASKS],
    ['Moved', ASKS],
    ['Rewritten', ASKS],
    ['Replaced', ASKS],
    ['Lost', ASKS],
    ['NR', ASKS],
    ['#', SENT],
    ['Roof replaced', SENT],
    ['Previously sold', SENT],
    ['Tax exempt', SENT],
  ])('judges a row with Y under %s as %s', async (header, expected) => {
    expect(await odd(header, 'N', 'Y')).toBe(expected);
  });

  test.each([
    ['Completed 10/2026', BACK],
    ['Completed by Davies', BACK],
    ['Completed 2025', BACK],
    ["Rec'd 11/2", BACK],
    ['Have report', BACK],
    ['Passed 10/2025', BACK],
    ['On file 2025', BACK],
    ['Vendor has it', BACK],
    ['Uploaded 11/3', BACK],
    ['Scheduled 12/2', BACK],
    ['In process - EIS', BACK],
    ['In progress', BACK],
    ['Invoiced', BACK],
    ['Returned', BACK],
    ['See prior', BACK],
    ['Assigned to Millennium', UNKNOWN],
    ['Complete by 12/5', SENT],
    ['To be scheduled', SENT],
    ['Not on file', SENT],
    ['No report on file', SENT],
    ['Need report', SENT],
    ['Not passed', SENT],
    ['Ready to schedule', SENT],
  ])('judges a row with the inspection status %s as %s', async (status, expected) => {
    expect(await odd('Inspection Status', 'Not ordered', status)).toBe(expected);
  });

  test.each([
    ['Construction Status', 'In progress'],
    ['Construction Status', 'Completed 10/2025'],
    ['Policy Status', 'In progress'],
    ['Exempt', 'Homestead'],
    ['Test', 'Group B'],
    ['Ready', 'after 5 pm'],
    ['Survey', 'Exterior'],
    ['NR', 'R'],
  ])('orders a row with the harmless %s: %s', async (header, held) => {
    expect(await withColumn(header, held)).toBe(SENT);
  });

  test.each([
    ['Received', '11/2/2026'],
    ["Date Rec'd", '11/2/2026'],
    ['Sold', 'Y'],
  ])('orders all rows of a list with %s: %s', async (header, held) => {
    expect(await odd(header, held, held)).toBe(SENT);
  });

  test.each([
    'Received 4pt already',
    '4pt on file',
    'Four-point received 11/2',
    'have 4pt',
    'Already have insp from 2025',
    'agent sending own 4pt',
    'agent provided 4pt',
    'insd will provide own insp',
    "using seller's inspection",
    'Rewritten w/ Slide',
    'dead deal',
    'not moving forward',
    'fell through',
    'next month',
    'NR sent 11/1',
    'PC notice sent',
    'in UW review',
    'Insured deceased, cancel',
    'withdrew app',
    'Vendor has it',
    'Inspected 10/2025',
  ])('rejects a row whose note says %s', async (note) => {
    expect(await withColumn('Note', note)).toBe(BACK);
  });

  test.each([
    'recd',
    'do in Jan',
    'next week',
    'exempt - tier 1',
    '4pt on file, need exterior',
    'Insd has signed w/ Citizens',
    "buyer's own inspection is from May",
    'see prior report',
  ])('orders a row with the note %s with a warning', async (note) => {
    expect(await withColumn('Note', note)).toBe(ASKS);
  });

  test.each([
    'Roof replaced',
    'Previously sold in 2019',
    'Received by mail',
    'construction in progress',
    '4pt on file from 2009, need new one',
    'no 4pt on file',
    'need 4pt',
    'have insp call first',
    'agent provided gate code',
    'insured will do own repairs',
    'fell through the deck in 2020',
    'not going ahead of the closing',
    'insured deceased, call the executor',
    'homestead exempt',
    'next to the church',
    'Inspected 10/2015',
    'Completed by 12/5',
    'have report sent to agent',
    'in review',
    'vendor has key',
    'signed with husband',
  ])('orders a row with the harmless note: %s', async (note) => {
    expect(await withColumn('Note', note)).toBe(SENT);
  });
});

describe('readOrders', () => {
  const says: Record<'held' | 'doubtful' | 'harmless', readonly string[]> = {
    held: [
      'HOLD - not finished until March',
      'HOLD - keys at office',
      'Not ready until 1/15',
      'order in March',
      'please order after 1/1',
      'ok to order after 1/1',
      'no insp req',
      'not renewing',
      'insured will not renew',
      'NRN sent',
      'insured leaving',
      'client leaving agency',
      'going to Progressive',
      'moving to State Farm',
      'switching to another carrier',
      'going with Farmers',
      'house torn down',
      'Pending bind',
      'not yet bound',
      'wrong insured',
      'TEST RECORD',
      'ordered w/ Davies',
      'sent to Millennium',
      'ordered last week',
      'Done - Pam',
      'N/R',
      'decline',
    ],
    doubtful: [
      'hold - keys with Ann',
      'HOLD - released 11/2, ok to order',
      'not finished',
      'have photos',
      "photos rec'd",
      'same as above',
      'on file',
      'inspect after 1/1',
      'Done - roof',
    ],
    harmless: [
      'HOLD-DOWN straps',
      'not ready until 5pm',
      'basement not finished',
      'Order in person',
      'order in time',
      'inspect after 5pm',
      'nonrenewed by prior carrier',
      'not renewing flood',
      'Renewing in May',
      'insured leaving for vacation Friday',
      'leaving keys at office',
      'moving to new house in Jan, vacant',
      'Insured moving to Tampa in Dec',
      'going to slide key under mat',
      'moving with insured',
      'old shed torn down',
      'fence torn down',
      'roof torn down and replaced',
      'pending roof repair',
      'wrong insured name on dec page',
      'wrong customer phone',
      'test smoke detectors',
      'test results of the well attached',
      'ordered w/ photos',
      'sent to insured 11/2',
      'same as above applies to dogs',
      'on file with agent',
      'decline flood',
    ],
  };
  const verdicts = { held: BACK, doubtful: ASKS, harmless: SENT };

  test.each(['held', 'doubtful', 'harmless'] as const)('judges the rows whose notes are %s', async (kind) => {
    const rows = says[kind].map((note, at) => row({ 'Policy #': `HO-${at}`, Note: note }));
    const { outcomes } = await read({ Orders: [HEADERS, ...rows] });
    const judged = says[kind].map((note, at) => `${note}: ${outcomes[at]}`);
    expect(judged).toEqual(says[kind].map((note) => `${note}: ${verdicts[kind]}`));
  });

  test.each([
    ['Pending bind', BACK],
    ['Not renewing', BACK],
    ['Moving to State Farm', BACK],
    ['Photos received', BACK],
    ['Order after 1/1', BACK],
    ['Not finished', UNKNOWN],
    ['Pending', SENT],
    ['Pending inspection', SENT],
    ['Renewing', SENT],
  ])('judges a row with the status %s: %s', async (status, expected) => {
    expect(await withColumn('Status', status)).toBe(expected);
  });
});
