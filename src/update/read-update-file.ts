import { basename } from 'node:path';
import { z } from 'zod';
import { COMMENT_LENGTH_MAX } from '../contract/document.ts';
import type { SheetRow } from '../domain/row.ts';
import { cellAddress, cellText, isBlank, quoted } from '../domain/cells.ts';
import { normalizedHeader } from '../domain/text.ts';
import { lazyColumnEvidence } from '../intake/column-survey.ts';
import { fieldNamed, type OrderField } from '../intake/fields.ts';
import { firstRows } from '../intake/read-orders.ts';
import { columnsByIndex, HEADER_SEARCH_ROWS, type OrderTable } from '../intake/header/header-row.ts';
import { headerDateOrder, knownHeaders, type KnownHeaders } from '../intake/header/known-headers.ts';
import { openSpreadsheet } from '../intake/readers/open-spreadsheet.ts';
import { type RowSource, UnreadableFileError } from '../intake/readers/row-source.ts';
import { sentence } from '../domain/sentences.ts';
import { vocabulary } from '../intake/vocabulary.ts';
import { coerce } from '../intake/values/coerce.ts';
import { type ColumnEvidence, NO_EVIDENCE } from '../intake/values/coercion.ts';
import { trimmed } from '../intake/values/plain-text.ts';
import type { PolicyDetails, ProjectKey, UpdateKind } from '../ledger/ledger.ts';

/** Clears a field: an empty cell changes nothing. */
export const CLEAR_WORD = '(clear)';

export type UpdateFileOptions = Readonly<{
  kind: UpdateKind;
  headers: Readonly<Record<string, string>>;
  today: string;
  comment: string | undefined;
  withoutFiles: boolean;
}>;

/** A row that cannot be read carries its problems. Throws UnreadableFileError. */
export async function readUpdateFile(path: string, options: UpdateFileOptions) {
  const name = basename(path);
  await using source = await openSpreadsheet(path, name);
  const known = knownHeaders(options.headers);
  const wanted = [];
  let tables = 0;
  for (const [index, sheet] of source.sheets.entries()) {
    if (!sheet.visible) continue;
    const table = findUpdateTable(await firstRows(source, index), index, options.kind, known);
    if (table === null) continue;
    tables += 1;
    if (options.kind === 'amend' && table.newPolicyNumber === undefined && table.newEffectiveDate === undefined)
      throw new UnreadableFileError('no-new-value', sentence('no-new-value', { name, sheet: table.sheet }));
    for await (const one of wantedRows(source, table, name, options)) wanted.push(one);
  }
  if (tables === 0) throw new UnreadableFileError('no-project-column', sentence('no-project-column', { name }));
  return wanted;
}

async function* wantedRows(source: RowSource, table: UpdateTable, file: string, options: UpdateFileOptions) {
  const columns = lazyColumnEvidence(table.asOrders, options, () => source.rows(table.sheetIndex));
  for await (const row of source.rows(table.sheetIndex)) {
    if (row.rowNumber <= table.headerRow || row.cells.every(isBlank)) continue;
    if (columns.need(row)) await columns.lookFor(row);
    const reading = rowOfUpdates(row, options.today, (index) => columns.of(index));
    const byKeys = [...table.keys].flatMap(([key, column]) => reading.name(key, column));
    const isNamed = byKeys.length > 0 || reading.problems.length > 0;
    const names = isNamed || table.otherwise === undefined ? byKeys : reading.name('policyNumber', table.otherwise);
    if (names.length === 0 && reading.problems.length === 0)
      reading.problems.push(`Row ${row.rowNumber} names no project.`);
    const request = requestOf(reading, isNamed ? table : { ...table, newPolicyNumber: undefined }, options);
    yield { names, request, problems: reading.problems, source: { file, sheet: row.sheet, rowNumber: row.rowNumber } };
  }
}

