import type { Cell, Workbook } from 'exceljs';
import {
  HOUSE_TYPES_BY_POLICY_TYPE,
  POLICY_TYPES,
  SERVICE_NAMES,
  SUPPLEMENTAL_SERVICES,
  US_STATES,
} from '../contract/document.ts';
import { cellText, columnLetters, quoted } from '../domain/cells.ts';
import type { Note, RowPlace, RowRecord } from '../domain/row.ts';
import { noteFor, sentence } from '../domain/sentences.ts';
import { isDecisionFile } from './decisions.ts';
import type { FieldKind } from './fields.ts';
import { type RowSource, UnreadableFileError, withRows } from './readers/row-source.ts';

export const LISTS_SHEET = 'Lists';
export const GUIDE_SHEET = 'Guide';
export const PROBLEMS_SHEET = 'Problems';
export const WORDS_SHEET = 'Words';

export const TO_FIX_HEADER = 'To fix: correct the red cells, save, and drop this workbook in the inbox';

/** Increase it if the template changes for senders; older ones are still read by their titles. */
const TEMPLATE_VERSION = 2;

export const TEMPLATE_MARK = `Template version ${TEMPLATE_VERSION}`;
export const CORRECTIONS_MARK = 'Corrections workbook';
export const QUESTION_MARK = 'Question about a layout';
export const QUESTION = { columns: 'Columns', readAs: 'Is read as', notSent: '(not sent)', key: '_key' } as const;

type OwnWorkbook = Readonly<{
  kind: 'template' | 'corrections' | 'question' | 'receipt';
  sheets: ReadonlySet<string>;
  notes: readonly Note[];
}>;

const RESULTS_SHEETS = ['Overview', 'Results', 'Attention', 'Fields'];
const ORDERS_SHEETS = ['Orders', 'Send to insured', 'About'];
const RECEIPT_SHEETS = ['Receipt', 'Outcome of each row'];

export const DECISIONS_FILE_CODE = 'results-workbook';

export async function recognizeOwnWorkbook(source: RowSource, displayName: string): Promise<OwnWorkbook | undefined> {
  const hasAll = (own: readonly string[]) => own.every((sheet) => source.sheets.some(({ name }) => name === sheet));
  if (hasAll(RECEIPT_SHEETS)) return { kind: 'receipt', sheets: new Set(), notes: [] };
  if (hasAll(ORDERS_SHEETS))
    throw new UnreadableFileError('orders-workbook', sentence('orders-workbook', { name: displayName }));
  const isResults = hasAll(RESULTS_SHEETS);
  if (isResults || (await isDecisionFile(source)))
    throw new UnreadableFileError(
      DECISIONS_FILE_CODE,
      sentence(isResults ? DECISIONS_FILE_CODE : 'results-workbook/decisions', { name: displayName }),
    );
  const lists = source.sheets.findIndex(({ name, visible }) => name === LISTS_SHEET && !visible);
  if (lists === -1) return undefined;
  for await (const { cells } of source.rows(lists)) {
    const mark = cellText(cells[0]);
    if (mark === CORRECTIONS_MARK)
      return { kind: 'corrections', sheets: new Set([LISTS_SHEET, PROBLEMS_SHEET, WORDS_SHEET]), notes: [] };
    if (mark === QUESTION_MARK) return { kind: 'question', sheets: new Set([LISTS_SHEET]), notes: [] };
    const version = /^Template version (\d{1,6})$/.exec(mark)?.[1];
    return version === undefined
      ? undefined
      : { kind: 'template', sheets: new Set([LISTS_SHEET, GUIDE_SHEET]), notes: versionNotes(Number(version)) };
  }
  return undefined;
}

function versionNotes(version: number) {
  if (version === TEMPLATE_VERSION) return [];
  const read = `The file is version ${version} of the intake template; it was read all the same`;
  return [
    noteFor(version < TEMPLATE_VERSION ? 'template-older' : 'template-newer', { read, version: TEMPLATE_VERSION }),
  ];
}

export function withoutToFix(source: RowSource): RowSource {
  return withRows(source, () => {
    let isOurs = false;
    return (row) => {
      isOurs ||= cellText(row.cells[0]) === TO_FIX_HEADER;
      if (!isOurs || row.cells.length === 0) return row;
      const remarks = row.remarks?.filter(({ column }) => column !== 0);
      return { ...row, cells: row.cells.with(0, undefined), ...(remarks === undefined ? {} : { remarks }) };
    };
  });
}

const KEY_HASH_LENGTH = 12;

/** `<file>#<sheet>#<row>#<start of hash>` */
export function rowKey(fileHash: string, { file, sheet, rowNumber }: RowPlace) {
  const part = (text: string) => text.replaceAll('%', '%25').replaceAll('#', '%23');
  return `${part(file)}#${part(sheet)}#${rowNumber}#${fileHash.slice(0, KEY_HASH_LENGTH)}`;
}

