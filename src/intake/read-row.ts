import { houseTypesOf } from '../contract/document.ts';
import { cellAddress, cellText, formatList, isBlank, quoted, type Cell } from '../domain/cells.ts';
import { type Problem, type Repair, type RowOutcome, rowProblem, type SheetRow } from '../domain/row.ts';
import { memoize } from '../domain/text.ts';
import { ADDRESS_FIELDS, type FieldName, fieldNamed, ORDER_FIELDS, type OrderField } from './fields.ts';
import { joinParts } from './header/name-parts.ts';
import { type FieldColumn, partOfCell, serviceInHeader } from './header/columns.ts';
import { headerOfThousands } from './header/known-headers.ts';
import type { OrderTable } from './header/header-row.ts';
import { type AddressValue, describeHeldCell, readAddress } from './row-address.ts';
import { judgeRemarks, withMergedCells, withoutStruckCells } from './row-remarks.ts';
import { codeOf, type Parts, sentence } from '../domain/sentences.ts';
import { applyRules, checkedRequest, error, type FieldProblem } from './rules.ts';
import { coerceChoice } from './values/choice.ts';
import { coerce } from './values/coerce.ts';
import {
  type CellWarning,
  type Coercion,
  type CoercionContext,
  type ColumnEvidence,
  type FieldValue,
  type SenderWords,
  sentText,
  value,
} from './values/coercion.ts';
import { joinReasons, trimmed } from './values/plain-text.ts';
import { shownText } from './values/shown.ts';

export type RowReading = Readonly<{
  table: OrderTable;
  file: string;
  evidence: (columnIndex: number) => ColumnEvidence;
  today: string;
  words: SenderWords;
  goesWithout: boolean;
}>;

/** ZIP codes depend on the state, house types on the policy type. */
const READING_ORDER = ORDER_FIELDS.toSorted((a, b) => readFirst(b) - readFirst(a));

function readFirst({ name }: OrderField) {
  return name === 'state' || name === 'policyType' ? 1 : 0;
}

type RowState = Readonly<{
  row: SheetRow;
  reading: RowReading;
  values: Map<FieldName, FieldValue>;
  wrong: Set<FieldName>;
  read: Map<FieldName, FieldColumn>;
  problems: Problem[];
  repairs: Repair[];
  corrected: boolean;
}>;

export function readRow(given: SheetRow, reading: RowReading, known: readonly FieldProblem[] = []): RowOutcome {
  const row = given.remarks === undefined ? given : withMergedCells(given, reading.table);
  const state: RowState = {
    row: withoutStruckCells(row),
    reading,
    values: new Map(),
    wrong: new Set(),
    read: new Map(),
    problems: [],
    repairs: [],
    corrected: rowKeyOf(row, reading.table) !== null,
  };
  const address = addressOf(state);
  for (const field of READING_ORDER) {
    const part = address?.get(field.name);
    if (part === undefined || isGiven(part, field, state)) readField(field, state);
    else if (part !== 'not certain') takeAddress(part, field, state);
  }
  if (given.remarks !== undefined) takeRemarks(judgeRemarks(given, reading.table), state);
  for (const finding of known) note(finding, state);
  const { values, wrong } = state;
  const { table, today } = reading;
  for (const finding of applyRules({ values, wrong, present: table.columns, given: table.given, today }))
    note(finding, state);
  const record = recordOf(row, reading);
  if (!state.problems.some(({ severity }) => severity === 'error')) {
    const checked = checkedRequest(state.values);
    if ('request' in checked) {
      const { allowDuplication, ...payload } = checked.request;
      return {
        kind: 'order',
        record,
        payload,
        allowDuplication,
        repairs: state.repairs,
        warnings: inFieldOrder(state.problems),
      };
    }
    for (const finding of checked.findings) note(finding, state);
  }
  return { kind: 'rejection', record, problems: inFieldOrder(state.problems), repairs: state.repairs };
}

function takeRemarks({ findings, problems, changes }: ReturnType<typeof judgeRemarks>, state: RowState) {
  for (const finding of findings) note(finding, state);
  state.problems.push(...problems);
  for (const { field, column, held, why } of changes) {
    const value = state.values.get(field);
    const cell = cellAddress(column.index, state.row.rowNumber);
    const known = state.repairs.findIndex((repair) => repair.cell === cell);
    const repair = state.repairs[known];
    if (repair !== undefined) state.repairs[known] = { ...repair, held, why: `${why}; ${repair.why}` };
    else if (value !== undefined)
      state.repairs.push({ field, column: column.header, cell, held, sent: sentText(value), why });
  }
}

