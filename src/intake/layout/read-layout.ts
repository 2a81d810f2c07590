import { columnLetters, formatList, quoted } from '../../domain/cells.ts';
import {
  type AskedColumn,
  columnKeys,
  type KnownLayout,
  layoutId,
  type LayoutQuestion,
  nameOfAsked,
} from '../../domain/layout.ts';
import type { SheetRow } from '../../domain/row.ts';
import { noteFor, sentence } from '../../domain/sentences.ts';
import { type FieldName, fieldNamed, IDENTIFYING, type OrderField } from '../fields.ts';
import { textsBelow } from '../header/columns.ts';
import type { DecidedColumns } from '../header/header-cells.ts';
import { type HeaderRow, type OrderTable, readHeaderRow, wholeHeader } from '../header/header-row.ts';
import { type KnownHeaders, unsentHeader } from '../header/known-headers.ts';
import { type Doubt, doubtsOf, FORMED } from './doubts.ts';
import { askedForAll, proposedForAll, valuesForAll, withoutColumn, withSections } from './for-all.ts';

export type LayoutSettings = Readonly<{
  /** Confirmed by a person, or with accepted rows; the latest first. */
  knownLayouts?: readonly KnownLayout[] | undefined;
  /** `intake.newLayout`: a person is asked (`ask`, the default), or the proposals are taken, each with a warning. */
  newLayout?: 'ask' | 'go' | undefined;
  today: string;
}>;

type Keys = ReadonlyMap<number, string>;

/** The question is null if the layout is certain or known. */
export async function readLayout(
  header: HeaderRow,
  sheetIndex: number,
  known: KnownHeaders,
  {
    knownLayouts = [],
    newLayout = 'ask',
    today,
    file,
    rows,
  }: LayoutSettings & Readonly<{ file: string; rows: () => AsyncIterable<SheetRow> }>,
) {
  const plain = readHeaderRow(header, sheetIndex, known);
  const keys = keysOf(plain);
  const ofPeople = nearestTo(keys, knownLayouts, 'confirmed');
  const name = layoutId([...keys.values()]);
  const isSameLayout = ofPeople !== undefined && layoutId(ofPeople.keys) === name;
  const ofRows = nearestTo(keys, knownLayouts, 'corrected');
  const forAll = await valuesForAll(plain, header, {
    file,
    rows,
    ofPeople,
    isSameLayout,
    layouts: knownLayouts,
    before: ofRows,
  });
  const { values } = forAll;
  const read = (decided: DecidedColumns) =>
    decided.size + values.size === 0 ? plain : readHeaderRow(header, sheetIndex, known, decided, values);
  const confirmed = fitting(decidedBy(ofPeople, keys), plain, isSameLayout);
  const certain = read(confirmed);
  const doubts = doubtsOf(certain, header.below, known, today, withoutColumn(certain, forAll)).filter(
    ({ cell }) => !confirmed.has(cell.index),
  );
  const before = decidedBy(nearestTo(keys, knownLayouts, 'accepted'), keys);
  const corrected = decidedBy(ofRows, keys);
  const settled = new Map([
    // Such as a column that its values named, and whose rows to fix hold only other words.
    ...[...corrected].filter(([, field]) => field !== null && !certain.columns.has(field)),
    ...confirmed,
    ...[...before].filter(([index, field]) =>
      doubts.some((doubt) => doubt.cell.index === index && isSettled(doubt, field)),
    ),
  ]);
  const open = doubts.filter(
    ({ cell, isUnread }) => !settled.has(cell.index) && !(isUnread === true && newLayout === 'go'),
  );
  const fields = new Set(settled.values());
  const proposals = open.map(({ cell, proposal }) => [cell.index, fields.has(proposal) ? null : proposal] as const);
  const table = read(settled);
  const askedOfAll = askedForAll(
    table,
    forAll,
    (key, field) => proposals.some(([, proposal]) => proposal === field) || (open.length > 0 && key === ''),
  );
  const goes = newLayout === 'go';
  const asked = open.map(({ cell, code, why, about }, at) => ({
    key: keys.get(cell.index) ?? '',
    letter: columnLetters(cell.index),
    header: wholeHeader(cell),
    code,
    why,
    samples: samplesOf(cell.index, header.below),
    proposal: proposals[at]?.[1] ?? null,
    holds: IDENTIFYING.has(about),
  }));
  const columns = [...(goes ? [] : [...asked, ...goneFrom(ofPeople, keys, certain, knownLayouts)]), ...askedOfAll];
  const unread = open.flatMap(({ cell, about }) => (IDENTIFYING.has(about) ? [] : [[cell.index, 'asked'] as const]));
  const proposedOfAll = proposedForAll(askedOfAll);
  const missing = table.missing.filter(
    ({ name, title, kind }) =>
      !proposedOfAll.has(title) &&
      !asked.some(({ proposal }) => proposal === name) &&
      (askedOfAll.some(({ header: about }) => about === title) || open.some((doubt) => mayAdd(doubt, { name, kind }))),
  );
  const question = {
    layout: name,
    sheet: table.layout.sheet,
    keys: [...keys.values()],
    columns,
    missing: missing.map(({ title }) => title),
    known: Object.fromEntries([...confirmed].map(([index, field]) => [keys.get(index) ?? '', field])),
  };
  const whole = open.length === 0 ? table : read(new Map([...settled, ...(goes ? proposals : unread)]));
  return {
    table: withSections(withJudged(whole, keys, ofRows?.judged), forAll),
    question: columns.length === 0 ? null : question,
    notes: notesOn(question, goes ? asked : [], table),
  };
}

