import { hash } from 'node:crypto';
import { readingOf } from '../domain/layout.ts';
import type { Problem, RowOutcome, RowSummary, SheetLayout } from '../domain/row.ts';
import { cellAddress, cellText, isBlank } from '../domain/cells.ts';
import { lettersOf } from '../domain/text.ts';
import { parseRowKey, rowKey } from '../intake/own-workbooks.ts';
import { trimmed } from '../intake/values/plain-text.ts';
import { problemFor, sentence } from '../domain/sentences.ts';
import type { EarlierRow, EarlierRows, NewRow } from '../ledger/ledger.ts';
import { withoutEnding } from './corrections.ts';

const EARLIER_FILES = 5;
const NAMED_LIKE_MAX = 200;
const ALIKE_MAX = 20;
const OPEN_ROWS_MAX = 1_000;
const ORDERED_BEFORE = 'ordered-before';

type Earlier = Readonly<{
  first: EarlierRow;
  last: EarlierRow;
  /** Stays through later rounds until the row says Yes. */
  orderedBefore: Problem | null;
}>;

type NamedRow = Pick<NewRow, 'record' | 'summary'>;
type KeyedRow = NamedRow & Pick<NewRow, 'repairs'>;

/**
 * By a corrections workbook's hidden key, or by content among earlier files of the name. An order also replaces an open
 * row of any other file if only wrong cells differ. Each recorded row matches at most one row of a file, so a copied
 * key never merges rows.
 */
export class KnownRows {
  readonly #earlier;
  readonly #file;
  readonly #tiesRepeats;
  readonly #taken = new Set<number>();
  /** Files that hidden keys name, but that are not on record. */
  readonly missingOriginals = new Set<string>();
  readonly #files = new Map<string, ReadonlyMap<string, number>>();
  #alike: ReadonlyMap<string, number[]> | undefined;
  /** Open rows of files with other names. */
  readonly #elsewhere = new Set<number>();
  #rows: ReadonlyMap<number, EarlierRow> = new Map();
  /** By place. */
  #contents: ReadonlyMap<string, string> = new Map();
  #withContent: ReadonlyMap<string | null, number> = new Map();

  /** @param tiesRepeats links a repeated row to its order instead of rejecting or ordering it. */
  constructor(
    earlier: EarlierRows,
    file: Readonly<{ name: string; hash: string; sender: string; windowStart: number }>,
    tiesRepeats: boolean,
  ) {
    this.#earlier = earlier;
    this.#file = file;
    this.#tiesRepeats = tiesRepeats;
  }

  async expect(
    rows: readonly RowOutcome[],
    about: (row: RowOutcome) => { readonly layout: SheetLayout | undefined; readonly summary: RowSummary },
  ) {
    this.#contents = new Map(
      rows.flatMap((row) => {
        const content = wholeContentOf(row, about(row).layout, this.#file.sender);
        return content === null ? [] : [[placeIn(row.record.place), content]];
      }),
    );
    this.#alike ??= await this.#readAlike();
    const ids = new Set<number>();
    for (const row of rows) {
      const keyed = row.record.correctsRow === null ? undefined : await this.#readKey(row.record.correctsRow);
      if (keyed !== undefined) ids.add(keyed);
      if (this.#alike.size === 0) continue;
      const named = { ...row, summary: about(row).summary };
      for (const name of [...namesOf(named), houseOf(named), cellsOf(named)])
        for (const id of this.#alike.get(name)?.slice(0, ALIKE_MAX + rows.length) ?? []) ids.add(id);
    }
    const known = await this.#earlier.rowsAndLater([...ids], [...this.#contents.values()]);
    this.#rows = new Map(known.toSorted((a, b) => a.id - b.id).map((row) => [row.id, row]));
    this.#withContent = new Map([...this.#rows.values()].map(({ content, id }) => [content, id]));
  }

  /** Call once per expected row, in order. */
  recognize(read: NewRow): NewRow {
    const content = this.#contents.get(placeIn(read.record.place)) ?? null;
    const row = { ...read, content };
    const before = content === null ? null : this.#followed(this.#withContent.get(content) ?? 0);
    if (row.outcome === 'rejection' && before !== null && !this.#isTaken(before.last)) {
      const { isDismissed, corrections, isOpen, isOrdered } = before.last;
      if (isDismissed) return { ...row, dismissedIn: corrections };
      if (isOpen || isOrdered) return this.#placed(row, before);
    }
    const keyed = this.#byKey(row);
    switch (keyed.kind) {
      case 'no key':
        return this.#byContent(withoutKey(row));
      case 'not believed':
        return this.#byContent({
          ...withoutKey(row),
          problems: [...row.problems, problemFor('warning', 'row-key', { why: keyed.why })],
        });
      case 'known':
        return row.outcome === 'rejection' && staysDismissed(keyed.earlier, row)
          ? { ...row, dismissedIn: keyed.earlier.last.corrections }
          : this.#placed(row, keyed.earlier);
    }
  }

