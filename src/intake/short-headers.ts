import type { FieldName } from './fields.ts';
import { normalisedHeader } from './known-headers.ts';

/** A header that says too little by itself: whose phone is it? */
interface ShortHeader {
  readonly field: FieldName;
  /** The other column it could mean. */
  readonly rival: FieldName;
  readonly names: ReadonlySet<string>;
}

function shortHeader(field: FieldName, rival: FieldName, names: readonly string[]): ShortHeader {
  return { field, rival, names: new Set(names.map(normalisedHeader)) };
}

const SHORT_HEADERS: readonly ShortHeader[] = [
  shortHeader('insuredName', 'agentName', ['Name', 'Full name', 'Client', 'Client name', 'Customer', 'Customer name', 'Owner', 'Owner name', 'Homeowner']),
  shortHeader('insuredPhone', 'agentPhone', [
    'Phone', 'Phone number', 'Phone #', 'Phone no', 'Telephone', 'Tel', 'Mobile', 'Mobile phone', 'Cell', 'Cell phone',
    'Contact phone', 'Contact number', 'Contact phone number', 'Client phone', 'Customer phone', 'Owner phone', 'Home phone',
  ]),
  shortHeader('insuredEmail', 'agentEmail', ['Email', 'E-mail', 'Email address', 'E-mail address', 'Contact email', 'Client email', 'Customer email', 'Owner email']),
];

const AGENT: readonly FieldName[] = ['agentName', 'agentPhone', 'agentEmail'];

/**
 * What a short header stands for among the others of its row, where that is sure: the insured has no such column under a full name, no
 * other short header wants to be it, and it cannot be the agent's, because the row names no agent, or the agent's own column as well.
 */
export function shortHeaderField(header: string, others: { readonly headers: readonly string[]; readonly fields: ReadonlySet<FieldName> }): FieldName | undefined {
  const name = normalisedHeader(header);
  const short = SHORT_HEADERS.find(({ names }) => names.has(name));
  if (short === undefined || others.fields.has(short.field)) return undefined;
  if (others.headers.some((other) => short.names.has(normalisedHeader(other)))) return undefined;
  const namesAnAgent = AGENT.some((field) => others.fields.has(field));
  return namesAnAgent && !others.fields.has(short.rival) ? undefined : short.field;
}
