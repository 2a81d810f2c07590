/** The shape of an attribute. */
export type AttributeType =
  | 'text'
  | 'number'
  | 'boolean'
  /** A list of plain strings. */
  | 'texts'
  /** Described by `items`. */
  | 'objects'
  /** An object of key → percentage. */
  | 'percentages'
  /** An object of key → count. */
  | 'counts'
  /** An object of key → boolean. */
  | 'flags'
  /** Its fields are not in the document. */
  | 'details';

export type AttributeUnit =
  'epoch seconds' | 'year' | 'month' | 'acres' | 'sq ft' | 'percent' | 'years' | 'count' | 'date' | 'score' | 'url';

/** An attribute of the document's section "Report summary". Objects in between (risk, risk.waterBody) have no entry. */
export interface SummaryAttribute {
  /** `project.address.zipcode`, `summary.roof.hasTarp`; inside `items` relative to the item. */
  readonly path: string;
  readonly title: string;
  readonly group: string;
  readonly type: AttributeType;
  readonly unit?: AttributeUnit;
  readonly nullable: boolean;
  /** True if values may change without notice. */
  readonly dynamic: boolean;
  /** Listed values; for `texts` those of entries. */
  readonly values?: readonly string[];
  /** True if the values are only examples ("e.g.", "such as"). */
  readonly examples?: true;
  /** Listed keys of `percentages`, `counts` and `flags`. */
  readonly keys?: readonly string[];
  /** A sentence for an underwriter. */
  readonly meaning: string;
  /** Attributes of an item of `objects`, with relative paths (`` is the item itself). */
  readonly items?: readonly SummaryAttribute[];
}

/** By default not nullable, not dynamic, without unit and values. */
type Details = Partial<Omit<SummaryAttribute, 'path' | 'title' | 'group' | 'type' | 'meaning'>>;

type Build = (path: string, name: string, meaning: string, details?: Details) => SummaryAttribute;

/** Makes the entries of a group with a common path prefix (empty for items); titles are `Group: name`. */
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

/** A list of images: objects with at least `id`. */
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