export function rejectedRow(row: SheetRow, reading: RowReading, code: string, parts: Parts): RowOutcome {
  return {
    kind: 'rejection',
    record: recordOf(row, reading),
    problems: [rowProblem('error', codeOf(code), `Row ${row.rowNumber}: ${sentence(code, parts)}`)],
    repairs: [],
  };
}

function recordOf(row: SheetRow, { table, file }: RowReading) {
  const { keyColumn } = table;
  const cells =
    keyColumn === undefined ? row.cells : row.cells.map((cell, index) => (index === keyColumn ? undefined : cell));
  return { place: { file, sheet: row.sheet, rowNumber: row.rowNumber }, cells, correctsRow: rowKeyOf(row, table) };
}

function rowKeyOf(row: SheetRow, { keyColumn }: OrderTable) {
  const key = keyColumn === undefined ? '' : trimmed(cellText(row.cells[keyColumn]));
  return key === '' ? null : key;
}

function inFieldOrder(problems: readonly Problem[]) {
  const place = (problem: Problem) =>
    (problem.severity === 'error' ? 0 : 100) + ORDER_FIELDS.findIndex(({ name }) => name === problem.field);
  return problems.toSorted((a, b) => place(a) - place(b));
}

/** The row's address has no such part. */
function isGiven(part: AddressValue | 'not certain', { name }: OrderField, { reading }: RowState) {
  return part !== 'not certain' && part.column === undefined && reading.table.given?.has(name) === true;
}

function readField(field: OrderField, state: RowState) {
  const columns = state.reading.table.columns.get(field.name) ?? [];
  const [column] = columns;
  if (column === undefined) {
    const given = state.reading.table.given?.get(field.name);
    if (given === undefined) return;
    const { value: sent, title: held = '', why } = given;
    state.values.set(field.name, sent);
    state.repairs.push({ field: field.name, column: '', cell: '', held, sent, why });
    return;
  }
  if (columns.some(({ part }) => part === 'flag')) readFlags(field, columns, state);
  else if (columns.length > 1 && columns.some(({ part }) => part !== undefined)) readParts(field, columns, state);
  else readColumns(field, columns, column, state);
}

function readColumns(field: OrderField, columns: readonly FieldColumn[], first: FieldColumn, state: RowState) {
  const filled =
    columns.length < 2
      ? columns
      : columns.filter(
          (column) =>
            coerceField({ ...field, required: false }, state.row.cells[column.index], column, state).kind !== 'empty',
        );
  if (differ(filled, field, state)) {
    const { cells, rowNumber } = state.row;
    const places = filled.map((column) => describeHeldCell(column, rowNumber, cellText(cells[column.index])));
    const parts = { count: filled.length === 2 ? 'two' : filled.length, places: formatList(places) };
    note(error(field.name, 'columns-disagree/values', parts), state);
    return;
  }
  const column = filled[0] ?? first;
  if (columns.length > 1) state.read.set(field.name, column);
  const cell = state.row.cells[column.index];
  if (cell === undefined) return;
  const read = coerceField(field, cell, column, state);
  const parts = field.name === 'serviceName' && read.kind === 'wrong' ? withSupplements(cell, column, state) : [];
  for (const part of parts) take(part.read, part.field, cell, column, state);
  if (parts.length === 0) take(read, field, cell, column, state);
}

/** Of `Exterior w/ RC`; none unless each part has one meaning, and no column has the second. */
function withSupplements(cell: Cell, column: FieldColumn, state: RowState) {
  const [service = '', ...others] = cellText(cell).split(/\bw\/|\bwith\b|[+&]/i);
  if (others.length === 0 || state.reading.table.columns.has('supplementalServices')) return [];
  const texts = [
    ['serviceName', service],
    ['supplementalServices', others.join(';')],
  ] as const;
  const parts = texts.map(([name, text]) => {
    const field = fieldNamed(name);
    return { field, read: coerceField(field, { kind: 'text', text }, column, state) };
  });
  if (parts.some(({ read }) => read.kind !== 'value')) return [];
  const why = `one of the services in ${quoted(cellText(cell))}`;
  return parts.map(({ field, read }) => ({ field, read: { ...read, why } }));
}

