import { clearTimeout, setTimeout } from 'node:timers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type QueryResult } from 'pg';
import type { SqlRow, SqlValue } from './store.ts';
import { type DatabaseFailure, classifyFailure } from './postgres-failures.ts';

export type PostgresStatement = Readonly<{
  text: string;
  name?: string;
  values?: readonly SqlValue[];
}>;

/** It may answer a COMMIT with ROLLBACK. */
export type Reply = Readonly<ReturnType<typeof outcomeOf>>;

const ANSWER_MS = 120_000;
const CONNECT_MS = 10_000;
export const RECONNECT_MS = 30_000;

const BOOL = 16;
const NUMBERS = new Set([20, 21, 23, 26, 700, 701, 1700]);
/** As SQLite: numbers, truth as 1 or 0, all else text. */
const types = {
  getTypeParser: (oid: number) => (text: string | null) =>
    text === null ? null : NUMBERS.has(oid) ? Number(text) : oid === BOOL ? Number(text === 't') : text,
};

export class QueryError extends Error {
  readonly trouble: DatabaseFailure;

  constructor(trouble: DatabaseFailure) {
    super(trouble.message);
    this.trouble = trouble;
  }
}

export function failureIn(failure: unknown) {
  return failure instanceof QueryError ? failure.trouble : classifyFailure(failure);
}

/** Does not wait for earlier answers; the server takes statements in order. */
export class Connection {
  readonly #options;
  #client: Client | null = null;
  #opening: Promise<void> | null = null;
  #askedAt = 0;

  constructor(options: { url: string; name: string; session: string }) {
    this.#options = options;
  }

  get idleMs() {
    return performance.now() - this.#askedAt;
  }

  /** Throws QueryError. */
  async open() {
    if (this.#client !== null) return;
    this.#opening ??= this.#connect().finally(() => (this.#opening = null));
    await this.#opening;
  }

  async #connect() {
    const { url, name, session } = this.#options;
    const client = new Client({
      connectionString: url,
      application_name: name,
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      pipeline: true,
      types,
    });
    const gone = () => {
      if (this.#client === client) this.#client = null;
    };
    client.on('error', gone);
    client.on('end', gone);
    try {
      await client.connect();
      await client.query(session);
    } catch (failure) {
      throw new QueryError(classifyFailure(failure));
    }
    this.#client = client;
  }

  /** Throws QueryError. Drops the connection if there is no answer after `patienceMs`. */
  async ask({ text, name, values = [] }: PostgresStatement, patienceMs = ANSWER_MS) {
    const client = this.#client;
    if (client === null)
      throw new QueryError({ message: 'the connection to the database is gone', code: null, isBroken: true });
    this.#askedAt = performance.now();
    const impatient = setTimeout(() => this.drop(), patienceMs);
    try {
      return outcomeOf(await client.query({ text, values: [...values], ...(name === undefined ? {} : { name }) }));
    } catch (failure) {
      const trouble = classifyFailure(failure);
      throw new QueryError({ ...trouble, isBroken: trouble.isBroken || this.#client !== client });
    } finally {
      clearTimeout(impatient);
    }
  }

  askAll(statements: readonly PostgresStatement[], patienceMs?: number) {
    return Promise.all(statements.map((statement) => this.ask(statement, patienceMs)));
  }

  /** Without a goodbye, which the server may not get. */
  drop() {
    const client = this.#client;
    this.#client = null;
    client?.connection.stream.destroy();
  }

  async end() {
    const client = this.#client;
    this.#client = null;
    await client?.end().catch(() => {});
  }
}

function outcomeOf(result: QueryResult | readonly QueryResult[]) {
  const { rows = [], rowCount = 0, command = '' } = Array.isArray(result) ? {} : (result as QueryResult);
  return { rows: rows as SqlRow[], count: rowCount ?? 0, command };
}

export async function retryWhileUnavailable<T>(work: () => Promise<T>, patienceMs = RECONNECT_MS) {
  const until = performance.now() + patienceMs;
  for (let pause = 100; ; pause = Math.min(pause * 2, 2000)) {
    try {
      return await work();
    } catch (failure) {
      if (!isWorthAnotherTry(failureIn(failure)) || performance.now() > until) throw failure;
    }
    await sleep(pause);
  }
}

function isWorthAnotherTry({ isBroken, code }: DatabaseFailure) {
  return code === '53300' || (isBroken && !/^(?:28|3D|42)|^(?:ERR_|UNABLE_TO)|CERT|^ENOTFOUND$/.test(code ?? ''));
}
