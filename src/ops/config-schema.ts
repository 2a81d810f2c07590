import { z } from 'zod';
import {
  createProjectRequest,
  HOUSE_TYPES_BY_POLICY_TYPE,
  POLICY_TYPES,
  SERVICE_NAMES,
  SUPPLEMENTAL_SERVICES,
} from '../contract/document.ts';
import { LOG_LEVELS } from '../domain/ports.ts';
import { formatList } from '../domain/cells.ts';
import { DECISIONS } from '../domain/project.ts';
import { sentence } from '../domain/sentences.ts';
import { isLoopback } from '../domain/service-address.ts';

const ORDER_FIELDS = Object.keys(createProjectRequest.shape);

const IGNORED_COLUMN = 'ignore';

function setting<Schema extends z.ZodType>(schema: Schema, allowed: string) {
  return schema.meta({ description: allowed });
}

function group<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.preprocess(
    (given) => (given instanceof Map ? Object.fromEntries(given as Map<string, unknown>) : (given ?? {})),
    z.strictObject(shape),
  );
}

/** A Map instead of an object: a header may be `__proto__`, or a number. */
function pairs(values: readonly string[]) {
  return z
    .preprocess(
      (given) => given ?? new Map(),
      z.map(
        z.coerce.string(),
        z.string().refine((value) => values.includes(value)),
      ),
    )
    .default(() => new Map());
}

const text = z.string().trim().min(1);
const orNull = 'or null';

function seconds(byDefault: number, max: number) {
  return setting(z.number().min(0).max(max).default(byDefault), `a number of seconds from 0 to ${max}`);
}

function whole(byDefault: number, min: number, max: number, unit = '') {
  return setting(z.int().min(min).max(max).default(byDefault), `a whole number${unit} from ${min} to ${max}`);
}

function wholeOrNull(byDefault: number | null, max: number, allowed: string) {
  return setting(z.int().min(1).max(max).nullable().default(byDefault), `a whole number ${allowed}`);
}

function textOrNull(allowed: string) {
  return setting(text.nullable().default(null), `${allowed}, ${orNull}`);
}

function matching(pattern: RegExp, allowed: string) {
  return setting(z.string().regex(pattern).nullable().default(null), `${allowed}, ${orNull}`);
}

function choice<const Values extends readonly [string, ...string[]]>(
  values: Values,
  byDefault: NoInfer<Values[number]>,
) {
  return setting(
    z.enum(values).default(byDefault as z.util.NoUndefined<Values[number]>),
    `one of ${values.join(', ')}`,
  );
}

const yesOrNo = setting(z.boolean(), 'true or false');

const pathOrNull = textOrNull('the path of a file');

const DAYS_MAX = 36_500;
const daysOrNull = wholeOrNull(null, DAYS_MAX, `of days from 1, ${orNull} to keep everything`);

const headers = setting(
  pairs([...ORDER_FIELDS, IGNORED_COLUMN]),
  sentence('setting/headers', { fields: formatList(ORDER_FIELDS), ignored: IGNORED_COLUMN }),
);

const LISTED = [
  ...new Set([
    ...SERVICE_NAMES,
    ...POLICY_TYPES,
    ...Object.values(HOUSE_TYPES_BY_POLICY_TYPE).flat(),
    ...SUPPLEMENTAL_SERVICES,
  ]),
];

const values = setting(pairs(LISTED), sentence('setting/values', { values: LISTED.join(', ') }));

const DATE_ORDERS = ['auto', 'mdy', 'dmy'] as const;
const percent = setting(z.number().min(0).max(100).nullable(), `a number from 0 to 100, ${orNull} for no limit`);
const times = setting(z.number().min(1).nullable(), `a number from 1, ${orNull} for no limit`);

const sender = group({
  headers,
  values,
  dateOrder: setting(z.enum(DATE_ORDERS).optional(), `one of ${DATE_ORDERS.join(', ')}`),
  hold: group({
    maxWrongPercent: percent.optional(),
    maxDuplicatePercent: percent.optional(),
    changedLayout: yesOrNo.optional(),
    maxTimesUsualRows: times.optional(),
  }),
});

