/* What our own workbooks, the template and corrections, have in common: hidden lists, the mark that tells them, the keys of rows. */

import type { Workbook } from 'exceljs';
import {
  HOUSE_TYPES_BY_POLICY_TYPE,
  POLICY_TYPES,
  SERVICE_NAMES,
  SUPPLEMENTAL_SERVICES,
  US_STATES,
} from '../contract/document.ts';
import { cellText, columnLetters, quoted } from '../domain/cells.ts';
import type { RowPlace } from '../domain/row.ts';
import type { FieldKind, OrderField } from './fields.ts';
import { type RowSource, UnreadableFileError } from './readers/row-source.ts';

/** The hidden sheet that holds the lists of our drop-downs, and in its first cell what the workbook is. */
export const LISTS_SHEET = 'Lists';
export const GUIDE_SHEET = 'Guide';
export const PROBLEMS_SHEET = 'Problems';

/** Goes up when the template changes for those who fill it in; older ones are still read, by their titles. */
const TEMPLATE_VERSION = 2;

/** What stands in the first cell of the lists. */
export const TEMPLATE_MARK = `Template version ${String(TEMPLATE_VERSION)}`;
export const CORRECTIONS_MARK = 'Corrections workbook';

/** A workbook that began as one of ours. */
export interface OwnWorkbook {
  /** Sheets that are ours and hold no orders; nobody needs to be told that they were not read. */
  readonly sheets: ReadonlySet<string>;
  readonly notes: readonly string[];
}

/** The sheets of every results workbook. They have the columns of orders, and none of them is one. */
const RESULTS_SHEETS = ['Overview', 'Results', 'Attention', 'Fields'];

/**
 * Whether a file began as the intake template or as a corrections workbook; undefined where it did not. Throws UnreadableFileError for a results
 * workbook: its rows are ordered already.
 */
export async function ownWorkbook(source: RowSource, displayName: string): Promise<OwnWorkbook | undefined> {
  if (RESULTS_SHEETS.every((own) => source.sheets.some(({ name }) => name === own))) {
    throw new UnreadableFileError(
      `${quoted(displayName)} is a results workbook, not a list of orders. To hand in the decisions written in it, drop it in the folder "decisions" of the inbox.`,
    );
  }
  const lists = source.sheets.findIndex(({ name, visible }) => name === LISTS_SHEET && !visible);
  if (lists === -1) return undefined;
  for await (const { cells } of source.rows(lists)) {
    const mark = cellText(cells[0]);
    if (mark === CORRECTIONS_MARK) return { sheets: new Set([LISTS_SHEET, PROBLEMS_SHEET]), notes: [] };
    const version = /^Template version (\d{1,6})$/.exec(mark)?.[1];
    return version === undefined
      ? undefined
      : { sheets: new Set([LISTS_SHEET, GUIDE_SHEET]), notes: versionNotes(Number(version)) };
  }
  return undefined;
}

function versionNotes(version: number): string[] {
  if (version === TEMPLATE_VERSION) return [];
  const read = `The file was filled in on version ${String(version)} of the intake template and was read all the same`;
  return version < TEMPLATE_VERSION
    ? [`${read}; version ${String(TEMPLATE_VERSION)} is out: "inspection-batch template" writes it.`]
    : [
        `${read}, by a program that knows no version after ${String(TEMPLATE_VERSION)}: columns that came later are not known to it.`,
      ];
}

/** Which row of which file a row of a corrections workbook was made from. */
export interface RowKey {
  readonly file: string;
  readonly sheet: string;
  readonly rowNumber: number;
  /** The beginning of the file's SHA-256, which tells files of one name apart; null in keys written before it was part of them. */
  readonly content: string | null;
}

/** How much of a file's hash its rows' keys hold. */
const KEY_HASH_LENGTH = 12;

/** The hidden key of a row: `<file>#<sheet>#<row>#<beginning of the file's hash>`. */
export function rowKey(fileHash: string, { file, sheet, rowNumber }: RowPlace): string {
  const part = (text: string): string => text.replaceAll('%', '%25').replaceAll('#', '%23');
  return `${part(file)}#${part(sheet)}#${String(rowNumber)}#${fileHash.slice(0, KEY_HASH_LENGTH)}`;
}

