import { z } from 'zod';
import {
  createProjectRequest,
  HOUSE_TYPES_BY_POLICY_TYPE,
  POLICY_TYPES,
  SERVICE_NAMES,
  SUPPLEMENTAL_SERVICES,
} from '../contract/document.ts';
import { lowerFirst } from '../domain/text.ts';
import { vocabulary } from './vocabulary.ts';

/** `id`: a number that is a name, so every digit matters. */
const fieldKind = z.enum([
  'text',
  'id',
  'zip',
  'state',
  'country',
  'date',
  'year',
  'enum',
  'list',
  'boolean',
  'money',
  'area',
  'phone',
  'email',
]);
const text = z.string().min(1);
const fieldSchema = z.strictObject({
  title: text,
  kind: fieldKind,
  required: z.boolean().default(false),
  strict: z.boolean().default(false),
  example: text,
  help: text,
  ofOurColumn: text.optional(),
});
const fieldName = createProjectRequest.keyof();

export type FieldKind = z.infer<typeof fieldKind>;
export type FieldName = z.infer<typeof fieldName>;

export type OrderField = Readonly<z.infer<typeof fieldSchema>> &
  Readonly<{ name: FieldName; values?: readonly string[] | undefined }>;

const VALUES: Readonly<Partial<Record<FieldName, readonly string[]>>> = {
  serviceName: SERVICE_NAMES,
  policyType: POLICY_TYPES,
  houseType: [...new Set(Object.values(HOUSE_TYPES_BY_POLICY_TYPE).flat())],
  supplementalServices: SUPPLEMENTAL_SERVICES,
};

/** In the template's order: templates/vocabulary/fields.yaml. */
export const ORDER_FIELDS: readonly OrderField[] = Object.entries(
  vocabulary('fields', z.record(z.string(), fieldSchema))(),
).map(([key, field]) => {
  const name = fieldName.parse(key);
  return { name, ...field, values: VALUES[name] };
});

export const REQUIRED_FIELDS = ORDER_FIELDS.filter(({ required }) => required);

/** They identify an order. */
export const NUMBER_FIELDS: readonly FieldName[] = ['policyNumber', 'inspectionNumber'];

/** They say who, where and which number. */
export const IDENTIFYING = new Set<FieldName>([
  ...REQUIRED_FIELDS.map(({ name }) => name),
  ...NUMBER_FIELDS,
  'policyEffectiveDate',
]);

export const ADDRESS_FIELDS = ['streetAddress', 'city', 'state', 'zipcode'] as const satisfies readonly FieldName[];
export type AddressField = (typeof ADDRESS_FIELDS)[number];

const FIELDS_BY_NAME = new Map<string, OrderField>(ORDER_FIELDS.map((field) => [field.name, field]));

export function inputHint({ help }: Pick<OrderField, 'help'>) {
  const article = /^(?:City|House)/.test(help) ? 'the ' : '';
  return `Enter ${article}${lowerFirst(help)}`;
}

export function helpInTemplate({ help, ofOurColumn }: Pick<OrderField, 'help' | 'ofOurColumn'>) {
  return ofOurColumn === undefined ? help : `${help.slice(0, -1)}; ${ofOurColumn}`;
}

export function fieldNamed(name: FieldName): OrderField;
export function fieldNamed(name: string | null | undefined): OrderField | undefined;
export function fieldNamed(name: string | null | undefined) {
  return FIELDS_BY_NAME.get(name ?? '');
}

/** What a word in a column of the rows' status means: no field of an order, but words that a person names once. */
export const ROW_STATUS = { name: 'rowStatus', kind: 'enum', values: ['to be ordered', 'not to be ordered'] } as const;