  /** To the order of a valid row. `insists`: it says that it is another one. */
  objection(row: NamedRow, insists: boolean): Problem | null {
    const keyed = this.#byKey(row);
    if (keyed.kind !== 'known') return null;
    const { first, last, orderedBefore } = keyed.earlier;
    if (staysDismissed(keyed.earlier, { ...row, problems: [] }))
      return problemFor('error', 'dismissed-before', { last: placeWords(last) });
    if (insists) return null;
    return last.isOrdered ? orderedBeforeProblem('error', first, last) : orderedBefore;
  }

  #byKey({ record, summary }: NamedRow) {
    const earlier = record.correctsRow === null ? null : this.#earlierOf(record.correctsRow);
    // Of another workspace, or of a file that was only checked.
    if (earlier === null) return { kind: 'no key' } as const;
    const named = placeWords(earlier.first);
    if (this.#isTaken(earlier.last))
      return { kind: 'not believed', why: sentence('row-key/twice', { named }) } as const;
    if (![earlier.first, earlier.last].some((one) => isRecognizable(one, summary)))
      return { kind: 'not believed', why: sentence('row-key/other', { named }) } as const;
    return { kind: 'known', earlier } as const;
  }

  #isTaken({ id, fileHash }: EarlierRow) {
    return fileHash === this.#file.hash || this.#taken.has(id);
  }

  #earlierOf(key: string) {
    const parsed = parseRowKey(key);
    if (parsed === null) return null;
    const id = this.#files.get(parsed.content)?.get(placeIn(parsed));
    return id === undefined ? null : this.#followed(id);
  }

  async #readKey(key: string) {
    const parsed = parseRowKey(key);
    if (parsed === null) return undefined;
    const rows = this.#files.get(parsed.content) ?? (await this.#rowsOfFile(parsed.content, parsed.file));
    this.#files.set(parsed.content, rows);
    return rows.get(placeIn(parsed));
  }

  async #rowsOfFile(content: string, name: string) {
    const file = await this.#earlier.findFileByHashStart(content);
    const rows = new Map<string, number>();
    if (file === null) {
      this.missingOriginals.add(name);
      return rows;
    }
    for await (const { id, record } of this.#earlier.rejectedRows(file.id)) rows.set(placeIn(record.place), id);
    return rows;
  }

  #followed(id: number) {
    const first = this.#rows.get(id);
    let last = first;
    let orderedBefore: Problem | null = null;
    for (; last !== undefined; last = this.#rows.get(last.correctedBy)) {
      orderedBefore =
        last.problems.find(({ rule, severity }) => rule === ORDERED_BEFORE && severity === 'error') ?? orderedBefore;
      if (last.correctedBy === null) break;
    }
    return first === undefined || last === undefined ? null : { first, last, orderedBefore };
  }

  #byContent(row: NewRow) {
    if (this.#alike === undefined || this.#alike.size === 0) return row;
    for (const name of namesToFind(row)) {
      for (const id of this.#alike.get(name)?.slice(0, ALIKE_MAX) ?? []) {
        const earlier = this.#followed(id);
        if (earlier === null || this.#isTaken(earlier.last)) this.#forget(id, name);
        else if (!couldBeFixed(earlier.last, row.summary)) continue;
        else if (this.#elsewhere.has(id) && (row.outcome === 'rejection' || !keepsCells(earlier.last, row))) continue;
        else if (row.outcome === 'repeat' ? earlier.last.isOpen : row.outcome === 'rejection' || earlier.last.wentBack)
          return this.#placed(row, earlier);
      }
    }
    return row;
  }

  #forget(id: number, name: string) {
    const ids = this.#alike?.get(name) ?? [];
    const index = ids.indexOf(id);
    if (index !== -1) ids.splice(index, 1);
  }

  async #readAlike() {
    const alike = new Map<string, number[]>();
    const kept = keptName(this.#file.name);
    const files =
      kept === ''
        ? []
        : (await this.#earlier.filesNamedLike(kept, NAMED_LIKE_MAX)).filter(
            ({ name, hash }) => hash !== this.#file.hash && keptName(name) === kept,
          );
    for (const { id: fileId } of files.slice(0, EARLIER_FILES)) {
      for await (const row of this.#earlier.rejectedRows(fileId))
        for (const name of namesOf(row)) add(alike, name, row.id);
    }
    const read = new Set([this.#file.hash, ...files.map(({ hash }) => hash)]);
    for (const row of await this.#earlier.latestOpenRows(OPEN_ROWS_MAX)) {
      if (read.has(row.fileHash)) continue;
      this.#elsewhere.add(row.id);
      for (const name of [houseOf(row), cellsOf(row)]) add(alike, name, row.id);
    }
    return alike;
  }

  #placed(row: NewRow, { first, last }: Earlier): NewRow {
    if (last.wentBack) {
      this.#taken.add(last.id);
      return {
        ...row,
        corrects: last.id,
        record: {
          ...row.record,
          correctsRow: row.record.correctsRow ?? first.record.correctsRow ?? rowKey(first.fileHash, first.record.place),
        },
      };
    }
    const own = withoutKey(row);
    if (row.outcome === 'order' && last.isOrdered)
      return { ...own, problems: [...row.problems, orderedBeforeProblem('warning', first, last)] };
    const isUnchanged =
      first.content === null || row.content === null
        ? contentOf(row) === contentOf(first)
        : first.content === row.content;
    // An abandoned order may be ordered again; an undated row may ask for the next term.
    const isRecent = last.isDated || (last.orderedAt ?? 0) >= this.#file.windowStart;
    if (row.outcome !== 'rejection' || !last.isOrdered || !isRecent || !isUnchanged || !this.#tiesRepeats) return own;
    return {
      ...own,
      outcome: 'repeat',
      orderId: last.orderId,
      problems: [problemFor('warning', 'corrected-before', { last: placeWords(last) })],
    };
  }
}

function withoutKey(row: NewRow) {
  if (row.record.correctsRow === null) return row;
  return { ...row, record: { ...row.record, correctsRow: null } };
}

function placeIn({ sheet, rowNumber }: { sheet: string; rowNumber: number }) {
  return `${rowNumber} ${sheet}`;
}

function add(lists: Map<string, number[]>, name: string, id: number) {
  const list = lists.get(name);
  if (list === undefined) lists.set(name, [id]);
  else list.push(id);
}

export function placeWords({ record: { place }, fileName }: Pick<EarlierRow, 'record' | 'fileName'>) {
  return `row ${place.rowNumber} of sheet ${place.sheet} in ${fileName}`;
}

function orderedBeforeProblem(severity: 'error' | 'warning', first: EarlierRow, last: EarlierRow) {
  const code = severity === 'warning' ? ORDERED_BEFORE : 'ordered-before/error';
  return problemFor(severity, code, { first: placeWords(first), last: placeWords(last) });
}

/** Cells that were read as something else count as that: a corrections workbook writes dates as dates. */
function textsOf({ record: { cells, place }, repairs }: Pick<NewRow, 'record' | 'repairs'>) {
  const sent = new Map(repairs.map((repair) => [repair.cell, repair.sent]));
  return cells.flatMap((cell, index) =>
    isBlank(cell) ? [] : [trimmed(sent.get(cellAddress(index, place.rowNumber)) ?? cellText(cell))],
  );
}

/**
 * A rejected row of the same sender with this content is the same: in every cell, how it is read, and what else is
 * wrong, such as a strike-through. Null for a row with a key.
 */
function wholeContentOf(row: RowOutcome, layout: SheetLayout | undefined, sender: string) {
  const { cells, correctsRow } = row.record;
  if (row.kind === 'order' || correctsRow !== null) return null;
  const texts = cells
    .slice(0, cells.findLastIndex((cell) => !isBlank(cell)) + 1)
    .map((cell) => (isBlank(cell) ? '' : trimmed(cellText(cell))));
  const wrong = row.problems.flatMap(({ severity, rule, field, value }) =>
    severity === 'warning' || (value !== '' && texts.includes(trimmed(value))) ? [] : [[rule, field, value]],
  );
  const read = layout === undefined ? null : readingOf(layout).known;
  return hash('sha256', JSON.stringify([sender, read, texts, wrong]));
}

function contentOf(row: Pick<NewRow, 'record' | 'repairs'>) {
  return hash('sha256', JSON.stringify(textsOf(row).toSorted()), 'base64');
}

/** However they are read. */
function cellsOf({ record }: KeyedRow) {
  return `cells ${contentOf({ record, repairs: [] })}`;
}

/** Unless a person changed a cell of it, or removed its strikethrough. */
function staysDismissed({ first, last }: Earlier, now: Pick<NewRow, 'record' | 'problems'>) {
  const isStruck = ({ problems }: Pick<NewRow, 'problems'>) => problems.some(({ rule }) => STRUCK.has(rule));
  const isAsBefore = (was: EarlierRow) => isStruck(was) === isStruck(now) && holdsSame(was, now.record);
  return last.isDismissed && [first, last].some(isAsBefore);
}

const STRUCK = new Set(['row-struck-out', 'cell-struck-out']);

/** A corrections workbook holds a date as a date, however it was written. */
function holdsSame(was: EarlierRow, record: NewRow['record']) {
  const [now, before, read] = [textsOf({ record, repairs: [] }), textsOf({ ...was, repairs: [] }), textsOf(was)];
  const isSame = (text: string, index: number) =>
    text === before[index] || (/^\d{4}-\d\d-\d\d$/.test(text) && text === read[index]);
  return now.length === before.length && now.every(isSame);
}

/** Wrong cells may have changed. */
function keepsCells(was: EarlierRow, now: NewRow) {
  const wrong = was.problems.flatMap(({ severity, value }) => (severity === 'error' ? [trimmed(value)] : []));
  const kept = new Set([...wrong, ...textsOf(now)]);
  return textsOf(was).every((text) => kept.has(text));
}

function houseOf({ summary }: NamedRow) {
  return `house ${NAMES.map((field) => lettersOf(summary[field])).join(' ')}`;
}

function namesToFind(row: NewRow) {
  switch (row.outcome) {
    // It corrects nothing but itself.
    case 'repeat':
      return [cellsOf(row)];
    case 'rejection':
      return namesOf(row).filter((name) => !name.startsWith('other '));
    case 'order':
      return [...namesOf(row), houseOf(row), cellsOf(row)];
  }
}

function namesOf(row: KeyedRow) {
  const { summary } = row;
  const number = lettersOf(summary.inspectionNumber);
  const others = [summary.policyNumber, summary.insuredName, summary.streetAddress].map(lettersOf);
  return [
    `content ${contentOf(row)}`,
    ...(number === '' ? [] : [`number ${number}`]),
    ...(others.filter((text) => text !== '').length < 2 ? [] : [`other ${others.join(' ')}`]),
  ];
}

/** Wrong fields may change; of the others, one of house, insured or numbers, if the house or a number stays. */
function isRecognizable({ summary: was, problems }: EarlierRow, now: RowSummary) {
  const errors = problems.filter(({ severity }) => severity === 'error');
  const isKept = (field: Name) => isSameName(field, was[field], now[field]);
  // Another house was ordered under its number: either of the two may be wrong.
  const mayAllChange = errors.some(({ rule }) => rule === 'number-used-twice') && isKept('inspectionNumber');
  const wasWrong = new Set(mayAllChange ? NAMES : errors.map(({ field }) => field));
  const changed = NAMES.filter((field) => lettersOf(was[field]) !== '' && !wasWrong.has(field) && !isKept(field));
  switch (new Set(changed.map((field) => (field.endsWith('Number') ? 'number' : field))).size) {
    case 0:
      return couldBeTheSame(was, now);
    case 1:
      return NAMES.some((field) => field !== 'insuredName' && isKept(field));
    default:
      return false;
  }
}

function couldBeFixed({ summary: was, problems }: EarlierRow, now: RowSummary) {
  const wasWrong = new Set(problems.flatMap(({ severity, field }) => (severity === 'error' ? [field] : [])));
  const [number, ...others] = NAMES;
  const inBoth = (field: Name) => lettersOf(was[field]) !== '' && lettersOf(now[field]) !== '';
  const isKept = (field: Name) => isSameName(field, was[field], now[field]);
  if (inBoth(number) && !isKept(number) && !wasWrong.has(number)) return false;
  const both = others.filter(inBoth);
  return isSameExceptNumber(was, now) && (both.some(isKept) || both.every((field) => wasWrong.has(field)));
}

const NAMES = ['inspectionNumber', 'policyNumber', 'insuredName', 'streetAddress'] as const;

type Name = (typeof NAMES)[number];

/** An unreadable row keeps only the first words of a name or street. */
function isSameName(field: Name, one: string, other: string) {
  if (lettersOf(one) === '' || lettersOf(other) === '') return false;
  if (lettersOf(one) === lettersOf(other)) return true;
  const [few = [], more = []] = [one, other]
    .map((text) =>
      text
        .split(/[^\p{L}\p{N}]+/u)
        .map(lettersOf)
        .filter((word) => word !== ''),
    )
    .toSorted((a, b) => a.length - b.length);
  if (field === 'insuredName') return few.every((word) => more.includes(word));
  return field === 'streetAddress' && few.every((word, index) => more[index] === word);
}

function couldBeTheSame(one: RowSummary, other: RowSummary) {
  const both = NAMES.filter((field) => lettersOf(one[field]) !== '' && lettersOf(other[field]) !== '');
  return both.length < 2 || both.some((field) => lettersOf(one[field]) === lettersOf(other[field]));
}

/** Compares all but the inspection number: numbers may start again in every file. */
export function isSameExceptNumber(one: RowSummary, other: RowSummary) {
  return couldBeTheSame({ ...one, inspectionNumber: '' }, { ...other, inspectionNumber: '' });
}

function keptName(fileName: string) {
  const copy = /\(\d{1,4}\)$/;
  let { base } = withoutEnding(fileName);
  for (let found = copy.exec(base); found !== null; found = copy.exec(base))
    base = base.slice(0, found.index).trimEnd();
  return base;
}
