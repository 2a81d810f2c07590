import { chmodSync, closeSync, existsSync, openSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { FastifyInstance } from 'fastify';
import type { ProjectKeys } from './duplicates.ts';
import { type MadeUpdate, NONE, type ProjectJournal, type ProjectRecord, type SetStatus } from './project-store.ts';
import { errorBodyOf, OptionProblem } from './refusal.ts';
import type { TokenJournal, TokenRecord } from './tokens.ts';
import { repeatEvery } from './virtual-clock.ts';

/** Real time: a killed process loses at most this much of the counts. */
const FLUSH_MS = 1000;

/**
 * Keeps all state in one SQLite file, read into memory at the start and then only written.
 * With WAL and `synchronous = NORMAL`, a kill loses nothing; a power failure can lose the last moments, but never the
 * file.
 */
export class DataFile {
  readonly #database: DatabaseSync;
  readonly #commits: GroupCommit;
  readonly #setValue;
  readonly #kept = new Map<string, { readonly read: () => unknown; text: string }>();
  #flushes: { stop(): void } | undefined;
  readonly projects: ProjectJournal;
  readonly tokens: TokenJournal;

  /** Opens or makes the file. Throws OptionProblem if it cannot be used. */
  constructor(path: string) {
    this.#database = opened(path);
    const prepare = (sql: string) => this.#database.prepare(sql);
    const commits = new GroupCommit(this.#database);
    this.#commits = commits;
    this.#setValue = prepare(
      'INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    );
    const create = prepare('INSERT INTO project (place, actor, created_at, keys, request) VALUES (?, ?, ?, ?, ?)');
    const change = prepare('UPDATE project SET keys = ? WHERE place = ?');
    const bundle = prepare('UPDATE project SET bundled = ? WHERE place = ?');
    const setStatus = prepare('INSERT INTO status_set (place, number, entry) VALUES (?, ?, ?)');
    const update = prepare('INSERT INTO update_made (place, number, entry) VALUES (?, ?, ?)');
    const issue = prepare('INSERT INTO token (token, kind, actor, expires_at) VALUES (?, ?, ?, ?)');
    const end = prepare('DELETE FROM token WHERE token = ?');
    this.projects = {
      created: ({ index, actor, createdAt, keys, requestText }) =>
        commits.add(create, index, actor, createdAt, keysText(keys), requestText),
      updated: (index, keys, made, number) => {
        commits.add(change, keysText(keys), index);
        commits.add(update, index, number, JSON.stringify(made));
      },
      bundled: (index, bundled) => commits.add(bundle, bundled ? 1 : 0, index),
      statusSet: (index, set, number) => commits.add(setStatus, index, number, JSON.stringify(set)),
    };
    this.tokens = {
      issued: ({ token, kind, actor, expiresAt }) => commits.add(issue, token, kind, actor, expiresAt),
      ended: (token) => commits.add(end, token),
    };
  }

  value(name: string): unknown {
    const row = this.#database.prepare('SELECT value FROM setting WHERE name = ?').get(name);
    return row === undefined ? undefined : JSON.parse(String(row['value']));
  }

  setValue(name: string, value: unknown): void {
    this.#commits.add(this.#setValue, name, JSON.stringify(value));
  }

  /** Each `flush` writes the value if it changed. */
  keep(name: string, read: () => unknown): void {
    this.#kept.set(name, { read, text: JSON.stringify(read()) });
  }

  *projectRecords(): Generator<ProjectRecord> {
    const [statuses, updates] = [this.#entries<SetStatus>('status_set'), this.#entries<MadeUpdate>('update_made')];
    const rows = this.#database.prepare(
      'SELECT place, actor, created_at, bundled, keys, request FROM project ORDER BY place',
    );
    rows.setReturnArrays(true);
    for (const row of rows.iterate()) {
      const [index, actor, createdAt, bundled, keys, requestText] = row as unknown as [
        number,
        string,
        number,
        number,
        string,
        string,
      ];
      yield {
        index,
        actor,
        createdAt,
        bundled: bundled === 1,
        keys: keysFrom(keys),
        requestText,
        statusesSet: statuses.get(index) ?? NONE,
        updates: updates.get(index) ?? NONE,
      };
    }
  }

  #entries<Entry>(table: 'status_set' | 'update_made'): Map<number, Entry[]> {
    const entries = new Map<number, Entry[]>();
    for (const { place, entry } of this.#database
      .prepare(`SELECT place, entry FROM ${table} ORDER BY place, number`)
      .iterate()) {
      const own = entries.get(Number(place));
      const made = JSON.parse(String(entry)) as Entry;
      if (own === undefined) entries.set(Number(place), [made]);
      else own.push(made);
    }
    return entries;
  }

  *tokenRecords(): Generator<TokenRecord> {
    for (const row of this.#database
      .prepare('SELECT token, kind, actor, expires_at AS expiresAt FROM token ORDER BY expires_at')
      .iterate()) {
      yield row as unknown as TokenRecord;
    }
  }

  /** Fulfills when all changes so far are recorded; undefined if they are. Rejects with SQLite's failure. */
  committed(): Promise<void> | undefined {
    return this.#commits.committed();
  }

  /** Writes everything pending. Throws SQLite's failure. */
  flush(): void {
    for (const [name, kept] of this.#kept) {
      const text = JSON.stringify(kept.read());
      if (text === kept.text) continue;
      kept.text = text;
      this.#commits.add(this.#setValue, name, text);
    }
    this.#commits.commitNow();
  }

  /** Passes each failure to `onFault` and tries again. */
  flushRegularly(onFault: (thrown: unknown) => void): void {
    this.#flushes = repeatEvery(FLUSH_MS, async () => {
      try {
        this.flush();
      } catch (failure) {
        onFault(failure);
      }
    });
  }

  close(): void {
    this.#flushes?.stop();
    try {
      this.flush();
    } finally {
      this.#database.close();
    }
  }
}

