/** The service's document as schemas, enums and limits. Strict for what we send, loose for what we read. */
import { z } from 'zod';
import { parseExactJson, parseLenient } from './json.ts';
import { templateTexts } from './template-data.ts';

export const SERVICE_NAMES = [
  'Roof Only',
  'Exterior',
  '4-Point',
  'Premium 4-Point',
  'High Value Premium 4-point',
  'Snap360',
  'Photo Only Inspection',
  'Self Exterior Underwriting',
  'Self 4-Point Underwriting',
] as const;

/** Their projects have an inspection code and link. `4-Point Self` occurs only in responses. */
export const SELF_INSPECTION_SERVICE_NAMES: readonly string[] = [
  'Self 4-Point Underwriting',
  'Self Exterior Underwriting',
  '4-Point Self',
];

export const POLICY_TYPES = [
  'Commercial Property Insurance',
  'Homeowners Insurance',
  'Farm & Ranch Insurance',
] as const;

export const HOUSE_TYPES_BY_POLICY_TYPE = {
  'Commercial Property Insurance': ['Habitational', 'Restaurant', 'Garage', 'Gas Station', 'General Commercial'],
  'Homeowners Insurance': [
    'Residential Single Family',
    'Residential Condo',
    'Residential Townhouse',
    'Residential Multi Family',
    'Mobile Home',
    'Other',
  ],
  'Farm & Ranch Insurance': ['Other'],
} as const satisfies Record<(typeof POLICY_TYPES)[number], readonly string[]>;

export const SUPPLEMENTAL_SERVICES = ['RC Report', 'Sinkhole', 'Wildfire'] as const;

export const US_STATES = templateTexts('vocabulary/states')();

export type ServiceName = (typeof SERVICE_NAMES)[number];
export type PolicyType = (typeof POLICY_TYPES)[number];

export const isoDate = z.iso.date();

const required = z.string().min(1);

/** Strict, because we send it. Never `null`. */
export const createProjectRequest = z
  .strictObject({
    streetAddress: required,
    city: required,
    state: z
      .string()
      .regex(/^[A-Z]{2}$/, 'two letters representing a US state')
      .refine((code) => code in US_STATES, 'two letters representing a US state'),
    zipcode: required,
    country: z.literal('US').optional(),
    serviceName: z.enum(SERVICE_NAMES),
    policyType: z.enum(POLICY_TYPES),
    houseType: z.string(),
    insuredName: z.string(),
    insuredPhone: z.string(),
    insuredEmail: z.string(),
    dueDate: isoDate.optional(),
    policyEffectiveDate: isoDate.optional(),
    policyNumber: z.string().optional(),
    inspectionNumber: z.string().optional(),
    yearBuilt: z.int().min(1000).max(9999).optional(),
    agentName: z.string().optional(),
    agentPhone: z.string().optional(),
    agentEmail: z.string().optional(),
    insuredBy: z.string().optional(),
    note: z.string().optional(),
    isRenewal: z.boolean().optional(),
    supplementalServices: z.array(z.enum(SUPPLEMENTAL_SERVICES)).optional(),
    division: z.string().optional(),
    dwellingCoverage: z.number().optional(),
    otherStructureCoverage: z.number().optional(),
    contentCoverage: z.number().optional(),
    carrierProvidedLivingArea: z.number().optional(),
    allowDuplication: z.boolean().optional(),
  })
  .refine(({ policyType, houseType }) => houseTypesOf(policyType)?.includes(houseType) === true, {
    path: ['houseType'],
    error: ({ input }) => {
      const { policyType } = input as { readonly policyType: string };
      return `for ${policyType}, one of: ${(houseTypesOf(policyType) ?? []).join(', ')}`;
    },
    when: ({ value }) => {
      const { policyType, houseType } = Object(value) as Readonly<Record<string, unknown>>;
      return typeof houseType === 'string' && houseTypesOf(policyType) !== undefined;
    },
  });

