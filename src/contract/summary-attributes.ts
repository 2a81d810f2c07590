import { z } from 'zod';
import { templateData } from './template-data.ts';

/** `objects` are described by `items`; the fields of `details` are not in the document. */
const ATTRIBUTE_TYPES = [
  'text',
  'number',
  'boolean',
  'texts',
  'objects',
  'percentages',
  'counts',
  'flags',
  'details',
] as const;
export type AttributeType = (typeof ATTRIBUTE_TYPES)[number];

const UNITS = [
  'epoch seconds',
  'year',
  'month',
  'acres',
  'sq ft',
  'percent',
  'years',
  'count',
  'date',
  'score',
  'url',
] as const;
export type AttributeUnit = (typeof UNITS)[number];

const written = z.strictObject({
  /** `project.address.zipcode`, `summary.roof.hasTarp`; inside `items` relative to the item, `` the item itself. */
  path: z.string(),
  name: z.string(),
  group: z.string().optional(),
  type: z.enum(ATTRIBUTE_TYPES),
  meaning: z.string(),
  unit: z.enum(UNITS).optional(),
  nullable: z.boolean().default(false),
  dynamic: z.boolean().default(false),
  /** Whether the document gives `values` only as examples ("e.g.", "such as"). */
  examples: z.literal(true).optional(),
  values: z.array(z.string()).readonly().optional(),
  keys: z.array(z.string()).readonly().optional(),
  get items() {
    return z.array(written).optional();
  },
});
type Written = z.infer<typeof written>;

/** Of the document's section "Report summary". Objects in between (risk, risk.waterBody) have no entry. */
export type SummaryAttribute = Readonly<
  Omit<Written, 'name' | 'group' | 'items'> & { title: string; group: string; items?: readonly SummaryAttribute[] }
>;

function attributeOf(inGroup: string, { name, group = inGroup, items, ...rest }: Written): SummaryAttribute {
  const attribute = { ...rest, group, title: `${group}: ${name}` };
  return items === undefined ? attribute : { ...attribute, items: items.map((item) => attributeOf(group, item)) };
}

const groups = templateData(
  'vocabulary/summary-attributes',
  z.array(z.strictObject({ group: z.string(), attributes: z.array(written) })),
);

/**
 * In the document's order, with unique paths and titles. Add an attribute in templates/vocabulary/summary-attributes.yaml;
 * columns, page, sandbox and OpenAPI follow.
 */
export const SUMMARY_CATALOG: readonly SummaryAttribute[] = groups().flatMap(({ group, attributes }) =>
  attributes.map((attribute) => attributeOf(group, attribute)),
);

const BY_PATH = new Map(SUMMARY_CATALOG.map((attribute) => [attribute.path, attribute]));

export function attributeAt(path: string) {
  return BY_PATH.get(path);
}

export const CONDITION_GRADES = ['Excellent', 'Good', 'Average', 'Fair', 'Poor'] as const;
export const DIRECTIONS = ['Front', 'Right', 'Rear', 'Left'] as const;
