import { join } from 'node:path';
import { ExplainedError } from '../domain/errors.ts';
import type { Log } from '../domain/ports.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { openSqliteLedger } from '../ledger/sqlite/sqlite-ledger.ts';
import { loadConfig, type Config } from '../ops/config.ts';
import { loadEnvironment, type ServiceEnvironment } from '../ops/environment.ts';
import { acquireRunLock } from '../ops/run-lock.ts';
import { newRunId } from '../ops/run-id.ts';
import { openRunLog } from '../ops/run-log.ts';
import { createRedactor } from '../ops/redaction.ts';
import { settingsWithoutEffect } from '../ops/settings-without-effect.ts';
import { systemClock, systemRandom, systemSleep } from '../ops/system-clock.ts';
import { ensureWorkspace, workspaceAt, type Workspace } from '../ops/workspace.ts';
import { createServiceClient, type ServiceClient } from '../service/client.ts';
import { repeatRead } from '../service/repeat-read.ts';

/** Everything a run works with: built here and nowhere else. */
export interface RunSession extends AsyncDisposable {
  readonly run: string;
  readonly startedAt: number;
  readonly workspace: Workspace;
  readonly config: Config;
  readonly environment: ServiceEnvironment;
  readonly log: Log;
  readonly ledger: Ledger;
  readonly client: ServiceClient;
  /** Why the service is away, or null when it answered. */
  readonly away: string | null;
}

/**
 * Opens a run: configuration, credentials, lock, log, ledger, recovery of what an interrupted run left, and one request that shows
 * whether the service takes our credentials, before the inbox is touched. Throws ExplainedError (2, 5).
 */
export async function openRunSession(workspaceDir: string, command: string, signal: AbortSignal): Promise<RunSession> {
  const workspace = workspaceAt(workspaceDir);
  await ensureWorkspace(workspace);
  const config = await loadConfig(workspace.root);
  const environment = await loadEnvironment(workspace.root, config, process.env);
  await using opened = new AsyncDisposableStack();
  opened.use(await acquireRunLock(workspace.state, { clock: systemClock, command }));
  const run = newRunId(systemClock, systemRandom);
  const startedAt = systemClock.now();
  const redactor = createRedactor();
  for (const secret of [environment.clientSecret, environment.password]) redactor.registerSecret(secret);
  const log = opened.use(openRunLog(workspace.logs, run, systemClock, redactor));
  for (const warning of [...environment.warnings, ...settingsWithoutEffect(config)]) process.stderr.write(`${warning}\n`);
  const world = { clock: systemClock, sleep: systemSleep, random: systemRandom, log, signal };
  const client = createServiceClient({ ...environment, ...world, maxConcurrency: config.submit.maxConcurrency });
  opened.defer(() => client.close());
  const ledger = opened.use(openSqliteLedger(join(workspace.state, 'ledger.sqlite'), { clock: systemClock, account: client.account }));
  await ledger.startRun(run, command);
  const interrupted = await ledger.recoverInterrupted();
  log.info('run started', { run, command, interrupted });
  const away = await reasonForBeingAway(client, world);
  const resources = opened.move();
  return { run, startedAt, workspace, config, environment, log, ledger, client, away, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

/** One small search. Credentials that are refused, or an address that is not the service's, stop everything (exit code 2). */
async function reasonForBeingAway(client: ServiceClient, world: Parameters<typeof repeatRead>[1]): Promise<string | null> {
  try {
    const outcome = await repeatRead(() => client.searchProjects({ limit: 1 }), world);
    switch (outcome.kind) {
      case 'ok':
        return null;
      case 'transient':
        return `The service is away: ${outcome.reason}.`;
      case 'not-found':
      case 'refused':
        throw notTheService(404, outcome.message);
      case 'stop':
        throw notTheService(outcome.status, outcome.message);
    }
  } catch (failure) {
    if (failure instanceof ExplainedError && failure.exitCode === 4) return failure.message;
    if (world.signal?.aborted === true) return 'The run was asked to stop.';
    throw failure;
  }
}

function notTheService(status: number, message: string): ExplainedError {
  return new ExplainedError(`The service answered a search with ${status}: ${message}`, {
    exitCode: 2,
    hint: 'Check INSPECTION_BASE_URL, and that this user may search projects. The inbox was not touched.',
  });
}
