import { HOUSE_TYPES_BY_POLICY_TYPE, POLICY_TYPES, SERVICE_NAMES, SUPPLEMENTAL_SERVICES } from '../contract/project.ts';
import type { CreateProjectRequest } from '../contract/project.ts';

/** How the value of a field is read from a cell. */
export type FieldKind =
  | 'text'
  /** A number that is a name: its zeros and its digits matter. */
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

/** A field of the create request, as people meet it in a spreadsheet. */
export interface OrderField {
  /** The service's name for it. */
  readonly name: FieldName;
  /** The header of our own template. */
  readonly title: string;
  readonly required: boolean;
  readonly kind: FieldKind;
  /** What else senders call it. Each belongs to this field and no other. */
  readonly synonyms: readonly string[];
  /** One sentence for whoever fills it in. */
  readonly help: string;
  readonly example: string;
  /** The values allowed, for `enum` and `list`. */
  readonly values?: readonly string[];
  /** Words that stand for yes and no in this column alone. */
  readonly words?: Readonly<Record<string, boolean>>;
}

/** Every house type, whatever the policy type. */
const HOUSE_TYPES: readonly string[] = [...new Set(Object.values(HOUSE_TYPES_BY_POLICY_TYPE).flat())];

/** The fields of the create request in the template's order (document: Resources, Project). */
export const ORDER_FIELDS: readonly OrderField[] = [
  {
    name: 'inspectionNumber', title: 'Inspection number', required: false, kind: 'id', example: 'INS-20417',
    synonyms: ['Inspection #', 'Inspection No', 'Inspection Num', 'Inspection ID', 'Order #', 'Order No', 'Order Number', 'Order ID', 'Request number', 'Request #', 'Case number', 'Case #'],
    help: 'Your own number for this inspection; two rows with the same number are one order.',
  },
  {
    name: 'policyNumber', title: 'Policy number', required: false, kind: 'id', example: 'HO-0048213',
    synonyms: ['Policy #', 'Policy No', 'Policy Num', 'Policy ID', 'Policy Nbr', 'Pol #', 'Pol No', 'Pol Number'],
    help: 'The policy number as it is printed on the policy; the column is text, so zeros in front stay.',
  },
  {
    name: 'policyEffectiveDate', title: 'Policy effective date', required: false, kind: 'date', example: '2026-11-01',
    synonyms: ['Effective date', 'Eff Date', 'Effective', 'Policy Effective', 'Policy Eff Date', 'Pol Eff Date', 'Policy start date', 'Policy start', 'Inception date', 'Policy inception date'],
    help: 'The day the policy takes effect.',
  },
  {
    name: 'insuredBy', title: 'Insurance company', required: false, kind: 'text', example: 'Bayline Mutual',
    synonyms: ['Insured by', 'Carrier', 'Carrier name', 'Insurer', 'Insurance carrier', 'Insurance company name', 'Underwriting company'],
    help: 'The insurance company the inspection is for.',
  },
  {
    name: 'division', title: 'Division', required: false, kind: 'text', example: 'Gulf Coast',
    synonyms: ['Division name', 'Division code', 'Business unit'],
    help: 'The division of the company, in any words you use.',
  },
  {
    name: 'serviceName', title: 'Service', required: true, kind: 'enum', example: '4-Point', values: SERVICE_NAMES,
    synonyms: ['Service name', 'Service type', 'Service requested', 'Inspection type', 'Type of inspection', 'Inspection service', 'Survey type', 'Report type'],
    help: 'The inspection to be made: choose one from the list.',
  },
  {
    name: 'policyType', title: 'Policy type', required: true, kind: 'enum', example: 'Homeowners Insurance', values: POLICY_TYPES,
    synonyms: ['Type of policy', 'Line of business', 'LOB', 'Insurance type', 'Policy line', 'Line of insurance'],
    help: 'The kind of insurance: choose one from the list; it decides which house types are allowed.',
  },
  {
    name: 'houseType', title: 'House type', required: true, kind: 'enum', example: 'Residential Single Family', values: HOUSE_TYPES,
    synonyms: ['Type of house', 'Home type', 'Property type', 'Type of property', 'Dwelling type', 'Building type', 'Structure type'],
    help: 'The kind of building: choose the policy type first, then one from the list.',
  },
  {
    name: 'streetAddress', title: 'Street address', required: true, kind: 'text', example: '118 Oak Ridge Ln',
    synonyms: ['Address', 'Street', 'Address 1', 'Address line 1', 'Property address', 'Risk address', 'Location address', 'Insured address', 'Property street', 'Property street address', 'Inspection address', 'Loss address', 'Site address', 'Location street', 'Risk street address'],
    help: 'House number and street of the property to be inspected.',
  },
  {
    name: 'city', title: 'City', required: true, kind: 'text', example: 'Tampa',
    synonyms: ['Town', 'City/Town', 'Property city', 'Risk city', 'Location city', 'Inspection city', 'Municipality'],
    help: 'City of the property.',
  },
  {
    name: 'state', title: 'State', required: true, kind: 'state', example: 'FL',
    synonyms: ['ST', 'US state', 'State code', 'Property state', 'Risk state', 'Location state', 'Inspection state', 'State abbreviation'],
    help: 'The two letters of the state, such as FL.',
  },
  {
    name: 'zipcode', title: 'ZIP code', required: true, kind: 'zip', example: '33609',
    synonyms: ['Zip', 'Zip+4', 'Zip Cd', 'Postal code', 'Postcode', 'Property zip', 'Property zip code', 'Risk zip', 'Risk zip code', 'Location zip', 'Inspection zip', 'US zip'],
    help: 'Five digits, or nine such as 33609-1204; the column is text, so a zero in front stays.',
  },
  {
    name: 'country', title: 'Country', required: false, kind: 'country', example: 'US',
    synonyms: ['Country code', 'Property country'],
    help: 'US, or empty: only addresses in the United States can be inspected.',
  },
  {
    name: 'insuredName', title: 'Insured name', required: true, kind: 'text', example: 'Marisol Vega',
    synonyms: ['Insured', 'Named insured', 'Name of insured', 'Primary insured', 'Policyholder', 'Policyholder name', 'Policy holder', 'Policy holder name', 'Insured full name', 'First named insured'],
    help: 'The person or company insured.',
  },
  {
    name: 'insuredPhone', title: 'Insured phone', required: true, kind: 'phone', example: '813-555-0142',
    synonyms: ['Insured phone number', 'Insured phone #', 'Insured phone no', 'Insured tel', 'Insured telephone', 'Insured mobile', 'Insured cell', 'Insured contact number', 'Policyholder phone', 'Named insured phone', 'Phone of insured', "Insured's phone"],
    help: 'The phone number at which the insured can be reached to make an appointment.',
  },
  {
    name: 'insuredEmail', title: 'Insured email', required: true, kind: 'email', example: 'marisol.vega@example.com',
    synonyms: ['Insured e-mail address', 'Insured mail', 'Policyholder email', 'Named insured email', 'Email of insured', "Insured's email"],
    help: 'The e-mail address of the insured; links for self-inspections go there.',
  },
  {
    name: 'dueDate', title: 'Due date', required: false, kind: 'date', example: '2026-11-20',
    synonyms: ['Due', 'Due by', 'Needed by', 'Need by', 'Complete by', 'Inspection due', 'Inspection due date', 'Requested completion date', 'Date due', 'Deadline'],
    help: 'The day by which the inspection should be done.',
  },
  {
    name: 'yearBuilt', title: 'Year built', required: false, kind: 'year', example: '1987',
    synonyms: ['Yr built', 'Built', 'Built in', 'Year of construction', 'Construction year', 'Year constructed', 'YOC', 'Year blt'],
    help: 'The year the house was built, four digits.',
  },
  {
    name: 'carrierProvidedLivingArea', title: 'Living area (sq ft)', required: false, kind: 'area', example: '1850',
    synonyms: ['Living area', 'Sq ft', 'Sqft', 'Square feet', 'Square footage', 'Sq footage', 'Living sq ft', 'Living area sqft', 'Total living area', 'TLA', 'Carrier living area', 'Heated sq ft', 'Living square feet'],
    help: 'The living area on record, in square feet.',
  },
  {
    name: 'dwellingCoverage', title: 'Dwelling coverage (Cov A)', required: false, kind: 'money', example: '325000',
    synonyms: ['Cov A', 'Coverage A', 'Dwelling', 'Dwelling coverage', 'Dwelling limit', 'Dwelling amount', 'Coverage A limit', 'Cov A limit', 'Coverage A dwelling', 'Cov. A - Dwelling', 'Building coverage', 'Building limit'],
    help: 'Coverage of the building itself, in dollars.',
  },
  {
    name: 'otherStructureCoverage', title: 'Other structures coverage (Cov B)', required: false, kind: 'money', example: '32500',
    synonyms: ['Cov B', 'Coverage B', 'Other structures', 'Other structures limit', 'Other structure', 'Other structures coverage', 'Coverage B limit', 'Cov B limit', 'Coverage B other structures', 'Appurtenant structures'],
    help: 'Coverage of other structures such as garages, sheds and pools, in dollars.',
  },
  {
    name: 'contentCoverage', title: 'Contents coverage (Cov C)', required: false, kind: 'money', example: '160000',
    synonyms: ['Cov C', 'Coverage C', 'Contents', 'Contents coverage', 'Content limit', 'Contents limit', 'Personal property', 'Personal property limit', 'Personal property coverage', 'Coverage C limit', 'Cov C limit', 'Coverage C contents', 'Coverage C personal property'],
    help: 'Coverage of personal belongings, in dollars.',
  },
  {
    name: 'isRenewal', title: 'Renewal', required: false, kind: 'boolean', example: 'Yes', words: { renewal: true, renew: true, new: false, newbusiness: false },
    synonyms: ['Renewal Y/N', 'Renewal policy', 'New or renewal', 'New/Renewal', 'New business or renewal', 'Policy status new/renewal'],
    help: 'Yes for a renewal, No for a new policy.',
  },
  {
    name: 'supplementalServices', title: 'Supplemental services', required: false, kind: 'list', example: 'RC Report, Wildfire', values: SUPPLEMENTAL_SERVICES,
    synonyms: ['Supplemental service', 'Supplements', 'Add-ons', 'Additional services', 'Extra services', 'Supplemental reports'],
    help: 'Extra services, separated by commas: RC Report, Sinkhole, Wildfire.',
  },
  {
    name: 'agentName', title: 'Agent name', required: false, kind: 'text', example: 'Dana Whitlock',
    synonyms: ['Agent', 'Insurance agent', 'Producer', 'Producer name', 'Name of agent', 'Broker', 'Broker name'],
    help: 'The agent who looks after the policy.',
  },
  {
    name: 'agentPhone', title: 'Agent phone', required: false, kind: 'phone', example: '813-555-0170',
    synonyms: ['Agent phone number', 'Agent phone #', 'Agent phone no', 'Agent tel', 'Agent telephone', 'Producer phone', 'Broker phone', "Agent's phone"],
    help: "The agent's phone number.",
  },
  {
    name: 'agentEmail', title: 'Agent email', required: false, kind: 'email', example: 'dana@example.com',
    synonyms: ['Agent e-mail address', 'Agent mail', 'Producer email', 'Broker email', "Agent's email"],
    help: "The agent's e-mail address.",
  },
  {
    name: 'note', title: 'Note', required: false, kind: 'text', example: 'Gate code 4410; two dogs.',
    synonyms: ['Notes', 'Comment', 'Comments', 'Remarks', 'Special instructions', 'Instructions', 'Instructions to inspector', 'Inspector notes', 'Note to inspector', 'Notes to inspector', 'Attention notes', 'Order notes'],
    help: 'What the inspector should know.',
  },
  {
    name: 'allowDuplication', title: 'Allow duplicate', required: false, kind: 'boolean', example: 'No',
    synonyms: ['Allow duplicates', 'Duplicate OK', 'Duplicate allowed', 'Order anyway'],
    help: 'Yes to order although the same order was placed in the past 30 days; leave it empty otherwise.',
  },
];

const FIELDS_BY_NAME: ReadonlyMap<string, OrderField> = new Map(ORDER_FIELDS.map((field) => [field.name, field]));

const HOUSE_TYPES_OF: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(HOUSE_TYPES_BY_POLICY_TYPE));

/** The house types that go with a policy type (document: houseType by policyType). */
export function houseTypesOf(policyType: string): readonly string[] | undefined {
  return HOUSE_TYPES_OF.get(policyType);
}

/** The field the service calls by this name. */
export function fieldNamed(name: string): OrderField | undefined {
  return FIELDS_BY_NAME.get(name);
}
