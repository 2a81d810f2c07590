/*
 * The fields of an order and every header that stands for one: a synonym is added here, to `synonyms` of its field or, if it says too little
 * by itself, to the tables of short headers at the end. Short forms of single words (`Prop`, `Eff`) are `WORDS` in header/known-headers.ts.
 */

import { type CreateProjectRequest, HOUSE_TYPES_BY_POLICY_TYPE, POLICY_TYPES, SERVICE_NAMES, SUPPLEMENTAL_SERVICES } from '../contract/document.ts';

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

/** `Property city`, `Risk city`, …: the parts of the address to be inspected. A mailing address is another. */
function ofProperty(parts: readonly string[]): string[] {
  return ['Property', 'Risk', 'Location', 'Inspection', 'Site', 'Premises', 'Property location', 'Risk location', 'Insured location', 'Insured property', 'Subject property', 'Covered property', 'Loss', 'Situs', 'Physical', 'Dwelling', 'Building'].flatMap((whose) =>
    parts.map((part) => `${whose} ${part}`),
  );
}

/** `Insured phone`, `Policyholder phone`, … */
function ofInsured(parts: readonly string[]): string[] {
  return ['Insured', "Insured's", 'Named insured', 'Primary insured', 'First named insured', 'Policyholder', "Policyholder's", 'Policy holder', 'Applicant', "Applicant's"].flatMap((whose) =>
    parts.map((part) => `${whose} ${part}`),
  );
}

/** `Agent phone`, `Producer phone`, … An agency is not its agent. */
function ofAgent(parts: readonly string[]): string[] {
  return ['Agent', "Agent's", 'Producer', "Producer's", 'Broker', "Broker's", 'Insurance agent'].flatMap((whose) => parts.map((part) => `${whose} ${part}`));
}

/** Every house type, whatever the policy type. */
const HOUSE_TYPES: readonly string[] = [...new Set(Object.values(HOUSE_TYPES_BY_POLICY_TYPE).flat())];

