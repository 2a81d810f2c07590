import { cellText, isBlank } from '../../domain/cells.ts';
import type { SheetRow } from '../../domain/row.ts';
import { memoize } from '../../domain/text.ts';
import { type FieldName, fieldNamed } from '../fields.ts';
import { trimmed } from '../values/plain-text.ts';
import { type ColumnPart, holdsNames, type NamedCell, namesAnother } from './columns.ts';
import { headerPatterns } from './header-patterns.ts';
import { shortMeaning, spellOut } from './known-headers.ts';

const ORDER: readonly ColumnPart[] = ['first name', 'middle name', 'last name', 'name suffix'];

type PartText = Readonly<{ part: ColumnPart; text: string }>;

export function joinParts(parts: readonly PartText[]) {
  return parts
    .toSorted((a, b) => ORDER.indexOf(a.part) - ORDER.indexOf(b.part))
    .map(({ text }) => text)
    .join(' ');
}

const { insured: INSURED_WORDS, agent: AGENT_WORDS, contact: CONTACT_WORDS, parts: NAME_PARTS } = headerPatterns.names;
/** Part of a name only next to a name; it could be a street's suffix. */
const BARE_SUFFIX = /^(?:suffix|generation|jrsr|srjr)$/;

const patternsOf = memoize((whose: string) =>
  ORDER.map((part) => ({ part, pattern: new RegExp(`^${whose}(?:(?:full)?name)?(?:${NAME_PARTS[part] ?? ''})$`) })),
);

function isName(field: string | null | undefined) {
  return field === 'insuredName' || field === 'agentName';
}

/** Columns that a person calls one field are one name, unless they hold the same part. */
export function useOf(header: string, field: string) {
  return `${field} ${isName(field) ? (namePart(header, '.*') ?? header) : ''}`;
}

export function partDecided(header: string, field: FieldName, decided: ReadonlyMap<number, string | null>) {
  if (!isName(field)) return undefined;
  const isOne = [...decided.values()].filter((one) => one === field).length === 1;
  return namePart(header, '.*') ?? (isOne ? undefined : 'middle name');
}

const OWNER_BEHIND = /^(first|last)(?: ?name)? ?\(([^()]+)\)$/i;

export function namePart(header: string, whose: string) {
  const [, part, owner] = OWNER_BEHIND.exec(header) ?? [];
  const name = spellOut(owner === undefined ? header : `${owner} ${part}`);
  return name.length < 2 ? undefined : patternsOf(whose).find(({ pattern }) => pattern.test(name))?.part;
}

/**
 * The columns of a name in parts, if no column has the whole name and its owner is certain; or of a name and a suffix
 * such as Jr.
 */
function nameParts(
  cells: readonly NamedCell[],
  field: FieldName,
  whose: string | undefined,
  owner: NamedCell['owner'],
) {
  const found = new Map<NamedCell, ColumnPart>();
  const wholes = cells.filter((cell) => cell.field?.name === field);
  let before: NamedCell | undefined;
  for (const cell of cells) {
    const part =
      cell.field !== undefined || cell.why !== undefined
        ? undefined
        : cell.owner === owner
          ? namePart(cell.header, '')
          : cell.group === undefined && whose !== undefined
            ? namePart(cell.header, whose)
            : undefined;
    const beside = before?.index === cell.index - 1 && (found.has(before) || wholes.includes(before));
    if (part !== undefined && (beside || !BARE_SUFFIX.test(spellOut(cell.header)))) found.set(cell, part);
    before = cell;
  }
  const parts = [...found.values()];
  const once = new Set(parts).size === parts.length;
  const none = new Map<NamedCell, ColumnPart>();
  const [whole] = wholes;
  if (once && whole !== undefined)
    return parts.includes('name suffix') && wholes.length === 1
      ? new Map<NamedCell, ColumnPart>([
          [whole, 'first name'],
          ...[...found].filter(([, part]) => part === 'name suffix'),
        ])
      : none;
  return once && parts.includes('first name') && parts.includes('last name') ? found : none;
}

