import type { AttributeType, SummaryAttribute } from '../../contract/summary-attributes.ts';
import { leafText } from '../table-cells.ts';
import { FIXED_SHEETS, count, text, wrapped } from '../workbook.ts';
import type { FlatRecord, FlatValue, Leaf } from '../flatten.ts';
import { column, type Table } from './table.ts';

export const SURPRISES_TABLE: Table<Surprise> = {
  name: FIXED_SHEETS.surprises,
  tabColor: 'BF9000',
  columns: [
    column('What', 20, text, 'kind'),
    column('Attribute', 36, wrapped, ({ attribute, path }) => attribute?.title ?? path),
    column('The document says', 50, wrapped, ({ attribute }) => expected(attribute)),
    column('In the report', 50, wrapped, 'came'),
    column('Projects', 10, count, 'projects'),
    column('Example', 13, text, 'projectId'),
    column('Source', 50, text, 'path'),
  ],
};

function expected(attribute: Surprise['attribute']) {
  if (attribute === undefined) return 'not listed';
  const values = attribute.values === undefined ? '' : `: ${attribute.values.join('; ')}`;
  return `${attribute.type}${attribute.nullable ? ' or null' : ''}${values}`;
}

interface Surprise {
  readonly kind: 'not in the document' | 'different type' | 'unlisted value';
  /** Joined by `[]` below lists. */
  readonly path: string;
  readonly attribute: SummaryAttribute | undefined;
  readonly came: string;
  projects: number;
  readonly projectId: string;
}

const CAME_LENGTH_MAX = 200;

export class SurpriseCollector {
  readonly #found = new Map<string, Surprise>();
  readonly #last = new Map<Surprise, string>();

  get all() {
    return [...this.#found.values()].toSorted((a, b) => a.kind.localeCompare(b.kind) || a.path.localeCompare(b.path));
  }

  add(projectId: string, record: FlatRecord, prefix = '') {
    for (const value of record.values.values()) {
      const kind = kindOf(value);
      if (kind !== null) this.#note(projectId, kind, prefix, value);
    }
    for (const list of record.lists.values())
      if (record.values.get(list.path)?.attribute?.type !== 'details')
        for (const item of list.items) this.add(projectId, item, `${prefix}${list.path}[].`);
  }

  #note(projectId: string, kind: Surprise['kind'], prefix: string, { path, leaf, attribute }: FlatValue) {
    const came = leafText(leaf).slice(0, CAME_LENGTH_MAX);
    const key = `${kind} ${prefix}${path} ${kind === 'unlisted value' ? came : typeName(leaf)}`;
    const first = { kind, path: prefix + path, attribute, came, projects: 0, projectId };
    const surprise = this.#found.get(key) ?? first;
    this.#found.set(key, surprise);
    if (this.#last.get(surprise) === projectId) return;
    this.#last.set(surprise, projectId);
    surprise.projects += 1;
  }
}

/** Document: "Fields of attachedStructures other than attachedGarages: not shown". */
const FIELDS_NOT_SHOWN = /^attachedStructures\./;

function kindOf({ path, leaf, attribute, counted, key }: FlatValue) {
  if (attribute === undefined) return FIELDS_NOT_SHOWN.test(path) ? null : 'not in the document';
  // The document shows no fields below it.
  if (attribute.type === 'details' && key !== null) return null;
  if (leaf === null) return attribute.nullable ? null : 'different type';
  if (counted) return attribute.type === 'objects' ? null : 'different type';
  // Keys may grow without notice, and the document shows no fields below them.
  if (key?.includes('.')) return null;
  if (!isOfType(leaf, attribute.type)) return 'different type';
  return isListedValue(leaf, attribute) ? null : 'unlisted value';
}

function isOfType(leaf: Leaf, type: AttributeType) {
  switch (type) {
    case 'text':
      return typeof leaf === 'string';
    case 'number':
    case 'percentages':
    case 'counts':
      return typeof leaf === 'number' || typeof leaf === 'bigint';
    case 'boolean':
    case 'flags':
      return typeof leaf === 'boolean';
    case 'texts':
      return Array.isArray(leaf) && leaf.every((entry) => typeof entry === 'string');
    case 'objects':
      return Array.isArray(leaf);
    case 'details':
      return false;
  }
}

function isListedValue(leaf: Leaf, { values, dynamic, examples, type, unit }: SummaryAttribute) {
  if (values === undefined || dynamic || examples || unit !== undefined || (type !== 'text' && type !== 'texts'))
    return true;
  return (Array.isArray(leaf) ? leaf : [leaf]).every((entry) => typeof entry === 'string' && values.includes(entry));
}

function typeName(leaf: Leaf) {
  if (leaf === null) return 'nothing';
  return Array.isArray(leaf) ? 'a list' : typeof leaf;
}
