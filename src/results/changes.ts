import { attributeCell, leafText, type ShownAs } from './table-cells.ts';
import { columnTitle, stepsOf } from './tables/report-columns.ts';
import {
  type FlatList,
  type FlatRecord,
  type FlatValue,
  isAssessed,
  isKeyed,
  isReferenceList,
  type Leaf,
} from './flatten.ts';
import { type TableCell, tableCellText } from './workbook.ts';

/** `before` and `now` are undefined if the report does not mention the attribute. */
export type Change = Readonly<ReturnType<typeof changeOf>>;

const NEW_EACH_TIME = /^(?:comments?|images?|notes?)$/i;
const GROWS = new Set(['summary.history']);
const COUNTED_ELSEWHERE = /^summary\.(?:factors|recommendations|\w+\.comparison)$/;

/** Leaves out lists whose entries the reasons name already. */
export function changesBetween(before: FlatRecord, now: FlatRecord) {
  return differencesBetween(before, now).filter(({ path }) => !COUNTED_ELSEWHERE.test(path));
}

/**
 * In the new report's order. An attribute or key counts only if both reports assess it: templates differ. Compares
 * lists of objects by length; omits `project.…`, comments and images.
 */
function differencesBetween(before: FlatRecord, now: FlatRecord) {
  const keyedBefore = keyedAttributes(before);
  const keyedNow = keyedAttributes(now);
  const changes = [...new Set(now.values.keys()).union(before.values)].flatMap((path) => {
    const [was, is] = [before.values.get(path), now.values.get(path)];
    const value = is ?? was;
    if (value === undefined || isLeftOut(value)) return [];
    const isChange =
      was !== undefined && is !== undefined
        ? !isSame(was.leaf, is.leaf)
        : value.key !== null && (was === undefined ? keyedBefore : keyedNow).has(value.attribute?.path ?? '');
    return isChange ? [changeOf(value, was?.leaf, is?.leaf)] : [];
  });
  return changes.filter((change) =>
    change.key === null
      ? isAssessed(change.before) && isAssessed(change.now)
      : [before, now].every(({ values }) => isAssessed(values.get(change.attribute?.path ?? '')?.leaf ?? true)) &&
        change.before !== null &&
        change.now !== null,
  );
}

/** `shown` is in `Results`, `others` in the project's other reports. */
type Disagreement = Omit<Change, 'before' | 'now'> &
  Readonly<{
    shown: Leaf | undefined;
    others: readonly (Leaf | undefined)[];
  }>;

/** Omits the same as `differencesBetween`, but compares every list entry. */
export function disagreementsBetween(record: FlatRecord, reports: readonly FlatRecord[]) {
  const found = new Map<string, Disagreement>();
  for (const report of reports) {
    for (const { before, now, ...what } of [...differencesBetween(report, record), ...otherEntries(report, record)]) {
      const others = found.get(what.path)?.others ?? [];
      if (found.has(what.path) && others.some((other) => isSame(other ?? null, before ?? null))) continue;
      found.set(what.path, { ...what, shown: now, others: [...others, before] });
    }
  }
  return [...found.values()];
}

function otherEntries(report: FlatRecord, record: FlatRecord) {
  return [...record.lists.values()].flatMap((list) => {
    const [value, other] = [record.values.get(list.path), report.lists.get(list.path)];
    if (value === undefined || isLeftOut(value) || other?.items.length !== list.items.length) return [];
    return entriesOf(list) === entriesOf(other) ? [] : [changeOf(value, value.leaf, value.leaf)];
  });
}

function entriesOf({ items }: FlatList): string {
  const texts = items.map(({ values, lists }) =>
    [
      ...[...values.values()]
        .filter((value) => !isLeftOut(value))
        .map(({ path, leaf }) => `${path} = ${comparable(leaf)}`),
      ...[...lists.values()].map(entriesOf),
    ]
      .toSorted()
      .join('\n'),
  );
  return texts.toSorted().join('\n\n');
}

export function describeDisagreement({ shown, others, ...what }: Disagreement) {
  if (what.counted && others.every((other) => other === shown)) return `${what.title}: other entries in another report`;
  const [first = '', ...further] = describeValues([shown, ...others], what);
  return `${what.title}: ${first} (${others.length === 1 ? 'another report' : 'other reports'}: ${further.join(', ')})`;
}

export function changeCell(leaf: Leaf | undefined, shownAs: ShownAs): TableCell | undefined {
  const counted = shownAs.counted && typeof leaf === 'number';
  return leaf === undefined ? undefined : attributeCell(leaf, { ...shownAs, counted });
}

const VALUE_LENGTH_MAX = 80;
const COMMON_START_MAX = 20;

function describeValues(leaves: readonly (Leaf | undefined)[], what: ShownAs) {
  const texts = leaves.map((leaf) => {
    const cell = changeCell(leaf, what);
    return cell === undefined ? 'nothing' : tableCellText(cell);
  });
  const [first = ''] = texts;
  let same = 0;
  while (same < first.length && texts.every((text) => text[same] === first[same])) same += 1;
  const from = Math.max(0, same - COMMON_START_MAX);
  return texts.map((text) => {
    if (text.length <= VALUE_LENGTH_MAX) return text;
    const shown = text.slice(from, from + VALUE_LENGTH_MAX).toWellFormed();
    return `${from > 0 ? '…' : ''}${shown}${from + VALUE_LENGTH_MAX < text.length ? '…' : ''}`;
  });
}

function changeOf(value: FlatValue, before: Leaf | undefined, now: Leaf | undefined) {
  const { path, attribute, key, counted } = value;
  return { path, title: columnTitle(value).onResults, attribute, key, counted, before, now };
}

function isLeftOut({ path, attribute, key }: FlatValue) {
  if (path.startsWith('project.') || GROWS.has(path) || isReferenceList(attribute)) return true;
  // Keys show that a keyed attribute was null before.
  if (key === null && isKeyed(attribute)) return true;
  return NEW_EACH_TIME.test(stepsOf(path).at(-1) ?? '');
}

function keyedAttributes({ values }: FlatRecord) {
  return new Set([...values.values()].flatMap(({ attribute }) => (isKeyed(attribute) ? attribute.path : [])));
}

function isSame(one: Leaf, other: Leaf) {
  return (one === null) === (other === null) && comparable(one) === comparable(other);
}

function comparable(leaf: Leaf) {
  return Array.isArray(leaf) ? leaf.map(leafText).toSorted().join('\n') : leafText(leaf);
}
