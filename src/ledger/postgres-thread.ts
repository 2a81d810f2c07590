// Owns the connections to PostgreSQL (see asked-thread.ts). Answers every request, even if the database does not: the
// caller may be blocked.
import { clearInterval, clearTimeout, setInterval, setTimeout } from 'node:timers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type MessagePort, workerData } from 'node:worker_threads';
import { Client, type QueryResult } from 'pg';
import type { SqlRow, SqlValue } from './driver.ts';
import { type Trouble, troubleOf } from './postgres-failures.ts';

/** A named statement is prepared once per connection. */
export interface Statement {
  readonly text: string;
  readonly name?: string;
  readonly values?: readonly SqlValue[];
}

/** `command`: what PostgreSQL did; it may answer a COMMIT with ROLLBACK. */
export interface Outcome {
  readonly rows: readonly SqlRow[];
  readonly count: number;
  readonly command: string;
}

export interface Transaction {
  readonly id: string;
  readonly server: string;
}

export type Fate = 'committed' | 'aborted' | 'unknown';

/**
 * `ask`: sends statements together; after `patienceMs` without an answer, drops the connection. Repeats those on
 * `reading` after a lost connection: they change nothing. `ahead`: nobody waits; a failure is reported with the next
 * answer. `begin`: connects if needed, with repeats for writing. `fate`: whether the transaction committed, asked on a
 * new connection.
 */
export type Request =
  | {
      readonly kind: 'ask';
      readonly on: 'writing' | 'reading';
      readonly statements: readonly Statement[];
      readonly patienceMs?: number;
    }
  | { readonly kind: 'ahead'; readonly statements: readonly Statement[] }
  | { readonly kind: 'begin'; readonly statements: readonly Statement[]; readonly onlyLooks?: true }
  | { readonly kind: 'fate'; readonly transaction: Transaction }
  | { readonly kind: 'end' };

export type Answer =
  { readonly outcomes: readonly Outcome[] } | { readonly fate: Fate } | { readonly trouble: Trouble };

/** `answer`: how the caller waits. One channel keeps all requests in order. */
export interface Asked {
  readonly id: number;
  readonly request: Request;
  readonly answer: 'blocked' | 'waiting';
}

export interface Answered {
  readonly id: number;
  readonly answer: Answer;
}

/** A blocked caller waits for a change of `signal`. */
export interface ThreadOptions {
  readonly url: string;
  readonly session: string;
  readonly name: string;
  readonly blocking: MessagePort;
  readonly waiting: MessagePort;
  readonly signal: Int32Array;
}

/** After this, a connection counts as dead. */
const ANSWER_MS = 120_000;
/** Longer: another host may be taking in a large file. The server gives up first (`lock_timeout`). */
const BEGIN_MS = 660_000;
const CONNECT_MS = 10_000;
const RECONNECT_MS = 30_000;
/** The server ends idle transactions, so one that waits for the program is kept alive. */
const KEEP_ALIVE_MS = 8_000;

const { url, session, name, blocking, waiting, signal } = workerData as ThreadOptions;

const BOOL = 16;
const NUMBERS: ReadonlySet<number> = new Set([20, 21, 23, 26, 700, 701, 1700]);
/** As SQLite: numbers, truth as 1 or 0, all else text. */
const types = {
  getTypeParser: (oid: number) => (text: string | null) =>
    text === null ? null : NUMBERS.has(oid) ? Number(text) : oid === BOOL ? Number(text === 't') : text,
};

class Connection {
  #client: Client | null = null;
  #opening: Promise<Client> | null = null;
  #askedAt = 0;
  #ahead: Promise<unknown>[] = [];

