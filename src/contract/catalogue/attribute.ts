/** How an attribute of a report summary is shaped. */
export type AttributeType =
  | 'text'
  | 'number'
  | 'boolean'
  /** A list of plain strings. */
  | 'texts'
  /** A list of objects, described by `items`. */
  | 'objects'
  /** An object of key → percentage. */
  | 'percentages'
  /** An object of key → count. */
  | 'counts'
  /** An object of key → boolean. */
  | 'flags'
  /** An object whose fields the document does not show: numbers, texts, whatever comes. */
  | 'details';

export type AttributeUnit =
  'epoch seconds' | 'year' | 'month' | 'acres' | 'sq ft' | 'percent' | 'years' | 'count' | 'date' | 'score' | 'url';

/** One attribute of the document's section "Report summary". Objects in between (risk, risk.waterBody) have no entry of their own. */
export interface SummaryAttribute {
  /** Where it stands: `project.address.zipcode`, `summary.roof.hasTarp`. Inside `items`, relative to the item. */
  readonly path: string;
  /** The column's readable name, unique in the whole catalogue: `Roof: tarp`. */
  readonly title: string;
  /** The group of columns it belongs to: `Roof`. */
  readonly group: string;
  readonly type: AttributeType;
  readonly unit?: AttributeUnit;
  readonly nullable: boolean;
  /** True where values may be added, removed or changed without notice. */
  readonly dynamic: boolean;
  /** The values the document lists; for `texts`, those of the entries. */
  readonly values?: readonly string[];
  /** True where the document gives the values as examples ("e.g.", "such as"): any other value is as good. */
  readonly examples?: true;
  /** The keys the document lists, for `percentages`, `counts` and `flags`. */
  readonly keys?: readonly string[];
  /** What it means, a sentence for an underwriter. */
  readonly meaning: string;
  /** The attributes of one item, for `objects`; paths relative to the item, `` for the item itself. */
  readonly items?: readonly SummaryAttribute[];
}

/** What an entry may say beyond its path, name and meaning. Left out: not nullable, not dynamic, no unit, no values. */
type Details = Partial<Omit<SummaryAttribute, 'path' | 'title' | 'group' | 'type' | 'meaning'>>;

type Build = (path: string, name: string, meaning: string, details?: Details) => SummaryAttribute;

/** Writes entries of one group whose paths share a prefix; an entry's title is `Group: name`. An empty prefix is for items. */
export function attributesOf(group: string, prefix: string): Record<AttributeType, Build> {
  const builder =
    (type: AttributeType): Build =>
    (path, name, meaning, details = {}) => ({
      path: [prefix, path].filter((part) => part !== '').join('.'),
      title: `${group}: ${name}`,
      group,
      type,
      nullable: false,
      dynamic: false,
      meaning,
      ...details,
    });
  return {
    text: builder('text'),
    number: builder('number'),
    boolean: builder('boolean'),
    texts: builder('texts'),
    objects: builder('objects'),
    percentages: builder('percentages'),
    counts: builder('counts'),
    flags: builder('flags'),
    details: builder('details'),
  };
}

/** A list of images inside an item: objects with at least `id`. */
export function imagesOf(group: string, details: Details = {}): SummaryAttribute {
  const { objects, text } = attributesOf(group, '');
  return objects('image', 'images', 'The images that show it; the id finds the file.', {
    ...details,
    items: [text('id', 'image id', 'Id of the image.')],
  });
}

export const dynamic = { dynamic: true } as const;
export const nullable = { nullable: true } as const;
export const examples = { examples: true } as const;

export const CONDITIONS = ['Excellent', 'Good', 'Average', 'Fair', 'Poor'] as const;
export const SYSTEM_UPDATE_STATUSES = ['Original', 'Partially Updated', 'Fully Updated', 'Unknown'] as const;
export const SIZES = ['Small', 'Medium', 'Large'] as const;
export const DIRECTIONS = ['Front', 'Right', 'Rear', 'Left'] as const;
