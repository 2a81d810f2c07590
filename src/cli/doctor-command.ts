import { access, constants, statfs } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { RemoteFolder } from '../collect/sftp/remote-folder.ts';
import { ExplainedError, messageOf } from '../domain/errors.ts';
import { silentLog } from '../domain/ports.ts';
import type { FleetLook, SeenHost } from '../fleet/hosts.ts';
import { lookAtEndpoints } from '../notify/endpoints.ts';
import { type Config, loadConfig } from '../ops/config.ts';
import {
  describeVariable,
  inspectEnvironment,
  loadLedgerUrl,
  loadSftpTarget,
  type ServiceEnvironment,
  type VariableState,
} from '../ops/environment.ts';
import { lockProblem } from '../ops/run-lock.ts';
import { systemClock, systemRandom, systemSleep } from '../ops/system.ts';
import { FOLDERS, inboxProblem, type Workspace, workspaceAt } from '../ops/workspace.ts';
import { ledgerStanding } from '../upkeep/guarded-ledger.ts';
import type { LedgerPlace } from '../upkeep/ledger-place.ts';
import { accountNamed, createServiceClient } from '../service/client.ts';
import { type CommandResult, endedWith } from './command-result.ts';
import { exitCodeOfDoctor } from '../night/exit-codes.ts';
import { loadNotifyTargets } from '../night/telling.ts';
import type { Accent } from './terminal.ts';

export interface Finding {
  readonly what: string;
  readonly state: 'ok' | 'warning' | 'problem';
  readonly detail: string;
  /** The service does not answer; this may pass. */
  readonly isAway?: boolean;
}

const FREE_BYTES_MIN = 1024 ** 3;
const CLOCK_SKEW_MS_MAX = 60_000;
const CLOCK_TIMEOUT_MS = 10_000;
const DATABASE_SKEW_MS_MAX = 5_000;
const ROUND_TRIP_MS_MAX = 5;
/** How late another host's file may appear on a share. */
const SEEN_ON_SHARE_MS = 60_000;
const MISSED_MS = 24 * 60 * 60_000;

/**
 * Checks everything a run needs, and says what to do. Exit code 2 for a problem that would stop a run, 4 if only the
 * service is away.
 */
export async function doctorCommand(workspaceDir: string): Promise<CommandResult> {
  const workspace = workspaceAt(workspaceDir);
  const findings: Finding[] = [
    nodeVersion(),
    ...(await folders(workspace)),
    await disk(workspace),
    ...(await lock(workspace)),
  ];
  const fleet = await ledger(workspace, findings);
  const config = await configuration(workspace, findings);
  if (config !== null) {
    const { environment, variables, warnings } = await inspectEnvironment(workspace.root, config, process.env);
    for (const variable of variables) findings.push(variableFinding(variable, workspace));
    for (const warning of warnings) findings.push({ what: 'settings', state: 'warning', detail: warning });
    if (environment !== null)
      findings.push(...(await account(workspace, environment)), ...(await reachability(environment)));
    findings.push(...(await sftpFolder(workspace, config)), ...(await endpoints(workspace)));
  }
  const text = findings.map(({ what, state, detail }) => `${MARKS[state]} ${what}: ${detail}`).join('\n');
  return {
    ...endedWith(exitCodeOfDoctor(findings), text, { findings, ...(fleet === null ? {} : { fleet }) }),
    accents: ACCENTS,
  };
}

const MARKS = { ok: 'ok      ', warning: 'warning ', problem: 'PROBLEM ' } as const;
const ACCENTS: readonly Accent[] = [
  [/^ok(?= {6})/gm, 'green'],
  [/^warning(?= )/gm, 'yellow'],
  [/^PROBLEM(?= )/gm, ['bold', 'red']],
];