const sftp = group({
  host: setting(text, 'a host name'),
  port: whole(22, 1, 65_535),
  folder: setting(text.default('/'), 'a folder on that host'),
  username: setting(text, 'a user name'),
  hostKey: matching(/^SHA256:[A-Za-z\d+/]{43}$/, sentence('setting/fingerprint')),
  privateKey: pathOrNull,
  afterwards: choice(['move', 'delete'], 'move'),
});

const mailAddress = z.string().regex(/^[^\s@<>,;:"]+@[^\s@<>,;:"]+$/);

function mailAddresses(whose: string) {
  return setting(
    z.array(mailAddress).default(() => []),
    `a list of mail addresses of ${whose}`,
  );
}

function isMailServer(address: string) {
  const url = URL.parse(address);
  return (
    url !== null &&
    ['smtp:', 'smtps:'].includes(url.protocol) &&
    url.hostname !== '' &&
    hasNothingBesides(url) &&
    ['', '/'].includes(url.pathname + url.search + url.hash)
  );
}

function isWebAddress(address: string) {
  const url = URL.parse(address);
  return (
    url !== null &&
    (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url))) &&
    hasNothingBesides(url)
  );
}

function hasNothingBesides({ username, password }: URL) {
  return username === '' && password === '';
}

const WEB_ADDRESS = sentence('setting/web-address');
const webAddress = text.refine(isWebAddress);
const pingAddress = setting(webAddress.nullable().default(null), `${WEB_ADDRESS}, ${orNull}`);

const mail = group({
  smtp: setting(text.refine(isMailServer), sentence('setting/mail-server')),
  from: setting(mailAddress, 'a mail address'),
  deliveriesUrl: setting(
    text
      .refine((address) => /^(?:https?|file):$/.test(URL.parse(address)?.protocol ?? ''))
      .nullable()
      .default(null),
    `an https:, http: or file: address, ${orNull}`,
  ),
  analysts: mailAddresses('analysts'),
  underwriters: mailAddresses('underwriters'),
  engineers: mailAddresses('engineers'),
  senders: setting(
    z.map(z.coerce.string(), z.array(mailAddress).min(1)).default(() => new Map()),
    sentence('setting/mail-of-senders'),
  ),
});

