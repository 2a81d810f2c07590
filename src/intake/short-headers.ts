import type { FieldName } from './fields.ts';
import { normalisedHeader } from './known-headers.ts';

/** A header that says too little by itself: whose phone is it, and is it the one to call? */
interface ShortHeader {
  readonly field: FieldName;
  /** The other column it could mean; undefined where the header says whose it is. */
  readonly rival: FieldName | undefined;
  readonly names: ReadonlySet<string>;
}

function shortHeader(field: FieldName, rival: FieldName | undefined, names: readonly string[]): ShortHeader {
  return { field, rival, names: new Set(names.map(normalisedHeader)) };
}

const SHORT_HEADERS: readonly ShortHeader[] = [
  shortHeader('insuredName', 'agentName', [
    'Name', 'Full name', 'Client', 'Client name', 'Customer', 'Customer name', 'Owner', 'Owner name', 'Homeowner', 'Homeowner name', 'Account name', 'Member name', 'Property owner', 'Property owner name',
  ]),
  shortHeader('insuredPhone', 'agentPhone', [
    'Phone', 'Phone number', 'Phone #', 'Phone no', 'Phone 1', 'Telephone', 'Telephone number', 'Tel', 'Mobile', 'Mobile phone', 'Mobile number', 'Cell', 'Cell phone', 'Cell number', 'Contact phone',
    'Contact number', 'Contact phone number', 'Client phone', 'Customer phone', 'Owner phone', 'Homeowner phone', 'Home phone', 'Home phone number', 'Primary phone', 'Primary phone number', 'Best phone',
  ]),
  shortHeader('insuredPhone', undefined, ['Insured', 'Named insured', 'Policyholder', 'Applicant'].flatMap((whose) => ['mobile', 'mobile phone', 'cell', 'cell phone', 'home phone', 'work phone', 'day phone', 'evening phone', 'phone 2'].map((part) => `${whose} ${part}`))),
  shortHeader('insuredEmail', 'agentEmail', [
    'Email', 'E-mail', 'Email address', 'E-mail address', 'Contact email', 'Client email', 'Customer email', 'Owner email', 'Homeowner email', 'Primary email', 'Primary email address', 'Email 1', 'Home email',
  ]),
];

const AGENT: readonly FieldName[] = ['agentName', 'agentPhone', 'agentEmail'];

function shortHeaderOf(header: string): ShortHeader | undefined {
  const name = normalisedHeader(header);
  return SHORT_HEADERS.find(({ names }) => names.has(name));
}

/** The field that a short header could stand for, sure or not. */
export function couldStandFor(header: string): FieldName | undefined {
  return shortHeaderOf(header)?.field;
}

/**
 * What a short header stands for among the others of its row, where that is sure: the insured has no such column under a full name, no
 * other short header wants to be it, and it cannot be the agent's, because the row names no agent, or the agent's own column as well.
 */
export function shortHeaderField(header: string, others: { readonly headers: readonly string[]; readonly fields: ReadonlySet<FieldName> }): FieldName | undefined {
  const short = shortHeaderOf(header);
  if (short === undefined || others.fields.has(short.field)) return undefined;
  if (others.headers.some((other) => couldStandFor(other) === short.field)) return undefined;
  const namesAnAgent = AGENT.some((field) => others.fields.has(field));
  return short.rival !== undefined && namesAnAgent && !others.fields.has(short.rival) ? undefined : short.field;
}
