import { hostname } from 'node:os';
import { Client } from 'pg';
import { messageOf, hasCode, succeeds, errorOf } from '../domain/errors.ts';
import type { Clock, Sleep } from '../domain/ports.ts';
import { advisoryKeyOf, type PostgresTarget } from '../ledger/postgres-driver.ts';
import { failureOfQuery, failureToConnect } from '../ledger/postgres-failures.ts';
import { type RunLock, thisHost } from '../ops/run-lock.ts';
import { packageVersion, startStopwatch } from '../ops/system.ts';

// A host's sign of life is an advisory lock on its own connection: only the server decides who is alive. A host sends
// only if the server has answered lately, because others may have taken over (docs/decisions/0016).

export type HeartbeatSettings = Readonly<{
  everyMs: number;
  /** After this long without an answer the host sends nothing. */
  sureMs: number;
  /** After this long without a question the server ends the session. Far longer than `sureMs`. */
  endedMs: number;
}>;

const SIGNS_OF_LIFE: HeartbeatSettings = { everyMs: 5_000, sureMs: 10_000, endedMs: 20_000 };

/** A `command` has the night's lock without being the night's run; a standby does nothing. */
export type HostRole = 'run' | 'command' | 'worker' | 'standby';

type HostOptions = Readonly<{
  target: PostgresTarget;
  run: string;
  role: HostRole;
  command: string;
  clock: Clock;
  sleep: Sleep;
  signs?: HeartbeatSettings;
}>;

export type SeenHost = Readonly<Awaited<ReturnType<typeof hostsOnRecord>>[number]>;

export type FleetInspection = Readonly<Awaited<ReturnType<typeof inspectFleet>>>;

const NOW = 'CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)';
const REMEMBERED_MS = 7 * 24 * 60 * 60 * 1000;
const UNDEFINED_TABLE = '42P01';
const ENDS_SILENT_SESSIONS = 140_000;
const ROUND_TRIPS = 5;

const SESSION = 'inspection-batch host';

/** Disposing releases its locks. */
export class Host implements AsyncDisposable {
  readonly run;
  readonly #options;
  readonly #signs;
  readonly #client;
  readonly #closing = new AbortController();
  #answered = startStopwatch();
  #asking: Promise<void> | null = null;
  #ended: string | null = null;