/** The fields of the create request in the template's order (document: Resources, Project). */
export const ORDER_FIELDS: readonly OrderField[] = [
  {
    name: 'inspectionNumber', title: 'Inspection number', required: false, kind: 'id', example: 'INS-20417',
    synonyms: [
      'Inspection #', 'Inspection No', 'Inspection Num', 'Inspection ID', 'Order #', 'Order No', 'Order Number', 'Order ID', 'Request number',
      'Request #', 'Case number', 'Case #', 'Inspection reference', 'Inspection ref', 'Inspection request number', 'Inspection order number',
      'Request ID', 'Case ID', 'Order reference', 'Order ref', 'Inspection request ID', 'Inspection order ID',
    ],
    help: 'Your own number for this inspection; two rows with the same number are one order.',
  },
  {
    name: 'policyNumber', title: 'Policy number', required: false, kind: 'id', example: 'HO-0048213',
    synonyms: [
      'Policy #', 'Policy No', 'Policy Num', 'Policy ID', 'Policy Nbr', 'Pol #', 'Pol No', 'Pol Number', 'PolicyNum', 'Policy reference number',
      'Full policy number', 'Current policy number',
    ],
    help: 'The policy number as it is printed on the policy; the column is text, so zeros in front stay.',
  },
  {
    name: 'policyEffectiveDate', title: 'Policy effective date', required: false, kind: 'date', example: '2026-11-01',
    synonyms: [
      'Effective date', 'Eff Date', 'Effective', 'Policy Effective', 'Policy Eff Date', 'Pol Eff Date', 'Policy start date', 'Policy start',
      'Inception date', 'Policy inception date', 'Date effective', 'Effective date of policy', 'Term effective date', 'Term effective',
      'Period start', 'Period start date', 'Policy period start', 'Policy period start date', 'Policy term start', 'Policy term start date',
      'Policy period from', 'Coverage effective date', 'Coverage start date', 'Inception', 'Policy inception', 'PolEffDt', 'PolicyEffDt',
      'Effective from',
    ],
    help: 'The day the policy takes effect.',
  },
  {
    name: 'insuredBy', title: 'Insurance company', required: false, kind: 'text', example: 'Bayline Mutual',
    synonyms: [
      'Insured by', 'Carrier', 'Carrier name', 'Insurer', 'Insurance carrier', 'Insurance company name', 'Underwriting company', 'Insurance co',
      'Insurance co name', 'Ins co', 'Ins company', 'Ins co name', 'Ins company name', 'Ins carrier', 'Insurer name', 'Writing company', 'Writing company name', 'Issuing company', 'Issuing company name', 'Insuring company',
      'Carrier company', 'Underwriting company name', 'Writing carrier',
    ],
    help: 'The insurance company the inspection is for.',
  },
  {
    name: 'division', title: 'Division', required: false, kind: 'text', example: 'Gulf Coast',
    synonyms: [
      'Division name', 'Division code', 'Business unit', 'Company division',
    ],
    help: 'The division of the company, in any words you use.',
  },
  {
    name: 'serviceName', title: 'Service', required: true, kind: 'enum', example: '4-Point', values: SERVICE_NAMES,
    synonyms: [
      'Service name', 'Service type', 'Service requested', 'Inspection type', 'Type of inspection', 'Inspection service', 'Survey type',
      'Report type', 'Service ordered', 'Services requested', 'Inspection service type', 'Inspection product', 'Type of survey',
      'Inspection requested', 'Inspection ordered', 'Inspection type requested', 'Type of inspection requested', 'Type of service', 'Type of report',
    ],
    help: 'The inspection to be made: choose one from the list.',
  },
  {
    name: 'policyType', title: 'Policy type', required: true, kind: 'enum', example: 'Homeowners Insurance', values: POLICY_TYPES,
    synonyms: [
      'Type of policy', 'Line of business', 'LOB', 'Insurance type', 'Policy line', 'Line of insurance', 'Line of business LOB', 'LOB description',
      'LOB name', 'Type of insurance', 'Insurance line', 'Policy line of business', 'Policy LOB', 'Business line',
    ],
    help: 'The kind of insurance: choose one from the list; it decides which house types are allowed.',
  },
  {
    name: 'houseType', title: 'House type', required: true, kind: 'enum', example: 'Residential Single Family', values: HOUSE_TYPES,
    synonyms: [
      'Type of house', 'Home type', 'Property type', 'Type of property', 'Dwelling type', 'Building type', 'Structure type', 'Residence type',
      'Type of dwelling', 'Type of building', 'Type of home', 'Type of residence', 'Type of structure', 'Kind of building',
    ],
    help: 'The kind of building: choose the policy type first, then one from the list.',
  },
  {
    name: 'streetAddress', title: 'Street address', required: true, kind: 'text', example: '118 Oak Ridge Ln',
    synonyms: [
      'Address', 'Street', 'Address 1', 'Address line 1', 'Addr1', 'Insured address', 'Loss address', 'Street 1', 'Street address 1', 'Street address line 1', 'Street name and number',
      'House number and street', 'Address of property', 'Address of risk', 'Address of inspection', 'Address to inspect', 'Property address street',
      ...ofProperty(['address', 'address 1', 'address line 1', 'street', 'street 1', 'street address', 'street address 1', 'addr1']),
    ],
    help: 'House number and street of the property to be inspected.',
  },
  {
    name: 'city', title: 'City', required: true, kind: 'text', example: 'Tampa',
    synonyms: ['Town', 'City/Town', 'City name', 'Town/City', 'Municipality', 'Property address city', ...ofProperty(['city', 'town', 'city name', 'address city'])],
    help: 'City of the property.',
  },
  {
    name: 'state', title: 'State', required: true, kind: 'state', example: 'FL',
    synonyms: [
      'ST', 'US state', 'State code', 'State abbreviation', 'State abbr', 'State name', 'State/Province', 'Property address state',
      ...ofProperty(['state', 'st', 'state code', 'st code', 'address state', 'state abbreviation']),
    ],
    help: 'The two letters of the state, such as FL.',
  },
  {
    name: 'zipcode', title: 'ZIP code', required: true, kind: 'zip', example: '33609',
    synonyms: [
      'Zip', 'Zip+4', 'Zip Cd', 'Postal code', 'Postcode', 'US zip', 'Zip/Postal code', 'Zip or postal code', 'Zip 5', '5 digit zip', 'Postal', 'Property address zip', 'Property address zip code',
      ...ofProperty(['zip', 'zip code', 'postal code', 'zip cd', 'address zip', 'address zip code', 'postcode']),
    ],
    help: 'Five digits, or nine such as 33609-1204; the column is text, so a zero in front stays.',
  },
  {
    name: 'country', title: 'Country', required: false, kind: 'country', example: 'US',
    synonyms: ['Country code', 'Country name', ...ofProperty(['country'])],
    help: 'US, or empty: only addresses in the United States can be inspected.',
  },
  {
    name: 'insuredName', title: 'Insured name', required: true, kind: 'text', example: 'Marisol Vega',
    synonyms: [
      'Insured', 'Insured(s)', 'Insured 1', 'Insured name 1', 'Insured party', 'Insured full name', "Insured's name", "Insured's full name", 'Name insured', 'Named insured', 'Named insured 1', 'Name of insured',
      'Named insured name', 'Named insured full name', 'Primary insured', 'Primary insured name', 'Primary named insured', 'First named insured', 'First named insured name', 'Policyholder',
      'Policyholder name', "Policyholder's name", 'Policyholder full name', 'Policy holder', 'Policy holder name', 'Name of policyholder', 'Applicant', 'Applicant name', 'Applicant full name',
      'Name of applicant', 'Insured/Applicant', 'Insured/Applicant name', 'Insured or applicant name', 'Insured business name', 'Insured company name',
    ],
    help: 'The person or company insured.',
  },
  {
    name: 'insuredPhone', title: 'Insured phone', required: true, kind: 'phone', example: '813-555-0142',
    synonyms: [
      'Phone of insured', "Insured's telephone",
      ...ofInsured(['phone', 'phone number', 'phone no', 'phone #', 'phone 1', 'tel', 'tel no', 'telephone', 'telephone number', 'contact number', 'contact phone', 'contact phone number', 'primary phone', 'primary phone number', 'best phone', 'best contact number']),
    ],
    help: 'The phone number at which the insured can be reached to make an appointment.',
  },
  {
    name: 'insuredEmail', title: 'Insured email', required: true, kind: 'email', example: 'marisol.vega@example.com',
    synonyms: [
      'Email of insured', 'Insured mail',
      ...ofInsured(['email', 'email address', 'email addr', 'e-mail', 'contact email', 'primary email', 'primary email address', 'email 1']),
    ],
    help: 'The e-mail address of the insured; links for self-inspections go there.',
  },
  {
    name: 'dueDate', title: 'Due date', required: false, kind: 'date', example: '2026-11-20',
    synonyms: [
      'Due', 'Due by', 'Needed by', 'Need by', 'Complete by', 'Inspection due', 'Inspection due date', 'Requested completion date', 'Date due',
      'Deadline', 'Due on', 'Date needed', 'Date needed by', 'Date required', 'Required by', 'Required by date', 'Required date', 'Needed by date',
      'Complete by date', 'Completion due date', 'Requested due date', 'Request due date', 'Target completion date', 'Inspection deadline',
      'Inspection needed by', 'Need by date', 'Report due', 'Report due date', 'Report due by', 'Order due date', 'Inspection due by',
    ],
    help: 'The day by which the inspection should be done.',
  },
  {
    name: 'yearBuilt', title: 'Year built', required: false, kind: 'year', example: '1987',
    synonyms: [
      'Yr built', 'Built', 'Built in', 'Year of construction', 'Construction year', 'Year constructed', 'YOC', 'Year blt', 'Built year',
      'Year home built', 'Year house built', 'Year of build', 'Original year built', 'Dwelling year built', 'Building year built', 'Home year built',
      'Year structure built', 'Year property built', 'Year construction',
    ],
    help: 'The year the house was built, four digits.',
  },
  {
    name: 'carrierProvidedLivingArea', title: 'Living area (sq ft)', required: false, kind: 'area', example: '1850',
    synonyms: [
      'Living area', 'Sq ft', 'Sqft', 'Square feet', 'Square footage', 'Sq footage', 'Living sq ft', 'Living area sqft', 'Total living area', 'TLA',
      'Carrier living area', 'Heated sq ft', 'Living square feet', 'Living area sf', 'Living area sq feet', 'GLA', 'Gross living area', 'Sq feet',
      'Square ft', 'Heated area', 'Heated square feet', 'Heated square footage', 'Living space', 'Livable area', 'Living square footage',
      'House sq ft', 'House square footage', 'Home sq ft', 'Home square footage', 'Dwelling sq ft', 'Dwelling square footage', 'Carrier sq ft',
      'Carrier square footage', 'Carrier provided sq ft', 'Total living area sq ft', 'Total living area square feet', 'Area sq ft',
      'Sq ft living area', 'Square feet of living area', 'Total living square feet',
    ],
    help: 'The living area on record, in square feet.',
  },
  {
    name: 'dwellingCoverage', title: 'Dwelling coverage (Cov A)', required: false, kind: 'money', example: '325000',
    synonyms: [
      'Cov A', 'Coverage A', 'Dwelling', 'Dwelling coverage', 'Dwelling limit', 'Dwelling amount', 'Coverage A limit', 'Cov A limit',
      'Coverage A dwelling', 'Cov. A - Dwelling', 'Building coverage', 'Building limit', 'Dwelling cov A', 'Dwelling limit cov A',
      'Dwelling coverage A', 'Cov A dwelling limit', 'Coverage A dwelling limit', 'Coverage A dwelling amount', 'A dwelling', 'Building amount',
      'Bldg limit', 'Bldg coverage', 'Building coverage limit', 'Limit A', 'Dwelling cov', 'Dwelling coverage limit', 'Dwelling coverage amount',
      'Dwelling limit amount', 'Cov A amount', 'Cov A limit amount', 'Coverage A amount', 'Coverage A limit amount',
    ],
    help: 'Coverage of the building itself, in dollars.',
  },
  {
    name: 'otherStructureCoverage', title: 'Other structures coverage (Cov B)', required: false, kind: 'money', example: '32500',
    synonyms: [
      'Cov B', 'Coverage B', 'Other structures', 'Other structures limit', 'Other structure', 'Other structures coverage', 'Coverage B limit',
      'Cov B limit', 'Coverage B other structures', 'Appurtenant structures', 'Cov B other structures', 'Other structures cov B',
      'Coverage B other structures limit', 'Cov. B - Other structures', 'Limit B', 'Detached structures', 'Detached structures coverage',
      'Other structures cov', 'Appurtenant structures limit', 'Other structures amount', 'Other structures coverage limit',
      'Other structures coverage amount', 'Other structures limit amount', 'Other structure limit', 'Other structure amount',
      'Oth str', 'Oth str cov', 'App struct', 'App structures', 'Other struct cov', 'Other structure coverage limit', 'Other structure coverage amount', 'Other structure limit amount', 'Cov B amount', 'Cov B limit amount',
      'Coverage B amount', 'Coverage B limit amount',
    ],
    help: 'Coverage of other structures such as garages, sheds and pools, in dollars.',
  },
  {
    name: 'contentCoverage', title: 'Contents coverage (Cov C)', required: false, kind: 'money', example: '160000',
    synonyms: [
      'Cov C', 'Coverage C', 'Contents', 'Contents coverage', 'Content limit', 'Contents limit', 'Personal property', 'Personal property limit',
      'Personal property coverage', 'Coverage C limit', 'Cov C limit', 'Coverage C contents', 'Coverage C personal property', 'Cov C contents',
      'Cov C personal property', 'Contents cov C', 'Personal property cov C', 'Coverage C personal property limit', 'Limit C', 'Content coverage',
      'Contents cov', 'Personal property cov', 'Pers property', 'Contents amount', 'Contents coverage limit', 'Contents coverage amount',
      'Contents limit amount', 'Personal property amount', 'Personal property coverage limit', 'Personal property coverage amount',
      'Personal property limit amount', 'Cov C amount', 'Cov C limit amount', 'Coverage C amount', 'Coverage C limit amount',
    ],
    help: 'Coverage of personal belongings, in dollars.',
  },
  {
    name: 'isRenewal', title: 'Renewal', required: false, kind: 'boolean', example: 'Yes', words: { renewal: true, renew: true, renewed: true, rn: true, rnwl: true, ren: true, r: true, new: false, newbusiness: false, newpolicy: false, newbus: false, nb: false },
    synonyms: [
      'Renewal Y/N', 'Renewal policy', 'New or renewal', 'New/Renewal', 'New business or renewal', 'Policy status new/renewal', 'Is renewal',
      'Is this a renewal', 'New/Renew', 'New/Ren', 'New Bus/Renewal', 'NB/Renewal', 'NB/RN', 'New business/Renewal', 'New or renew',
      'NB or renewal', 'New/Renewal type', 'Renewal indicator', 'Renewal ind', 'Renewal flag', 'Renewal yes/no', 'Renewal business',
    ],
    help: 'Yes for a renewal, No for a new policy.',
  },
  {
    name: 'supplementalServices', title: 'Supplemental services', required: false, kind: 'list', example: 'RC Report, Wildfire', values: SUPPLEMENTAL_SERVICES,
    synonyms: [
      'Supplemental service', 'Supplements', 'Add-ons', 'Additional services', 'Extra services', 'Supplemental reports', 'Supplemental',
      'Supplemental services requested', 'Supplementary services', 'Add on services', 'Add-on service', 'Additional reports', 'Optional services',
    ],
    help: 'Extra services, separated by commas: RC Report, Sinkhole, Wildfire.',
  },
  {
    name: 'agentName', title: 'Agent name', required: false, kind: 'text', example: 'Dana Whitlock',
    synonyms: [
      'Agent', 'Insurance agent', 'Producer', 'Producer name', 'Name of agent', 'Broker', 'Broker name', 'Agent full name', "Agent's name",
      'Writing agent', 'Writing agent name', 'Agent of record', 'Producing agent', 'Producing agent name', 'Insurance agent name', 'Broker/Agent',
      'Agent/Broker', 'Agent/Producer', 'Producer/Agent', 'Agent contact name',
    ],
    help: 'The agent who looks after the policy.',
  },
  {
    name: 'agentPhone', title: 'Agent phone', required: false, kind: 'phone', example: '813-555-0170',
    synonyms: ofAgent(['phone', 'phone number', 'phone no', 'phone #', 'telephone', 'telephone number', 'tel', 'contact number', 'contact phone', 'cell', 'cell phone', 'mobile']),
    help: "The agent's phone number.",
  },
  {
    name: 'agentEmail', title: 'Agent email', required: false, kind: 'email', example: 'dana@example.com',
    synonyms: ['Agent mail', ...ofAgent(['email', 'email address', 'e-mail', 'e-mail address', 'contact email'])],
    help: "The agent's e-mail address.",
  },
  {
    name: 'note', title: 'Note', required: false, kind: 'text', example: 'Gate code 4410; two dogs.',
    synonyms: [
      'Notes', 'Comment', 'Comments', 'Remarks', 'Special instructions', 'Instructions', 'Instructions to inspector', 'Inspector notes',
      'Note to inspector', 'Notes to inspector', 'Attention notes', 'Order notes', 'Order comments', 'Order note', 'Inspection notes',
      'Inspection comments', 'Inspection instructions', 'Special notes', 'Special requests', 'Special handling', 'Special handling instructions',
      'Additional notes', 'Additional comments', 'Additional instructions', 'Inspector instructions', 'Notes for inspector', 'Comments for inspector',
      'Comments to inspector', 'Notes to vendor', 'Notes/Comments', 'Comments/Notes', 'Comments/Instructions', 'Notes/Instructions',
      'Comments/Special instructions', 'Note/Comment', 'Remark', 'Attention',
    ],
    help: 'What the inspector should know.',
  },
  {
    name: 'allowDuplication', title: 'Allow duplicate', required: false, kind: 'boolean', example: 'No',
    synonyms: ['Allow duplicates', 'Allow dup', 'Allow dups', 'Allow dupe', 'Allow dupes', 'Duplicate OK', 'Dup OK', 'Dupe OK', 'Duplicate allowed', 'Order anyway'],
    help: 'Yes to order although the same order was placed in the past 30 days; leave it empty otherwise.',
  },
];