const KEY = /^([^#]+)#([^#]*)#(\d{1,10})#([0-9a-f]{12})$/;

/** `content`: the start of the file's SHA-256. */
export function parseRowKey(key: string) {
  const [, file, sheet, rowNumber, content] = KEY.exec(key) ?? [];
  if (file === undefined || sheet === undefined || content === undefined) return null;
  const whole = (text: string) => text.replaceAll('%23', '#').replaceAll('%25', '%');
  return { file: whole(file), sheet: whole(sheet), rowNumber: Number(rowNumber), content };
}

/** For the sender, who may no longer have the corrections workbook that held the row. */
export function describePlace({ place, correctsRow }: RowRecord) {
  const origin = parseRowKey(correctsRow ?? '');
  return origin === null ? `Row ${place.rowNumber} of your file` : `Row ${origin.rowNumber} of ${quoted(origin.file)}`;
}

/** `HouseTypes_n` holds the house types of the n-th policy type. */
const LIST_NAMES = {
  services: 'Services',
  policyTypes: 'PolicyTypes',
  states: 'States',
  yesNo: 'YesNo',
  supplements: 'SupplementalServices',
} as const;
const HOUSE_TYPES_PREFIX = 'HouseTypes_';

/** A drop-down offers only one entry. */
function supplementChoices() {
  const choices = SUPPLEMENTAL_SERVICES.reduce<readonly string[][]>(
    (some, service) => some.concat(some.map((chosen) => chosen.concat(service))),
    [[]],
  );
  return choices
    .filter((chosen) => chosen.length > 0)
    .toSorted((a, b) => a.length - b.length)
    .map((chosen) => chosen.join(', '));
}

type DropDownList = Readonly<{ name: string; values: readonly string[] }>;

const LISTS: readonly DropDownList[] = [
  { name: LIST_NAMES.services, values: SERVICE_NAMES },
  { name: LIST_NAMES.policyTypes, values: POLICY_TYPES },
  ...POLICY_TYPES.map((policyType, index) => ({
    name: `${HOUSE_TYPES_PREFIX}${index + 1}`,
    values: HOUSE_TYPES_BY_POLICY_TYPE[policyType],
  })),
  { name: LIST_NAMES.states, values: Object.keys(US_STATES).toSorted() },
  { name: LIST_NAMES.yesNo, values: ['Yes', 'No'] },
  { name: LIST_NAMES.supplements, values: supplementChoices() },
];

export function addLists(
  workbook: Pick<Workbook, 'addWorksheet' | 'definedNames'>,
  marks: readonly string[],
  more: Iterable<DropDownList> = [],
) {
  const sheet = workbook.addWorksheet(LISTS_SHEET, { state: 'hidden' });
  for (const [row, mark] of marks.entries()) sheet.getCell(row + 1, 1).value = mark;
  for (const [index, { name, values }] of [...LISTS, ...more].entries()) {
    const letters = columnLetters(index + 1);
    sheet.getCell(`${letters}1`).value = name;
    for (const [position, value] of values.entries()) sheet.getCell(`${letters}${position + 2}`).value = value;
    workbook.definedNames.add(`${LISTS_SHEET}!$${letters}$2:$${letters}$${values.length + 1}`, name);
  }
}

export type ChoiceField = Readonly<{ name: string; kind: FieldKind; values?: readonly string[] | undefined }>;

export type DropDowns = ReturnType<typeof dropDowns>;

export function dropDowns() {
  const lists = new Map<string, DropDownList>();
  const proposing = (field: string, values: readonly string[], proposal: string | undefined) => {
    const key = `${field} ${proposal ?? ''}`;
    const others = values.filter((value) => value !== proposal);
    const list = lists.get(key) ?? {
      name: `Choices_${lists.size + 1}`,
      values: proposal === undefined ? others : [proposal, ...others],
    };
    lists.set(key, list);
    return list.name;
  };
  return {
    /** Other entries are allowed; the next check judges them. */
    offer(cell: Cell, field: ChoiceField, proposal: string | undefined, policyTypeCell?: string) {
      const choices =
        field.values !== undefined && (proposal !== undefined || policyTypeCell === undefined)
          ? proposing(field.name, field.values, proposal)
          : choicesOf(field, policyTypeCell);
      if (choices !== undefined)
        cell.dataValidation = { type: 'list', allowBlank: true, formulae: [choices], showErrorMessage: false };
    },
    /** Call it last. */
    addTo: (workbook: Pick<Workbook, 'addWorksheet' | 'definedNames'>, marks: readonly string[]) =>
      addLists(workbook, marks, lists.values()),
  };
}

/** An expression for Excel and LibreOffice. Without `policyTypeCell`, house types have no list. */
export function choicesOf({ name, kind }: ChoiceField, policyTypeCell: string | undefined) {
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
