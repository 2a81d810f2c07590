import type { SheetRow } from '../domain/row.ts';
import { cellText, isBlank } from './cells.ts';
import { fieldNamed } from './fields.ts';
import type { FieldName } from './fields.ts';
import type { NamedCell } from './header-groups.ts';
import { writtenOut } from './known-headers.ts';
import { trimmed } from './values/plain-text.ts';

/** What a column holds of a field that several columns make up together; in the order in which they stand in the whole. */
export type ColumnPart = 'first name' | 'middle name' | 'last name' | 'name suffix' | 'one of several';

const ORDER: readonly ColumnPart[] = ['first name', 'middle name', 'last name', 'name suffix'];

/** The text of one column of a name that stands in several. */
export interface PartText {
  readonly part: ColumnPart;
  readonly text: string;
}

/** What the parts of a name come to together. */
export function joined(parts: readonly PartText[]): string {
  return parts.toSorted((a, b) => ORDER.indexOf(a.part) - ORDER.indexOf(b.part)).map(({ text }) => text).join(' ');
}

const INSURED = "(?:insureds?|namedinsureds?|primaryinsured|(?:primary|first)namedinsured|applicants?|customers?|clients?|policyholders?|owners?|homeowners?)?";
const AGENT = '(?:agents?|producers?|brokers?)';
const NAME_PARTS: readonly (readonly [ColumnPart, string])[] = [
  ['first name', '(?:first|given|f)(?:name)?'],
  ['middle name', '(?:middle(?:name|initial)?|mi)'],
  ['last name', '(?:last|sur|family|l)(?:name)?'],
  ['name suffix', '(?:name)?(?:suffix|generation)|jrsr|srjr'],
];
/** A suffix could be a street's: it is a name's only beside one. */
const BARE_SUFFIX = /^(?:suffix|generation|jrsr|srjr)$/;

/** By whose name it is; the few there are. */
const NAME_PATTERNS = new Map<string, readonly (readonly [ColumnPart, RegExp])[]>();

function namePart(header: string, whose: string): ColumnPart | undefined {
  const name = writtenOut(header);
  if (name.length < 2) return undefined;
  const patterns = NAME_PATTERNS.get(whose) ?? NAME_PARTS.map(([part, words]) => [part, new RegExp(`^${whose}(?:${words})$`)] as const);
  NAME_PATTERNS.set(whose, patterns);
  return patterns.find(([, pattern]) => pattern.test(name))?.[0];
}

/** Whether a header is a part of somebody's name, such as `First`; whose, the group above it may say. */
export function isNamePart(header: string): boolean {
  return namePart(header, '') !== undefined;
}

/** The columns of a name in its parts, where the row has no column for the whole and it is sure whose it is; or of the whole and a suffix such as Jr. */
function nameParts(cells: readonly NamedCell[], field: FieldName, whose: string | undefined, owner: NamedCell['owner']): Map<NamedCell, ColumnPart> {
  const found = new Map<NamedCell, ColumnPart>();
  const wholes = cells.filter((cell) => cell.field?.name === field);
  let before: NamedCell | undefined;
  for (const cell of cells) {
    const part = cell.field !== undefined || cell.why !== undefined ? undefined : cell.owner === owner ? namePart(cell.header, '') : cell.group === undefined && whose !== undefined ? namePart(cell.header, whose) : undefined;
    const beside = before?.index === cell.index - 1 && (found.has(before) || wholes.includes(before));
    if (part !== undefined && (beside || !BARE_SUFFIX.test(writtenOut(cell.header)))) found.set(cell, part);
    before = cell;
  }
  const parts = [...found.values()];
  const once = new Set(parts).size === parts.length;
  const [whole] = wholes;
  if (once && whole !== undefined) return parts.includes('name suffix') && wholes.length === 1 ? new Map([[whole, 'first name'], ...[...found].filter(([, part]) => part === 'name suffix')]) : new Map<NamedCell, ColumnPart>();
  return once && parts.includes('first name') && parts.includes('last name') ? found : new Map<NamedCell, ColumnPart>();
}

/** Gives the columns of a name in its parts their field; those of nobody in particular are the insured's, unless an agent who is not named could be meant. */
export function withNameParts<T extends NamedCell>(cells: readonly T[], isAgentUnnamed: boolean): readonly T[] {
  const insured = nameParts(cells, 'insuredName', isAgentUnnamed ? undefined : INSURED, 'Insured');
  const agent = nameParts(cells, 'agentName', AGENT, 'Agent');
  if (insured.size + agent.size === 0) return cells;
  return cells.map((cell) => {
    const part = insured.get(cell) ?? agent.get(cell);
    return part === undefined ? cell : { ...cell, field: fieldNamed(insured.has(cell) ? 'insuredName' : 'agentName'), part };
  });
}

/** A header over two columns, `Insured name` over Marisol and Vega: the second, which has no header of its own, is the rest of the name. */
export function withUnheadedNames(cells: readonly NamedCell[], header: SheetRow, below: readonly SheetRow[]): readonly NamedCell[] {
  return cells.flatMap((cell): NamedCell[] => {
    const isName = cell.field?.name === 'insuredName' || cell.field?.name === 'agentName';
    const index = cell.index + 1;
    if (!isName || cell.part !== undefined || !isBlank(header.cells[index]) || cells.every((other) => other.index <= index)) return [cell];
    const split = below.flatMap((row) => (isBlank(row.cells[index]) ? [] : [[trimmed(cellText(row.cells[cell.index])), trimmed(cellText(row.cells[index]))] as const]));
    const areNames = split.length > 0 && split.every(([first, last]) => /^\p{L}[\p{L}.'\u2019-]*(?: \p{L}\.?)?$/u.test(first) && /^\p{L}[\p{L} .,'\u2019-]*$/u.test(last));
    return areNames ? [{ ...cell, part: 'first name' }, { index, header: '', field: cell.field, part: 'last name' }] : [cell];
  });
}
