import { HOUSE_TYPES_BY_POLICY_TYPE, SELF_INSPECTION_SERVICE_NAMES, SERVICE_NAMES } from '../../contract/project.ts';
import { REPORT_TYPES } from '../../contract/report.ts';
import { PROJECT_STATUSES } from '../../contract/status.ts';

const quoted = (values: readonly string[]): string => values.map((value) => `\`${value}\``).join(', ');
const known = (values: readonly string[]): string => `Known values: ${quoted(values)}. Others may occur.`;
const houseTypes = Object.entries(HOUSE_TYPES_BY_POLICY_TYPE).map(([policyType, allowed]) => `${policyType}: ${quoted(allowed)}.`);

/** What each field means, wherever it occurs (document: Resources and their fields). */
export const FIELD_NOTES: Readonly<Record<string, string>> = {
  streetAddress: 'Street part of the property address.',
  city: 'City of the property.',
  state: 'Two letters representing a US state.',
  zipcode: 'ZIP code of the property.',
  country: 'Default `US`. Only US is currently supported.',
  serviceName: 'The service that is ordered.',
  policyType: 'Kind of policy; it decides which house types are allowed.',
  houseType: `Allowed values depend on \`policyType\`. ${houseTypes.join(' ')}`,
  insuredName: 'Name of the insured.',
  insuredPhone: 'Phone number of the insured.',
  insuredEmail: 'Email address of the insured.',
  dueDate: 'Due date for completion, `YYYY-MM-DD`.',
  policyEffectiveDate: 'Day from which the policy is in effect, `YYYY-MM-DD`.',
  policyNumber: 'Number of the policy.',
  inspectionNumber: 'The client’s own number. In staging, `report_provided…` and `closeout_report…` start automated test behaviour.',
  yearBuilt: 'Four-digit year.',
  agentName: 'Name of the agent.',
  agentPhone: 'Phone number of the agent.',
  agentEmail: 'Email address of the agent.',
  insuredBy: 'Insurance company name.',
  note: 'Description or attention notes.',
  isRenewal: 'Whether the policy is new or a renewal. Null in a create response when absent from the request.',
  supplementalServices: 'Services ordered on top. Null in a create response when absent from the request.',
  division: 'Any string is accepted as a division key; no pre-configuration is required.',
  dwellingCoverage: 'Coverage of the physical structure.',
  otherStructureCoverage: 'Coverage of other structures (detached garages, sheds, pools).',
  contentCoverage: 'Coverage of personal belongings.',
  carrierProvidedLivingArea: 'Total living area in Sq.Ft.',
  allowDuplication: 'Default `true`: a client that says nothing may order twice. See 409.',
  lat: 'Latitude of the project address.',
  lng: 'Longitude of the project address.',
  operatingCompany: 'Operating company name.',
  inspectionCode: `6 random characters when the service is a self-inspection (${quoted(SELF_INSPECTION_SERVICE_NAMES)}); otherwise an empty string.`,
  inspectionLink: 'Link to the self-inspection mobile application for those same services; otherwise an empty string.',
  status: known(PROJECT_STATUSES),
  value: 'The status to set.',
  comment: 'Additional comment, stored with the status. Schema maximum 1000; the prose says less than 1000.',
  source: 'Where the image comes from. The values are not documented.',
  direction: 'What the image looks at. The values are not documented.',
  url: 'A signed, temporary download URL. It must not be stored.',
  access_token: 'Valid for 10 minutes.',
  token_type: '`bearer`.',
  refresh_token: 'Valid for 24 hours, and used up when it is exchanged.',
  expires_in: 'Its unit and exact relation to the 10 minutes are not documented; this service gives seconds.',
  scope: 'A string.',
  user_id: 'The platform user’s number.',
  jti: 'Identifier of the token.',
  grant_type: 'How the token is obtained.',
  username: 'A platform user: recorded as the actor of later operations.',
  password: 'The platform user’s password.',
  message: 'What is wrong, for a person.',
};

/** For answers: the service's lists may grow, so a client must not refuse what stands on none of them. */
export const SERVICE_NAME_NOTE = known([...new Set([...SERVICE_NAMES, ...SELF_INSPECTION_SERVICE_NAMES])]);
export const REPORT_TYPE_NOTE = known(REPORT_TYPES);
const CLEARING = 'An empty string clears it; an omitted field stays unchanged.';
export const CLEARING_NOTES: Readonly<Record<string, string>> = { policyNumber: CLEARING, policyEffectiveDate: `\`YYYY-MM-DD\`. ${CLEARING}` };
