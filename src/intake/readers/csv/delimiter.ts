/** What may stand between the fields of a text table. */
export type Delimiter = ',' | ';' | '\t' | '|';

const DELIMITERS: readonly Delimiter[] = [',', ';', '\t', '|'];
const RECORDS_LOOKED_AT = 100;

/** A first line such as `sep=;`, which Excel writes and reads: it is not a record. */
export interface SeparatorLine {
  readonly delimiter: string;
  /** Characters of the line, its end included. */
  readonly length: number;
}

/** The `sep=` line at the start of a text, or undefined. */
export function separatorLine(text: string): SeparatorLine | undefined {
  const match = /^"?sep=([\t\x20-\x21\x23-\x7e])"?(?:\r\n|\n|\r|$)/i.exec(text);
  return match?.[1] === undefined ? undefined : { delimiter: match[1], length: match[0].length };
}

/**
 * The delimiter that the first records agree on most. The comma where there is none to see.
 * @param preferTab for files named `.tsv`: the tab wins wherever it stands in half of the records.
 */
export function sniffDelimiter(sample: string, preferTab: boolean): Delimiter {
  const records = countDelimiters(sample);
  const scores = DELIMITERS.map((delimiter, index) => ({ delimiter, ...agreement(records.map((counts) => counts[index] ?? 0)) }));
  const tab = scores.find(({ delimiter }) => delimiter === '\t');
  if (preferTab && tab !== undefined && tab.records * 2 >= records.length && tab.records > 0) return '\t';
  const [best] = scores.toSorted((a, b) => b.records - a.records || b.fields - a.fields);
  return best === undefined || best.records === 0 ? ',' : best.delimiter;
}

/** How many delimiters most of the first records have; 0 where there are none. */
export function usualDelimiters(sample: string, delimiter: string): number {
  return agreement(countDelimiters(sample, [delimiter]).map(([count = 0]) => count)).fields;
}

/** How many records share the commonest number of a delimiter, and that number; records without it do not count. */
function agreement(counts: readonly number[]): { records: number; fields: number } {
  const records = new Map<number, number>();
  for (const count of counts) if (count > 0) records.set(count, (records.get(count) ?? 0) + 1);
  let best = { records: 0, fields: 0 };
  for (const [fields, sharing] of records) {
    if (sharing > best.records || (sharing === best.records && fields > best.fields)) best = { records: sharing, fields };
  }
  return best;
}

/** For each of the first records that is not blank, how often each delimiter stands outside quotes. */
function countDelimiters(sample: string, delimiters: readonly string[] = DELIMITERS): readonly (readonly number[])[] {
  const records: number[][] = [];
  let counts = delimiters.map(() => 0);
  let quoted = false;
  let closedJustNow = false;
  let fieldStart = true;
  let blank = true;
  for (const character of sample) {
    if (quoted) {
      quoted = character !== '"';
      closedJustNow = !quoted;
      continue;
    }
    const index = delimiters.findIndex((delimiter) => delimiter === character);
    if (character === '\n' || character === '\r') {
      if (!blank && records.push(counts) === RECORDS_LOOKED_AT) return records;
      counts = delimiters.map(() => 0);
      blank = true;
    } else {
      blank = false;
      if (index !== -1) counts[index] = (counts[index] ?? 0) + 1;
      // A doubled quote inside a quoted field closes and opens it again, which comes to the same.
      else if (character === '"' && (fieldStart || closedJustNow)) quoted = true;
    }
    closedJustNow = false;
    fieldStart = index !== -1 || character === '\n' || character === '\r' || (fieldStart && character === ' ');
  }
  if (!blank) records.push(counts);
  return records;
}
