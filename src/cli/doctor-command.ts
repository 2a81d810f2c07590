import { existsSync } from 'node:fs';
import { access, constants, statfs } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { RemoteFolder } from '../collect/sftp/remote-folder.ts';
import { ExplainedError, messageOf, hasCode } from '../domain/errors.ts';
import { silentLog } from '../domain/ports.ts';
import type { FleetInspection, SeenHost } from '../fleet/hosts.ts';
import type { PostgresTarget } from '../ledger/postgres-driver.ts';
import { inspectEndpoints } from '../notify/endpoints.ts';
import { configSchema } from '../ops/config-schema.ts';
import { loadConfig, type Config } from '../ops/config.ts';
import {
  describeVariable,
  inspectEnvironment,
  loadLedgerUrl,
  loadSftpTarget,
  type ServiceEnvironment,
  type VariableState,
} from '../ops/environment.ts';
import { lockProblem } from '../ops/run-lock.ts';
import { SYSTEM, systemClock } from '../ops/system.ts';
import { FOLDERS, inboxProblem, type Workspace, workspaceAt } from '../ops/workspace.ts';
import { ledgerCondition, ledgerError } from '../upkeep/guarded-ledger.ts';
import { accountNamed, createServiceClient } from '../service/client.ts';
import { commandResult, type Accent } from './terminal.ts';
import { exitCodeOfDoctor } from '../night/exit-codes.ts';
import { loadNotifyTargets } from '../night/notify-run.ts';
import { type Parts, sentence } from '../domain/sentences.ts';

export type Check = Readonly<{
  what: string;
  state: 'ok' | 'warning' | 'problem';
  /** Only a warning or problem has a code (docs/messages.md). */
  code?: string;
  detail: string;
  isAway?: boolean;
}>;

function ok(what: string, detail: string): Check {
  return { what, state: 'ok', detail };
}

/** `said`: the parts of the code's sentence, or another text. */
function warning(what: string, code: string, said: Parts | string): Check {
  return { what, state: 'warning', code, detail: detailOf(code, said) };
}

function problem(what: string, code: string, said: Parts | string, isAway = false): Check {
  return { what, state: 'problem', code, detail: detailOf(code, said), ...(isAway && { isAway }) };
}

function detailOf(code: string, said: Parts | string) {
  return typeof said === 'string' ? said : sentence(code, said);
}

const FREE_BYTES_MIN = 1024 ** 3;
const CLOCK_SKEW_MS_MAX = 60_000;
const CLOCK_TIMEOUT_MS = 10_000;
const DATABASE_SKEW_MS_MAX = 5_000;
const ROUND_TRIP_MS_MAX = 5;
const SEEN_ON_SHARE_MS = 60_000;
const MISSED_MS = 24 * 60 * 60_000;

/** Exit code 2 for a problem that would stop a run, 4 if only the service is unavailable. */
export async function doctorCommand(workspaceDir: string) {
  const workspace = workspaceAt(workspaceDir);
  const findings = [nodeVersion(), ...(await folders(workspace)), await disk(workspace), ...(await lock(workspace))];
  const fleet = await ledger(workspace, findings);
  const config = await configuration(workspace, findings);
  const known = config ?? configSchema.parse({});
  const { environment, variables, warnings } = await inspectEnvironment(workspace.root, known);
  for (const variable of variables)
    if (config !== null || variable.name !== 'INSPECTION_BASE_URL') findings.push(variableFinding(variable, workspace));
  for (const one of warnings) findings.push(warning('settings', 'setting-doubtful', one));
  if (config !== null) {
    if (environment !== null)
      findings.push(...(await account(workspace, environment)), ...(await reachability(environment)));
    findings.push(...(await sftpFolder(workspace, config)), ...(await endpoints(workspace)));
  }
  const text = findings.map(({ what, state, detail }) => `${MARKS[state]} ${what}: ${detail}`).join('\n');
  return {
    ...commandResult(exitCodeOfDoctor(findings), text, { findings, ...(fleet === null ? {} : { fleet }) }),
    accents: ACCENTS,
  };
}

const MARKS = { ok: 'ok      ', warning: 'warning ', problem: 'PROBLEM ' } as const;
const ACCENTS: readonly Accent[] = [
  [/^ok(?= {6})/gm, 'green'],
  [/^warning(?= )/gm, 'yellow'],
  [/^PROBLEM(?= )/gm, ['bold', 'red']],
];

function nodeVersion() {
  const { node } = process.versions;
  return Number(node.split('.')[0]) >= 24 ? ok('Node.js', node) : problem('Node.js', 'node-too-old', { node });
}

