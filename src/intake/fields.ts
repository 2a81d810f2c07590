import {
  type CreateProjectRequest,
  HOUSE_TYPES_BY_POLICY_TYPE,
  POLICY_TYPES,
  SERVICE_NAMES,
  SUPPLEMENTAL_SERVICES,
} from '../contract/document.ts';

export type FieldKind =
  | 'text'
  /** A number that is a name: every digit matters. */
  | 'id'
  | 'zip'
  | 'state'
  | 'country'
  | 'date'
  | 'year'
  | 'enum'
  | 'list'
  | 'boolean'
  | 'money'
  | 'area'
  | 'phone'
  | 'email';

export type FieldName = keyof CreateProjectRequest;

export interface OrderField {
  readonly name: FieldName;
  readonly title: string;
  readonly required: boolean;
  readonly kind: FieldKind;
  readonly help: string;
  readonly ofOurColumn?: string;
  readonly example: string;
  readonly values?: readonly string[];
}

const HOUSE_TYPES: readonly string[] = [...new Set(Object.values(HOUSE_TYPES_BY_POLICY_TYPE).flat())];

export const ORDER_FIELDS: readonly OrderField[] = [
  {
    name: 'inspectionNumber',
    title: 'Inspection number',
    required: false,
    kind: 'id',
    example: 'INS-20417',
    help: 'Your own number for this inspection; two rows with the same number are one order.',
  },
  {
    name: 'policyNumber',
    title: 'Policy number',
    required: false,
    kind: 'id',
    example: 'HO-0048213',
    help: 'The policy number as it is printed on the policy.',
    ofOurColumn: 'the column is text, so zeros in front stay.',
  },
  {
    name: 'policyEffectiveDate',
    title: 'Policy effective date',
    required: false,
    kind: 'date',
    example: '2026-11-01',
    help: 'The day the policy takes effect.',
  },
  {
    name: 'insuredBy',
    title: 'Insurance company',
    required: false,
    kind: 'text',
    example: 'Bayline Mutual',
    help: 'The insurance company the inspection is for.',
  },
  {
    name: 'division',
    title: 'Division',
    required: false,
    kind: 'text',
    example: 'Gulf Coast',
    help: 'The division of the company, in any words you use.',
  },
  {
    name: 'serviceName',
    title: 'Service',
    required: true,
    kind: 'enum',
    example: '4-Point',
    values: SERVICE_NAMES,
    help: 'The inspection to be made: choose one from the list.',
  },
  {
    name: 'policyType',
    title: 'Policy type',
    required: true,
    kind: 'enum',
    example: 'Homeowners Insurance',
    values: POLICY_TYPES,
    help: 'The kind of insurance: choose one from the list; it decides which house types are allowed.',
  },
  {
    name: 'houseType',
    title: 'House type',
    required: true,
    kind: 'enum',
    example: 'Residential Single Family',
    values: HOUSE_TYPES,
    help: 'The kind of building: choose the policy type first, then one from the list.',
  },
  {
    name: 'streetAddress',
    title: 'Street address',
    required: true,
    kind: 'text',
    example: '118 Oak Ridge Ln',
    help: 'House number and street of the property to be inspected.',
  },
  {
    name: 'city',
    title: 'City',
    required: true,
    kind: 'text',
    example: 'Tampa',
    help: 'City of the property.',
  },
  {
    name: 'state',
    title: 'State',
    required: true,
    kind: 'state',
    example: 'FL',
    help: 'The two letters of the state, such as FL.',
  },
  {
    name: 'zipcode',
    title: 'ZIP code',
    required: true,
    kind: 'zip',
    example: '33609',
    help: 'Five digits, or nine such as 33609-1204.',
    ofOurColumn: 'the column is text, so a zero in front stays.',
  },
  {
    name: 'country',
    title: 'Country',
    required: false,
    kind: 'country',
    example: 'US',
    help: 'US, or empty: only addresses in the United States can be inspected.',
  },
  {
    name: 'insuredName',
    title: 'Insured name',
    required: true,
    kind: 'text',
    example: 'Marisol Vega',
    help: 'The person or company insured.',
  },
  {
    name: 'insuredPhone',
    title: 'Insured phone',
    required: true,
    kind: 'phone',
    example: '813-555-0142',
    help: 'The phone number at which the insured can be reached to make an appointment.',
  },
  {
    name: 'insuredEmail',
    title: 'Insured email',
    required: true,
    kind: 'email',
    example: 'marisol.vega@example.com',
    help: 'The e-mail address of the insured; links for self-inspections go there.',
  },
  {
    name: 'dueDate',
    title: 'Due date',
    required: false,
    kind: 'date',
    example: '2026-11-20',
    help: 'The day by which the inspection should be done.',
  },
  {
    name: 'yearBuilt',
    title: 'Year built',
    required: false,
    kind: 'year',
    example: '1987',
    help: 'The year the house was built, four digits.',
  },
  {
    name: 'carrierProvidedLivingArea',
    title: 'Living area (sq ft)',
    required: false,
    kind: 'area',
    example: '1850',
    help: 'The living area on record, in square feet.',
  },
  {
    name: 'dwellingCoverage',
    title: 'Dwelling coverage (Cov A)',
    required: false,
    kind: 'money',
    example: '325000',
    help: 'Coverage of the building itself, in dollars.',
  },
  {
    name: 'otherStructureCoverage',
    title: 'Other structures coverage (Cov B)',
    required: false,
    kind: 'money',
    example: '32500',
    help: 'Coverage of other structures such as garages, sheds and pools, in dollars.',
  },
  {
    name: 'contentCoverage',
    title: 'Contents coverage (Cov C)',
    required: false,
    kind: 'money',
    example: '160000',
    help: 'Coverage of personal belongings, in dollars.',
  },
  {
    name: 'isRenewal',
    title: 'Renewal',
    required: false,
    kind: 'boolean',
    example: 'Yes',
    help: 'Yes for a renewal, No for a new policy.',
  },
  {
    name: 'supplementalServices',
    title: 'Supplemental services',
    required: false,
    kind: 'list',
    example: 'RC Report, Wildfire',
    values: SUPPLEMENTAL_SERVICES,
    help: 'Extra services, separated by commas: RC Report, Sinkhole, Wildfire.',
  },
  {
    name: 'agentName',
    title: 'Agent name',
    required: false,
    kind: 'text',
    example: 'Dana Whitlock',
    help: 'The agent who looks after the policy.',
  },
  {
    name: 'agentPhone',
    title: 'Agent phone',
    required: false,
    kind: 'phone',
    example: '813-555-0170',
    help: "The agent's phone number.",
  },
  {
    name: 'agentEmail',
    title: 'Agent email',
    required: false,
    kind: 'email',
    example: 'dana@example.com',
    help: "The agent's e-mail address.",
  },
  {
    name: 'note',
    title: 'Note',
    required: false,
    kind: 'text',
    example: 'Gate code 4410; two dogs.',
    help: 'What the inspector should know.',
  },
  {
    name: 'allowDuplication',
    title: 'Allow duplicate',
    required: false,
    kind: 'boolean',
    example: 'No',
    help: 'Yes to order although the same order was placed in the past 30 days; leave it empty otherwise.',
  },
];