/** A third shorter than objects; a start may read a million. */
function keysText({
  policyNumber,
  policyEffectiveDate,
  inspectionNumber,
  serviceName,
  insuredBy,
  address,
}: ProjectKeys): string {
  return JSON.stringify([policyNumber, policyEffectiveDate, inspectionNumber, serviceName, insuredBy, address]);
}

function keysFrom(text: string): ProjectKeys {
  const [policyNumber, policyEffectiveDate, inspectionNumber, serviceName, insuredBy, address] = JSON.parse(text) as (
    string | null
  )[];
  return {
    policyNumber: policyNumber ?? undefined,
    policyEffectiveDate: policyEffectiveDate ?? undefined,
    inspectionNumber: inspectionNumber ?? undefined,
    serviceName: serviceName ?? '',
    insuredBy: insuredBy ?? undefined,
    address: address ?? '',
  };
}

function opened(path: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    // It holds tokens and the key of signed URLs. SQLite gives its other files the same mode.
    if (!existsSync(path)) closeSync(openSync(path, 'ax', 0o600));
    database = new DatabaseSync(path);
    // Exclusive: refuses a second sandbox on the file at once.
    database.exec(
      'PRAGMA locking_mode = EXCLUSIVE; PRAGMA busy_timeout = 500; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;',
    );
    database.exec('BEGIN IMMEDIATE');
    lay(database, path);
    database.exec('COMMIT');
    for (const file of [path, `${path}-wal`, `${path}-shm`]) if (existsSync(file)) chmodSync(file, 0o600);
    return database;
  } catch (failure) {
    database?.close();
    if (failure instanceof OptionProblem || !(failure instanceof Error)) throw failure;
    const busy = 'errcode' in failure && (Number(failure.errcode) & 0xff) === 5;
    throw new OptionProblem(
      busy
        ? `The data file ${path} is in use by another sandbox.`
        : `The data file ${path} cannot be used: ${failure.message}.`,
      busy
        ? 'Stop that sandbox, or name another file.'
        : 'Name a file that a sandbox wrote, or one that does not exist yet, in a folder that does.',
    );
  }
}

function lay(database: DatabaseSync, path: string): void {
  const pragma = (name: string): number => Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
  if (pragma('application_id') === APPLICATION_ID && pragma('user_version') === SCHEMA_VERSION) return;
  const tables = database.prepare('SELECT count(*) AS tables FROM sqlite_schema').get();
  if (tables?.['tables'] !== 0)
    throw new OptionProblem(
      `${path} is no data file of this version of the sandbox; nothing was changed.`,
      'Name another file.',
    );
  database.exec(SCHEMA);
}

interface Write {
  readonly statement: StatementSync;
  readonly values: readonly SQLInputValue[];
}

/** Commits the writes of one turn together. A failed commit is repeated with the next one: memory already has it. */
export class GroupCommit {
  readonly #database: DatabaseSync;
  #pending: Write[] = [];
  #underWay: Promise<void> | undefined;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  add(statement: StatementSync, ...values: SQLInputValue[]): void {
    this.#pending.push({ statement, values });
  }

  /** Fulfills when everything so far is committed; undefined if it is. Rejects with SQLite's failure. */
  committed(): Promise<void> | undefined {
    if (this.#pending.length === 0) return undefined;
    this.#underWay ??= new Promise(setImmediate).then(() => {
      this.#underWay = undefined;
      this.commitNow();
    });
    return this.#underWay;
  }

  /** Commits at once. Throws SQLite's failure and keeps everything. */
  commitNow(): void {
    if (this.#pending.length === 0) return;
    try {
      this.#database.exec('BEGIN IMMEDIATE');
      for (const { statement, values } of this.#pending) statement.run(...values);
      this.#database.exec('COMMIT');
      this.#pending = [];
    } catch (failure) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw failure;
    }
  }
}

/** "IBSX". */
const APPLICATION_ID = 0x49425358;
const SCHEMA_VERSION = 2;

/**
 * Texts of people and clients are JSON, so all characters survive. `place` counts projects from 0; ids follow from it.
 */
const SCHEMA = `
  CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE project (
    place INTEGER PRIMARY KEY,
    actor TEXT NOT NULL,
    created_at REAL NOT NULL,
    bundled INTEGER NOT NULL DEFAULT 0,
    keys TEXT NOT NULL,
    request TEXT NOT NULL
  ) STRICT;
  CREATE TABLE status_set (
    place INTEGER NOT NULL,
    number INTEGER NOT NULL,
    entry TEXT NOT NULL,
    PRIMARY KEY (place, number)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE update_made (
    place INTEGER NOT NULL,
    number INTEGER NOT NULL,
    entry TEXT NOT NULL,
    PRIMARY KEY (place, number)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE token (
    token TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    actor TEXT NOT NULL,
    expires_at REAL NOT NULL
  ) STRICT, WITHOUT ROWID;
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${SCHEMA_VERSION};
`;

/**
 * Delays answers until everything before them is recorded, so a restart loses nothing that a client knows. A failed
 * commit answers 500 and calls `onFault`. Attach before the faults.
 */
export function attachCommits(
  app: FastifyInstance,
  data: { committed(): Promise<void> | undefined },
  onFault: (thrown: unknown) => void,
): void {
  app.addHook('onSend', async (_request, reply, payload) => {
    try {
      await data.committed();
      return payload;
    } catch (failure) {
      onFault(failure);
      reply.code(500).type('application/json');
      return errorBodyOf('Internal error.');
    }
  });
}