async function folders(workspace: Workspace) {
  const missing: string[] = [];
  const closed: string[] = [];
  const away = await inboxProblem(workspace);
  if (away !== null) return [problem('folders', 'inbox-unavailable', away)];
  for (const name of ['root', ...FOLDERS] as const)
    await access(workspace[name], constants.R_OK | constants.W_OK).catch((failure: unknown) =>
      (hasCode(failure, 'ENOENT') ? missing : closed).push(workspace[name]),
    );
  if (closed.length > 0) return [problem('folders', 'folders-not-usable', { closed: closed.join(', ') })];
  if (missing.length === 0) return [ok('folders', workspace.root)];
  const detail = `${missing.join(', ')} missing. Run: inspection-batch init ${workspace.root}`;
  return [(missing.length < FOLDERS.length ? warning : problem)('folders', 'folders-not-usable', detail)];
}

async function disk(workspace: Workspace) {
  try {
    const { bavail, bsize } = await statfs(workspace.root);
    const free = bavail * bsize;
    const words = `${(free / 1024 ** 3).toFixed(1)} GiB free`;
    return free < FREE_BYTES_MIN ? warning('disk', 'disk-nearly-full', { words }) : ok('disk', words);
  } catch (failure) {
    return warning('disk', 'disk-not-readable', messageOf(failure));
  }
}

/** Tries a second process: a network share may have no locks. */
async function lock({ root, state }: Workspace) {
  if ((await loadLedgerUrl(root)) !== null) return [];
  if (await access(state, constants.W_OK).catch(() => true)) return [];
  const wrong = await lockProblem(state);
  return wrong === null ? [] : [problem('run lock', 'lock-not-available', wrong)];
}

async function ledger(workspace: Workspace, findings: Check[]) {
  try {
    const { place, look, problem: wrong } = await ledgerCondition(workspace, 'quick');
    const whole = place.kind === 'sqlite' ? 'intact' : place.name;
    if (wrong !== null) findings.push(failed('ledger', ledgerError(wrong)));
    else if (look.kind === 'there') findings.push(ok('ledger', `${whole}, and up to date`));
    return place.kind === 'sqlite' ? null : await hosts(place.target, workspace, findings);
  } catch (failure) {
    findings.push(failed('ledger', failure));
    return null;
  }
}

function failed(what: string, failure: unknown, unexplained = 'fault') {
  if (!(failure instanceof ExplainedError)) return problem(what, unexplained, messageOf(failure));
  const { code, message, hint, kind } = failure;
  return problem(what, code, hint === undefined ? message : `${message} ${hint}`, kind === 'work-left');
}

async function hosts(target: PostgresTarget, { logs }: Workspace, findings: Check[]) {
  const { inspectFleet } = await import('../fleet/hosts.ts');
  const fleet = await inspectFleet(target, systemClock);
  findings.push(...databaseFindings(fleet));
  const living = fleet.hosts.filter(({ isAlive }) => isAlive);
  for (const host of living) findings.push(await livingFinding(host, logs, systemClock.now() - fleet.clockAheadMs));
  const names = new Set(living.map(({ host }) => host));
  const missed = fleet.hosts.filter(({ host, silentMs }) => silentMs < MISSED_MS && !names.has(host));
  for (const { host, role, silentMs } of new Map(missed.map((one) => [one.host, one])).values())
    findings.push(warning('host', 'host-silent', { host, role, silence: inSeconds(silentMs) }));
  const versions = new Set(living.map(({ version }) => version ?? 'an earlier one'));
  if (versions.size > 1)
    findings.push(warning('host versions', 'host-versions-differ', { versions: [...versions].join(', ') }));
  return fleet;
}

export function databaseFindings({ serverVersion, endsSilentSessions, roundTripMs, clockAheadMs }: FleetInspection) {
  const server = `PostgreSQL ${serverVersion}`;
  const answers = `${server} answers in ${roundTripMs.toFixed(1)} ms`;
  return [
    !endsSilentSessions
      ? problem('database', 'database-too-old', { server })
      : roundTripMs > ROUND_TRIP_MS_MAX
        ? warning('database', 'database-slow', { answers })
        : ok('database', answers),
    Math.abs(clockAheadMs) > DATABASE_SKEW_MS_MAX
      ? warning('database clock', 'database-clock-wrong', {
          seconds: Math.round(Math.abs(clockAheadMs) / 1000),
          where: clockAheadMs > 0 ? 'behind' : 'ahead of',
          host: hostname(),
        })
      : ok('database clock', 'agrees with this machine’s'),
  ];
}

