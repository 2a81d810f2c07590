// The thread that owns the connections to PostgreSQL (asked-thread.ts says why there is one). It answers whatever it is asked, also when the
// database does not: whoever asked may be blocked until it does.
import { clearInterval, clearTimeout, setInterval, setTimeout } from 'node:timers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type MessagePort, workerData } from 'node:worker_threads';
import { Client, type QueryResult } from 'pg';
import type { SqlRow, SqlValue } from './driver.ts';
import { type Trouble, troubleOf } from './postgres-failures.ts';

/** One statement. A named one is prepared once for each connection. */
export interface Statement {
  readonly text: string;
  readonly name?: string;
  readonly values?: readonly SqlValue[];
}

/** What a statement came to. `command` is PostgreSQL's own word for what it did: a COMMIT can be answered by ROLLBACK. */
export interface Outcome {
  readonly rows: readonly SqlRow[];
  readonly count: number;
  readonly command: string;
}

/** A transaction, by its number and by when its server was started. */
export interface Transaction {
  readonly id: string;
  readonly server: string;
}

/** What became of a transaction of which only the server knows. */
export type Fate = 'committed' | 'aborted' | 'unknown';

/**
 * `ask`: statements, sent together, answered together; after `patienceMs` without an answer the connection is given up. On `reading` they are asked again where the connection broke: they change nothing.
 * `ahead`: statements of the transaction that nobody waits for; what is wrong with them is the answer to the next question.
 * `begin` connects where it has to, again and again for a while unless somebody waits who only looks. `fate`: on a new connection, whether that transaction committed.
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

/** `answer`: by which of the two ways the answer is waited for. All that is asked comes by one, so that it keeps its order. */
export interface Asked {
  readonly id: number;
  readonly request: Request;
  readonly answer: 'blocked' | 'waiting';
}

export interface Answered {
  readonly id: number;
  readonly answer: Answer;
}

/** What the thread is started with. Whoever is blocked waits for a change of `signal`. */
export interface ThreadOptions {
  readonly url: string;
  /** What each connection is told first. */
  readonly session: string;
  /** Marks the connections of this thread among all of the server. */
  readonly name: string;
  readonly blocking: MessagePort;
  readonly waiting: MessagePort;
  readonly signal: Int32Array;
}

/** How long an answer may take: after that the connection is taken for dead. */
const ANSWER_MS = 120_000;
/** The lock of the writers is waited for longer: another host may be taking in a large file. The server gives up before (`lock_timeout`). */
const BEGIN_MS = 660_000;
const CONNECT_MS = 10_000;
/** For so long a write tries to reach the database again. */
const RECONNECT_MS = 30_000;
/** A transaction that waits for the program, and not for us, is kept alive so often: the server ends one that nobody speaks for. */
const KEEP_ALIVE_MS = 8_000;

const { url, session, name, blocking, waiting, signal } = workerData as ThreadOptions;

const BOOL = 16;
const NUMBERS: ReadonlySet<number> = new Set([20, 21, 23, 26, 700, 701, 1700]);
/** Numbers as numbers, truth as 1 or 0, as SQLite has it; all else is text. */
const types = {
  getTypeParser: (oid: number) => (text: string | null) =>
    text === null ? null : NUMBERS.has(oid) ? Number(text) : oid === BOOL ? Number(text === 't') : text,
};

class Connection {
  #client: Client | null = null;
  #opening: Promise<Client> | null = null;
  #askedAt = 0;
  #ahead: Promise<unknown>[] = [];

  /** Connects where it is not connected. */
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

  /** Sends all statements at once. Throws a Failed with the first that went wrong: those behind it fail because of it. */
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

  /** Sends them, and waits for their answers with those of the next question. */
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

  /** Speaks for a transaction that has not asked anything for a while. */
  async keepAlive(): Promise<void> {
    const status = this.#client?.getTransactionStatus() ?? 'I';
    if (status === 'I' || performance.now() - this.#askedAt < KEEP_ALIVE_MS) return;
    await this.#client?.query('SELECT 1').catch(() => {});
  }

  /** Without a goodbye: the server may not hear it. */
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

/** A text of several statements has an outcome for each; it is asked for what it does. */
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

/** Nothing was done yet when it fails, so it may be tried again. */
async function begin(statements: readonly Statement[], patienceMs: number): Promise<readonly Outcome[]> {
  const { writing } = connections;
  return whileAway(async () => {
    await writing.open();
    try {
      return await writing.ask(statements, BEGIN_MS);
    } catch (failure) {
      // Whatever of it was begun ends with the connection.
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

/** The server is there and takes no more connections, or is starting, or the connection broke. What it refuses stays refused. */
function isWorthAnotherTry({ isBroken, code }: Trouble): boolean {
  return code === '53300' || (isBroken && !/^(?:28|3D|42)|^(?:ERR_|UNABLE_TO)|CERT|^ENOTFOUND$/.test(code ?? ''));
}

/**
 * A session of ours that the server still holds is ended first: what it was about has an end then, one way or the other. Another server than the
 * transaction's own was promoted in its place, or is a later life of it: it may lack the transaction, and have given its number to another one.
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