const HOUSE_TYPES_OF: ReadonlyMap<unknown, readonly string[]> = new Map(Object.entries(HOUSE_TYPES_BY_POLICY_TYPE));

export function houseTypesOf(policyType: unknown) {
  return HOUSE_TYPES_OF.get(policyType);
}

export type CreateProjectRequest = z.infer<typeof createProjectRequest>;

export const PROJECT_ID_MAX = 2n ** 63n - 1n;

/** True for up to 19 digits that fit an int64. */
export function isProjectId(text: string) {
  return /^\d{1,19}$/.test(text) && BigInt(text) <= PROJECT_ID_MAX;
}

/** Digits as text: an int64 does not fit a JavaScript number. */
export const projectId = z
  .union([z.string().regex(/^\d{1,19}$/), z.int().nonnegative(), z.bigint().nonnegative()])
  .transform((id) => BigInt(id).toString())
  .refine((id) => BigInt(id) <= PROJECT_ID_MAX, 'larger than an int64');

const maybeText = z.string().nullish();
const maybeNumber = z.number().nullish();
const address = {
  streetAddress: maybeText,
  city: maybeText,
  state: maybeText,
  zipcode: z.union([z.string(), z.number()]).transform(String).nullish(),
};

const projectEnvelope = <Item extends z.ZodType>(item: Item) => z.looseObject({ project: z.array(item) });

export const projectDetail = z.looseObject({
  id: projectId,
  ...address,
  country: maybeText,
  serviceName: maybeText,
  policyType: maybeText,
  houseType: maybeText,
  insuredName: maybeText,
  insuredPhone: maybeText,
  insuredEmail: maybeText,
  dueDate: maybeText,
  policyEffectiveDate: maybeText,
  policyNumber: maybeText,
  inspectionNumber: maybeText,
  note: maybeText,
  lat: maybeNumber,
  lng: maybeNumber,
  operatingCompany: maybeText,
  inspectionCode: maybeText,
  inspectionLink: maybeText,
});
export type ProjectDetail = z.infer<typeof projectDetail>;

export const projectDetailResponse = projectEnvelope(projectDetail);

/** An empty string clears a field; an absent one is unchanged. */
export const updateProjectRequest = z.strictObject({
  policyNumber: z.string().optional(),
  policyEffectiveDate: z.union([isoDate, z.literal('')]).optional(),
});
export type UpdateProjectRequest = z.infer<typeof updateProjectRequest>;

export const updateProjectResponse = projectEnvelope(
  z.looseObject({ id: projectId, policyNumber: maybeText, policyEffectiveDate: maybeText }),
);

export const projectSearchItem = z.looseObject({
  id: projectId,
  ...address,
  serviceName: maybeText,
  status: maybeText,
  policyNumber: maybeText,
  inspectionNumber: maybeText,
});
export type ProjectSearchItem = z.infer<typeof projectSearchItem>;
/** The service writes null for an absent list elsewhere (`supplementalServices` in a create response). */
export const projectSearchResponse = z.looseObject({
  project: z
    .array(projectSearchItem)
    .nullable()
    .transform((items) => items ?? []),
});

export const SEARCH_LIMIT_DEFAULT = 100;
export const SEARCH_LIMIT_MAX = 500;
export const DUPLICATE_WINDOW_DAYS = 30;

/** In order. Other statuses occur and are kept. */
export const PROJECT_STATUSES = [
  'Project Created',
  'Customer Contacted',
  'Pending Acceptance',
  'Assigned to Pilot',
  'Project Rework',
  'Site Inspected',
  'Selfapp Uploaded',
  'Image Uploaded',
  'Returned to Client',
  'Project Canceled',
  'Client Received',
  'Receive Error',
] as const;
export type KnownProjectStatus = (typeof PROJECT_STATUSES)[number];

