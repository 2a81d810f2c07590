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

export type AttributeUnit = 'epoch seconds' | 'year' | 'month' | 'acres' | 'sq ft' | 'percent' | 'years' | 'count' | 'date' | 'score' | 'url';

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
  /** The keys the document lists, for `percentages`, `counts` and `flags`. */
  readonly keys?: readonly string[];
  /** What it means, a sentence for an underwriter. */
  readonly meaning: string;
  /** The attributes of one item, for `objects`; paths relative to the item, `` for the item itself. */
  readonly items?: readonly SummaryAttribute[];
}