function addressOf(state: RowState): ReadonlyMap<FieldName, AddressValue | 'not certain'> | undefined {
  const { addresses } = state.reading.table;
  const read =
    addresses === undefined
      ? undefined
      : readAddress(state.row, addresses, (cell, column, field) => coerceField(field, cell, column, state));
  if (read === undefined) return undefined;
  for (const { column, ...finding } of read.findings) {
    state.read.set(finding.field, column);
    note(finding, state);
  }
  if (read.findings.every(({ severity }) => severity === 'warning')) return read.values;
  for (const name of ADDRESS_FIELDS) state.wrong.add(name);
  return new Map(ADDRESS_FIELDS.map((name) => [name, 'not certain']));
}

function takeAddress({ column, cell, why }: AddressValue, field: OrderField, state: RowState) {
  if (column === undefined) return;
  state.read.set(field.name, column);
  const read = coerceField(field, cell, column, state);
  const held = state.row.cells[column.index];
  const isChanged = cell !== held && (read.kind === 'value' || read.kind === 'empty');
  take(isChanged ? { ...read, why: joinReasons(why, read.why) } : read, field, held, column, state);
}

function readParts(field: OrderField, columns: readonly FieldColumn[], state: RowState) {
  const { row } = state;
  const filled = columns.filter(({ index }) => !isBlank(row.cells[index]));
  const column = filled[0] ?? columns[0];
  if (column === undefined) return;
  state.read.set(field.name, column);
  if (filled.length < 2 || column.part === 'one of several' || filled.some(({ part }) => part === undefined)) {
    readColumns(field, column.part === 'one of several' ? [column] : filled, column, state);
    return;
  }
  const parts = [];
  const whys = [];
  for (const part of filled) {
    const cell = row.cells[part.index];
    const read = coerceField(field, cell, part, state);
    if (read.kind === 'wrong' || read.kind === 'undecided') {
      state.read.set(field.name, part);
      take(read, field, cell, part, state);
      return;
    }
    const place = `${cellAddress(part.index, row.rowNumber)} ${quoted(cellText(cell))}`;
    if (read.kind === 'value') parts.push({ part: part.part ?? 'first name', text: sentText(read.value), place });
    whys.push(read.why);
  }
  const text = joinParts(parts);
  const why = joinReasons(
    parts.some((part) => part.text === text)
      ? undefined
      : `put together from ${formatList(parts.map(({ place }) => place))}`,
    ...whys,
  );
  take(value(text, why), field, row.cells[column.index], column, state);
}

function readFlags(field: OrderField, columns: readonly FieldColumn[], state: RowState) {
  const sent = new Set<string>();
  const places = [];
  for (const column of columns) {
    const cell = state.row.cells[column.index];
    const own = column.part === 'flag' ? ({ ...field, kind: 'boolean' } as const) : field;
    const read = coerceField(own, cell, column, state);
    state.read.set(field.name, column);
    if (read.kind === 'wrong' || read.kind === 'undecided') return take(read, field, cell, column, state);
    if (read.kind === 'empty' || read.value === false) continue;
    for (const one of Array.isArray(read.value) ? read.value : [serviceInHeader(column.header, field.values ?? [])])
      sent.add(String(one));
    places.push(`${cellAddress(column.index, state.row.rowNumber)} under ${quoted(column.header)}`);
  }
  const [column] = columns;
  if (column === undefined || sent.size === 0) return;
  const why = `taken from ${formatList(places)}`;
  const read =
    field.kind === 'list' ? value([...sent], why) : { ...coerceChoice([...sent].join(' / '), field.values ?? []), why };
  take(read, field, state.row.cells[column.index], column, state);
}

/** Whether the row's cells for one field say different things. Expects columns with a filled cell only. */
function differ(filled: readonly FieldColumn[], field: OrderField, state: RowState) {
  if (filled.length < 2) return false;
  const said = new Set(
    filled.map((column) => {
      const read = coerceField(field, state.row.cells[column.index], column, state);
      return (read.kind === 'value' ? sentText(read.value) : cellText(state.row.cells[column.index]))
        .toLowerCase()
        .replace(/[^\p{L}\p{N}@%.]+/gu, '');
    }),
  );
  return said.size > 1;
}

