import type { ColumnPart } from './column-parts.ts';
import { writtenOut } from './known-headers.ts';

/** The text of one column of a field that stands in several. */
export interface PartText {
  readonly part: ColumnPart;
  readonly header: string;
  readonly text: string;
}

const ORDER: readonly ColumnPart[] = ['first name', 'middle name', 'last name', 'name suffix', 'street number', 'street', 'behind the street'];

/** Words that say themselves what they are: `Apt 4B`, `#4B`, `Floor 2`. */
const DESIGNATED = /^(?:#|apt|apartment|unit|suite|ste|lot|bldg|building|floor|fl\b|rm|room|space|spc|trlr|ph\b|no\b)/i;

/** What the parts come to together; undefined where they contradict one another. */
export function joined(parts: readonly PartText[]): string | undefined {
  let whole = '';
  for (const { part, header, text } of parts.toSorted((a, b) => ORDER.indexOf(a.part) - ORDER.indexOf(b.part))) {
    if (part === 'behind the street') whole = endsWith(whole, text) ? whole : `${whole}, ${designated(text, header)}`;
    else if (part === 'street' && whole !== '') {
      const [first] = words(text);
      if (/^\d+\s/.test(text) && first !== whole.toLowerCase()) return undefined;
      whole = first === whole.toLowerCase() ? text : `${whole} ${text}`;
    } else whole = whole === '' ? text : `${whole} ${text}`;
  }
  return whole;
}

function words(text: string): readonly string[] {
  return text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
}

/** Whether an address says already what stands beside it. */
function endsWith(address: string, unit: string): boolean {
  const [whole, end] = [words(address), words(unit)];
  return end.length > 0 && end.every((word, index) => whole.at(index - end.length) === word);
}

function designated(text: string, header: string): string {
  const kind = /unit|apartment|apt|suite|ste(?!et)/.exec(writtenOut(header).replaceAll('street', ''))?.[0];
  if (kind === undefined || DESIGNATED.test(text) || words(text).length > 2) return text;
  return `${kind.startsWith('ap') ? 'Apt' : kind === 'unit' ? 'Unit' : 'Suite'} ${text}`;
}
