import type { FaultRule } from './faults/faults.ts';
import { SCENARIO_NAMES, type ScenarioName } from './faults/scenarios.ts';
import { type Unspecified, unspecifiedOf } from './unspecified.ts';
import type { ProgressRules } from './progress.ts';
import { OptionProblem } from './refusal.ts';

export type SandboxCredentials = Readonly<Record<'clientId' | 'clientSecret' | 'username' | 'password', string>>;

const ROLES = ['full', 'read-only', 'no-search', 'none'] as const;
export type Role = (typeof ROLES)[number];

export type SandboxUser = Readonly<{
  username: string;
  password: string;
  role?: Role | undefined;
}>;

export const ACCOUNT_TEMPLATES = ['standard', 'full', 'slim'] as const;
/** `full`: every attribute; `standard`: those of the service but a few; `slim`: what an underwriter needs at least. */
export type AccountTemplate = (typeof ACCOUNT_TEMPLATES)[number];

type Optional<Options> = { readonly [Name in keyof Options]?: Options[Name] | undefined };

type DefaultedOptions = Omit<ProgressRules, 'seed' | 'initialStatus'> &
  Readonly<{
    host: string;
    credentials: SandboxCredentials;
    otherUsers: readonly SandboxUser[];
    accountTemplate: AccountTemplate;
    scenario: ScenarioName;
    /** Real ms for every answer: half before the work, half after. */
    latencyMs: number;
  }>;

type OtherOptions = Readonly<{
  port: number;
  filesPort: number;
  controlPort: number;
  seed: number | string;
  /** Sandbox seconds per real second. */
  timeScale: number;
  /** Default: now. */
  startAt: number;
  /**
   * Keeps all state, so a restart loses nothing; default: memory only. After a restart, environment, seed,
   * firstProjectId, autoProgress, progressHours and canceledShare must be absent or the same, and sandbox time
   * continues.
   */
  dataFile: string;
  notShown: Partial<Unspecified>;
  /** Where results are pushed to (document: Events); default: nowhere. */
  sftp: UploadTarget;
  /** Deleting or moving a delivered file makes its project `Client Received`; default true. */
  sftpAutoReceived: boolean;
  faults: readonly FaultRule[];
  firstProjectId: string;
}>;

export interface SandboxOptions extends Optional<DefaultedOptions>, Optional<OtherOptions> {}

export type SandboxSettings = DefaultedOptions &
  Readonly<{
    seed: string;
    notShown: Unspecified;
    firstProjectId: bigint;
    sftp: SftpSettings | undefined;
  }>;

export type SftpSettings = Readonly<{
  target: UploadTarget;
  autoReceived: boolean;
}>;

const FIRST_PROJECT_ID_MAX = 9_200_000_000_000_000_000n;

/** Throws OptionProblem for invalid options. */
export function sandboxSettings(options: SandboxOptions): SandboxSettings {
  const {
    host = '127.0.0.1',
    environment = 'staging',
    seed = 1,
    autoProgress = true,
    progressHours = { min: 4, max: 96 },
    canceledShare = 0.03,
    credentials = defaultCredentials(environment),
    otherUsers = [],
    notShown = {},
    firstProjectId = '100001',
    latencyMs = 0,
    scenario = 'calm',
    accountTemplate = 'standard',
    sftp,
    sftpAutoReceived = true,
  } = options;
  if (!(progressHours.min > 0 && progressHours.max >= progressHours.min)) throw new OptionProblem('progress-hours');
  if (!SCENARIO_NAMES.includes(scenario))
    throw new TypeError(`scenario: one of ${SCENARIO_NAMES.join(', ')}, not ${scenario}`);
  if (!/^\d{1,19}$/.test(firstProjectId) || BigInt(firstProjectId) > FIRST_PROJECT_ID_MAX)
    throw new OptionProblem('first-id', { id: firstProjectId, max: FIRST_PROJECT_ID_MAX });
  const names = [credentials, ...otherUsers].map(({ username }) => username);
  const doubled = names.find((name, index) => names.indexOf(name) !== index);
  if (doubled !== undefined) throw new OptionProblem('user-twice', { name: doubled });
  return {
    host,
    environment,
    seed: String(seed),
    autoProgress,
    progressHours,
    canceledShare,
    credentials,
    otherUsers,
    notShown: unspecifiedOf(notShown),
    firstProjectId: BigInt(firstProjectId),
    latencyMs,
    scenario,
    accountTemplate,
    sftp: sftp && { target: sftp, autoReceived: sftpAutoReceived },
  };
}

export function defaultCredentials(environment: 'staging' | 'production') {
  return {
    clientId: `sandbox-${environment}-client`,
    clientSecret: `sandbox-${environment}-secret`,
    username: `analyst@${environment}.example`,
    password: `sandbox-${environment}-password`,
  };
}

/** Reads `NAME:PASSWORD` or `NAME:PASSWORD:ROLE`. Throws OptionProblem on another form. */
export function parseUser(text: string) {
  const [, username, password, role] = /^([^:]+):(.+?)(?::(full|read-only|no-search|none))?$/.exec(text) ?? [];
  if (username === undefined || password === undefined)
    throw new OptionProblem('user-form', { roles: ROLES.join(', ') });
  return { username, password, role: ROLES.find((known) => known === role) };
}

export type UploadTarget = Readonly<{
  host: string;
  port: number;
  user: string;
  password?: string | undefined;
  /** In OpenSSH or PEM form, instead of the password. */
  privateKey?: string | undefined;
  hostKey?: string | undefined;
  /** Absolute, or relative to the account's home. */
  folder: string;
}>;

export function parseUploadTarget(text: string, access: Pick<UploadTarget, 'password' | 'privateKey' | 'hostKey'>) {
  const url = URL.parse(text);
  if (url?.protocol !== 'sftp:' || url.hostname === '') throw new OptionProblem('sftp-address');
  if (url.password !== '') throw new OptionProblem('sftp-password-shown');
  if (url.username === '') throw new OptionProblem('sftp-user');
  if (!access.password && !access.privateKey) throw new OptionProblem('sftp-password-missing');
  const path = decodeURIComponent(url.pathname).replace(/(?<=.)\/+$/, '');
  return {
    host: url.hostname.replaceAll(/^\[|\]$/g, ''),
    port: Number(url.port || 22),
    user: decodeURIComponent(url.username),
    folder: path.replace(/^\/~(\/|$)/, '') || (path.startsWith('/~') ? '.' : '/'),
    ...access,
  };
}
