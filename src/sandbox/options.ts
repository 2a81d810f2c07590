import type { FaultRule } from './faults.ts';

/** What a client needs to obtain tokens. */
export interface SandboxCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly username: string;
  readonly password: string;
}

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
  /** Projects move by themselves; true by default. */
  readonly autoProgress?: boolean | undefined;
  /** Sandbox hours from creation to the last status: the fastest and the slowest project. */
  readonly progressHours?: { readonly min: number; readonly max: number } | undefined;
  /** Share of projects, 0 to 1, that get canceled on their way; 0.03 by default. */
  readonly canceledShare?: number | undefined;
  /** What the sandbox accepts; fixed values of the environment by default. */
  readonly credentials?: SandboxCredentials | undefined;
  /** Further platform users of the same client. */
  readonly otherUsers?: readonly { readonly username: string; readonly password: string }[] | undefined;
  readonly faults?: readonly FaultRule[] | undefined;
  /** Id of the first project, digits; 100001 by default. */
  readonly firstProjectId?: string | undefined;
  /** Real milliseconds every answer of the service takes: half before the work is done, half after. */
  readonly latencyMs?: number | undefined;
}

/** The options with every default filled in. */
export interface SandboxSettings {
  readonly host: string;
  readonly environment: 'staging' | 'production';
  readonly seed: string;
  readonly autoProgress: boolean;
  readonly progressHours: { readonly min: number; readonly max: number };
  readonly canceledShare: number;
  readonly credentials: SandboxCredentials;
  readonly otherUsers: readonly { readonly username: string; readonly password: string }[];
  readonly firstProjectId: bigint;
  readonly latencyMs: number;
}

/** Throws TypeError where an option makes no sense. */
export function settingsOf(options: SandboxOptions): SandboxSettings {
  const environment = options.environment ?? 'staging';
  const progressHours = options.progressHours ?? { min: 4, max: 96 };
  if (!(progressHours.min > 0 && progressHours.max >= progressHours.min)) {
    throw new TypeError('progressHours: min must be above 0, and max at least min');
  }
  const firstProjectId = options.firstProjectId ?? '100001';
  if (!/^\d{1,19}$/.test(firstProjectId)) throw new TypeError(`firstProjectId: digits, up to 19, not ${firstProjectId}`);
  return {
    host: options.host ?? '127.0.0.1',
    environment,
    seed: String(options.seed ?? 1),
    autoProgress: options.autoProgress ?? true,
    progressHours,
    canceledShare: options.canceledShare ?? 0.03,
    credentials: options.credentials ?? defaultCredentials(environment),
    otherUsers: options.otherUsers ?? [],
    firstProjectId: BigInt(firstProjectId),
    latencyMs: options.latencyMs ?? 0,
  };
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
