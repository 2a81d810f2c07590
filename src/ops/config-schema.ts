import { z } from 'zod';
import { createProjectRequest, HOUSE_TYPES_BY_POLICY_TYPE, POLICY_TYPES, SERVICE_NAMES, SUPPLEMENTAL_SERVICES } from '../contract/document.ts';

/** The fields a column can be: those of the create request. */
const ORDER_FIELDS: readonly string[] = Object.keys(createProjectRequest.shape);

/** What a column is that stands for no field. */
const IGNORED_COLUMN = 'ignore';

/** A value with the words that say what is allowed; they stand in every message about it. */
function setting<Schema extends z.ZodType>(schema: Schema, allowed: string): Schema {
  return schema.meta({ description: allowed });
}

const text = z.string().trim().min(1);
const orNull = 'or null';

function seconds(byDefault: number, max: number) {
  return setting(z.number().min(0).max(max).default(byDefault), `a number of seconds from 0 to ${max}`);
}

function choice<const Values extends readonly [string, ...string[]]>(values: Values, byDefault: NoInfer<Values[number]>) {
  return setting(z.enum(values).default(byDefault as z.util.NoUndefined<Values[number]>), `one of ${values.join(', ')}`);
}

function yesOrNo(byDefault: boolean) {
  return setting(z.boolean().default(byDefault), 'true or false');
}

function pathOrNull() {
  return setting(text.nullable().default(null), `the path of a file, ${orNull}`);
}

function percentOrNull() {
  return setting(z.number().min(0).max(100).nullable().default(null), `a number from 0 to 100, ${orNull} for no limit`);
}

function daysOrNull() {
  return setting(z.int().min(1).max(36_500).nullable().default(null), `a whole number of days from 1, ${orNull} to keep everything`);
}

/** A Map and not an object: a header may be `__proto__`, or a number. */
const headers = setting(
  z.preprocess(
    (value) => value ?? new Map(),
    z.map(z.coerce.string(), z.string().refine((field) => field === IGNORED_COLUMN || ORDER_FIELDS.includes(field))),
  ).default(() => new Map()),
  `a sender’s header and the field it stands for, one pair a line; the fields are ${ORDER_FIELDS.join(', ')}, and ${IGNORED_COLUMN} leaves a column out`,
);

/** Every value that the service lists for a field, of whichever policy type. */
const LISTED: readonly string[] = [...new Set([...SERVICE_NAMES, ...POLICY_TYPES, ...Object.values(HOUSE_TYPES_BY_POLICY_TYPE).flat(), ...SUPPLEMENTAL_SERVICES])];

const values = setting(
  z.preprocess((value) => value ?? new Map(), z.map(z.coerce.string(), z.string().refine((listed) => LISTED.includes(listed)))).default(() => new Map()),
  `a sender’s word and the value that the service lists, one pair a line; the values are ${LISTED.join(', ')}`,
);

const DATE_ORDERS = ['auto', 'mdy', 'dmy'] as const;
const percent = z.number().min(0).max(100).nullable();
const times = z.number().min(1).nullable();

/** What one sender has of its own; what is left out is as for all. */
const sender = z.object({
  headers,
  values,
  dateOrder: setting(z.enum(DATE_ORDERS).optional(), `one of ${DATE_ORDERS.join(', ')}`),
  hold: z.object({
    maxWrongPercent: setting(percent.optional(), `a number from 0 to 100, ${orNull} for no limit`),
    maxDuplicatePercent: setting(percent.optional(), `a number from 0 to 100, ${orNull} for no limit`),
    changedLayout: setting(z.boolean().optional(), 'true or false'),
    maxTimesUsualRows: setting(times.optional(), `a number from 1, ${orNull} for no limit`),
  }).prefault({}),
});

const sftp = z.object({
  host: setting(text, 'a host name'),
  port: setting(z.int().min(1).max(65_535).default(22), 'a whole number from 1 to 65535'),
  folder: setting(text.default('/'), 'a folder on that host'),
  username: setting(text, 'a user name'),
  hostKey: setting(z.string().regex(/^SHA256:[A-Za-z\d+/]{43}$/).nullable().default(null), `the fingerprint of the server’s key, SHA256:…, ${orNull}`),
  privateKey: pathOrNull(),
  afterwards: choice(['move', 'delete'], 'move'),
});

