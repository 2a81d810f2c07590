import type { FaultRule } from './faults/faults.ts';
import { SCENARIO_NAMES, type ScenarioName } from './faults/scenarios.ts';
import { type NotShown, notShownOf } from './not-shown.ts';
import { OptionProblem } from './refusal.ts';

/** What a client needs to obtain tokens. */
export interface SandboxCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly username: string;
  readonly password: string;
}

export const ROLES = ['full', 'read-only', 'no-search', 'none'] as const;
export type Role = (typeof ROLES)[number];

/** A platform user of the client. */
export interface SandboxUser {
  readonly username: string;
  readonly password: string;
  /** What the user may do; everything by default. */
  readonly role?: Role | undefined;
}

export const ACCOUNT_TEMPLATES = ['standard', 'full', 'slim'] as const;
/** `full`: every attribute, whatever the service; `standard`: those of the service but a few; `slim`: what an underwriter cannot do without. */
export type AccountTemplate = (typeof ACCOUNT_TEMPLATES)[number];

/** How a sandbox is started. Everything has a default. */
export interface SandboxOptions {
  /** Port of the service; 0, the default, takes any that is free. */
  readonly port?: number | undefined;
  /** Port of the origin that signed URLs lead to. */
  readonly filesPort?: number | undefined;
  /** Port of the control server. */
  readonly controlPort?: number | undefined;
  /** Address to listen on; loopback by default. */
  readonly host?: string | undefined;
  /** Staging has the two test prefixes (document: States and transitions); staging by default. */
  readonly environment?: 'staging' | 'production' | undefined;
  /** Decides everything that varies from project to project. */
  readonly seed?: number | string | undefined;
  /** Seconds of sandbox time in a real second. */
  readonly timeScale?: number | undefined;
  /** Milliseconds since the UNIX epoch at which sandbox time starts; real time by default. */
  readonly startAt?: number | undefined;
  /** Projects progress by themselves; true by default. */
  readonly autoProgress?: boolean | undefined;
  /** Sandbox hours from creation to the last status: the fastest and the slowest project. */
  readonly progressHours?: { readonly min: number; readonly max: number } | undefined;
  /** Share of projects, 0 to 1, that get canceled on their way; 0.03 by default. */
  readonly canceledShare?: number | undefined;
  /** What the sandbox accepts; fixed values of the environment by default. */
  readonly credentials?: SandboxCredentials | undefined;
  /** Further platform users of the same client. */
  readonly otherUsers?: readonly SandboxUser[] | undefined;
  /**
   * A file that keeps all state, so that a restart loses nothing; by default state is in memory only. On a restart the options that decide how
   * projects progress (environment, seed, firstProjectId, autoProgress, progressHours, canceledShare) must be left out or the same, and
   * sandbox time goes on as it ran.
   */
  readonly dataFile?: string | undefined;
  /** The ways to take where the document leaves one open. */
  readonly notShown?: Partial<NotShown> | undefined;
  /** Which attributes the account's summaries hold; `standard` by default. */
  readonly accountTemplate?: AccountTemplate | undefined;
  /** `one-page`: a report's file is a PDF of one page that names it, for nights so large that whole ones would fill the disk; `whole` by default. */
  readonly reportFiles?: 'whole' | 'one-page' | undefined;
  /** The client's SFTP server, where results are pushed to (document: Events); none by default. */
  readonly sftp?: SftpTarget | undefined;
  /** A delivered file that is deleted or moved away makes its project `Client Received`; true by default. */
  readonly sftpAutoReceived?: boolean | undefined;
  /** A named scenario of faults; `calm` by default. */
  readonly scenario?: ScenarioName | undefined;
  /** Faults in addition to the scenario's. */
  readonly faults?: readonly FaultRule[] | undefined;
  /** Id of the first project, digits; 100001 by default. */
  readonly firstProjectId?: string | undefined;
  /** Real milliseconds every answer of the service takes: half before the work is done, half after. */
  readonly latencyMs?: number | undefined;
}

type Defaulted =
  | 'host'
  | 'environment'
  | 'autoProgress'
  | 'progressHours'
  | 'canceledShare'
  | 'credentials'
  | 'otherUsers'
  | 'latencyMs'
  | 'scenario'
  | 'accountTemplate'
  | 'reportFiles';

/** The options with every default filled in. */
export interface SandboxSettings extends Readonly<{ [Name in Defaulted]-?: NonNullable<SandboxOptions[Name]> }> {
  readonly seed: string;
  readonly notShown: NotShown;
  readonly firstProjectId: bigint;
  readonly sftp: SftpSettings | undefined;
}

/** How results are delivered. */
export interface SftpSettings {
  readonly target: SftpTarget;
  /** A delivered file that is deleted or moved away makes its project `Client Received` (document: Events, 4). */
  readonly autoReceived: boolean;
}

/** An int64, with room for the projects that come. */
const FIRST_PROJECT_ID_MAX = 9_200_000_000_000_000_000n;

