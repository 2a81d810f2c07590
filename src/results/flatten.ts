import { isRecord, stringifyExactJson } from '../contract/json.ts';
import type { ReportSummary } from '../contract/document.ts';
import { type AttributeType, SUMMARY_CATALOG, type SummaryAttribute } from '../contract/summary-attributes.ts';
import { isCloseout } from '../domain/closeout.ts';

export type Scalar = null | boolean | number | string | bigint;

export type Leaf = Scalar | readonly Scalar[];

export function isList(leaf: Leaf): leaf is readonly Scalar[] {
  return Array.isArray(leaf);
}

export type FlatValue = Readonly<{
  path: string;
  leaf: Leaf;
  /** The catalog's entry; for a key, that of its object. */
  attribute: SummaryAttribute | undefined;
  /** The key of a keyed attribute (`Gable` in `summary.roof.geometry`), else null. */
  key: string | null;
  /** Whether the leaf is the length of a list in `lists`. */
  counted: boolean;
}>;

export type FlatList = Readonly<{
  path: string;
  attribute: SummaryAttribute | undefined;
  items: readonly FlatRecord[];
}>;

/** Absent values have no entry, null ones a null leaf. */
export type FlatRecord = Readonly<{
  values: ReadonlyMap<string, FlatValue>;
  lists: ReadonlyMap<string, FlatList>;
}>;

type Place = Pick<CatalogNode, 'path' | 'attribute' | 'keyed'> & Partial<Pick<CatalogNode, 'children'>>;

/** By path, including unknown attributes (document: Report summary). */
export function flattenSummary({ id: _id, type: _type, ...rest }: ReportSummary) {
  return flattenRecord(rest, SUMMARY_CATALOG);
}

function flattenRecord(value: unknown, attributes: readonly SummaryAttribute[]): FlatRecord {
  const flattener = new Flattener();
  flattener.walk(value, catalogIndex(attributes).root);
  return flattener;
}

class Flattener implements FlatRecord {
  readonly values = new Map<string, FlatValue>();
  readonly lists = new Map<string, FlatList>();

  walk(value: unknown, place: Place) {
    if (value === undefined) return;
    if (Array.isArray(value)) {
      this.#list(value, place);
    } else if (isRecord(value)) {
      if (place.attribute?.type === 'objects') this.#list([value], place);
      else for (const [key, held] of Object.entries(value)) this.walk(held, below(place, key));
    } else {
      this.#leaf(place, scalar(value));
    }
  }

  #list(values: readonly unknown[], place: Place) {
    if (isReferenceList(place.attribute)) {
      this.#leaf(place, values.map(reference));
    } else if (place.attribute?.type === 'objects' || values.some(isRecord)) {
      const items = values.map((item) => flattenRecord(item, place.attribute?.items ?? NO_ATTRIBUTES));
      this.lists.set(place.path, { path: place.path, attribute: place.attribute, items });
      this.#leaf(place, items.length, true);
    } else {
      this.#leaf(place, values.map(scalar));
    }
  }

  #leaf({ path, attribute, keyed }: Place, leaf: Leaf, counted = false) {
    this.values.set(path, {
      path,
      leaf,
      attribute: keyed ?? attribute,
      key: keyed === undefined ? null : path.slice(keyed.path.length + 1),
      counted,
    });
  }
}

function below(place: Place, name: string): Place {
  const known = place.children?.get(name);
  if (known !== undefined) return known;
  return {
    path: pathBelow(place.path, name),
    attribute: undefined,
    keyed: place.keyed ?? (isKeyed(place.attribute) ? place.attribute : undefined),
  };
}

const NO_ATTRIBUTES: readonly SummaryAttribute[] = [];

function scalar(value: unknown) {
  return typeof value === 'object' && value !== null ? stringifyExactJson(value) : (value as Scalar);
}

function reference(value: unknown) {
  if (!isRecord(value)) return scalar(value);
  const { id, ...rest } = value;
  const further = Object.entries(rest).map(([name, held]) => `${name}: ${String(scalar(held))}`);
  return [id === undefined ? '' : String(scalar(id)), further.length === 0 ? '' : `(${further.join(', ')})`]
    .filter(Boolean)
    .join(' ');
}

export type CatalogIndex = Readonly<ReturnType<typeof buildIndex>>;

interface CatalogNode {
  readonly path: string;
  attribute: SummaryAttribute | undefined;
  readonly keyed: SummaryAttribute | undefined;
  readonly children: Map<string, CatalogNode>;
}

const known = new WeakMap<readonly SummaryAttribute[], CatalogIndex>();

export function catalogIndex(attributes: readonly SummaryAttribute[]): CatalogIndex {
  const index = known.get(attributes) ?? buildIndex(attributes);
  known.set(attributes, index);
  return index;
}

function buildIndex(attributes: readonly SummaryAttribute[]) {
  const groups = new Map<string, string>();
  for (const { path, group } of attributes) {
    const parent = path.slice(0, Math.max(0, path.lastIndexOf('.')));
    if (!groups.has(parent)) groups.set(parent, group);
  }
  return {
    attributes: new Map(attributes.map((attribute, position) => [attribute.path, { attribute, position }])),
    root: treeOf(attributes),
    groups,
  };
}

