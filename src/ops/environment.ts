import { access, constants, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { messageOf, usageError, nullIfMissing, usageErrorOf } from '../domain/errors.ts';
import { configWarnings, notReadable, type Config } from './config.ts';
import { LOG_LEVELS, type Optional } from '../domain/ports.ts';
import { nearestName } from '../domain/text.ts';
import { readServiceAddress } from '../domain/service-address.ts';
import { sentence } from '../domain/sentences.ts';

const VARIABLES = {
  baseUrl: 'INSPECTION_BASE_URL',
  clientId: 'INSPECTION_CLIENT_ID',
  clientSecret: 'INSPECTION_CLIENT_SECRET',
  username: 'INSPECTION_USERNAME',
  password: 'INSPECTION_PASSWORD',
  sftpPassword: 'INSPECTION_SFTP_PASSWORD',
  logLevel: 'INSPECTION_LOG_LEVEL',
  ledgerUrl: 'INSPECTION_LEDGER_URL',
  smtpUser: 'INSPECTION_SMTP_USER',
  smtpPassword: 'INSPECTION_SMTP_PASSWORD',
  webhookSecret: 'INSPECTION_WEBHOOK_SECRET',
} as const;
type VariableName = (typeof VARIABLES)[keyof typeof VARIABLES];

const OF_SERVICE = ['baseUrl', 'clientId', 'clientSecret', 'username', 'password'] as const;
type ServiceSetting = (typeof OF_SERVICE)[number];
type NotifySetting = 'smtpUser' | 'smtpPassword' | 'webhookSecret';

/** `baseUrl` has no final slash and no `/v1`. */
export interface ServiceEnvironment extends Readonly<Record<ServiceSetting, string>> {
  readonly warnings: readonly string[];
}

/** `hostKey`: as ssh-keygen prints it. If null, no server is trusted. */
export type SftpTarget = Readonly<Omit<NonNullable<Config['collect']['sftp']>, 'privateKey' | 'afterwards'>> &
  Optional<{ password: string; privateKey: string }>;

/** A variable's source and problem, never its value. */
export type VariableState = Readonly<
  | { name: VariableName; state: 'given'; source: string }
  | { name: VariableName; state: 'missing' }
  | { name: VariableName; state: 'wrong'; problem: string }
>;

type ProcessEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * Each variable may be a `…_FILE`. The environment overrides `.env`, which overrides `config.yaml` (`service.baseUrl`
 * only). An empty variable is missing. Throws ExplainedError (`usage`) with all problems and no value.
 */
export async function loadEnvironment(
  workspaceDir: string,
  config: Config,
  processEnv: ProcessEnvironment = process.env,
) {
  const { environment, variables } = await inspectEnvironment(workspaceDir, config, processEnv);
  if (environment !== null) return environment;
  const lines = variables.flatMap((variable) =>
    variable.state === 'given' ? [] : [`\n  ${describeVariable(variable)}`],
  );
  const parts = { lines: lines.join(''), file: join(workspaceDir, '.env') };
  throw usageErrorOf('credentials-missing', parts);
}

export async function inspectEnvironment(
  workspaceDir: string,
  config: Config,
  processEnv: ProcessEnvironment = process.env,
) {
  const dotEnv = await readDotEnv(join(workspaceDir, '.env'));
  const ofConfig = new Map([[VARIABLES.baseUrl, config.service.baseUrl ?? undefined]]);
  const layers = [
    ...layersOf(processEnv, dotEnv.variables),
    { title: 'service.baseUrl in config.yaml', variables: ofConfig },
  ];
  const warnings = [...configWarnings(config), ...dotEnv.warnings];
  const variables: VariableState[] = [];
  const values: Partial<Record<ServiceSetting, string>> = {};
  for (const setting of OF_SERVICE) {
    const read = await findVariable(VARIABLES[setting], layers, workspaceDir);
    if (read.state === 'given' && read.warning !== undefined) warnings.push(read.warning);
    const found = setting === 'baseUrl' && read.state === 'given' ? checkedAddress(read, warnings) : read;
    variables.push(found.state === 'given' ? { name: found.name, state: 'given', source: found.source } : found);
    if (found.state === 'given') values[setting] = found.value;
  }
  const isComplete = variables.every(({ state }) => state === 'given');
  const environment = isComplete ? ({ ...values, warnings } as ServiceEnvironment) : null;
  return { environment, variables, warnings };
}

/** Throws ExplainedError (`usage`) if neither password nor key is readable. */
export async function loadSftpTarget(workspaceDir: string, { collect: { sftp } }: Config): Promise<SftpTarget | null> {
  if (sftp === null) return null;
  const { privateKey: keyFile, afterwards: _afterwards, ...target } = sftp;
  if (keyFile !== null) {
    const privateKey = await readFile(resolve(workspaceDir, keyFile), 'utf8').catch((thrown: unknown) => {
      throw usageErrorOf('sftp-key-not-readable', { message: messageOf(thrown) });
    });
    return { ...target, privateKey };
  }
  const found = await readVariable(VARIABLES.sftpPassword, workspaceDir, process.env);
  if (found.state === 'given') return { ...target, password: found.value };
  throw usageErrorOf('sftp-password-missing', { why: describeVariable(found) });
}

/** `INSPECTION_LOG_LEVEL` overrides `log.level`. Throws ExplainedError (`usage`). */
export async function loadLogLevel(workspaceDir: string, config: Config, processEnv: ProcessEnvironment = process.env) {
  const found = await readVariable(VARIABLES.logLevel, workspaceDir, processEnv);
  if (found.state === 'missing') return config.log.level;
  const level = found.state === 'given' ? LOG_LEVELS.find((each) => each === found.value) : undefined;
  if (level !== undefined) return level;
  throw usageError(
    'log-level-wrong',
    describeWrong(found, 'is not a log level'),
    `The levels are ${LOG_LEVELS.join(', ')}.`,
  );
}

function describeWrong(found: Found, problem: string) {
  return found.state === 'given' ? `${found.name} (from ${found.source}) ${problem}.` : `${describeVariable(found)}.`;
}

/** The URL with its password; null for state/ledger.sqlite. Throws ExplainedError (`usage`) without values. */
export async function loadLedgerUrl(workspaceDir: string) {
  const found = await readVariable(VARIABLES.ledgerUrl, workspaceDir, process.env);
  if (found.state === 'missing') return null;
  if (found.state === 'given' && isDatabaseUrl(found.value)) {
    for (const [name, path] of new URL(found.value).searchParams)
      if (/^ssl(?:rootcert|cert|key)$/.test(name))
        await access(path, constants.R_OK).catch((failure: unknown) => {
          throw usageErrorOf('database-certificate-not-readable', { name, message: messageOf(failure) });
        });
    return found.value;
  }
  const what = describeWrong(found, 'is not the address of a PostgreSQL database');
  throw usageErrorOf('ledger-url-wrong', { what });
}

export function isDatabaseUrl(text: string) {
  return /^postgres(?:ql)?:$/.test(URL.parse(text)?.protocol ?? '');
}

export interface NotifySecrets extends Readonly<Partial<Record<NotifySetting, string>>> {
  readonly problems: readonly string[];
}

/** Never throws: a run continues without notifying. */
export async function loadNotifySecrets(
  workspaceDir: string,
  { notify: { mail, webhook } }: Config,
): Promise<NotifySecrets> {
  const dotEnv = await readDotEnv(join(workspaceDir, '.env')).catch(() => ({ variables: new Map<string, string>() }));
  const values: Partial<Record<NotifySetting, string>> = {};
  const problems: string[] = [];
  const wanted: readonly NotifySetting[] = [
    ...(mail === null ? [] : (['smtpUser', 'smtpPassword'] as const)),
    ...(webhook === null ? [] : (['webhookSecret'] as const)),
  ];
  for (const setting of wanted) {
    const found = await findVariable(VARIABLES[setting], layersOf(process.env, dotEnv.variables), workspaceDir);
    if (found.state === 'given') values[setting] = found.value;
    else if (found.state === 'wrong') problems.push(`${describeVariable(found)}.`);
  }
  if (webhook !== null && values.webhookSecret === undefined) problems.push(sentence('settings/webhook-unsigned'));
  if ((values.smtpUser === undefined) !== (values.smtpPassword === undefined))
    problems.push(sentence('settings/half-of-mail'));
  return { ...values, problems };
}

export function describeVariable(variable: VariableState) {
  switch (variable.state) {
    case 'given':
      return `${variable.name} comes from ${variable.source}`;
    case 'missing':
      return `${variable.name} is missing`;
    case 'wrong':
      return `${variable.name} ${variable.problem}`;
  }
}

type Variables = ReadonlyMap<string, string | undefined>;

type Layer = Readonly<{
  title: string;
  variables: Variables;
}>;

type Given = Extract<VariableState, { state: 'given' }> & Readonly<{ value: string; warning?: string }>;
type Found = Given | Exclude<VariableState, { state: 'given' }>;

async function readVariable(name: VariableName, workspaceDir: string, processEnv: ProcessEnvironment) {
  const { variables } = await readDotEnv(join(workspaceDir, '.env'));
  return findVariable(name, layersOf(processEnv, variables), workspaceDir);
}

async function findVariable(name: VariableName, layers: readonly Layer[], workspaceDir: string): Promise<Found> {
  for (const { title, variables } of layers) {
    const value = variables.get(name) ?? '';
    const file = variables.get(`${name}_FILE`) ?? '';
    if (value !== '' && file !== '') return wrong(name, `and ${name}_FILE are both given by ${title}; keep one`);
    if (value !== '') return { name, state: 'given', source: title, value };
    if (file !== '') return readValueFile(name, resolve(workspaceDir, file), `${name}_FILE in ${title}`);
  }
  return { name, state: 'missing' };
}

async function readValueFile(name: VariableName, path: string, source: string) {
  try {
    // A byte order mark belongs to no password.
    const value = (await readFile(path, 'utf8')).replace(/^\uFEFF/, '').replace(/\r?\n$/, '');
    if (value === '') return wrong(name, `is empty: ${path}, named by ${source}, holds nothing`);
    const given: Given = { name, state: 'given', source, value };
    if (value === value.trim()) return given;
    return { ...given, warning: sentence('settings/with-space', { name, source }) };
  } catch (thrown) {
    return wrong(name, `cannot be read from the file named by ${source}: ${messageOf(thrown)}`);
  }
}

function checkedAddress(found: Given, warnings: string[]) {
  const address = readServiceAddress(found.value);
  if (address.kind === 'unusable') return wrong(found.name, `(from ${found.source}) ${address.problem}`);
  if (address.warning !== null) warnings.push(`${found.name} (from ${found.source}) ${address.warning}.`);
  return { ...found, value: address.baseUrl };
}

function wrong(name: VariableName, problem: string): Found {
  return { name, state: 'wrong', problem };
}

function layersOf(processEnv: ProcessEnvironment, dotEnv: Variables) {
  return [
    { title: 'the environment', variables: new Map(Object.entries(processEnv)) },
    { title: '.env', variables: dotEnv },
  ];
}

async function readDotEnv(path: string) {
  const read = Promise.all([readFile(path, 'utf8'), stat(path)]);
  const found = await nullIfMissing(read).catch(notReadable('env-file-not-readable', path));
  if (found === null) return { variables: new Map(), warnings: [] };
  const [text, { mode }] = found;
  const variables = new Map(Object.entries(parseEnv(text.replace(/^\uFEFF/, ''))));
  const warnings = [...unknownNames([...variables.keys()]), ...cutAtHash(text)];
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) warnings.push(sentence('settings/readable', { path }));
  return { variables, warnings };
}

function cutAtHash(text: string) {
  return text.split('\n').flatMap((line) => {
    const [, name, value = ''] = /^\s*(?:export\s+)?(INSPECTION_\w+)\s*=\s*(.*)$/.exec(line) ?? [];
    const isCut = /^(?!["'`])[^#]*(?<!\s)#/.test(value) && !value.startsWith('# ');
    return name !== undefined && isCut ? [sentence('settings/cut-at-hash', { name })] : [];
  });
}

function unknownNames(names: readonly string[]) {
  const known = Object.values(VARIABLES).flatMap((name) => [name, `${name}_FILE`]);
  return names
    .filter((name) => /^INSPECTION_(?!SANDBOX_)/.test(name) && !known.includes(name))
    .map((name) => sentence('settings/unknown-variable', { name, nearest: nearestName(name, known) }));
}
