import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import exceljs from 'exceljs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ROW_STATUS } from '../../../src/intake/fields.ts';
import { writeCorrectionsWorkbook } from '../../../src/intake/corrections/corrections.ts';
import { type FileReading, readOrderFile, readSource } from '../../../src/intake/read-orders.ts';
import { collected, inMemorySource } from '../../support/in-memory-source.ts';
import { ORDER_COLUMNS } from '../../support/order-columns.ts';

const FILE = { name: 'list.csv', hash: 'ab'.repeat(32) };
const [YES, NO] = ROW_STATUS.values;
const OPTIONS = { headers: {}, today: '2026-10-15' };
const HEADERS = ['Policy number', ...Object.keys(ORDER_COLUMNS)];

/** A row with a mistake is one without a service. */
async function read(header: string, rows: readonly Readonly<{ said: string; service?: string }>[]) {
  const at = HEADERS.indexOf('Service');
  const cells = rows.map(({ said, service = '4-Point' }, index) => [
    ...[`HO-000${index}`, ...Object.values(ORDER_COLUMNS)].with(at, service),
    said,
  ]);
  return readSource(inMemorySource({ Orders: [[...HEADERS, header], ...cells] }), FILE.name, OPTIONS);
}

async function judged(reading: FileReading): Promise<readonly string[]> {
  return (await collected(reading.rows())).map((outcome) =>
    outcome.kind === 'order' ? 'sent' : outcome.problems.map(({ rule }) => rule).join(' '),
  );
}

async function judgedOne(header: string, said: string): Promise<readonly string[]> {
  return judged(await read(header, [{ said: 'New' }, { said }]));
}

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'status-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

/** Writes the rows that came back, answers on the sheet Words, and reads the workbook. */
async function answered(reading: FileReading, answer: (words: exceljs.Worksheet | undefined) => void) {
  const rejected = (await collected(reading.rows())).filter((outcome) => outcome.kind === 'rejection');
  const path = join(folder, 'list - to fix.xlsx');
  const rows = async function* () {
    yield* await Promise.resolve(rejected);
  };
  await writeCorrectionsWorkbook(path, { file: FILE, layouts: reading.layouts, rows });
  const workbook = new exceljs.Workbook();
  await workbook.xlsx.readFile(path);
  answer(workbook.getWorksheet('Words'));
  for (const sheet of workbook.worksheets)
    sheet.eachRow((row) => {
      const service = sheet.name === 'Orders' ? row.values : [];
      if (Array.isArray(service) && service.includes('Attic visit'))
        row.getCell(service.indexOf('Attic visit')).value = '4-Point';
    });
  await workbook.xlsx.writeFile(path, { zip: { compression: 'STORE' } });
  await using again = await readOrderFile(path, 'list - to fix.xlsx', OPTIONS);
  return { outcomes: await judged(again), words: again.givenWords?.words };
}