function nodeVersion(): Finding {
  const fits = Number(process.versions.node.split('.')[0]) >= 24;
  return {
    what: 'Node.js',
    state: fits ? 'ok' : 'problem',
    detail: fits
      ? process.versions.node
      : `${process.versions.node} is too old: version 24 is needed. Run npm ci, and start bin/inspection-batch.`,
  };
}

async function folders(workspace: Workspace): Promise<Finding[]> {
  const wrong: string[] = [];
  const away = await inboxProblem(workspace);
  if (away !== null) return [{ what: 'folders', state: 'problem', detail: away }];
  for (const name of FOLDERS) {
    await access(workspace[name], constants.R_OK | constants.W_OK).catch(() => wrong.push(name));
  }
  if (wrong.length === 0) return [{ what: 'folders', state: 'ok', detail: workspace.root }];
  const detail = `${wrong.join(', ')} missing or not writable in ${workspace.root}. Run: inspection-batch init ${workspace.root}`;
  return [{ what: 'folders', state: wrong.length === FOLDERS.length ? 'problem' : 'warning', detail }];
}

async function disk(workspace: Workspace): Promise<Finding> {
  try {
    const { bavail, bsize } = await statfs(workspace.root);
    const free = bavail * bsize;
    const words = `${(free / 1024 ** 3).toFixed(1)} GiB free`;
    return free < FREE_BYTES_MIN
      ? {
          what: 'disk',
          state: 'warning',
          detail: `${words}: reports and photos may not fit. Make room, or prune old deliveries.`,
        }
      : { what: 'disk', state: 'ok', detail: words };
  } catch (failure) {
    return { what: 'disk', state: 'warning', detail: messageOf(failure) };
  }
}

/** Tries a second process: locks may not work on a share. */
async function lock({ root, state }: Workspace): Promise<Finding[]> {
  // With PostgreSQL the server holds the lock.
  if ((await loadLedgerUrl(root)) !== null) return [];
  const isThere = await access(state, constants.W_OK).then(
    () => true,
    () => false,
  );
  const problem = isThere ? await lockProblem(state) : null;
  return problem === null ? [] : [{ what: 'run lock', state: 'problem', detail: problem }];
}

/** Reads every page of a ledger file. Returns the hosts of a shared database, or null. */
async function ledger(workspace: Workspace, findings: Finding[]): Promise<FleetLook | null> {
  const what = 'ledger';
  try {
    const { place, look, problem } = await ledgerStanding(workspace, 'quick');
    if (problem !== null) findings.push({ what, state: 'problem', detail: `${problem.message} ${problem.hint}` });
    else if (look.kind === 'there')
      findings.push({
        what,
        state: 'ok',
        detail:
          place.kind === 'sqlite' ? 'whole, and as far as its workspace' : `${place.name}, and as far as its workspace`,
      });
    return place.kind === 'sqlite' ? null : await hosts(place, workspace, findings);
  } catch (failure) {
    const hint = failure instanceof ExplainedError && failure.hint !== undefined ? ` ${failure.hint}` : '';
    findings.push({
      what,
      state: 'problem',
      detail: `${messageOf(failure)}${hint}`,
      ...(failure instanceof ExplainedError && failure.kind === 'work-left' ? { isAway: true } : {}),
    });
    return null;
  }
}

async function hosts(
  { target }: Extract<LedgerPlace, { kind: 'postgres' }>,
  { logs }: Workspace,
  findings: Finding[],
): Promise<FleetLook> {
  const { lookAtFleet } = await import('../fleet/hosts.ts');
  const fleet = await lookAtFleet(target, systemClock);
  findings.push(...databaseFindings(fleet));
  const living = fleet.hosts.filter(({ isAlive }) => isAlive);
  const missed = new Map(
    fleet.hosts
      .filter((host) => !host.isAlive && host.silentMs < MISSED_MS && !living.some((other) => other.host === host.host))
      .map((host) => [host.host, host]),
  );
  for (const host of living) findings.push(await livingFinding(host, logs, systemClock.now() - fleet.clockAheadMs));
  for (const { host, role, silentMs } of missed.values())
    findings.push({
      what: 'host',
      state: 'warning',
      detail: `${host} (${role}) died: its last sign of life was ${inSeconds(silentMs)} ago, and nothing of it is alive. Start it again, if it still belongs to these hosts.`,
    });
  const versions = new Set(living.map(({ version }) => version ?? 'an earlier one'));
  if (versions.size > 1)
    findings.push({
      what: 'host versions',
      state: 'warning',
      detail: `the hosts run different versions of inspection-batch (${[...versions].join(', ')}). Upgrade those that are behind: docs/fleet.md.`,
    });
  return fleet;
}