const FIRST_NAME = /^(.+?)(?:name)?(?:first|given|f(?=name))(?:name)?$/;
const CONTACT = new RegExp(`^${CONTACT_WORDS}$`);

/** Without an owner, or behind words that name nobody else, unless they could be an unnamed agent's. */
function insuredParts(cells: readonly NamedCell[], isAgentUnnamed: boolean, below: readonly SheetRow[]) {
  const named = nameParts(cells, 'insuredName', isAgentUnnamed ? undefined : INSURED_WORDS, 'Insured');
  const isNamed = cells.some(({ header, field }) => (field?.name ?? shortMeaning(header)) === 'insuredName');
  if (named.size > 0 || isNamed) return named;
  const owners = cells.flatMap(({ header, index }) => {
    const [, words = ''] = FIRST_NAME.exec(spellOut(header)) ?? [];
    return words !== '' && !CONTACT.test(words) && !namesAnother(header) && holdsNames(index, below) ? words : [];
  });
  return nameParts(cells, 'insuredName', owners.length === 1 ? owners[0] : undefined, 'Insured');
}

export function withNameParts(cells: readonly NamedCell[], isAgentUnnamed: boolean, below: readonly SheetRow[]) {
  const insured = insuredParts(cells, isAgentUnnamed, below);
  const agent = nameParts(cells, 'agentName', AGENT_WORDS, 'Agent');
  if (insured.size + agent.size === 0) return cells;
  const people = [...insured.keys()];
  return cells.map((cell) => {
    const part = insured.get(cell) ?? agent.get(cell);
    if (part === undefined && !(people.length > 0 && isFirm(cell, people, below))) return cell;
    return { ...cell, field: fieldNamed(agent.has(cell) ? 'agentName' : 'insuredName'), part };
  });
}

/** `Business name`. A company where persons are as well may be the insurance company. */
function isFirm(
  { header, field, group, why, index }: NamedCell,
  people: readonly NamedCell[],
  below: readonly SheetRow[],
) {
  if (field !== undefined || group !== undefined || why !== undefined) return false;
  const filled = below.filter(({ cells }) => !isBlank(cells[index]));
  const isPerson = ({ cells }: SheetRow) => people.some((person) => !isBlank(cells[person.index]));
  const isAlone = below.some(isPerson) && !filled.some(isPerson);
  return filled.length > 0 && headerPatterns.names.firm.test(header) && (isAlone || !/company|dba/i.test(header));
}

/** If `Insured name` is over Marisol and Vega, the second column continues the name. */
export function withUnheadedNames(cells: readonly NamedCell[], header: SheetRow, below: readonly SheetRow[]) {
  return cells.flatMap((cell): NamedCell[] => {
    const index = cell.index + 1;
    const isMerged = header.remarks?.some(
      (remark) => remark.kind === 'merged' && remark.column === index && remark.firstColumn === cell.index,
    );
    if (
      !isName(cell.field?.name) ||
      cell.part !== undefined ||
      !isBlank(header.cells[index]) ||
      (isMerged !== true && cells.every((other) => other.index <= index))
    )
      return [cell];
    const split = below.flatMap((row) =>
      isBlank(row.cells[index])
        ? []
        : [[trimmed(cellText(row.cells[cell.index])), trimmed(cellText(row.cells[index]))] as const],
    );
    const areNames =
      split.length > 0 &&
      split.every(
        ([first, last]) =>
          /^\p{L}[\p{L}.'\u2019-]*(?: \p{L}\.?)?$/u.test(first) && /^\p{L}[\p{L} .,'\u2019-]*$/u.test(last),
      );
    return areNames
      ? [
          { ...cell, part: 'first name' },
          { index, header: '', field: cell.field, part: 'last name' },
        ]
      : [cell];
  });
}