  private constructor(options: HostOptions) {
    const { target, run, signs = SIGNS_OF_LIFE } = options;
    this.run = run;
    this.#options = options;
    this.#signs = signs;
    this.#client = new Client({
      connectionString: target.url,
      keepAlive: true,
      connectionTimeoutMillis: signs.sureMs,
      query_timeout: signs.sureMs,
      application_name: `${SESSION} ${run} ${packageVersion()}`,
    });
    this.#client.on('error', (failure) => this.#end(messageOf(failure)));
    this.#client.on('end', () => this.#end('the connection was closed'));
  }

  /** Throws ExplainedError: `work-left` if the database cannot be reached, `usage` if it refuses the login. */
  static async open(options: HostOptions) {
    const host = new Host(options);
    try {
      await host.#begin();
    } catch (failure) {
      await host.#client.end().catch(() => {});
      throw failureToConnect(failure);
    }
    void host.#beat();
    return host;
  }

  /**
   * Call before each request. Throws ExplainedError (`lost-place`) if the server may have ended this session, because
   * others may have taken over. Asks the server only if it has not answered lately, or if `now`.
   */
  async check(when?: 'now') {
    if (this.#ended === null && (when === 'now' || !this.isSure)) await this.#ask();
    if (!this.isSure) throw this.#lostPlace();
  }

  get isSure() {
    return this.#ended === null && this.#answered() <= this.#signs.sureMs;
  }

  get target() {
    return this.#options.target;
  }

  /** Takes the lock by which others see that a process is alive; for processes without the night's lock. */
  ownLife() {
    return this.#lock(`the session of host ${this.run}`, async () => {});
  }

  /** Throws ExplainedError (`locked`) that names the holder. */
  async takeNight() {
    const { target } = this.#options;
    const key = advisoryKeyOf(target.schema, 'night');
    const { rows } = await this.#explain(
      this.#client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [key]),
    );
    if (rows[0]?.taken !== true) throw await this.#nightIsTaken();
    return this.#lock(`the lock of schema ${target.schema}`, async () => {
      if (this.#ended === null) await this.#client.query('SELECT pg_advisory_unlock($1)', [key]).catch(() => {});
    });
  }

  async runOfNight() {
    return (await this.living()).find(({ role }) => role === 'run')?.run ?? null;
  }

  async isNightTaken() {
    return (await this.#explain(heldKeys(this.#client))).has(advisoryKeyOf(this.target.schema, 'night'));
  }

  async living() {
    return (await this.#explain(hostsOnRecord(this.#client, this.target))).filter(({ isAlive }) => isAlive);
  }

  /** Those whose process has died. A dead run never returns: a restarted process has a new run ID. */
  async deadAmong(runs: readonly string[]) {
    const held = await this.#explain(heldKeys(this.#client));
    return runs.filter((run) => !held.has(keyOfHost(this.target, run)));
  }

  async forgetOld() {
    await this.#explain(this.#client.query(`DELETE FROM hosts WHERE seen_at < ${NOW} - $1`, [REMEMBERED_MS]));
  }

  async worksOn(page: string | null) {
    await this.#explain(this.#client.query('UPDATE hosts SET working_on = $2 WHERE run = $1', [this.run, page]));
  }

  async [Symbol.asyncDispose]() {
    this.#closing.abort(new Error('closed'));
    if (this.#ended === null) await this.#client.query('DELETE FROM hosts WHERE run = $1', [this.run]).catch(() => {});
    this.#end('it was closed');
    await this.#client.end().catch(() => {});
  }

  #lock(path: string, free: () => Promise<void>): RunLock {
    const { command, clock } = this.#options;
    const owner = { ...thisHost(), pid: process.pid, command, since: new Date(clock.now()).toISOString(), until: null };
    return { path, owner, check: (when) => this.check(when), [Symbol.asyncDispose]: free };
  }

  #explain<T>(answer: Promise<T>) {
    return answer.catch((failure: unknown) => {
      throw this.#ended === null ? failureOfQuery(failure) : this.#lostPlace();
    });
  }

  #lostPlace() {
    return errorOf('lost-place', 'host-replaced', { why: this.#ended ?? 'the database does not answer' });
  }

  async #nightIsTaken() {
    const holder = (await this.living().catch(() => [])).find(
      ({ run, role }) => (role === 'run' || role === 'command') && run !== this.run,
    );
    const who = holder && `: process ${holder.pid} on ${holder.host}, since ${new Date(holder.beganAt).toISOString()}`;
    return errorOf('locked', 'lock-held/hosts', { who: who ?? '' });
  }

  async #begin() {
    const { target, run } = this.#options;
    const { endedMs } = this.#signs;
    await this.#client.connect();
    await this.#client.query(
      `SET search_path = "${target.schema}"; SET idle_session_timeout = ${endedMs}; SET tcp_user_timeout = ${endedMs}; SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3`,
    );
    await this.#client.query('SELECT pg_advisory_lock($1)', [keyOfHost(target, run)]);
    await this.#enroll();
    this.#answered = startStopwatch();
  }

  /** Before the first run there is no table; a later sign of life registers. */
  async #enroll() {
    const { run, role } = this.#options;
    const seen = `INSERT INTO hosts (run, host, pid, role, began_at, seen_at) VALUES ($1, $2, $3, $4, ${NOW}, ${NOW}) ON CONFLICT (run) DO UPDATE SET seen_at = excluded.seen_at`;
    await succeeds(this.#client.query(seen, [run, hostname(), process.pid, role]), UNDEFINED_TABLE);
  }

  async #beat() {
    const { signal } = this.#closing;
    while (!signal.aborted && this.#ended === null) {
      await this.#options.sleep(this.#signs.everyMs, signal).catch(() => {});
      if (!signal.aborted) await this.#ask();
    }
  }

  #ask() {
    return (this.#asking ??= this.#askOnce().finally(() => (this.#asking = null)));
  }

  async #askOnce() {
    // The server may count from the question.
    const asked = startStopwatch();
    try {
      await this.#enroll();
      if (this.#ended === null) this.#answered = asked;
    } catch (failure) {
      this.#end(messageOf(failure));
    }
  }

  #end(why: string) {
    this.#ended ??= why;
  }
}

