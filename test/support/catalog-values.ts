import type { SummaryAttribute } from '../../src/contract/summary-attributes.ts';
import type { ReportSummary } from '../../src/contract/document.ts';
import { SUMMARY_CATALOG } from '../../src/contract/summary-attributes.ts';

/** The attribute is not in the report at all. */
const ABSENT = Symbol('absent');

/** What a reader should see in a cell; a Date for what is shown as a date or time, null for an empty cell. */
export type Seen = string | number | Date | null;

/** A value that somebody should find where the sheet `Fields` says that its source stands. */
export interface Expectation {
  /** The number of its project, from 0. */
  readonly project: number;
  /** As in `Fields`: `summary.interior.appliances[].type`. */
  readonly source: string;
  /** The positions of the items it stands in, from 1. */
  readonly positions: readonly number[];
  readonly seen: Seen;
}

/** A value that an attribute may have, and what is seen of it, by the path below the attribute. */
interface Kind {
  readonly value: unknown;
  readonly seen: readonly (readonly [below: string, seen: Seen])[];
}

const LONG = `${'long text '.repeat(300)}end`;

const kind = (value: unknown, seen: Seen): Kind => ({ value, seen: [['', seen]] });

const NOWHERE: Kind = { value: ABSENT, seen: [['', null]] };
const NOT_ASSESSED = kind(null, '–');

/** Every kind of value that the attribute may have: those of the document, and those that it says nothing of. */
function kindsOf(attribute: SummaryAttribute): readonly Kind[] {
  const { type, unit, values = [] } = attribute;
  switch (type) {
    case 'text':
      return unit === 'date' ? DATES : [...values.map((value) => kind(value, value)), ...TEXTS, ...OTHER_THAN_TEXT];
    case 'number':
      return unit === 'epoch seconds' ? MOMENTS : [...NUMBERS, ...OTHER_THAN_NUMBERS];
    case 'boolean':
      return [kind(true, 'Yes'), kind(false, 'No'), NOT_ASSESSED, NOWHERE, kind('maybe', 'maybe'), kind(0, 0)];
    case 'texts':
      return [
        ...values.map((value) => kind([value], value)),
        kind([...values], values.length === 0 ? 'none' : values.join('; ')),
        ...LISTS,
      ];
    case 'percentages':
      return keyed(attribute, [
        [0, 0],
        [40, 0.4],
        [33.3, 0.333],
        [100, 1],
        [null, '–'],
        ['some', 'some'],
      ]);
    case 'counts':
      return keyed(attribute, [
        [0, 0],
        [3, 3],
        [2.5, 2.5],
        [null, '–'],
        [true, 'Yes'],
      ]);
    case 'details':
      return keyed(attribute, [
        [420, 420],
        ['Front', 'Front'],
        [true, 'Yes'],
        [null, '–'],
      ]);
    case 'flags':
      return keyed(attribute, [
        [true, 'Yes'],
        [false, 'No'],
        [null, '–'],
        [1, 1],
      ]);
    case 'objects':
      return isImages(attribute) ? IMAGES : [kind([], 0), NOT_ASSESSED, NOWHERE];
  }
}

const TEXTS = [
  kind('not listed', 'not listed'),
  kind('=1+1', '=1+1'),
  kind('', null),
  kind(' spaced ', ' spaced '),
  kind('<&> "\'', '<&> "\''),
  kind(LONG, LONG),
  NOT_ASSESSED,
  NOWHERE,
];
const OTHER_THAN_TEXT = [kind(true, 'Yes'), kind(7, 7), kind(['a', 'b'], 'a; b')];
const DATES = [
  kind('2025-11-30', new Date('2025-11-30')),
  kind('1900-03-01', new Date('1900-03-01')),
  kind('1899-12-31', '1899-12-31'),
  kind('2025-02-30', '2025-02-30'),
  kind('soon', 'soon'),
  NOT_ASSESSED,
  NOWHERE,
];
const NUMBERS = [
  kind(0, 0),
  kind(7, 7),
  kind(2.5, 2.5),
  kind(-1, -1),
  kind(1e15, 1e15),
  kind(123_456, 123_456),
  kind(9_007_199_254_740_993n, '9007199254740993'),
  NOT_ASSESSED,
  NOWHERE,
];
const OTHER_THAN_NUMBERS = [kind('twelve', 'twelve'), kind(false, 'No')];
const MOMENTS = [
  kind(1_767_225_600, new Date(1_767_225_600_000)),
  kind(0, new Date(0)),
  kind(-2_300_000_000, -2_300_000_000),
  kind(1e15, 1e15),
  kind('yesterday', 'yesterday'),
  NOT_ASSESSED,
  NOWHERE,
];
const LISTS = [
  kind([], 'none'),
  kind(['not listed', 'two'], 'not listed; two'),
  kind(['a', null, true, 2], 'a; –; Yes; 2'),
  kind('one text', 'one text'),
  NOT_ASSESSED,
  NOWHERE,
];
const IMAGES = [
  kind([{ id: 'i1' }, { id: 'i2' }], 'i1; i2'),
  kind([{ id: 'i3', type: 'x' }], 'i3 (type: x)'),
  kind([], 'none'),
  NOT_ASSESSED,
  NOWHERE,
];