/** A folder without the host's log is not the host's workspace. */
async function livingFinding(
  { run, host, pid, role, version, beganAt, silentMs, workingOn }: SeenHost,
  logs: string,
  now: number,
) {
  const who = `${host}, process ${pid} (${role}${version === null ? '' : `, version ${version}`})`;
  const hasLog =
    (role !== 'run' && role !== 'worker') || now - beganAt < SEEN_ON_SHARE_MS || existsSync(join(logs, `${run}.jsonl`));
  if (!hasLog) return warning('host', 'host-elsewhere', { who, run, logs });
  const work = workingOn === null ? 'no work in hand' : 'works on a page';
  return ok('host', `${who} is alive; last sign of life ${inSeconds(silentMs)} ago; ${work}`);
}

function inSeconds(ms: number) {
  return ms < 120_000
    ? `${Math.max(0, Math.round(ms / 1000))} s`
    : ms < 7_200_000
      ? `${Math.round(ms / 60_000)} min`
      : `${Math.round(ms / 3_600_000)} h`;
}

async function configuration(workspace: Workspace, findings: Check[]) {
  try {
    const config = await loadConfig(workspace.root);
    findings.push(ok('config.yaml', 'read'));
    return config;
  } catch (failure) {
    findings.push(failed('config.yaml', failure));
    return null;
  }
}

function variableFinding(variable: VariableState, workspace: Workspace) {
  const words = describeVariable(variable);
  if (variable.state === 'given') return ok('settings', words);
  const nextStep = variable.state === 'missing' ? ` Put it in the environment, or in ${workspace.env}.` : '';
  return problem('settings', 'credentials-missing', `${words}.${nextStep}`);
}

async function account(workspace: Workspace, environment: ServiceEnvironment) {
  const question = (await ledgerCondition(workspace, 'header', accountNamed(environment)).catch(() => null))?.question;
  if (!question) return [];
  // Without names: support bundles include it.
  const detail = sentence('account/question', { message: question.message });
  return [problem('account', question.kind, detail)];
}

async function reachability(environment: ServiceEnvironment) {
  const client = createServiceClient({ ...environment, ...SYSTEM, log: silentLog });
  try {
    const outcome = await client.searchProjects({ limit: 1 });
    const answer =
      outcome.kind === 'ok'
        ? ok('service', 'answers, and accepts these credentials')
        : outcome.kind === 'transient'
          ? problem('service', 'service-unavailable', outcome.reason, true)
          : problem('service', 'search-refused', outcome.message);
    return [answer, ...(await clock(environment.baseUrl))];
  } catch (failure) {
    const { code = 'service-unavailable', kind = 'work-left', hint } = failure instanceof ExplainedError ? failure : {};
    const isAway = kind === 'work-left';
    const advice = (isAway ? undefined : hint) ?? sentence('service-unavailable/hint');
    return [problem('service', code, `${messageOf(failure)} ${advice}`, isAway)];
  } finally {
    client.close();
  }
}

/** Changes nothing. If config.yaml has no host key, shows the server's. */
async function sftpFolder(workspace: Workspace, config: Config) {
  const what = 'SFTP folder';
  try {
    const target = await loadSftpTarget(workspace.root, config);
    if (target === null) return [];
    await using folder = await RemoteFolder.open(target, new AbortController().signal);
    const files = (await folder.files()).length;
    return [ok(what, `${target.host}:${target.port} answers; files in ${target.folder}: ${files}`)];
  } catch (failure) {
    return [failed(what, failure, 'sftp-unavailable')];
  }
}

/** Sends nothing. Problems are warnings: they stop no run. */
async function endpoints(workspace: Workspace) {
  const targets = await loadNotifyTargets(workspace);
  return (targets === null ? [] : await inspectEndpoints(targets)).map(({ what, problem: wrong }) => {
    if (wrong !== null) return warning(what, 'notify-unusable', wrong);
    return ok(what, what === 'notify.mail' ? 'the mail server answers, and accepts the login' : 'there');
  });
}

async function clock(baseUrl: string) {
  try {
    const answer = await fetch(`${baseUrl}/v1/project?limit=1`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(CLOCK_TIMEOUT_MS),
    });
    await answer.body?.cancel();
    const said = Date.parse(answer.headers.get('date') ?? '');
    if (Number.isNaN(said)) return [];
    const skewMs = Math.abs(systemClock.now() - said);
    if (skewMs <= CLOCK_SKEW_MS_MAX) return [ok('clock', 'agrees with the service’s')];
    return [warning('clock', 'clock-wrong', { seconds: Math.round(skewMs / 1000) })];
  } catch {
    return [];
  }
}