function treeOf(attributes: readonly SummaryAttribute[]) {
  const root = nodeAt('');
  for (const attribute of attributes) {
    let node = root;
    for (const name of attribute.path === '' ? [] : attribute.path.split('.')) {
      const child: CatalogNode = node.children.get(name) ?? nodeAt(pathBelow(node.path, name));
      node.children.set(name, child);
      node = child;
    }
    node.attribute = attribute;
    if (isKeyed(attribute))
      for (const key of attribute.keys ?? []) node.children.set(key, nodeAt(pathBelow(node.path, key), attribute));
  }
  return root;
}

function nodeAt(path: string, keyed?: SummaryAttribute): CatalogNode {
  return { path, attribute: undefined, keyed, children: new Map() };
}

function pathBelow(path: string, name: string) {
  const step = name.includes('.') ? name.replaceAll('.', String.raw`\.`) : name;
  return path === '' ? step : `${path}.${step}`;
}

const KEYED = new Set<AttributeType>(['percentages', 'counts', 'flags', 'details']);

export function isKeyed(attribute: SummaryAttribute | undefined): attribute is SummaryAttribute {
  return attribute !== undefined && KEYED.has(attribute.type);
}

/** References such as `[ { id } ]` share one cell and need no sheet. */
export function isReferenceList(attribute: SummaryAttribute | undefined) {
  return attribute?.type === 'objects' && attribute.items?.length === 1 && attribute.items[0]?.path === 'id';
}

/** The rest of a reference may follow its id. */
export function referencedIds({ attribute, leaf }: Pick<FlatValue, 'attribute' | 'leaf'>) {
  return isReferenceList(attribute) && Array.isArray(leaf) ? leaf.map((one) => String(one).split(' ')[0] ?? '') : [];
}

const NOTHING: FlatRecord = { values: new Map(), lists: new Map() };

/**
 * Merges a project's reports into one record and sorts them: newest inspection first, of one inspection the report of
 * the latest day, of one day the fullest, closeouts last. Each attribute comes whole from the first report that
 * assessed it; mixed shares would exceed 100%.
 */
export function mergeReports<
  Report extends Readonly<{ type?: string | undefined; summary: ReportSummary | null; recordedAt?: number }>,
>(reports: readonly Report[]) {
  const read = reports
    .map((report) => ({
      ...report,
      record: report.summary === null ? NOTHING : flattenSummary(report.summary),
      /** When the inspection was completed, else the visit (epoch seconds); null if unknown. */
      inspectedAt: timeIn(report.summary?.project),
    }))
    .toReversed()
    .toSorted(
      (a, b) =>
        standing(a) - standing(b) ||
        (b.inspectedAt ?? 0) - (a.inspectedAt ?? 0) ||
        dayOf(b) - dayOf(a) ||
        (a.inspectedAt === null ? 0 : b.record.values.size - a.record.values.size),
    );
  return { record: merged(read.flatMap(({ record }) => (record === NOTHING ? [] : [record]))), reports: read };
}

function dayOf({ recordedAt = 0 }) {
  return Math.floor(recordedAt / 86_400_000);
}

function standing({ type, summary }: { type?: string | undefined; summary: ReportSummary | null }) {
  if (summary === null) return 2;
  return isCloseout({ type, summary: summary.summary }) ? 1 : 0;
}

function timeIn(project: ReportSummary['project']) {
  const times = [project?.['completionTime'], project?.['inspectionTime']].map(Number);
  return times.find((time) => Number.isFinite(time) && time > 0) ?? null;
}

function merged(records: readonly FlatRecord[]) {
  const [only, second] = records;
  if (only === undefined) return NOTHING;
  if (second === undefined) return only;
  const owners = ownersOf(records);
  const values = new Map<string, FlatValue>();
  const lists = new Map<string, FlatList>();
  for (const record of records) {
    for (const [path, value] of record.values) if (owners.get(ownerPath(value)) === record) values.set(path, value);
    for (const [path, list] of record.lists) if (owners.get(path) === record) lists.set(path, list);
  }
  return { values, lists };
}

/** The first record that assessed each attribute, else the first that has it: the last entry of a path counts. */
function ownersOf(records: readonly FlatRecord[]) {
  const values = records
    .toReversed()
    .flatMap((record) => [...record.values.values()].map((value) => ({ value, record })));
  const byAssessment = values.toSorted((a, b) => Number(isAssessed(a.value.leaf)) - Number(isAssessed(b.value.leaf)));
  return new Map(byAssessment.map(({ value, record }) => [ownerPath(value), record]));
}

function ownerPath(value: FlatValue) {
  return value.key === null ? value.path : (value.attribute?.path ?? value.path);
}

export function isAssessed(leaf: Leaf | undefined): leaf is Leaf {
  return leaf != null && leaf !== '';
}