/** An object of keys for each of the values, listed keys and one that is not. */
function keyed({ keys = [] }: SummaryAttribute, values: readonly (readonly [unknown, Seen])[]): readonly Kind[] {
  const all = [...keys, 'BrandNew'];
  return [
    ...values.map(([value, seen]) => ({
      value: Object.fromEntries(all.map((key) => [key, value])),
      seen: all.map((key) => [`.${key}`, seen] as const),
    })),
    { value: {}, seen: all.map((key) => [`.${key}`, null]) },
    { value: ABSENT, seen: all.map((key) => [`.${key}`, null]) },
    NOT_ASSESSED,
  ];
}

/** A list of image references stands in one cell. */
function isImages({ items }: SummaryAttribute): boolean {
  return items?.length === 1 && items[0]?.path === 'id';
}

interface Made {
  readonly value: Record<string, unknown>;
  readonly expectations: readonly Omit<Expectation, 'project'>[];
}

/** An object in which each attribute has its value number `index`, and what should be seen of it. */
function objectWith(
  attributes: readonly SummaryAttribute[],
  index: number,
  prefix: string,
  positions: readonly number[],
): Made {
  const value: Record<string, unknown> = {};
  const expectations: Omit<Expectation, 'project'>[] = [];
  for (const attribute of attributes) {
    const source = prefix + attribute.path;
    const kinds = kindsOf(attribute);
    if (index === 0 && attribute.type === 'objects' && !isImages(attribute)) {
      const { items = [] } = attribute;
      const made = Array.from({ length: kindCount(items) }, (_, item) =>
        objectWith(items, item, `${source}[].`, [...positions, item + 1]),
      );
      setAt(
        value,
        attribute.path,
        made.map((item) => item.value),
      );
      expectations.push({ source, positions, seen: made.length }, ...made.flatMap((item) => item.expectations));
      continue;
    }
    const { value: held, seen } =
      kinds[attribute.type === 'objects' && !isImages(attribute) ? index - 1 : index] ?? NOWHERE;
    if (held !== ABSENT) setAt(value, attribute.path, held);
    expectations.push(...seen.map(([below, cell]) => ({ source: source + below, positions, seen: cell })));
  }
  return { value, expectations };
}

/** As many as the attribute with most kinds has. */
function kindCount(attributes: readonly SummaryAttribute[]): number {
  return Math.max(...attributes.map((attribute) => kindsOf(attribute).length + 1));
}

function setAt(root: Record<string, unknown>, path: string, value: unknown): void {
  const steps = path.split('.');
  let holder = root;
  for (const step of steps.slice(0, -1)) holder = (holder[step] ??= {}) as Record<string, unknown>;
  holder[steps.at(-1) ?? ''] = value;
}

/** Summaries in which, together, every attribute of the catalog has every kind of value, and where each value should be seen. */
export function everyKindOfValue(): {
  readonly summaries: readonly ReportSummary[];
  readonly expectations: readonly Expectation[];
} {
  const made = Array.from({ length: kindCount(SUMMARY_CATALOG) }, (_, index) =>
    objectWith(SUMMARY_CATALOG, index, '', []),
  );
  return {
    summaries: made.map(({ value }, index) => ({ id: `R-${index}`, type: 'Full-scope Underwriting Report', ...value })),
    expectations: made.flatMap(({ expectations }, project) =>
      expectations.map((expectation) => ({ project, ...expectation })),
    ),
  };
}

/** The sources of all attributes, those of list items too. */
export function allSources(attributes: readonly SummaryAttribute[] = SUMMARY_CATALOG, prefix = ''): readonly string[] {
  return attributes.flatMap((attribute) => [
    prefix + attribute.path,
    ...(attribute.type === 'objects' && !isImages(attribute)
      ? allSources(attribute.items, `${prefix}${attribute.path}[].`)
      : []),
  ]);
}