/** Changes nothing. Throws as `Host.open`. */
export async function inspectFleet(target: PostgresTarget, clock: Clock) {
  const client = new Client({
    connectionString: target.url,
    connectionTimeoutMillis: SIGNS_OF_LIFE.sureMs,
    query_timeout: SIGNS_OF_LIFE.sureMs,
    application_name: 'inspection-batch look',
  });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query(`SET search_path = "${target.schema}"`);
    const trips = await Array.fromAsync({ length: ROUND_TRIPS }, async () => {
      const took = startStopwatch();
      const asked = clock.now();
      const { rows } = await client.query<{ now: string }>(`SELECT ${NOW} AS now`);
      return { ms: took(), aheadMs: (asked + clock.now()) / 2 - Number(rows[0]?.now) };
    });
    const median = trips.toSorted((one, other) => one.ms - other.ms)[Math.floor(ROUND_TRIPS / 2)];
    const {
      rows: [server],
    } = await client.query<{ version: string; number: number }>(
      "SELECT split_part(current_setting('server_version'), ' ', 1) AS version, CAST(current_setting('server_version_num') AS int) AS number",
    );
    const hosts = await hostsOnRecord(client, target).catch((failure: unknown) => {
      if (hasCode(failure, UNDEFINED_TABLE)) return [];
      throw failure;
    });
    return {
      serverVersion: server?.version ?? '',
      /** False if the server cannot end an unreachable host's session. */
      endsSilentSessions: (server?.number ?? 0) >= ENDS_SILENT_SESSIONS,
      roundTripMs: median?.ms ?? 0,
      /** Negative if this clock is behind the database's. */
      clockAheadMs: median?.aheadMs ?? 0,
      hosts,
    };
  } catch (failure) {
    throw failureToConnect(failure);
  } finally {
    await client.end().catch(() => {});
  }
}

async function hostsOnRecord(client: Client, target: PostgresTarget) {
  const held = await heldKeys(client);
  type Texts = Record<'run' | 'host' | 'pid' | 'beganAt' | 'silentMs', string>;
  type Perhaps = Record<'version' | 'workingOn', string | null>;
  const { rows } = await client.query<Texts & Perhaps & { role: HostRole }>(
    `SELECT run, host, pid, role, began_at AS "beganAt", ${NOW} - seen_at AS "silentMs", working_on AS "workingOn",
       (SELECT nullif(max(split_part(application_name, ' ', 4)), '') FROM pg_stat_activity WHERE starts_with(application_name, '${SESSION} ') AND split_part(application_name, ' ', 3) = run) AS version
     FROM hosts ORDER BY began_at, run`,
  );
  return rows.map((row) => ({
    ...row,
    pid: Number(row.pid),
    beganAt: Number(row.beganAt),
    silentMs: Number(row.silentMs),
    isAlive: held.has(keyOfHost(target, row.run)),
  }));
}

async function heldKeys(client: Client) {
  const { rows } = await client.query<{ key: string }>(
    `SELECT CAST((CAST(classid AS bigint) << 32) | CAST(objid AS bigint) AS text) AS key FROM pg_locks
     WHERE locktype = 'advisory' AND objsubid = 1 AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  return new Set(rows.map(({ key }) => key));
}

function keyOfHost({ schema }: PostgresTarget, run: string) {
  return advisoryKeyOf(schema, `host ${run}`);
}