export const configSchema = group({
  workspace: group({ sharedWith: setting(z.enum(['group']).nullable().default(null), `group, ${orNull}`) }),
  service: group({ baseUrl: textOrNull('the address of the service as text') }),
  intake: group({
    headers,
    values,
    dateOrder: choice(DATE_ORDERS, 'auto'),
    unreadableOptional: choice(['warn', 'reject'], 'warn'),
    hiddenRows: choice(['ask', 'order', 'skip'], 'ask'),
    newLayout: choice(['ask', 'go'], 'ask'),
    skipSheets: setting(
      z.array(text).default(() => []),
      'a list of names of sheets',
    ),
    receipts: yesOrNo.default(true),
    settleSeconds: seconds(10, 3600),
    hold: group({
      maxWrongPercent: percent.default(null),
      maxDuplicatePercent: percent.default(null),
      changedLayout: yesOrNo.optional(),
      maxTimesUsualRows: times.default(null),
    }),
    senders: setting(
      z.map(z.coerce.string(), sender).default(() => new Map()),
      sentence('setting/senders'),
    ),
  }),
  submit: group({
    onDuplicate: choice(['link', 'skip', 'reject', 'create'], 'link'),
    whenNoKey: choice(['mark', 'mint', 'hold'], 'mark'),
    renewalAfterDays: wholeOrNull(300, DAYS_MAX, `of days from 1, ${orNull} for never`),
    quarantineSeconds: seconds(300, 86_400),
    maxConcurrency: whole(8, 1, 64),
    maxConcurrencyOfAllHosts: wholeOrNull(null, 10_000, `from 1 to 10000, ${orNull} for no limit`),
  }),
  run: group({
    remindAfterDays: wholeOrNull(3, 365, `of days from 1 to 365, ${orNull}`),
    finishBy: matching(/^([01]\d|2[0-3]):[0-5]\d$/, 'a time of day such as 05:30, local time'),
  }),
  collect: group({
    reports: choice(['full', 'compressed'], 'full'),
    images: choice(['all', 'referenced', 'none'], 'all'),
    retryNights: whole(5, 1, 365, ' of nights'),
    patienceNights: setting(z.int().min(1).max(365).optional(), 'a whole number of nights from 1 to 365'),
    markReceived: yesOrNo.default(false),
    sftp: setting(sftp.nullable().default(null), sentence('setting/sftp')),
  }),
  results: group({
    columns: pathOrNull,
    attention: pathOrNull,
    decisions: setting(
      z
        .array(z.string().trim().min(1).max(40))
        .min(1)
        .max(9)
        .default(() => [...DECISIONS]),
      'a list of 1 to 9 short words',
    ),
    archiveMaxMegabytes: wholeOrNull(null, 1_000_000, `of megabytes from 1, ${orNull} for one archive`),
    thumbnailsPerProject: whole(3, 0, 20),
    thumbnailsMax: whole(1500, 0, 20_000),
    formats: setting(
      z
        .array(z.enum(['xlsx', 'csv', 'jsonl']))
        .min(1)
        .refine((formats) => new Set(formats).size === formats.length)
        .default(() => ['xlsx' as const]),
      sentence('setting/formats'),
    ),
  }),
  notify: group({
    mail: setting(mail.nullable().default(null), sentence('setting/mail')),
    webhook: setting(
      group({ url: setting(webAddress, WEB_ADDRESS), projects: yesOrNo.default(false) })
        .nullable()
        .default(null),
      `url and projects, ${orNull}`,
    ),
    command: textOrNull('the path of a program'),
    ping: group({ start: pingAddress, success: pingAddress, failure: pingAddress }),
  }),
  log: group({ level: choice(LOG_LEVELS, 'info') }),
  metrics: group({ textfile: matching(/\.prom$/, 'the path of a file whose name ends in .prom') }),
  retention: group({
    archiveDays: daysOrNull,
    deliveriesDays: daysOrNull,
    downloadsDays: daysOrNull,
    logsDays: daysOrNull,
  }),
});

type SettingInfo = Readonly<{
  /** `EACH`: any name, such as a sender's. */
  path: readonly string[];
  /** A group's text applies to members without their own. */
  allowed: string | undefined;
  keys: readonly string[] | null;
}>;

const EACH = '*';

function* settingsIn(
  schema: z.core.$ZodType,
  path: readonly string[] = [],
  inherited?: string,
): Generator<SettingInfo> {
  const allowed = z.globalRegistry.get(schema)?.description ?? inherited;
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodNullable || schema instanceof z.ZodOptional)
    return yield* settingsIn(schema.unwrap(), path, allowed);
  if (schema instanceof z.ZodPipe) return yield* settingsIn(schema.out, path, allowed);
  const shape: Readonly<Record<string, z.core.$ZodType>> | null = schema instanceof z.ZodObject ? schema.shape : null;
  yield { path, allowed, keys: shape === null ? null : Object.keys(shape) };
  for (const [key, inner] of Object.entries(shape ?? {})) yield* settingsIn(inner, [...path, key], allowed);
  if (schema instanceof z.ZodMap) yield* settingsIn(schema.valueType, [...path, EACH], allowed);
}

const SETTINGS = [...settingsIn(configSchema)];

const FORMER_SETTINGS = new Set(['collect.patienceNights', 'intake.hold.changedLayout']);

/** Without those of earlier versions, which are still read. */
export function knownPaths() {
  return SETTINGS.filter(({ path }) => path.length > 0 && !path.includes(EACH))
    .map(({ path }) => path.join('.'))
    .filter((path) => !FORMER_SETTINGS.has(path));
}

/** Or the innermost one above this path. */
export function settingAt(path: readonly string[]) {
  return SETTINGS.findLast((place) =>
    place.path.every((key, depth) => key === path[depth] || (key === EACH && depth < path.length)),
  );
}