describe('readOrders', () => {
  test.each([
    'Open',
    'Pending inspection',
    'To be ordered',
    'Not yet ordered',
    'Needs inspection',
    'need to order',
    'new - not assigned',
    'Requested 11/2',
    'N/A',
    '-',
    'Unassigned',
    'Ready to schedule',
    'Reinstated',
  ])('orders a row whose status says %s', async (said) => {
    expect(await judgedOne('Inspection Status', said)).toEqual(['sent', 'sent']);
  });

  test.each(['Completed', 'Scheduled 12/2', 'Cancelled', 'Invoiced'])(
    'holds a row whose status says %s',
    async (said) => {
      expect(await judgedOne('Inspection Status', said)).toEqual(['sent', 'row-withdrawn']);
    },
  );

  test.each([
    'Submitted to vendor',
    'Sent',
    'Assigned to Millennium',
    'Dispatched',
    'With the inspector',
    'Working on it',
    'Received',
    'On the desk of Ann',
    '3',
    '11/2/2026',
  ])('asks about a row whose status says %s', async (said) => {
    expect(await judgedOne('Order status', said)).toEqual(['sent', 'row-status-unknown']);
  });

  test.each(['Status', 'Survey Status', 'Request Status', 'Task Status', 'INSP_STAT', 'Current Status'])(
    'takes %s for the order’s own',
    async (header) => {
      expect(await judgedOne(header, 'Dispatched')).toEqual(['sent', 'row-status-unknown']);
    },
  );

  test.each([
    ['Approval Status', 'Approved', 'Pending'],
    ['Approval', 'Approved', 'Pending'],
    ['Stage', 'Requested', 'Quote sent'],
    ['Deal Status', 'Won', 'Quote sent'],
    ['Deal Stage', 'Bound - order inspection', 'Quote sent'],
    ['Lead Status', 'Sold', 'Dispatched'],
  ])('asks about words under %s that are not %s', async (header, bound, said) => {
    expect(await judged(await read(header, [{ said: bound }, { said }]))).toEqual(['sent', 'row-status-unknown']);
  });

  test.each(['Workflow', 'Progress', 'Disposition', 'Activity Status'])(
    'takes %s for the order’s own as well',
    async (header) => {
      expect(await judgedOne(header, 'With Ann')).toEqual(['sent', 'row-status-unknown']);
    },
  );

  test.each(['Ordered', 'Complete', 'Declined', 'Lapsed', 'Lost', 'Inspected', 'Assigned to vendor', 'Done'])(
    'asks about %s under any header that no list knows',
    async (said) => {
      expect(await judgedOne('Where is it', said)).toEqual(['sent', 'row-status-unknown']);
    },
  );

  test.each([
    ['Roof condition', 'Complete'],
    ['Basement', 'Finished'],
    ['Prior carrier', 'Lapsed'],
    ['Application', 'Completed'],
    ['Producer', 'Complete Insurance'],
    ['Occupancy', 'Vacant'],
    ['Billing Status', 'Paid'],
    ['Underwriter Status', 'Approved'],
    ['Comes with', 'Lost keys, call Ann'],
  ])('asks nothing under %s: %s', async (header, said) => {
    expect(await judgedOne(header, said)).toEqual(['sent', 'sent']);
  });

  test.each(['Policy Status', 'Payment Status', 'Occupancy Status'])(
    'asks nothing about a word under %s',
    async (header) => {
      expect(await judgedOne(header, 'Dispatched')).toEqual(['sent', 'sent']);
    },
  );

  test.each(['Where is it', 'Inspection progress', 'Q4 list'])(
    'asks about every word under %s if one says not to order',
    async (header) => {
      const said = ['New', 'Dropped', 'In review', 'New', 'To order'];
      const asked = 'row-status-unknown';
      const reading = await read(
        header,
        said.map((one) => ({ said: one, service: one === 'In review' ? 'Attic visit' : '4-Point' })),
      );
      expect(await judged(reading)).toEqual(['sent', asked, `value-not-listed ${asked}`, 'sent', 'sent']);
      expect((await answered(reading, () => {})).outcomes).toEqual([asked, asked]);
    },
  );

  test.each([
    ['Pool', 'None', 'Removed', 'None'],
    ['Alarm', 'Active', 'None', 'Central', 'None'],
    ['Roof cover', 'Shingle', 'Tile', 'Shingle'],
    ['Occupancy', 'Owner', 'Vacant', 'Owner'],
    ['Homestead', 'Exempt', 'No', 'Exempt'],
    ['Gate', 'Open', 'Locked', 'Open'],
    ['Agent', 'Ann Hold', 'Ann Hold', 'New Office'],
  ])('takes %s for no column of statuses', async (header, ...said) => {
    const rows = said.map((one) => ({ said: one }));
    expect(await judged(await read(header, rows))).toEqual(said.map(() => 'sent'));
  });

  test('takes one answer for all rows with the word, whatever the day', async () => {
    const rows = [{ said: 'Dispatched 11/2' }, { said: 'Dispatched 11/5' }, { said: 'At the desk' }];
    const { outcomes, words } = await answered(await read('Status', rows), (sheet) => {
      expect(sheet?.getRow(2).values).toMatchObject([
        undefined,
        'Status',
        'Dispatched',
        2,
        undefined,
        expect.anything(),
      ]);
      if (sheet === undefined) return;
      sheet.getCell('D2').value = YES;
      sheet.getCell('D3').value = NO;
    });
    expect(outcomes).toEqual(['sent', 'sent', 'row-withdrawn']);
    expect(words).toEqual([
      { field: 'rowStatus', word: 'Dispatched', value: YES },
      { field: 'rowStatus', word: 'At the desk', value: NO },
    ]);
  });

  test('remembers the answer for later files', async () => {
    const words = [{ field: 'rowStatus', word: 'Dispatched', value: YES }];
    const known = { by: 'confirmed', keys: [], columns: {}, words } as const;
    const row = [['HO-1', ...Object.values(ORDER_COLUMNS), 'DISPATCHED 12/4']];
    const source = inMemorySource({ Orders: [[...HEADERS, 'Status'], ...row] });
    expect(await judged(await readSource(source, 'list.csv', { ...OPTIONS, knownLayouts: [known] }))).toEqual(['sent']);
  });

  test.each([
    ['REC_TYP', 'D'],
    ['Received', 'Yes'],
  ])('judges no fixed row by the %s that all rows of its file had', async (header, said) => {
    const rows = ['4-Point', 'Attic visit', '4-Point', '4-Point'].map((service) => ({ said, service }));
    const reading = await read(header, rows);
    expect(await judged(reading)).toEqual(['sent', 'value-not-listed', 'sent', 'sent']);
    expect((await answered(reading, () => {})).outcomes).toEqual(['sent']);
  });

  test('holds a fixed row by a mark that not all rows of its file had', async () => {
    const rows = ['A', 'D', 'A', 'A'].map((said) => ({ said, service: said === 'D' ? 'Attic visit' : '4-Point' }));
    const reading = await read('REC_TYP', rows);
    expect(await judged(reading)).toEqual(['sent', 'value-not-listed row-withdrawn', 'sent', 'sent']);
    expect((await answered(reading, () => {})).outcomes).toEqual(['row-withdrawn']);
  });
});