function requestOf(
  reading: ReturnType<typeof rowOfUpdates>,
  table: UpdateTable,
  { kind, comment, withoutFiles }: UpdateFileOptions,
) {
  const said = reading.comment(table.comment) ?? comment;
  const withComment = said === undefined ? {} : { comment: said };
  switch (kind) {
    case 'cancel':
      return { kind, ...withComment };
    case 'receive':
      return { kind, ...withComment, withoutFiles };
    case 'amend':
      return {
        kind,
        ...reading.newValue('policyNumber', 'New policy number', table.newPolicyNumber),
        ...reading.newValue('policyEffectiveDate', 'New effective date', table.newEffectiveDate),
      };
  }
}

const KEY_TITLES: Readonly<Record<ProjectKey, string>> = {
  projectId: 'Project ID',
  policyNumber: 'Policy number',
  inspectionNumber: 'Inspection number',
};

function rowOfUpdates(row: SheetRow, today: string, evidenceOf: (columnIndex: number) => ColumnEvidence) {
  const problems: string[] = [];
  const problem = (title: string, column: UpdateColumn, message: string) => {
    problems.push(`${title} (${cellAddress(column.index, row.rowNumber)}): ${message}`);
  };
  const textIn = (column: UpdateColumn) => trimmed(cellText(row.cells[column.index]));
  const valueOf = (field: keyof PolicyDetails, title: string, column: UpdateColumn) => {
    const read = coerce(row.cells[column.index], {
      field: { ...fieldNamed(field), title },
      evidence: field === 'policyEffectiveDate' ? evidenceOf(column.index) : NO_EVIDENCE,
      corrected: false,
      state: undefined,
      today,
    });
    switch (read.kind) {
      case 'value':
        // Nobody would see a warning, so doubts are problems.
        if (read.warning !== undefined) problem(title, column, read.warning.message);
        return String(read.value);
      case 'wrong':
        problem(title, column, read.message);
        return undefined;
      case 'empty':
      case 'undecided':
        return undefined;
    }
  };
  return {
    problems,
    name(key: ProjectKey, column: UpdateColumn) {
      const text = valueOf('policyNumber', KEY_TITLES[key], column);
      if (text === undefined) return [];
      if (key !== 'projectId' || /^\d{1,19}$/.test(text)) return [{ key, text }];
      problem(KEY_TITLES[key], column, `${quoted(text)} is not a project ID, which has only digits.`);
      return [];
    },
    newValue(field: keyof PolicyDetails, title: string, column: UpdateColumn | undefined): PolicyDetails {
      if (column === undefined) return {};
      const value = textIn(column).toLowerCase() === CLEAR_WORD ? '' : valueOf(field, title, column);
      return value === undefined ? {} : { [field]: value };
    },
    comment(column: UpdateColumn | undefined) {
      const text = column === undefined ? '' : textIn(column);
      if (column !== undefined && text.length > COMMENT_LENGTH_MAX)
        problem('Comment', column, `it has ${text.length} characters; ${COMMENT_LENGTH_MAX} are allowed.`);
      return text === '' ? undefined : text;
    },
  };
}

type ColumnRole = NonNullable<ReturnType<typeof roleOf>>;

type UpdateColumn = Readonly<{
  index: number;
  header: string;
}>;

type UpdateTable = Readonly<ReturnType<typeof tableOf>>;

const KEYS: readonly ProjectKey[] = ['projectId', 'inspectionNumber', 'policyNumber'];
const headersOf = vocabulary(
  'update-headers',
  z.record(
    z.enum(['project', 'comment']),
    z.array(z.string()).transform((headers) => new Set(headers.map(normalizedHeader))),
  ),
);
const NEW = /^(?:new|updated|corrected|correct|changed|amended)[\s_-]+(?=\S)/i;