export function databaseFindings({
  serverVersion,
  endsSilentSessions,
  roundTripMs,
  clockAheadMs,
}: FleetLook): readonly Finding[] {
  const isSlow = roundTripMs > ROUND_TRIP_MS_MAX;
  const isOff = Math.abs(clockAheadMs) > DATABASE_SKEW_MS_MAX;
  const server = `PostgreSQL ${serverVersion}`;
  const trip = `answers in ${roundTripMs.toFixed(1)} ms`;
  return [
    endsSilentSessions
      ? {
          what: 'database',
          state: isSlow ? 'warning' : 'ok',
          detail: isSlow
            ? `${server} ${trip}: each order takes many round trips. Run the hosts closer to it.`
            : `${server} ${trip}`,
        }
      : {
          what: 'database',
          state: 'problem',
          detail: `${server} is too old: version 14 or newer is needed, which ends the session of a host that was cut off.`,
        },
    isOff
      ? {
          what: 'database clock',
          state: 'warning',
          detail: `${Math.round(Math.abs(clockAheadMs) / 1000)} s ${clockAheadMs > 0 ? 'behind' : 'ahead of'} that of ${hostname()}. Orders are timed by the database's clock, logs by this machine's. Let both keep their time by NTP.`,
        }
      : { what: 'database clock', state: 'ok', detail: 'agrees with this machine’s' },
  ];
}

/** A workspace without that host's log is not its folder. */
async function livingFinding(
  { run, host, pid, role, version, beganAt, silentMs, workingOn }: SeenHost,
  logs: string,
  now: number,
): Promise<Finding> {
  const what = 'host';
  const who = `${host}, process ${pid} (${role}${version === null ? '' : `, version ${version}`})`;
  const hasLog =
    (role !== 'run' && role !== 'worker') ||
    now - beganAt < SEEN_ON_SHARE_MS ||
    (await access(join(logs, `${run}.jsonl`)).then(
      () => true,
      () => false,
    ));
  if (!hasLog)
    return {
      what,
      state: 'warning',
      detail: `${who} works in another folder: its log ${run}.jsonl is not in ${logs}. All hosts must mount the same workspace, or its reports are missing from the delivery.`,
    };
  return {
    what,
    state: 'ok',
    detail: `${who} is alive; last sign of life ${inSeconds(silentMs)} ago; ${workingOn === null ? 'no work in hand' : 'works on a page'}`,
  };
}

function inSeconds(ms: number): string {
  return ms < 120_000
    ? `${Math.max(0, Math.round(ms / 1000))} s`
    : ms < 7_200_000
      ? `${Math.round(ms / 60_000)} min`
      : `${Math.round(ms / 3_600_000)} h`;
}

async function configuration(workspace: Workspace, findings: Finding[]): Promise<Config | null> {
  try {
    const config = await loadConfig(workspace.root);
    findings.push({ what: 'config.yaml', state: 'ok', detail: 'read' });
    return config;
  } catch (failure) {
    findings.push({ what: 'config.yaml', state: 'problem', detail: messageOf(failure) });
    return null;
  }
}

function variableFinding(variable: VariableState, workspace: Workspace): Finding {
  const words = describeVariable(variable);
  if (variable.state === 'given') return { what: 'settings', state: 'ok', detail: words };
  const nextStep = variable.state === 'missing' ? ` Put it in the environment, or in ${workspace.env}.` : '';
  return { what: 'settings', state: 'problem', detail: `${words}.${nextStep}` };
}