export const ADDRESS_FIELDS = ['streetAddress', 'city', 'state', 'zipcode'] as const satisfies readonly FieldName[];
export type AddressField = (typeof ADDRESS_FIELDS)[number];

/** Optional, but strict: they identify an order, or decide dates, the insured value, the place or the inspection. */
const STRICT: ReadonlySet<FieldName> = new Set([
  'inspectionNumber',
  'policyNumber',
  'policyEffectiveDate',
  'insuredBy',
  'dueDate',
  'dwellingCoverage',
  'supplementalServices',
  'country',
  'allowDuplication',
]);

export function mayGoWithout({ name, required }: OrderField): boolean {
  return !required && !STRICT.has(name);
}

const FIELDS_BY_NAME: ReadonlyMap<string, OrderField> = new Map(ORDER_FIELDS.map((field) => [field.name, field]));

const HOUSE_TYPES_OF: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(HOUSE_TYPES_BY_POLICY_TYPE));

export function houseTypesOf(policyType: string): readonly string[] | undefined {
  return HOUSE_TYPES_OF.get(policyType);
}

export function whatToWrite({ help }: Pick<OrderField, 'help'>): string {
  const article = help.startsWith('City') ? 'the ' : '';
  return `Write ${article}${help.slice(0, 1).toLowerCase()}${help.slice(1)}`;
}

export function helpInOurs({ help, ofOurColumn }: Pick<OrderField, 'help' | 'ofOurColumn'>): string {
  return ofOurColumn === undefined ? help : `${help.slice(0, -1)}; ${ofOurColumn}`;
}

export function fieldNamed(name: string): OrderField | undefined {
  return FIELDS_BY_NAME.get(name);
}