  open(): Promise<Client> {
    if (this.#client !== null) return Promise.resolve(this.#client);
    this.#opening ??= this.#connect().finally(() => (this.#opening = null));
    return this.#opening;
  }

  async #connect(): Promise<Client> {
    const client = new Client({
      connectionString: url,
      application_name: name,
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      pipeline: true,
      types,
    });
    const gone = (): void => {
      if (this.#client === client) this.#client = null;
    };
    client.on('error', gone);
    client.on('end', gone);
    await client.connect();
    await client.query(session);
    this.#client = client;
    return client;
  }

  /** Sends all statements at once. Throws Failed with the first failure, which causes those after it. */
  async ask(statements: readonly Statement[], patienceMs = ANSWER_MS): Promise<readonly Outcome[]> {
    const client = this.#client;
    const ahead = this.#ahead;
    this.#ahead = [];
    const impatient = setTimeout(() => this.drop(), patienceMs);
    const asked = this.#send(statements);
    const settled = await Promise.allSettled([...ahead, ...asked]);
    clearTimeout(impatient);
    const failed = settled.find((each) => each.status === 'rejected');
    if (failed !== undefined)
      throw new Failed({ ...troubleIn(failed.reason, this.#client !== client), at: settled.indexOf(failed) });
    return (await Promise.all(asked)).map(outcomeOf);
  }

  /** The next question collects their answers. */
  sendAhead(statements: readonly Statement[]): void {
    const sent = this.#send(statements);
    for (const each of sent) each.catch(() => {});
    this.#ahead.push(...sent);
  }

  #send(statements: readonly Statement[]): readonly Promise<QueryResult>[] {
    const client = this.#client;
    this.#askedAt = performance.now();
    const gone = { message: 'the connection to the database is gone', code: null, isBroken: true };
    return statements.map(({ text, name: prepared, values = [] }) =>
      client === null
        ? Promise.reject(new Failed(gone))
        : client.query({ text, values: [...values], ...(prepared === undefined ? {} : { name: prepared }) }),
    );
  }

  async keepAlive(): Promise<void> {
    const status = this.#client?.getTransactionStatus() ?? 'I';
    if (status === 'I' || performance.now() - this.#askedAt < KEEP_ALIVE_MS) return;
    await this.#client?.query('SELECT 1').catch(() => {});
  }

  /** Without a goodbye, which the server may not get. */
  drop(): void {
    const client = this.#client;
    this.#client = null;
    client?.connection.stream.destroy();
  }

  async end(): Promise<void> {
    const client = this.#client;
    this.#client = null;
    await client?.end().catch(() => {});
  }
}

/** A text of several statements has several outcomes; callers use only its effect. */
function outcomeOf(result: QueryResult | readonly QueryResult[]): Outcome {
  const { rows = [], rowCount = 0, command = '' } = Array.isArray(result) ? {} : (result as QueryResult);
  return { rows: rows as SqlRow[], count: rowCount ?? 0, command };
}

class Failed extends Error {
  readonly trouble: Trouble;

  constructor(trouble: Trouble) {
    super(trouble.message);
    this.trouble = trouble;
  }
}

function troubleIn(failure: unknown, isGone = false): Trouble {
  if (failure instanceof Failed) return failure.trouble;
  const trouble = troubleOf(failure);
  return isGone ? { ...trouble, isBroken: true } : trouble;
}

const connections = { writing: new Connection(), reading: new Connection() };

async function answerTo(request: Exclude<Request, { kind: 'ahead' }>): Promise<Answer> {
  switch (request.kind) {
    case 'ask':
      return {
        outcomes:
          request.on === 'writing'
            ? await connections.writing.ask(request.statements, request.patienceMs)
            : await read(request.statements),
      };
    case 'begin':
      return { outcomes: await begin(request.statements, request.onlyLooks === true ? 0 : RECONNECT_MS) };
    case 'fate':
      return { fate: await fateOf(request.transaction) };
    case 'end':
      await Promise.all([connections.writing.end(), connections.reading.end()]);
      clearInterval(keeper);
      return { outcomes: [] };
  }
}

async function read(statements: readonly Statement[]): Promise<readonly Outcome[]> {
  const { reading } = connections;
  await reading.open();
  return reading.ask(statements).catch(async (failure: unknown) => {
    if (!troubleIn(failure).isBroken) throw failure;
    reading.drop();
    await reading.open();
    return reading.ask(statements);
  });
}

/** May be repeated: a failure left nothing. */
async function begin(statements: readonly Statement[], patienceMs: number): Promise<readonly Outcome[]> {
  const { writing } = connections;
  return whileAway(async () => {
    await writing.open();
    try {
      return await writing.ask(statements, BEGIN_MS);
    } catch (failure) {
      writing.drop();
      throw failure;
    }
  }, patienceMs);
}

async function whileAway<T>(work: () => Promise<T>, patienceMs = RECONNECT_MS): Promise<T> {
  const until = performance.now() + patienceMs;
  for (let pause = 100; ; pause = Math.min(pause * 2, 2000)) {
    try {
      return await work();
    } catch (failure) {
      if (!isWorthAnotherTry(troubleIn(failure)) || performance.now() > until) throw failure;
    }
    await sleep(pause);
  }
}

/** The server is starting or full, or the connection broke. A refusal is final. */
function isWorthAnotherTry({ isBroken, code }: Trouble): boolean {
  return code === '53300' || (isBroken && !/^(?:28|3D|42)|^(?:ERR_|UNABLE_TO)|CERT|^ENOTFOUND$/.test(code ?? ''));
}

/**
 * First ends any session of ours at the server, so that the transaction is decided. A promoted or restarted server may
 * lack the transaction, and have reused its number.
 */
async function fateOf({ id, server }: Transaction): Promise<Fate> {
  const { writing } = connections;
  writing.drop();
  return whileAway(async () => {
    await writing.open();
    const [, status] = await writing.ask([
      {
        text: `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = $1 AND pid <> pg_backend_pid() AND backend_xid IS NOT NULL`,
        values: [name],
      },
      {
        text: 'SELECT pg_xact_status(CAST($1 AS xid8)) AS status WHERE CAST(pg_postmaster_start_time() AS text) = $2',
        values: [id, server],
      },
    ]);
    const known = status?.rows[0]?.['status'];
    if (known === 'in progress') throw new Failed({ message: 'the transaction goes on', code: null, isBroken: true });
    return known === 'committed' || known === 'aborted' ? known : 'unknown';
  }).catch(() => 'unknown' as const);
}

const keeper = setInterval(() => void connections.writing.keepAlive(), KEEP_ALIVE_MS / 4);

waiting.on('message', ({ id, request, answer: way }: Asked) => {
  if (request.kind === 'ahead') {
    connections.writing.sendAhead(request.statements);
    return;
  }
  void answerTo(request)
    .catch((failure: unknown): Answer => ({ trouble: troubleIn(failure) }))
    .then((answer) => {
      (way === 'blocked' ? blocking : waiting).postMessage({ id, answer } satisfies Answered, []);
      if (way === 'waiting') return;
      Atomics.add(signal, 0, 1);
      Atomics.notify(signal, 0);
    });
});