async function account(workspace: Workspace, environment: ServiceEnvironment): Promise<Finding[]> {
  const named = accountNamed(environment);
  const question = await ledgerStanding(workspace, 'header', named).then(
    (standing) => standing.question,
    () => null,
  );
  if (question === null) return [];
  // No names: support bundles include it.
  const detail = `${question.message} \`inspection-batch account\` shows both. Say \`inspection-batch account --same\` for the same service under another name, \`--new\` for another account.`;
  return [{ what: 'account', state: 'problem', detail }];
}

async function reachability(environment: ServiceEnvironment): Promise<Finding[]> {
  const client = createServiceClient({
    ...environment,
    clock: systemClock,
    sleep: systemSleep,
    random: systemRandom,
    log: silentLog,
  });
  try {
    const outcome = await client.searchProjects({ limit: 1 });
    const state = outcome.kind === 'ok' ? 'ok' : 'problem';
    const away = outcome.kind === 'transient' ? { isAway: true } : {};
    const detail =
      outcome.kind === 'ok'
        ? 'answers, and takes these credentials'
        : 'reason' in outcome
          ? outcome.reason
          : outcome.message;
    return [{ what: 'service', state, detail, ...away }, ...(await clock(environment.baseUrl))];
  } catch (failure) {
    const isAway = !(failure instanceof ExplainedError) || failure.kind === 'work-left';
    const hint =
      isAway || failure.hint === undefined ? 'Check INSPECTION_BASE_URL, the network and the firewall.' : failure.hint;
    return [{ what: 'service', state: 'problem', detail: `${messageOf(failure)} ${hint}`, isAway }];
  } finally {
    client.close();
  }
}

/** Opens the folder of `collect.sftp` without changes. If config.yaml has no host key, shows the server's. */
async function sftpFolder(workspace: Workspace, config: Config): Promise<Finding[]> {
  const what = 'SFTP folder';
  try {
    const target = await loadSftpTarget(workspace.root, config, process.env);
    if (target === null) return [];
    await using folder = await RemoteFolder.open(target, new AbortController().signal);
    return [
      {
        what,
        state: 'ok',
        detail: `${target.host}:${target.port} answers; files in ${target.folder}: ${(await folder.files()).length}`,
      },
    ];
  } catch (failure) {
    const hint = failure instanceof ExplainedError && failure.hint !== undefined ? ` ${failure.hint}` : '';
    return [{ what, state: 'problem', detail: `${messageOf(failure)}${hint}` }];
  }
}

/** Sends nothing. Its problems are warnings: they stop no run. */
async function endpoints(workspace: Workspace): Promise<Finding[]> {
  const targets = await loadNotifyTargets(workspace);
  const looks = targets === null ? [] : await lookAtEndpoints(targets);
  return looks.map(({ what, problem }) => ({
    what,
    state: problem === null ? 'ok' : 'warning',
    detail: problem ?? (what === 'notify.mail' ? 'the mail server answers, and takes the login' : 'there'),
  }));
}

async function clock(baseUrl: string): Promise<Finding[]> {
  try {
    const answer = await fetch(`${baseUrl}/v1/project?limit=1`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(CLOCK_TIMEOUT_MS),
    });
    await answer.body?.cancel();
    const said = Date.parse(answer.headers.get('date') ?? '');
    if (Number.isNaN(said)) return [];
    const skewMs = Math.abs(systemClock.now() - said);
    return skewMs > CLOCK_SKEW_MS_MAX
      ? [
          {
            what: 'clock',
            state: 'warning',
            detail: `${Math.round(skewMs / 1000)} s away from the service's. Let the machine keep its time by NTP.`,
          },
        ]
      : [{ what: 'clock', state: 'ok', detail: 'agrees with the service’s' }];
  } catch {
    return [];
  }
}
