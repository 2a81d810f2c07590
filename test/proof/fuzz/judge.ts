import { createProjectRequest } from '../../../src/contract/document.ts';
import type { OrderPayload, RowOutcome, SheetLayout } from '../../../src/domain/row.ts';
import { cellText } from '../../../src/domain/cells.ts';
import { readOrderFile } from '../../../src/intake/read-orders.ts';
import { UnreadableFileError } from '../../../src/intake/readers/row-source.ts';

const TODAY = '2026-10-15';

/** What came of a file. `broken`: one of our promises was not kept. */
export type Verdict =
  | { readonly kind: 'rows'; readonly orders: number; readonly rejections: number }
  /** `rowsBefore`: how many rows had come when the file turned out to be damaged. */
  | { readonly kind: 'sentence'; readonly sentence: string; readonly rowsBefore: number }
  | { readonly kind: 'broken'; readonly why: string };

/** Reads a file to its end and judges what comes: rows that keep what intake promises, or a sentence. */
export async function judge(path: string, displayName: string): Promise<Verdict> {
  let orders = 0;
  let rejections = 0;
  try {
    await using reading = await readOrderFile(path, displayName, { headers: {}, today: TODAY });
    for await (const row of reading.rows()) {
      const why = brokenPromise(row, reading.layouts);
      if (why !== undefined)
        return { kind: 'broken', why: `${row.record.place.sheet} ${String(row.record.place.rowNumber)}: ${why}` };
      if (row.kind === 'order') orders += 1;
      else rejections += 1;
    }
    if (reading.notes.some(({ text }) => text === '')) return { kind: 'broken', why: 'a note is empty' };
    return { kind: 'rows', orders, rejections };
  } catch (thrown) {
    if (!(thrown instanceof UnreadableFileError))
      return { kind: 'broken', why: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown) };
    const { message } = thrown;
    const isSentence = message.startsWith(`"${displayName}" `) && message.length < 20_000;
    return isSentence
      ? { kind: 'sentence', sentence: message, rowsBefore: orders + rejections }
      : { kind: 'broken', why: `no sentence for a person: ${message.slice(0, 300)}` };
  }
}

function brokenPromise(row: RowOutcome, layouts: readonly SheetLayout[]): string | undefined {
  if (row.kind === 'rejection') {
    if (!row.problems.some(({ severity }) => severity === 'error')) return 'rejected without a reason';
    return row.problems.some(({ message }) => message.trim() === '') ? 'a problem without words' : undefined;
  }
  if (!createProjectRequest.safeParse(row.payload).success) return 'an order that the service would refuse';
  return silentChange(row, layouts);
}

/** The first value that is sent otherwise than its cell holds it, with nothing on record about it. */
function silentChange(
  { payload, record, repairs, warnings }: Extract<RowOutcome, { kind: 'order' }>,
  layouts: readonly SheetLayout[],
): string | undefined {
  const layout = layouts.find(
    ({ sheet, headerRow }) => sheet === record.place.sheet && headerRow < record.place.rowNumber,
  );
  // A repair shows the NUL characters that the reader left out.
  const cells = new Set(record.cells.map((cell) => cellText(cell).replaceAll('␀', '')));
  const columns = Object.groupBy(layout?.columns ?? [], ({ field }) => field ?? '');
  for (const [field, sources] of Object.entries(columns)) {
    if (field === '' || field === 'allowDuplication') continue;
    const sent = textOfValue(payload[field as keyof OrderPayload]);
    const held = (sources ?? []).map(({ index }) => cellText(record.cells[index]));
    // Of two columns for one field (two addresses in a row) one is sent, and a whole address can come from one cell elsewhere in the row.
    const isTold =
      held.some((text) => isSame(text, sent)) ||
      repairs.some(
        (repair) => repair.field === field && repair.sent === sent && cells.has(repair.held.replaceAll('␀', '')),
      ) ||
      warnings.some((warning) => warning.field === field);
    if (!isTold)
      return `${field} holds ${JSON.stringify(held).slice(0, 200)} and is sent as ${JSON.stringify(sent.slice(0, 200))}: ${JSON.stringify(repairs.filter((repair) => repair.field === field)).slice(0, 300)}`;
  }
  return undefined;
}

function textOfValue(value: OrderPayload[keyof OrderPayload]): string {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  return typeof value === 'object' ? value.join(', ') : String(value ?? '');
}

/** Blanks around a text, and other ways to write the same number or truth value, are no change. */
function isSame(held: string, sent: string): boolean {
  const text = held.replace(
    /^[\s\p{Cc}\u200b\u200e\u200f\u2060\ufeff]+|[\s\p{Cc}\u200b\u200e\u200f\u2060\ufeff]+$/gu,
    '',
  );
  if (text === sent) return true;
  if (text !== '' && sent !== '' && Number(text) === Number(sent)) return !/^0\d/.test(text);
  const word = text.toLowerCase();
  return (
    (sent === 'Yes' && (word === 'yes' || word === 'true')) || (sent === 'No' && (word === 'no' || word === 'false'))
  );
}
