import type { AttributeType, SummaryAttribute } from '../contract/catalogue-types.ts';

/** A catalogue, or the items of one of its lists, by path. */
export interface CatalogueIndex {
  readonly attributes: ReadonlyMap<string, { readonly attribute: SummaryAttribute; readonly position: number }>;
  /** The same as a tree of names, which spares whoever walks an object the building of paths. */
  readonly root: CatalogueNode;
  /** `summary.roof` → `Roof`: the group of the attributes that stand right below a path. */
  readonly groups: ReadonlyMap<string, string>;
}

/** A name in the catalogue; the listed keys of a keyed attribute are names too. */
export interface CatalogueNode {
  readonly path: string;
  attribute: SummaryAttribute | undefined;
  /** The keyed attribute it stands below, if any. */
  readonly keyed: SummaryAttribute | undefined;
  readonly children: Map<string, CatalogueNode>;
}

const known = new WeakMap<readonly SummaryAttribute[], CatalogueIndex>();

/** The index of these attributes, built once. */
export function catalogueIndex(attributes: readonly SummaryAttribute[]): CatalogueIndex {
  const built = known.get(attributes);
  if (built !== undefined) return built;
  const groups = new Map<string, string>();
  for (const { path, group } of attributes) {
    const parent = path.slice(0, Math.max(0, path.lastIndexOf('.')));
    if (!groups.has(parent)) groups.set(parent, group);
  }
  const index = { attributes: new Map(attributes.map((attribute, position) => [attribute.path, { attribute, position }])), root: treeOf(attributes), groups };
  known.set(attributes, index);
  return index;
}

function treeOf(attributes: readonly SummaryAttribute[]): CatalogueNode {
  const root = nodeAt('', undefined);
  for (const attribute of attributes) {
    let node = root;
    for (const name of attribute.path === '' ? [] : attribute.path.split('.')) node = childOf(node, name);
    node.attribute = attribute;
    if (isKeyed(attribute)) for (const key of attribute.keys ?? []) node.children.set(key, nodeAt(pathBelow(node.path, key), attribute));
  }
  return root;
}

function childOf(node: CatalogueNode, name: string): CatalogueNode {
  const there = node.children.get(name);
  if (there !== undefined) return there;
  const child = nodeAt(pathBelow(node.path, name), undefined);
  node.children.set(name, child);
  return child;
}

function nodeAt(path: string, keyed: SummaryAttribute | undefined): CatalogueNode {
  return { path, attribute: undefined, keyed, children: new Map() };
}

/** A path with a name behind it; a dot inside the name is written `\.`. */
export function pathBelow(path: string, name: string): string {
  const step = name.includes('.') ? name.replaceAll('.', String.raw`\.`) : name;
  return path === '' ? step : `${path}.${step}`;
}

const KEYED: ReadonlySet<AttributeType> = new Set<AttributeType>(['percentages', 'counts', 'flags', 'details']);

/** Attributes of key → value: each key gets a column of its own. */
export function isKeyed(attribute: SummaryAttribute | undefined): attribute is SummaryAttribute {
  return attribute !== undefined && KEYED.has(attribute.type);
}

/** A list of references such as `[ { id } ]`: shown in one cell rather than as a sheet. */
export function isReferenceList(attribute: SummaryAttribute | undefined): boolean {
  return attribute?.type === 'objects' && attribute.items?.length === 1 && attribute.items[0]?.path === 'id';
}
