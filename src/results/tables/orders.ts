import { z } from 'zod';
import { SELF_INSPECTION_SERVICE_NAMES } from '../../contract/document.ts';
import { templateData } from '../../contract/template-data.ts';
import { sentence } from '../../domain/sentences.ts';
import { writeWorkbook } from '../xlsx/write-workbook.ts';
import type { OrderLine, OrdersInput } from '../model.ts';
import {
  type TableCell,
  type Emphasis,
  type WorkbookWriter,
  yesOrNo,
  count,
  text,
  time,
  wrapped,
} from '../workbook.ts';
import { BLANK, noticeRows, PageSheet } from './page.ts';
import { type Column, column, tableWriter } from './table.ts';
import { addressOf, NUMBER_COLUMNS, orderColumn, TERM_COLUMNS } from './shared-columns.ts';

const EMPHASES: Readonly<Record<string, Emphasis>> = {
  refused: 'alarm',
  held: 'alarm',
  unresolved: 'warning',
  waiting: 'warning',
};

function stateCell(state: string): TableCell {
  return { value: state, format: 'text', emphasis: EMPHASES[state] };
}

const meanings = templateData(
  'workbook/states',
  z.looseObject({ orders: z.record(z.string(), z.string()), toSend: z.string() }),
);

/** Its order is read as a project's. */
interface OrderRow extends OrderLine {
  readonly project: OrderLine;
}

const PROJECT_ID = column('Project ID', 13, text, ({ projectId }: OrderLine) => projectId);
const STREET = orderColumn('Street', 28, wrapped, 'streetAddress');
const FILE = column('File', 32, wrapped, ({ source }: OrderLine) => source.file);
const ROW = column('Row', 8, count, ({ source }: OrderLine) => source.rowNumber);

const ORDER_COLUMNS: readonly Column<OrderRow>[] = [
  PROJECT_ID,
  column('Order status', 13, stateCell, 'state'),
  column('Why', 44, wrapped, 'reason'),
  ...NUMBER_COLUMNS,
  orderColumn('Insured', 24, wrapped, 'insuredName'),
  STREET,
  orderColumn('City', 18, text, 'city'),
  orderColumn('State', 11, text, 'state'),
  orderColumn('ZIP', 12, text, 'zipcode'),
  orderColumn('Service', 26, text, 'serviceName'),
  ...TERM_COLUMNS,
  column('Repaired', 60, wrapped, ({ repairs }) =>
    repairs
      .map(
        ({ field, column: header, held, sent, why }) =>
          `${header || field}: ${held === '' ? sent : `${held} → ${sent || 'left out'}`} (${why})`,
      )
      .join('\n'),
  ),
  column('Send to insured', 12, yesOrNo, (line) => isSelfInspection(line) || undefined),
  FILE,
  column('Sheet', 16, text, ({ source }) => source.sheet),
  ROW,
];

const SEND_COLUMNS: readonly Column<OrderRow>[] = [
  PROJECT_ID,
  orderColumn('Insured', 26, wrapped, 'insuredName'),
  orderColumn('Phone', 18, text, 'insuredPhone'),
  orderColumn('Email', 34, text, 'insuredEmail'),
  column('Code', 12, text, 'inspectionCode'),
  column('Link', 60, text, 'inspectionLink'),
  column('Message', 70, wrapped, messageFor),
  orderColumn('Service', 28, text, 'serviceName'),
  STREET,
  ...NUMBER_COLUMNS,
  FILE,
  ROW,
];

function messageFor({ order, inspectionCode, inspectionLink }: OrderLine) {
  if (!inspectionLink && !inspectionCode) return '';
  const { dueDate: due, insuredName: insured } = order;
  return sentence('insured/message', {
    insured,
    address: addressOf(order),
    due: due === undefined ? '' : sentence('insured/due', { due }),
    code: inspectionCode ? sentence('insured/code', { code: inspectionCode }) : '',
    // Last: a following period would become part of the link.
    open: inspectionLink ? sentence('insured/link', { link: inspectionLink }) : sentence('insured/app'),
  });
}

/** `path`: a temporary name. */
export async function writeOrdersWorkbook(path: string, input: OrdersInput) {
  await writeWorkbook(path, { title: 'Inspection orders', writtenAt: input.writtenAt }, async (workbook) => {
    const table = (name: string, columns: readonly Column<OrderRow>[], tabColor: string) =>
      tableWriter(workbook, { name, frozenColumns: 2, columns, tabColor });
    const writeOrder = table('Orders', ORDER_COLUMNS, '2F5597');
    const writeToSend = table('Send to insured', SEND_COLUMNS, 'C00000');
    for await (const line of input.orders()) {
      const row = { ...line, project: line };
      await writeOrder(row);
      if (isSelfInspection(line)) await writeToSend(row);
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

async function writeAbout(workbook: WorkbookWriter, { run, writtenAt, notice }: OrdersInput) {
  const page = new PageSheet(workbook, 'About', [34, 90]);
  await page.write([
    [{ value: 'Orders placed in this run', format: 'title' }],
    ...noticeRows(notice),
    [text('Run'), text(run)],
    [text('Written (UTC)'), time(writtenAt)],
  ]);
  await page.section(
    ['Order status', 'Meaning'],
    Object.entries(meanings().orders).map(([state, meaning]) => [stateCell(state), wrapped(meaning)]),
  );
  await page.write([BLANK, [text('Send to insured'), wrapped(meanings().toSend)]]);
}
