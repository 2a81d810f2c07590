import { SELF_INSPECTION_SERVICE_NAMES } from '../../contract/document.ts';
import { choice, count, date, text, time, wrapped } from '../cells.ts';
import { writeWorkbook } from '../xlsx/write-workbook.ts';
import type { OrderLine, OrdersInput } from '../model.ts';
import type { Cell, Emphasis, SheetColumn, WorkbookWriter } from '../workbook-writer.ts';

interface OrderColumn extends SheetColumn {
  readonly cell: (line: OrderLine) => Cell | undefined;
}

const EMPHASES: Readonly<Partial<Record<OrderLine['state'], Emphasis>>> = {
  refused: 'alarm',
  held: 'alarm',
  unresolved: 'warning',
  waiting: 'warning',
};

const MEANINGS: readonly (readonly [OrderLine['state'], string])[] = [
  ['created', 'The service accepted it; the project ID is new.'],
  ['linked', 'Tied to a project that already existed.'],
  ['skipped', 'A repeat; nothing was sent.'],
  ['refused', 'The service refused it for good; it is in a corrections workbook.'],
  ['unresolved', 'Whether it was created is not known yet; the next run settles it, and nothing is sent twice.'],
  ['waiting', 'Not sent yet; the next run sends it.'],
  ['held', 'Waits for a person to decide.'],
];

const ORDER_COLUMNS: readonly OrderColumn[] = [
  { title: 'Project ID', width: 13, cell: ({ projectId }) => text(projectId ?? '') },
  { title: 'State', width: 13, cell: ({ state }) => ({ value: state, format: 'text', emphasis: EMPHASES[state] }) },
  { title: 'Why', width: 44, cell: ({ reason }) => wrapped(reason ?? '') },
  { title: 'Policy number', width: 18, cell: ({ order }) => text(order.policyNumber ?? '') },
  { title: 'Inspection number', width: 20, cell: ({ order }) => text(order.inspectionNumber ?? '') },
  { title: 'Insured', width: 24, cell: ({ order }) => wrapped(order.insuredName) },
  { title: 'Street', width: 28, cell: ({ order }) => wrapped(order.streetAddress) },
  { title: 'City', width: 18, cell: ({ order }) => text(order.city) },
  { title: 'State of property', width: 11, cell: ({ order }) => text(order.state) },
  { title: 'ZIP', width: 12, cell: ({ order }) => text(order.zipcode) },
  { title: 'Service', width: 26, cell: ({ order }) => text(order.serviceName) },
  { title: 'Policy type', width: 28, cell: ({ order }) => text(order.policyType) },
  { title: 'House type', width: 24, cell: ({ order }) => text(order.houseType) },
  { title: 'Effective date', width: 13, cell: ({ order }) => date(order.policyEffectiveDate) },
  { title: 'Due date', width: 13, cell: ({ order }) => date(order.dueDate) },
  {
    title: 'Repaired',
    width: 60,
    cell: ({ repairs }) =>
      wrapped(repairs.map(({ field, held, sent, why }) => `${field}: ${held} → ${sent} (${why})`).join('\n')),
  },
  { title: 'Send to insured', width: 12, cell: (line) => (isSelfInspection(line) ? choice(true) : undefined) },
  { title: 'File', width: 32, cell: ({ source }) => wrapped(source.file) },
  { title: 'Sheet', width: 16, cell: ({ source }) => text(source.sheet) },
  { title: 'Row', width: 8, cell: ({ source }) => count(source.rowNumber) },
];

const SEND_COLUMNS: readonly OrderColumn[] = [
  { title: 'Project ID', width: 13, cell: ({ projectId }) => text(projectId ?? '') },
  { title: 'Insured', width: 26, cell: ({ order }) => wrapped(order.insuredName) },
  { title: 'Phone', width: 18, cell: ({ order }) => text(order.insuredPhone) },
  { title: 'Email', width: 34, cell: ({ order }) => text(order.insuredEmail) },
  { title: 'Code', width: 12, cell: ({ inspectionCode }) => text(inspectionCode ?? '') },
  { title: 'Link', width: 60, cell: ({ inspectionLink }) => text(inspectionLink ?? '') },
  { title: 'Message', width: 70, cell: (line) => wrapped(messageFor(line)) },
  { title: 'Service', width: 28, cell: ({ order }) => text(order.serviceName) },
  { title: 'Street', width: 28, cell: ({ order }) => wrapped(order.streetAddress) },
  { title: 'Policy number', width: 18, cell: ({ order }) => text(order.policyNumber ?? '') },
  { title: 'Inspection number', width: 20, cell: ({ order }) => text(order.inspectionNumber ?? '') },
  { title: 'File', width: 32, cell: ({ source }) => wrapped(source.file) },
  { title: 'Row', width: 8, cell: ({ source }) => count(source.rowNumber) },
];

function messageFor({ order, inspectionCode, inspectionLink }: OrderLine): string {
  if (!inspectionLink && !inspectionCode) return '';
  const property = `${order.streetAddress}, ${order.city}, ${order.state} ${order.zipcode}`;
  const code = inspectionCode ? ` Your inspection code is ${inspectionCode}.` : '';
  const due = order.dueDate === undefined ? '' : ` Please take them by ${order.dueDate}.`;
  // The link comes last: a following period would become part of it.
  const open = inspectionLink
    ? `open this link on your phone: ${inspectionLink}`
    : 'open the self-inspection app on your phone.';
  return `Dear ${order.insuredName}, your insurance company needs photos of ${property}.${due}${code} To start, ${open}`;
}

/** Writes a submission run's workbook to `path`, a temporary name. */
export async function writeOrdersWorkbook(
  path: string,
  input: OrdersInput,
): Promise<{ orders: number; toSend: number }> {
  const written = { orders: 0, toSend: 0 };
  await writeWorkbook(path, { title: 'Inspection orders', writtenAt: input.writtenAt }, async (workbook) => {
    const orders = workbook.sheet({
      name: 'Orders',
      kind: 'table',
      frozenColumns: 2,
      columns: ORDER_COLUMNS,
      tabColour: '2F5597',
    });
    const send = workbook.sheet({
      name: 'Send to insured',
      kind: 'table',
      frozenColumns: 2,
      columns: SEND_COLUMNS,
      tabColour: 'C00000',
    });
    for await (const line of input.orders()) {
      await orders.row(ORDER_COLUMNS.map(({ cell }) => cell(line)));
      written.orders += 1;
      if (!isSelfInspection(line)) continue;
      await send.row(SEND_COLUMNS.map(({ cell }) => cell(line)));
      written.toSend += 1;
    }
    await writeAbout(workbook, input);
  });
  return written;
}

/** The document gives empty strings for other services. */
function isSelfInspection({ inspectionCode, inspectionLink, order, projectId }: OrderLine): boolean {
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
  for (const [state, meaning] of MEANINGS)
    await sheet.row([{ value: state, format: 'text', emphasis: EMPHASES[state] }, wrapped(meaning)]);
  await sheet.row([{ value: ' ', format: 'text' }]);
  await sheet.row([
    text('Send to insured'),
    wrapped(
      'The code and the link that somebody must send to the insured of each self-inspection, and a message that can be sent as it stands.',
    ),
  ]);
}
