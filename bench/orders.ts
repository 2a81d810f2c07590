import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import exceljs from 'exceljs';
import { inventOrders, PLACES } from '../scripts/samples/invented-orders.ts';
import type { SampleOrder } from '../scripts/samples/invented-orders.ts';
import type { OrderPayload } from '../src/domain/row.ts';
import { ORDER_FIELDS } from '../src/intake/fields.ts';

/** Orders are invented in portions, so that a large file does not stand in memory. */
const PORTION = 10_000;

/** Good orders, all of them different, each time the same; those from another `first` on are others. */
function* inventedOrders(rows: number, first = 0): Generator<SampleOrder> {
  for (let from = first; from < first + rows; from += PORTION) {
    const sender = {
      places: PLACES,
      inspectionPrefix: `B${from}-`,
      policyNumber: (index: number) => `HO-${String(from + index).padStart(8, '0')}`,
    };
    const orders = inventOrders(Math.min(PORTION, first + rows - from), { ...sender, seed: from + 1 });
    // The house number makes every address another one: two commercial orders at one address would be duplicates.
    for (const [index, order] of orders.entries()) yield { ...order, streetAddress: `${from + index + 1} Bench Road` };
  }
}

/** A CSV file of good orders under the headers of our own template; further columns, that stand for nothing, make up the number asked for. */
export async function writeOrdersCsv(
  path: string,
  rows: number,
  { columns = ORDER_FIELDS.length, first = 0 }: { readonly columns?: number; readonly first?: number } = {},
): Promise<void> {
  const further = Array.from(
    { length: Math.max(0, columns - ORDER_FIELDS.length) },
    (_, index) => `Our own ${index + 1}`,
  );
  const line = (values: readonly string[]): string => `${[...values, ...further].map(quoted).join(',')}\r\n`;
  const lines = function* (): Generator<string> {
    yield line(ORDER_FIELDS.map(({ title }) => title));
    for (const order of inventedOrders(rows, first)) yield line(ORDER_FIELDS.map(({ name }) => written(order[name])));
  };
  await pipeline(Readable.from(lines()), createWriteStream(path));
}

function written(value: SampleOrder[keyof SampleOrder]): string {
  return typeof value === 'boolean' ? (value ? 'Yes' : 'No') : String(value ?? '');
}

function quoted(value: string): string {
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

/** The same as a workbook. */
export async function writeOrdersWorkbook(path: string, rows: number, first = 0): Promise<void> {
  const workbook = new exceljs.stream.xlsx.WorkbookWriter({ filename: path, useSharedStrings: true });
  const sheet = workbook.addWorksheet('Orders');
  sheet.addRow(ORDER_FIELDS.map(({ title }) => title)).commit();
  for (const order of inventedOrders(rows, first))
    sheet
      .addRow(ORDER_FIELDS.map(({ name }) => (typeof order[name] === 'number' ? order[name] : written(order[name]))))
      .commit();
  await workbook.commit();
}

/** The same as they are sent, but for `allowDuplication`. */
export function* inventedPayloads(rows: number): Generator<OrderPayload> {
  for (const { supplementalServices, ...order } of inventedOrders(rows)) {
    const filled = Object.fromEntries(Object.entries(order).filter(([, value]) => value !== undefined));
    yield {
      ...filled,
      ...(typeof supplementalServices === 'string' ? { supplementalServices: supplementalServices.split(', ') } : {}),
    } as OrderPayload;
  }
}