/** `config.yaml`. Every key has a default; the meaning of each stands in COMMENTED_CONFIG. */
export const configSchema = z.object({
  workspace: z.object({
    sharedWith: setting(z.enum(['group']).nullable().default(null), `group, ${orNull}`),
  }).prefault({}),
  service: z.object({
    baseUrl: setting(text.nullable().default(null), `the address of the service as text, ${orNull}`),
  }).prefault({}),
  intake: z.object({
    headers,
    values,
    dateOrder: choice(DATE_ORDERS, 'auto'),
    settleSeconds: seconds(10, 3600),
    hold: z.object({
      maxWrongPercent: percentOrNull(),
      maxDuplicatePercent: percentOrNull(),
      changedLayout: yesOrNo(false),
      maxTimesUsualRows: setting(z.number().min(1).nullable().default(null), `a number from 1, ${orNull} for no limit`),
    }).prefault({}),
    senders: setting(z.map(z.string(), sender).default(() => new Map()), 'the name of a sender’s folder, and below it headers, values, dateOrder and hold'),
  }).prefault({}),
  submit: z.object({
    onDuplicate: choice(['link', 'skip', 'reject', 'create'], 'link'),
    whenNoKey: choice(['mark', 'mint', 'hold'], 'mark'),
    quarantineSeconds: seconds(300, 86_400),
    maxConcurrency: setting(z.int().min(1).max(64).default(8), 'a whole number from 1 to 64'),
  }).prefault({}),
  run: z.object({
    finishBy: setting(z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/).nullable().default(null), `a time of day such as 05:30, local time, ${orNull}`),
  }).prefault({}),
  collect: z.object({
    reports: choice(['full', 'compressed'], 'full'),
    images: choice(['all', 'referenced', 'none'], 'all'),
    patienceNights: setting(z.int().min(1).max(365).default(5), 'a whole number of nights from 1 to 365'),
    markReceived: yesOrNo(false),
    sftp: setting(sftp.nullable().default(null), `host, port, folder, username, hostKey, privateKey and afterwards, ${orNull}`),
  }).prefault({}),
  results: z.object({
    columns: pathOrNull(),
    attention: pathOrNull(),
    archiveMaxMegabytes: setting(z.int().min(1).max(1_000_000).nullable().default(null), `a whole number of megabytes from 1, ${orNull} for one archive`),
    thumbnailsPerProject: setting(z.int().min(0).max(20).default(3), 'a whole number from 0 to 20'),
    thumbnailsMax: setting(z.int().min(0).max(20_000).default(1500), 'a whole number from 0 to 20000'),
    formats: setting(
      z.array(z.enum(['xlsx', 'csv', 'jsonl'])).min(1).refine((formats) => new Set(formats).size === formats.length).default(() => ['xlsx' as const]),
      'a list of one or more of xlsx, csv, jsonl, each once',
    ),
  }).prefault({}),
  notify: z.object({}).prefault({}),
  retention: z.object({
    archiveDays: daysOrNull(),
    deliveriesDays: daysOrNull(),
    downloadsDays: daysOrNull(),
    logsDays: daysOrNull(),
  }).prefault({}),
});

/** What `config.yaml` says, every key filled in. Paths are as written: relative ones start at the workspace. */
export type Config = Readonly<z.output<typeof configSchema>>;

/** The keys of a schema that is a group of keys, whatever defaults are wrapped around it; null for a single value. */
export function keysOf(schema: z.core.$ZodType): ReadonlyMap<string, z.core.$ZodType> | null {
  if (schema instanceof z.ZodObject) return new Map<string, z.core.$ZodType>(Object.entries(schema.shape));
  const inner = innerOf(schema);
  return inner === null ? null : keysOf(inner);
}

/** What stands below each key of a group whose keys people choose, such as the senders; null for every other schema. */
export function groupOfEach(schema: z.core.$ZodType): z.core.$ZodType | null {
  if (schema instanceof z.ZodMap) return keysOf(schema.valueType) === null ? null : schema.valueType;
  const inner = innerOf(schema);
  return inner === null ? null : groupOfEach(inner);
}

/** Whether an empty value (`key:` and nothing after it) is a value of its own. */
export function takesNull(schema: z.core.$ZodType): boolean {
  if (schema instanceof z.ZodNullable) return true;
  const inner = innerOf(schema);
  return inner !== null && takesNull(inner);
}

/** What is allowed at a path, in words: the innermost description on the way there. */
export function allowedAt(path: readonly string[]): string | undefined {
  let schema: z.core.$ZodType = configSchema;
  let allowed = z.globalRegistry.get(schema)?.description;
  for (const key of path) {
    const next = keysOf(schema)?.get(key) ?? groupOfEach(schema) ?? undefined;
    if (next === undefined) break;
    schema = next;
    allowed = z.globalRegistry.get(schema)?.description ?? allowed;
  }
  return allowed;
}

/** Every key as a dotted path, groups before what stands in them. */
export function knownPaths(schema: z.core.$ZodType = configSchema, prefix = ''): string[] {
  const paths: string[] = [];
  for (const [key, inner] of keysOf(schema) ?? []) paths.push(`${prefix}${key}`, ...knownPaths(inner, `${prefix}${key}.`));
  return paths;
}

function innerOf(schema: z.core.$ZodType): z.core.$ZodType | null {
  const wrapped = schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodNullable || schema instanceof z.ZodOptional;
  return wrapped ? schema.unwrap() : null;
}
