import { z } from 'zod';
import { SELF_INSPECTION_SERVICE_NAMES } from '../../contract/document.ts';
import { templateData } from '../../contract/template-data.ts';
import { yesOrNo, count, date, text, time, wrapped } from '../cell-values.ts';
import { writeWorkbook } from '../xlsx/write-workbook.ts';
import type { OrderLine, OrdersInput } from '../model.ts';
import type { Cell, Emphasis, WorkbookWriter } from '../workbook-types.ts';
import { addressOf } from './project-columns.ts';
import { type Column, column, tableWriter } from './table.ts';

const EMPHASES: Readonly<Record<string, Emphasis>> = {
  refused: 'alarm',
  held: 'alarm',
  unresolved: 'warning',
  waiting: 'warning',
};

function stateCell(state: string): Cell {
  return { value: state, format: 'text', emphasis: EMPHASES[state] };
}

const meanings = templateData('workbook/states', z.looseObject({ orders: z.record(z.string(), z.string()) }));

const PROJECT_ID = column('Project ID', 13, text, ({ projectId }: OrderLine) => projectId);
const STREET = column('Street', 28, wrapped, ({ order }: OrderLine) => order.streetAddress);
const NUMBERS = [
  column('Policy number', 18, text, ({ order }: OrderLine) => order.policyNumber),
  column('Inspection number', 20, text, ({ order }: OrderLine) => order.inspectionNumber),
];
const FILE = column('File', 32, wrapped, ({ source }: OrderLine) => source.file);
const ROW = column('Row', 8, count, ({ source }: OrderLine) => source.rowNumber);

const ORDER_COLUMNS: readonly Column<OrderLine>[] = [
  PROJECT_ID,
  column('State', 13, stateCell, ({ state }) => state),
  column('Why', 44, wrapped, ({ reason }) => reason),
  ...NUMBERS,
  column('Insured', 24, wrapped, ({ order }) => order.insuredName),
  STREET,
  column('City', 18, text, ({ order }) => order.city),
  column('State of property', 11, text, ({ order }) => order.state),
  column('ZIP', 12, text, ({ order }) => order.zipcode),
  column('Service', 26, text, ({ order }) => order.serviceName),
  column('Policy type', 28, text, ({ order }) => order.policyType),
  column('House type', 24, text, ({ order }) => order.houseType),
  column('Effective date', 13, date, ({ order }) => order.policyEffectiveDate),
  column('Due date', 13, date, ({ order }) => order.dueDate),
  column('Repaired', 60, wrapped, ({ repairs }) =>
    repairs.map(({ field, held, sent, why }) => `${field}: ${held} → ${sent} (${why})`).join('\n'),
  ),
  column('Send to insured', 12, yesOrNo, (line) => isSelfInspection(line) || undefined),
  FILE,
  column('Sheet', 16, text, ({ source }) => source.sheet),
  ROW,
];

const SEND_COLUMNS: readonly Column<OrderLine>[] = [
  PROJECT_ID,
  column('Insured', 26, wrapped, ({ order }) => order.insuredName),
  column('Phone', 18, text, ({ order }) => order.insuredPhone),
  column('Email', 34, text, ({ order }) => order.insuredEmail),
  column('Code', 12, text, ({ inspectionCode }) => inspectionCode),
  column('Link', 60, text, ({ inspectionLink }) => inspectionLink),
  column('Message', 70, wrapped, messageFor),
  column('Service', 28, text, ({ order }) => order.serviceName),
  STREET,
  ...NUMBERS,
  FILE,
  ROW,
];

function messageFor({ order, inspectionCode, inspectionLink }: OrderLine) {
  if (!inspectionLink && !inspectionCode) return '';
  const code = inspectionCode ? ` Your inspection code is ${inspectionCode}.` : '';
  const due = order.dueDate === undefined ? '' : ` Please take them by ${order.dueDate}.`;
  // The link comes last: a following period would become part of it.
  const open = inspectionLink
    ? `open this link on your phone: ${inspectionLink}`
    : 'open the self-inspection app on your phone.';
  return `Dear ${order.insuredName}, your insurance company needs photos of ${addressOf(order)}.${due}${code} To start, ${open}`;
}

/** `path`: a temporary name. */
export async function writeOrdersWorkbook(path: string, input: OrdersInput): Promise<void> {
  await writeWorkbook(path, { title: 'Inspection orders', writtenAt: input.writtenAt }, async (workbook) => {
    const writeOrder = tableWriter(workbook, {
      name: 'Orders',
      frozenColumns: 2,
      columns: ORDER_COLUMNS,
      tabColor: '2F5597',
    });
    const writeToSend = tableWriter(workbook, {
      name: 'Send to insured',
      frozenColumns: 2,
      columns: SEND_COLUMNS,
      tabColor: 'C00000',
    });
    for await (const line of input.orders()) {
      await writeOrder(line);
      if (isSelfInspection(line)) await writeToSend(line);
    }
    await writeAbout(workbook, input);
  });
}

/** The document gives empty strings for other services. */
function isSelfInspection({ inspectionCode, inspectionLink, order, projectId }: OrderLine) {
  return (
    Boolean(inspectionCode) ||
    Boolean(inspectionLink) ||
    (projectId !== null && SELF_INSPECTION_SERVICE_NAMES.includes(order.serviceName))
  );
}

async function writeAbout(workbook: WorkbookWriter, { run, writtenAt, notice }: OrdersInput): Promise<void> {
  const sheet = workbook.sheet({
    name: 'About',
    kind: 'page',
    columns: [34, 90].map((width) => ({ title: '', width })),
  });
  await sheet.row([{ value: 'Orders of a submission run', format: 'title' }]);
  if (notice !== undefined)
    await sheet.row([text('Please note'), { value: notice, format: 'wrapped', emphasis: 'warning' }]);
  await sheet.row([text('Run'), text(run)]);
  await sheet.row([text('Written (UTC)'), time(writtenAt)]);
  await sheet.row([{ value: ' ', format: 'text' }]);
  await sheet.row([
    { value: 'State', format: 'heading' },
    { value: 'Means', format: 'heading' },
  ]);
  for (const [state, meaning] of Object.entries(meanings().orders))
    await sheet.row([stateCell(state), wrapped(meaning)]);
  await sheet.row([{ value: ' ', format: 'text' }]);
  await sheet.row([
    text('Send to insured'),
    wrapped(
      'The code and the link that somebody must send to the insured of each self-inspection, and a message ready to send.',
    ),
  ]);
}