export const CANCELABLE_STATUSES: readonly string[] = PROJECT_STATUSES.slice(
  0,
  PROJECT_STATUSES.indexOf('Site Inspected'),
);

/** The document's schema allows 1000, its text "less than 1000". */
export const COMMENT_LENGTH_MAX = 999;

export const STATUS_UPDATE_VALUES = ['Client Received', 'Project Canceled'] as const;

export const STATUS_LENGTH_MAX = 200;

export const statusUpdateRequest = z.strictObject({
  value: z.enum(STATUS_UPDATE_VALUES),
  comment: z.string().max(COMMENT_LENGTH_MAX).optional(),
});
export type StatusUpdateRequest = z.infer<typeof statusUpdateRequest>;

export const projectStatusResponse = projectEnvelope(
  z.looseObject({ id: projectId, status: z.string().max(STATUS_LENGTH_MAX) }),
);

/** The list may grow. */
export const REPORT_TYPES = [
  'Roof-only Underwriting Report',
  'Full-scope Underwriting Report',
  'Inspection Closeout Report',
  'Premium Damage Assessment Report',
] as const;

const REPORTS_MAX = 200;
export const IMAGES_MAX = 5_000;
export const ID_LENGTH_MAX = 256;

/** The document has strings; numbers are accepted. */
const textId = z.union([z.string().min(1).max(ID_LENGTH_MAX), z.number(), z.bigint()]).transform(String);
const shortText = z.string().max(ID_LENGTH_MAX).nullish();
const listOf = <Item extends z.ZodType>(item: Item, max: number) =>
  z
    .array(item.nullable())
    .max(max)
    .transform((items) => items.filter((one) => one !== null))
    .nullish();

export const reportReference = z.looseObject({ id: textId, type: shortText });
export type ReportReference = z.infer<typeof reportReference>;

export const projectReportsResponse = projectEnvelope(
  z.looseObject({ id: projectId, report: listOf(reportReference, REPORTS_MAX) }),
);

/** Never store the URL. */
export const reportUrlResponse = z.looseObject({ url: z.string().min(1) });

export const imageReference = z.looseObject({ id: textId, source: shortText, type: shortText, direction: shortText });
export type ImageReference = z.infer<typeof imageReference>;

export const projectImagesResponse = projectEnvelope(
  z.looseObject({ id: projectId, image: listOf(imageReference, IMAGES_MAX) }),
);

export const reportSummary = z.looseObject({
  id: textId,
  type: shortText,
  project: z.record(z.string(), z.unknown()).nullish(),
  summary: z.record(z.string(), z.unknown()).nullish(),
});
export type ReportSummary = z.infer<typeof reportSummary>;
export const reportSummaryResponse = z.looseObject({ report: z.array(reportSummary) });

/** Null if the text is not a summary, or too large. */
export function summariesIn(text: string): readonly ReportSummary[] | null {
  try {
    return parseLenient(reportSummaryResponse, parseExactJson(text.replace(/^\uFEFF/, '')))?.report ?? null;
  } catch {
    return null;
  }
}

export const ACCESS_TOKEN_SECONDS = 10 * 60;
export const REFRESH_TOKEN_SECONDS = 24 * 60 * 60;

const HEADER_TEXT = /^[\x21-\x7e]{1,8192}$/;
const textOrAbsent = z.string().nullish().catch(undefined);
const numberAsText = z
  .string()
  .trim()
  .regex(/^\d+(\.\d+)?$/)
  .transform(Number);

/** `expires_in` has no documented unit. */
export const tokenResponse = z.looseObject({
  access_token: z.string().regex(HEADER_TEXT),
  token_type: textOrAbsent,
  refresh_token: textOrAbsent,
  expires_in: z.union([z.number(), numberAsText]).nullish().catch(undefined),
  scope: textOrAbsent,
});
export type TokenResponse = z.infer<typeof tokenResponse>;

export const errorBody = z.looseObject({ error: z.looseObject({ message: z.string() }) });