function withJudged({ layout, ...table }: OrderTable, keys: Keys, judged: KnownLayout['judged'] = {}): OrderTable {
  const columns = layout.columns.map((column) => {
    const as = judged[keys.get(column.index) ?? ''];
    return as === undefined ? column : { ...column, judged: as };
  });
  return { ...table, layout: { ...layout, columns } };
}

function notesOn({ sheet, columns }: LayoutQuestion, taken: readonly AskedColumn[], { given = new Map() }: OrderTable) {
  const where = `Sheet ${quoted(sheet)}: `;
  return [
    ...[...given].flatMap(([name, { value, isRemembered }]) =>
      isRemembered === true ? noteFor('value-for-all/remembered', { where, title: fieldNamed(name).title, value }) : [],
    ),
    ...taken.map(({ letter, header, proposal, why }) => {
      const as = proposal === null ? 'is not sent' : `is read as ${quoted(fieldNamed(proposal)?.title ?? '')}`;
      return noteFor('layout-taken-as-proposed', { where, column: `${letter} ${quoted(header)}`, as, why });
    }),
    ...[...Map.groupBy(columns, ({ why }) => why)].map(([why, some]) =>
      noteFor('layout-asked', { where, columns: formatList(some.map(nameOfAsked)), why }),
    ),
  ];
}

function keysOf({ layout: { columns } }: OrderTable) {
  const keys = columnKeys(columns.map(({ header }) => header));
  return new Map(columns.map(({ index }, at) => [index, keys[at] ?? '']));
}

const ALIKE_MIN = 0.6;

/** The layout with the same columns; else the one that shares most of them. */
function nearestTo(keys: Keys, layouts: readonly KnownLayout[], by: KnownLayout['by']) {
  const own = new Set(keys.values());
  const alike = layouts
    .filter((layout) => layout.by === by && Object.keys(layout.columns).length > 0)
    .map((layout) => {
      const theirs = new Set(layout.keys);
      return { layout, share: own.intersection(theirs).size / own.union(theirs).size };
    })
    .toSorted((a, b) => b.share - a.share)[0];
  return alike !== undefined && alike.share >= ALIKE_MIN ? alike.layout : undefined;
}

function decidedBy(layout: KnownLayout | undefined, keys: Keys) {
  const decided = new Map<number, FieldName | null>();
  for (const [index, key] of keys) {
    const said = layout?.columns[key];
    if (said === null) decided.set(index, null);
    const name = fieldNamed(said)?.name;
    if (name !== undefined) decided.set(index, name);
  }
  return decided;
}

