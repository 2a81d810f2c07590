import { type FieldName, ORDER_FIELDS } from '../fields.ts';
import { normalisedHeader, otherUnit, unitAdvice, writtenOut } from './known-headers.ts';

/**
 * A header that says too little by itself: whose phone is it, and is it the one to call? Or one that stands for a field only where no
 * other column does: an agency is its agent where nobody names one.
 */
interface ShortHeader {
  readonly field: FieldName;
  /** The other column it could mean; undefined where the header says whose it is. */
  readonly rival: FieldName | undefined;
}

const OWNERS = ['Client', 'Customer', 'Owner', 'Homeowner', 'Property owner', 'Account', 'Member'];
const INSUREDS = ['Insured', 'Named insured', 'Policyholder', 'Applicant', 'Ins'];

function of(whose: readonly string[], parts: readonly string[]): string[] {
  return whose.flatMap((one) => parts.map((part) => `${one} ${part}`));
}

const PHONES = ['phone', 'phone number', 'cell', 'cell phone', 'cell number', 'mobile', 'mobile phone', 'mobile number', 'home phone', 'home phone number', 'work phone', 'work phone number', 'business phone', 'day phone', 'daytime phone', 'evening phone'];

const RIVALLED: Readonly<Partial<Record<FieldName, readonly [rival: FieldName, names: readonly string[]]>>> = {
  insuredName: ['agentName', ['Name', 'Full name', ...OWNERS.filter((owner) => owner !== 'Account' && owner !== 'Member'), ...of(OWNERS, ['name', 'full name'])]],
  insuredPhone: ['agentPhone', ['Phone 1', 'Tel', 'Contact phone', 'Contact number', 'Contact phone number', 'Primary phone', 'Primary phone number', 'Best phone', 'Best phone number', 'Best contact number', ...PHONES, ...of(OWNERS, PHONES)]],
  insuredEmail: ['agentEmail', ['Email', 'Email address', 'Contact email', 'Primary email', 'Primary email address', 'Email 1', 'Home email', ...of(OWNERS, ['email', 'email address'])]],
};

const LONE: Readonly<Partial<Record<FieldName, readonly string[]>>> = {
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

/** By their names written out. */
const SHORT_HEADERS: ReadonlyMap<string, ShortHeader> = new Map(
  ORDER_FIELDS.flatMap(({ name: field }) => {
    const [rival, rivalled] = RIVALLED[field] ?? [undefined, []];
    const lone = (LONE[field] ?? []).map((name): [string, ShortHeader] => [writtenOut(name), { field, rival: undefined }]);
    return [...lone, ...rivalled.map((name): [string, ShortHeader] => [writtenOut(name), { field, rival }])];
  }),
);

const AGENT: readonly FieldName[] = ['agentName', 'agentPhone', 'agentEmail'];

/** What is longer is a text, and no header. */
const SHORT_HEADER_LENGTH_MAX = 60;

function shortHeaderOf(header: string): ShortHeader | undefined {
  if (header.length > SHORT_HEADER_LENGTH_MAX || otherUnit(header) !== undefined) return undefined;
  return SHORT_HEADERS.get(writtenOut(header));
}

/** The field that a short header could stand for, sure or not. */
export function couldStandFor(header: string): FieldName | undefined {
  return shortHeaderOf(header)?.field;
}

/** Whose columns stand to the left of a column, as far as that shows. */
export type Neighbour = 'insured' | 'agent' | undefined;

/** What else stands in the row of a short header. */
export interface Others {
  /** The other short headers that are not decided. */
  readonly headers: readonly string[];
  /** The fields that other columns stand for. */
  readonly fields: ReadonlySet<FieldName>;
  /** Whose columns it stands behind. */
  readonly leftOf?: Neighbour;
  /** The fields that short headers could stand for and nothing else: an agency's phone is what an agent's would be. */
  readonly could?: ReadonlySet<FieldName>;
}

/**
 * What a short header stands for among the others of its row, where that is sure: the insured has no such column under a full name, no
 * other short header wants to be it, and it cannot be the agent's: it stands behind the insured's columns, or the row names no agent, or
 * the agent's own column as well.
 */
export function shortHeaderField(header: string, { headers, fields, leftOf, could }: Others): FieldName | undefined {
  const short = shortHeaderOf(header);
  if (short === undefined || fields.has(short.field)) return undefined;
  if (headers.some((other) => couldStandFor(other) === short.field)) return undefined;
  if (short.rival === undefined || leftOf === 'insured' || fields.has(short.rival) || could?.has(short.rival) === true) return short.field;
  return leftOf === 'agent' || AGENT.some((field) => fields.has(field)) ? undefined : short.field;
}

/** Kinds of phones of one person, in the order in which they are tried. */
const PHONE_KINDS: readonly RegExp[] = [/cell|mobile/, /home/, /day|evening/, /work|business/];

/** Which of one person's phones a header names: the lower, the sooner it is called; undefined where it names no kind of phone. */
export function phoneRank(header: string): number | undefined {
  if (couldStandFor(header) !== 'insuredPhone') return undefined;
  const name = writtenOut(header).replaceAll('homeowner', 'owner');
  const rank = PHONE_KINDS.findIndex((kind) => kind.test(name));
  return rank === -1 ? undefined : rank;
}

/** Columns that many exports have and no order takes as they are, and what to do about each. */
const UNSENT_COLUMNS: readonly { readonly names: RegExp; readonly advice: string }[] = [
  {
    names: /^(?:insureds?|namedinsureds?|applicants?|customers?|clients?|policyholders?|owners?)?(?:first|last|middle|given|sur|family)(?:name|initial|nm)?$/,
    advice: 'a part of a name is no field of an order. Write the whole name into one column "Insured name"',
  },
  {
    names: /^(?:property|risk|location|loc|inspection|site)?(?:street)?(?:address|addr)(?:line)?2$|^(?:property|risk|location)?(?:unit|unitnumber|apt|aptnumber|apartment|suite|suitenumber|unitapt|aptunit)$/,
    advice: 'what it says of the address belongs into "Street address", behind the street',
  },
  { names: /^(?:mailing|billing|mail)/, advice: 'inspections are made at the property, not at a mailing address' },
  { names: /^(?:policy|pol)?(?:expiration|expiry|exp|enddate|termend|periodend)/, advice: 'an order does not take the end of the policy' },
];

/** What to do about a column that is known and still not sent; undefined for the others. It continues a sentence. */
export function unsentHeader(header: string): string | undefined {
  const unit = otherUnit(header);
  if (unit !== undefined) return unitAdvice(unit);
  const name = normalisedHeader(header);
  return UNSENT_COLUMNS.find(({ names }) => names.test(name))?.advice;
}