const OWNERS = ['Client', 'Customer', 'Owner', 'Homeowner', 'Property owner', 'Account', 'Member'];
const INSUREDS = ['Insured', 'Named insured', 'Policyholder', 'Applicant', 'Ins'];

function of(whose: readonly string[], parts: readonly string[]): string[] {
  return whose.flatMap((one) => parts.map((part) => `${one} ${part}`));
}

const PHONES = ['phone', 'phone number', 'cell', 'cell phone', 'cell number', 'mobile', 'mobile phone', 'mobile number', 'home phone', 'home phone number', 'work phone', 'work phone number', 'business phone', 'day phone', 'daytime phone', 'evening phone'];

/**
 * Headers that say too little by themselves: whose phone is it, and is it the one to call? Each stands for its field only where nothing else in the
 * header row speaks for the rival, the other field that it could mean.
 */
export const RIVALLED_SYNONYMS: Readonly<Partial<Record<FieldName, readonly [rival: FieldName, names: readonly string[]]>>> = {
  insuredName: ['agentName', ['Name', 'Full name', ...OWNERS.filter((owner) => owner !== 'Account' && owner !== 'Member'), ...of(OWNERS, ['name', 'full name'])]],
  insuredPhone: ['agentPhone', ['Phone 1', 'Tel', 'Contact phone', 'Contact number', 'Contact phone number', 'Primary phone', 'Primary phone number', 'Best phone', 'Best phone number', 'Best contact number', ...PHONES, ...of(OWNERS, PHONES)]],
  insuredEmail: ['agentEmail', ['Email', 'Email address', 'Contact email', 'Primary email', 'Primary email address', 'Email 1', 'Home email', ...of(OWNERS, ['email', 'email address'])]],
};