/** Of another layout, only decisions that leave each field of this one with one column. */
function fitting(decided: Map<number, FieldName | null>, { columns }: OrderTable, isSameLayout: boolean) {
  if (isSameLayout) return decided;
  const hasOther = (field: FieldName, index: number) =>
    (columns.get(field) ?? []).some((column) => column.index !== index);
  const own = (index: number) => [...columns].find(([, some]) => some.some((column) => column.index === index))?.[0];
  return new Map(
    [...decided].filter(([index, field]) => {
      const now = own(index);
      return field === null ? now === undefined || hasOther(now, index) : !hasOther(field, index);
    }),
  );
}

/** Whether an answer could give the field a column. */
function mayAdd({ about, isUnread }: Doubt, { name, kind }: Pick<OrderField, 'name' | 'kind'>) {
  return about === name || (isUnread === true && !FORMED.has(kind));
}

/** A column that was not read is settled only if others competed with it: an unknown one may still be needed. */
function isSettled({ code }: Doubt, field: FieldName | null) {
  return field !== null || code === 'columns-compete' || code === 'second-address';
}

const SAMPLES = 3;
const SAMPLE_LENGTH_MAX = 80;

function samplesOf(index: number, rows: readonly SheetRow[]) {
  return [...new Set(textsBelow(index, rows))]
    .slice(0, SAMPLES)
    .map((text) => text.slice(0, SAMPLE_LENGTH_MAX).toWellFormed());
}

/** Columns that a person had named, and that the table neither has nor replaces. */
function goneFrom(
  layout: KnownLayout | undefined,
  keys: Keys,
  { columns }: OrderTable,
  layouts: readonly KnownLayout[],
) {
  const now = new Set(keys.values());
  return Object.entries(layout?.columns ?? {}).flatMap(([key, said]): AskedColumn[] => {
    const field = fieldNamed(said);
    if (field === undefined || now.has(key) || columns.has(field.name)) return [];
    return [
      {
        key,
        letter: '',
        header: layouts.flatMap((one) => one.headers?.[one.keys.indexOf(key)] ?? [])[0] ?? key,
        samples: [],
        proposal: null,
        code: 'column-gone',
        why: sentence('column-gone', { title: field.title }),
        holds: IDENTIFYING.has(field.name),
      },
    ];
  });
}

export function describeColumns({ cells, layout, columnAt, given = new Map() }: OrderTable, known: KnownHeaders) {
  const columns = cells.filter(({ index }) => columnAt[index] !== undefined);
  const named = columns.map((cell) => {
    const as = cell.field === undefined ? '' : ` → ${cell.field.title}`;
    return { how: howKnown(cell, known), text: `${columnLetters(cell.index)} ${quoted(cell.header)}${as}` };
  });
  const forAll = [...given].map(([name, { value, title }]) => ({
    how: title === undefined ? 'confirmed for all rows' : 'taken from the title for all rows',
    text: `${fieldNamed(name).title} → ${quoted(value)}`,
  }));
  return [...Map.groupBy([...named, ...forAll], ({ how }) => how)].map(
    ([how, some]) => `${layout.sheet}, ${how}: ${some.map(({ text }) => text).join('; ')}`,
  );
}

function howKnown(
  { header, field, isDecided, short, part, group, why }: OrderTable['cells'][number],
  known: KnownHeaders,
) {
  if (isDecided === true) return 'confirmed before';
  if (field === undefined)
    return (why ?? unsentHeader(header)) === undefined ? 'not sent, because the header is not known' : 'not sent';
  if (known.isConfigured(header)) return 'by intake.headers';
  if (part !== undefined) return 'parts of one field';
  if (short) return sentence('matched/short');
  if (known.fieldOf(header)?.name === field.name) return 'matched by header';
  return group === undefined ? 'matched by the columns around it' : 'matched by the group above';
}