const KEY = /^([^#]+)#([^#]*)#(\d{1,10})(?:#([0-9a-f]{12}))?$/;

/** What a key says, or null where it is none. */
export function parseRowKey(key: string): RowKey | null {
  const [, file, sheet, rowNumber, content] = KEY.exec(key) ?? [];
  if (file === undefined || sheet === undefined) return null;
  const whole = (text: string): string => text.replaceAll('%23', '#').replaceAll('%25', '%');
  return { file: whole(file), sheet: whole(sheet), rowNumber: Number(rowNumber), content: content ?? null };
}

/** The names under which the drop-downs find their lists. The house types of the n-th policy type are `HouseTypes_n`. */
const LIST_NAMES = {
  services: 'Services',
  policyTypes: 'PolicyTypes',
  states: 'States',
  yesNo: 'YesNo',
  supplements: 'SupplementalServices',
} as const;
const HOUSE_TYPES_PREFIX = 'HouseTypes_';

/** Every way of choosing some of the supplemental services, so that a drop-down can offer several at once. */
function supplementChoices(): string[] {
  const choices = SUPPLEMENTAL_SERVICES.reduce<readonly string[][]>(
    (some, service) => some.concat(some.map((chosen) => chosen.concat(service))),
    [[]],
  );
  return choices
    .filter((chosen) => chosen.length > 0)
    .toSorted((a, b) => a.length - b.length)
    .map((chosen) => chosen.join(', '));
}

const LISTS: readonly { readonly name: string; readonly values: readonly string[] }[] = [
  { name: LIST_NAMES.services, values: SERVICE_NAMES },
  { name: LIST_NAMES.policyTypes, values: POLICY_TYPES },
  ...POLICY_TYPES.map((policyType, index) => ({
    name: `${HOUSE_TYPES_PREFIX}${String(index + 1)}`,
    values: HOUSE_TYPES_BY_POLICY_TYPE[policyType],
  })),
  { name: LIST_NAMES.states, values: Object.keys(US_STATES).toSorted() },
  { name: LIST_NAMES.yesNo, values: ['Yes', 'No'] },
  { name: LIST_NAMES.supplements, values: supplementChoices() },
];

/** Writes the hidden sheet of lists, a column each, with their names; its first cell says what the workbook is. */
export function addLists(workbook: Pick<Workbook, 'addWorksheet' | 'definedNames'>, mark: string): void {
  const sheet = workbook.addWorksheet(LISTS_SHEET, { state: 'hidden' });
  sheet.getCell('A1').value = mark;
  for (const [index, { name, values }] of LISTS.entries()) {
    const letters = columnLetters(index + 1);
    sheet.getCell(`${letters}1`).value = name;
    for (const [position, value] of values.entries()) sheet.getCell(`${letters}${String(position + 2)}`).value = value;
    workbook.definedNames.add(`${LISTS_SHEET}!$${letters}$2:$${letters}$${String(values.length + 1)}`, name);
  }
}

/**
 * Where the drop-down of a field finds its choices: an expression understood by Excel and LibreOffice, undefined for a field without a
 * list. `policyTypeCell` is the cell that decides over the house types; without one, they have no list.
 */
export function choicesOf({ name, kind }: OrderField, policyTypeCell: string | undefined): string | undefined {
  if (name === 'houseType')
    return policyTypeCell === undefined
      ? undefined
      : `INDIRECT("${HOUSE_TYPES_PREFIX}"&MATCH(${policyTypeCell},${LIST_NAMES.policyTypes},0))`;
  if (name === 'serviceName') return LIST_NAMES.services;
  return CHOICES[kind];
}

const CHOICES: Readonly<Partial<Record<FieldKind, string>>> = {
  enum: LIST_NAMES.policyTypes,
  list: LIST_NAMES.supplements,
  boolean: LIST_NAMES.yesNo,
  state: LIST_NAMES.states,
  country: '"US"',
};