/** Throws OptionProblem, a TypeError, where an option makes no sense. */
export function settingsOf(options: SandboxOptions): SandboxSettings {
  const environment = options.environment ?? 'staging';
  const progressHours = options.progressHours ?? { min: 4, max: 96 };
  if (!(progressHours.min > 0 && progressHours.max >= progressHours.min)) {
    throw new OptionProblem(
      'progressHours: min must be above 0, and max at least min.',
      'By default it is from 4 to 96.',
    );
  }
  const scenario = options.scenario ?? 'calm';
  if (!SCENARIO_NAMES.includes(scenario))
    throw new TypeError(`scenario: one of ${SCENARIO_NAMES.join(', ')}, not ${scenario}`);
  const firstProjectId = options.firstProjectId ?? '100001';
  if (!/^\d{1,19}$/.test(firstProjectId) || BigInt(firstProjectId) > FIRST_PROJECT_ID_MAX) {
    throw new OptionProblem(
      `The first project's id cannot be ${firstProjectId}.`,
      `It is a whole number up to ${FIRST_PROJECT_ID_MAX}.`,
    );
  }
  return {
    host: options.host ?? '127.0.0.1',
    environment,
    seed: String(options.seed ?? 1),
    autoProgress: options.autoProgress ?? true,
    progressHours,
    canceledShare: options.canceledShare ?? 0.03,
    credentials: options.credentials ?? defaultCredentials(environment),
    otherUsers: otherUsersOf(options),
    notShown: notShownOf(options.notShown ?? {}),
    firstProjectId: BigInt(firstProjectId),
    latencyMs: options.latencyMs ?? 0,
    scenario,
    accountTemplate: options.accountTemplate ?? 'standard',
    reportFiles: options.reportFiles ?? 'whole',
    sftp: options.sftp && { target: options.sftp, autoReceived: options.sftpAutoReceived ?? true },
  };
}

/** Throws OptionProblem where two users have the same name. */
function otherUsersOf({
  otherUsers = [],
  credentials,
  environment = 'staging',
}: SandboxOptions): readonly SandboxUser[] {
  const names = [
    (credentials ?? defaultCredentials(environment)).username,
    ...otherUsers.map(({ username }) => username),
  ];
  const doubled = names.find((name, index) => names.indexOf(name) !== index);
  if (doubled !== undefined)
    throw new OptionProblem(
      `There are two users ${doubled}.`,
      'Give each a name of its own; the first is the one of the credentials.',
    );
  return otherUsers;
}

/** Fixed values, one set per environment: those of one are refused by the other (document: Authentication, rule 4). */
export function defaultCredentials(environment: 'staging' | 'production'): SandboxCredentials {
  return {
    clientId: `sandbox-${environment}-client`,
    clientSecret: `sandbox-${environment}-secret`,
    username: `analyst@${environment}.example`,
    password: `sandbox-${environment}-password`,
  };
}

/** `NAME:PASSWORD` or `NAME:PASSWORD:ROLE`, as on a command line. Throws OptionProblem on another form. */
export function userFrom(text: string): SandboxUser {
  const [, username, password, role] = /^([^:]+):(.+?)(?::(full|read-only|no-search|none))?$/.exec(text) ?? [];
  if (username === undefined || password === undefined) {
    throw new OptionProblem(
      'A user is a name and a password, perhaps a role, with colons in between.',
      `Such as --user ann:pass:read-only. Roles: ${ROLES.join(', ')}.`,
    );
  }
  return { username, password, role: ROLES.find((known) => known === role) };
}

/** The client's SFTP server (document: Events): an account that may read and write in the folder. */
export interface SftpTarget {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password?: string | undefined;
  /** A private key, in OpenSSH's or PEM form, instead of the password. */
  readonly privateKey?: string | undefined;
  /** The server's key must have this fingerprint, `SHA256:…` as ssh-keygen prints it; any key is taken where it is absent. */
  readonly hostKey?: string | undefined;
  /** Absolute, or relative to where the account begins. */
  readonly folder: string;
}

/** What a target has besides its address. */
export type SftpAccess = Pick<SftpTarget, 'password' | 'privateKey' | 'hostKey'>;

const FORM = 'Write it as sftp://user@host:port/folder; the password is read from INSPECTION_SANDBOX_SFTP_PASSWORD.';

/** `sftp://user@host:port/folder`, the folder absolute; `/~/folder` is relative to where the account begins. Throws OptionProblem on another form. */
export function sftpTargetFrom(text: string, access: SftpAccess): SftpTarget {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'sftp:' || url.hostname === '')
    throw new OptionProblem('--sftp is no address of an SFTP folder.', FORM);
  if (url.password !== '')
    throw new OptionProblem('--sftp holds a password, which everybody on this machine could read.', FORM);
  if (url.username === '') throw new OptionProblem('--sftp names no user.', FORM);
  if (!access.password && !access.privateKey) {
    throw new OptionProblem(
      'There is no password for --sftp.',
      'Set INSPECTION_SANDBOX_SFTP_PASSWORD, or INSPECTION_SANDBOX_SFTP_KEY_FILE to the path of a private key.',
    );
  }
  const path = decodeURIComponent(url.pathname).replace(/(?<=.)\/+$/, '');
  return {
    host: url.hostname.replaceAll(/^\[|\]$/g, ''),
    port: url.port === '' ? 22 : Number(url.port),
    user: decodeURIComponent(url.username),
    folder: path.replace(/^\/~(\/|$)/, '') || (path.startsWith('/~') ? '.' : '/'),
    ...access,
  };
}