function roleOf(header: string, known: KnownHeaders) {
  if (headersOf().project.has(normalizedHeader(header))) return 'projectId';
  if (headersOf().comment.has(normalizedHeader(header))) return 'comment';
  const plain = roleOfField(known.fieldOf(header));
  if (plain !== undefined) return plain;
  const separate = header.replace(/(?<=^(?:new|updated|corrected))(?=[A-Z])/, ' ');
  if (!NEW.test(separate)) return undefined;
  const role = roleOfField(known.fieldOf(separate.replace(NEW, '')));
  if (role === 'policyNumber') return 'newPolicyNumber';
  return role === 'policyEffectiveDate' ? 'newEffectiveDate' : undefined;
}

function roleOfField(field: OrderField | undefined) {
  const name = field?.name;
  return name === 'policyNumber' || name === 'inspectionNumber' || name === 'policyEffectiveDate' ? name : undefined;
}

function findUpdateTable(first: readonly SheetRow[], sheetIndex: number, kind: UpdateKind, known: KnownHeaders) {
  let best: Readonly<{ row: SheetRow; roles: ReadonlyMap<ColumnRole, UpdateColumn> }> | null = null;
  for (const row of first.slice(0, HEADER_SEARCH_ROWS)) {
    const roles = rolesIn(row, known);
    if (KEYS.some((key) => roles.has(key)) && roles.size > (best?.roles.size ?? 0)) best = { row, roles };
  }
  return best === null ? null : tableOf(best.row, best.roles, sheetIndex, kind);
}

function rolesIn(row: SheetRow, known: KnownHeaders) {
  const roles = new Map<ColumnRole, UpdateColumn>();
  for (const [index, cell] of row.cells.entries()) {
    if (isBlank(cell)) continue;
    const header = trimmed(cellText(cell));
    const role = roleOf(header, known);
    if (role !== undefined && !roles.has(role)) roles.set(role, { index, header });
  }
  return roles;
}

/**
 * If a header says "new", only such columns hold new values, and plain ones name the project. Otherwise the project is
 * named by its ID, else inspection number, else policy number, and the other columns hold new values, so a file of
 * orders works unchanged.
 */
function tableOf(row: SheetRow, roles: ReadonlyMap<ColumnRole, UpdateColumn>, sheetIndex: number, kind: UpdateKind) {
  const saysNew = kind !== 'amend' || roles.has('newPolicyNumber') || roles.has('newEffectiveDate');
  const strongest = KEYS.find((key) => roles.has(key));
  const isKey = (key: ProjectKey) => saysNew || key !== 'policyNumber' || key === strongest;
  const keys = new Map(
    KEYS.flatMap((key) => {
      const column = roles.get(key);
      return column === undefined || !isKey(key) ? [] : [[key, column] as const];
    }),
  );
  const newPolicyNumber = saysNew
    ? roles.get('newPolicyNumber')
    : keys.has('policyNumber')
      ? undefined
      : roles.get('policyNumber');
  const newEffectiveDate = saysNew ? roles.get('newEffectiveDate') : roles.get('policyEffectiveDate');
  const dates = newEffectiveDate === undefined ? [] : [{ ...newEffectiveDate, field: 'policyEffectiveDate' as const }];
  const layout = { sheet: row.sheet, headerRow: row.rowNumber, columns: dates };
  const dateOrders = new Map(
    dates.flatMap(({ index, header }) => {
      const order = headerDateOrder(header);
      return order === undefined ? [] : [[index, order] as const];
    }),
  );
  const asOrders: OrderTable = {
    sheetIndex,
    layout,
    cells: [],
    columnAt: columnsByIndex(layout.columns),
    columns: new Map([['policyEffectiveDate', dates]]),
    dateOrders,
    keyColumn: undefined,
    missing: [],
    notes: [],
  };
  return {
    sheetIndex,
    sheet: row.sheet,
    headerRow: row.rowNumber,
    keys,
    /** The project's name if `keys` are empty; else a new value. */
    otherwise: keys.has('policyNumber') ? undefined : roles.get('policyNumber'),
    newPolicyNumber,
    newEffectiveDate,
    comment: roles.get('comment'),
    asOrders,
  };
}