const REPEATED_LENGTH_MAX = 60;
const READERS = new WeakMap<FieldColumn, { context: CoercionContext; read: (text: string) => Coercion }>();

/** As `coerce`: lists repeat their words, so each short text of a column is read once. */
function coerceRepeated(cell: Cell | undefined, context: CoercionContext, column: FieldColumn) {
  if (cell?.kind !== 'text' || cell.text.length > REPEATED_LENGTH_MAX || context.state !== undefined)
    return coerce(cell, context);
  let reader = READERS.get(column);
  if (reader === undefined || !isSameContext(reader.context, context)) {
    reader = { context, read: memoize((text) => coerce({ kind: 'text', text }, context), 300) };
    READERS.set(column, reader);
  }
  return reader.read(cell.text);
}

function isSameContext(one: CoercionContext, other: CoercionContext) {
  for (const key in one) if (one[key as keyof CoercionContext] !== other[key as keyof CoercionContext]) return false;
  return true;
}

function coerceField(
  field: OrderField,
  held: Cell | undefined,
  column: FieldColumn,
  { values, reading, corrected }: RowState,
) {
  const cell = partOfCell(held, column, field);
  const state = values.get('state');
  const context: CoercionContext = {
    field,
    evidence: reading.evidence(column.index),
    inThousands: headerOfThousands(column.header) !== undefined,
    corrected,
    words: reading.words,
    state: field.kind === 'zip' && typeof state === 'string' ? state : undefined,
    today: reading.today,
  };
  const read = coerceRepeated(cell, context, column);
  if (cell !== held && cellText(cell) !== cellText(held) && read.kind === 'value')
    return { ...read, why: joinReasons('one of several things in the cell', read.why) };
  if (read.kind !== 'wrong' || field.name !== 'houseType') return read;
  const allowed = houseTypesOf(String(values.get('policyType')));
  return allowed === undefined ? read : coerce(cell, { ...context, field: { ...field, values: allowed } });
}

function take(read: Coercion, field: OrderField, cell: Cell | undefined, column: FieldColumn, state: RowState) {
  const repaired = (sent: string, why: string | undefined) => {
    if (why === undefined) return;
    state.repairs.push({
      field: field.name,
      column: column.header,
      cell: cellAddress(column.index, state.row.rowNumber),
      held: cellText(cell),
      shown: shownText(cell),
      sent,
      why,
    });
  };
  const warned = (warning: CellWarning | undefined) => {
    if (warning !== undefined) note({ severity: 'warning', field: field.name, ...warning }, state);
  };
  switch (read.kind) {
    case 'empty':
    case 'value':
      if (read.kind === 'value') state.values.set(field.name, read.value);
      repaired(read.kind === 'value' ? sentText(read.value) : '', read.why);
      warned(read.warning);
      return;
    case 'undecided':
      state.wrong.add(field.name);
      return;
    case 'wrong': {
      const { rule, message, proposal } = read;
      if (state.reading.goesWithout && !field.required && !field.strict) {
        repaired('', 'it could not be read');
        warned({ rule, message: `${message} It is left out of the order.` });
      } else note({ severity: 'error', rule, field: field.name, message, proposal }, state);
    }
  }
}

function note(finding: FieldProblem, { row, reading, wrong, problems, read, repairs }: RowState) {
  const column = read.get(finding.field) ?? reading.table.columns.get(finding.field)?.[0];
  const address = column === undefined ? null : cellAddress(column.index, row.rowNumber);
  const cell = column === undefined ? undefined : row.cells[column.index];
  const title = fieldNamed(finding.field).title;
  const repair = repairs.find(({ field, held, sent }) => field === finding.field && held !== '' && sent !== '');
  const sent = quoted(repair?.sent ?? '');
  const lacks = finding.rule === 'required-empty' && !isBlank(cell);
  const message = lacks ? sentence('required-empty/part', { held: cellText(cell) }) : finding.message;
  if (finding.severity === 'error') wrong.add(finding.field);
  problems.push({
    severity: finding.severity,
    rule: finding.rule,
    field: finding.field,
    column: column?.header ?? null,
    cell: address,
    value: isBlank(cell) ? '' : cellText(cell),
    message: `${title}${address === null ? '' : ` (${address})`}: ${repair === undefined ? message : message.replace(sent, () => `${sent} (written ${quoted(repair.held)})`)}`,
    proposal: finding.proposal,
  });
}