/** Headers that stand for a field only where no other column does: an agency is its agent where nobody names one. */
export const LONE_SYNONYMS: Readonly<Partial<Record<FieldName, readonly string[]>>> = {
  policyNumber: ['Policy', 'Policy ref', 'Policy reference', 'Policy/Quote number', 'Quote/Policy number', 'Policy number/ID', 'Certificate number'],
  policyEffectiveDate: ['Trans eff date', 'Transaction effective date'],
  insuredBy: ['Company', 'Company name', 'UW company'],
  division: ['Div', 'Branch', 'Branch name', 'Region', 'Region name'],
  serviceName: ['Inspection type code', 'Service type code', 'Services'],
  policyType: ['Policy type code', 'LOB code', 'Policy form', 'Policy class', 'Policy kind', 'Class of business'],
  houseType: ['Occupancy', 'Occupancy type', 'Dwelling type code', 'Building type code', 'Dwelling style'],
  insuredName: ['Ins name'],
  insuredPhone: [...of(INSUREDS, PHONES.slice(2)), ...of(INSUREDS, ['phone 2']), ...of(['Ins'], ['phone', 'phone number', 'contact phone', 'contact number'])],
  insuredEmail: of(['Ins'], ['email', 'email address']),
  yearBuilt: ['YB'],
  carrierProvidedLivingArea: ['Total square feet', 'Finished square feet', 'Building square feet', 'Building area', 'Finished area', 'Home size', 'House size'],
  dwellingCoverage: ['Dwelling value', 'Building value', 'Structure coverage'],
  contentCoverage: ['BPP', 'BPP limit', 'PP limit', 'Business personal property', 'Business personal property limit', 'Cont cov', 'Contents value'],
  dueDate: ['Completion date', 'Target date', 'Inspect by', 'Inspect by date', 'Must complete by', 'Complete no later than'],
  agentName: ['Agency', 'Agency name', 'Agency/Agent', 'Producing agency', 'Agent contact', 'Retail agent'],
  agentPhone: [...of(['Agency'], ['phone', 'phone number', 'contact phone', 'contact number']), 'Agent office phone', 'Agency office phone'],
  agentEmail: of(['Agency'], ['email', 'email address', 'contact email']),
  note: ['UW notes', 'UW comments', 'UW remarks', 'Additional info', 'Additional information', 'Access instructions', 'Vendor instructions', 'Areas of concern', 'Concerns'],
};

/** Where the house stands. */
export const ADDRESS_FIELDS = ['streetAddress', 'city', 'state', 'zipcode'] as const satisfies readonly FieldName[];
export type AddressField = (typeof ADDRESS_FIELDS)[number];

const FIELDS_BY_NAME: ReadonlyMap<string, OrderField> = new Map(ORDER_FIELDS.map((field) => [field.name, field]));

const HOUSE_TYPES_OF: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(HOUSE_TYPES_BY_POLICY_TYPE));

/** The house types that go with a policy type (document: houseType by policyType). */
export function houseTypesOf(policyType: string): readonly string[] | undefined {
  return HOUSE_TYPES_OF.get(policyType);
}

/** `Write the city of the property.` */
export function whatToWrite({ help }: Pick<OrderField, 'help'>): string {
  const article = help.startsWith('City') ? 'the ' : '';
  return `Write ${article}${help.slice(0, 1).toLowerCase()}${help.slice(1)}`;
}

/** The field the service calls by this name. */
export function fieldNamed(name: string): OrderField | undefined {
  return FIELDS_BY_NAME.get(name);
}
