import { execFile } from 'node:child_process';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { ExplainedError } from '../../../src/domain/errors.ts';
import { ledgerOfVersion } from '../../support/earlier-ledger.ts';
import { recordCreated } from '../../support/order-factory.ts';
import { createVirtualClock, VIRTUAL_START_MS } from '../../support/virtual-clock.ts';
import { ledgerConformance } from '../../ledger/ledger-conformance.ts';
import { openSqliteLedger } from '../../../src/ledger/open-ledger.ts';

/** Every statement that the ledger asks for here. */
const statements = new Set<string>();
const prepare = Reflect.get(DatabaseSync.prototype, 'prepare');
DatabaseSync.prototype.prepare = function (sql, ...more) {
  statements.add(sql);
  return prepare.call(this, sql, ...more);
};
afterAll(() => void (DatabaseSync.prototype.prepare = prepare));

const newFolder = () => mkdtempDisposable(join(tmpdir(), 'ledger-'));

ledgerConformance('SQLite', async (clock) => {
  const folder = await newFolder();
  return {
    open: async (account) => openSqliteLedger(join(folder.path, 'ledger.sqlite'), { clock, account }),
    [Symbol.asyncDispose]: () => folder.remove(),
  };
});

/** What a run or a page of results asks once, of all orders or projects together. Whatever is asked for each row, order or project must not be here. */
const OVER_ALL: readonly RegExp[] = [
  /^SELECT .*count\(\*\) AS n FROM (orders|projects) WHERE account = \? GROUP BY (state|status|1)\b/,
  /^SELECT CAST\(max\(id\) AS TEXT\) AS id FROM projects /,
  /^SELECT CAST\(id AS TEXT\) AS id FROM projects WHERE account = \? AND handed_over_in IS NOT NULL$/,
  // Projects that are followed, and those that a person should look at.
  /FROM projects .*'ended'\)( AND \(projects\.collected_at IS NULL .*)? ORDER BY projects\.id$/,
  // How much is on record of each account.
  /AS held GROUP BY account ORDER BY account$/,
  // A person's question, by a part of a name or an address.
  /insuredName'\) LIKE .* LIMIT 200$/,
];

test('runs no full scan except in statements that need all rows', async () => {
  await using folder = await newFolder();
  const path = join(folder.path, 'ledger.sqlite');
  await openSqliteLedger(path, { clock: createVirtualClock(), account: 'a' })[Symbol.asyncDispose]();
  using database = new DatabaseSync(path);
  const partial = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql LIKE '% WHERE %'")
    .all()
    .map(({ name }) => String(name));
  const isOverAll = (step: string): boolean =>
    /^(SCAN|SEARCH) (orders|rows|steps|attempts|projects|artifacts|earlier|later)\b/.test(step) &&
    /^SCAN|\(account=\?\)$/.test(step) &&
    !partial.some((name) => step.includes(` ${name}`));
  const plan = (sql: string): readonly string[] =>
    database
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => String(detail));
  const found = [...statements]
    .filter(
      (sql) => /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/.test(sql) && !/sqlite_schema|FROM (notes|old)\b/.test(sql),
    )
    .filter((sql) => plan(sql).some(isOverAll))
    .map((sql) => sql.replaceAll(/\s+/g, ' '));
  expect(statements.size).toBeGreaterThan(100);
  expect(found.filter((sql) => !OVER_ALL.some((known) => known.test(sql)))).toEqual([]);
});

test('makes a new ledger equal to one migrated step by step', async () => {
  await using folder = await newFolder();
  const [made, migrated] = ['made.sqlite', 'migrated.sqlite'].map((name) => join(folder.path, name));
  await openSqliteLedger(made ?? '', { clock: createVirtualClock(), account: 'a' })[Symbol.asyncDispose]();
  ledgerOfVersion(Infinity, migrated ?? '', '');
  const schemaOf = (path = ''): unknown => {
    using database = new DatabaseSync(path);
    const schema = database.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name').all();
    return [database.prepare('PRAGMA user_version').get(), schema];
  };
  expect(schemaOf(made)).toEqual(schemaOf(migrated));
});

test('refuses to change or remove a step', async () => {
  await using folder = await newFolder();
  const path = join(folder.path, 'ledger.sqlite');
  {
    await using ledger = openSqliteLedger(path, { clock: createVirtualClock(), account: 'a' });
    await recordCreated(ledger, '11');
  }
  using database = new DatabaseSync(path);
  const steps = () => database.prepare('SELECT * FROM steps').all();
  const before = steps();
  expect(before.length).toBeGreaterThan(3);
  expect(() => database.exec("UPDATE steps SET event = 'nothing'")).toThrow('append-only');
  expect(() => database.exec('DELETE FROM steps')).toThrow('append-only');
  expect(() => database.exec('DELETE FROM steps WHERE id = 1')).toThrow('append-only');
  expect(steps()).toEqual(before);
});

test('keeps the attempt as sent: actor, payload, hash, time, and outcome', async () => {
  await using folder = await newFolder();
  const path = join(folder.path, 'ledger.sqlite');
  {
    await using ledger = openSqliteLedger(path, { clock: createVirtualClock(), account: 'a' });
    await ledger.startRun('run-1', 'run');
    await recordCreated(ledger, '11');
  }
  using database = new DatabaseSync(path);
  expect(database.prepare('SELECT * FROM attempts').all()).toMatchObject([
    {
      number: 1,
      run: 'run-1',
      actor: 'analyst@staging.example',
      payload: expect.stringContaining('12 Oak Street'),
      payload_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      sent_at: VIRTUAL_START_MS,
      outcome: 'created',
    },
  ]);
});

test('reads watched projects in batches, each once, without the finished ones', async () => {
  await using folder = await newFolder();
  const path = join(folder.path, 'ledger.sqlite');
  await openSqliteLedger(path, { clock: createVirtualClock(), account: 'a' })[Symbol.asyncDispose]();
  {
    using database = new DatabaseSync(path);
    // Every third was received with its files; of those every hundredth misses one, and every two hundredth is not offered any more.
    database.exec(`INSERT INTO projects (account, id, status, status_at, first_seen_at, collected_at, problem, details)
        WITH RECURSIVE each (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM each WHERE id < 2100)
        SELECT 'a', id, CASE WHEN id % 3 = 0 THEN 'Client Received' ELSE 'Assigned' END, 5, 5, CASE WHEN id % 3 = 0 THEN 6 END, CASE WHEN id % 300 = 0 THEN 'A file is lost.' END, '{}' FROM each;
      INSERT INTO artifacts (account, project_id, kind, service_id, version, type, detail, path, bytes, sha256, recorded_at, lost) SELECT 'a', id, 'report', 'r', 1, '', '{}', 'p' || id, 1, '', 6, 'gone' FROM projects WHERE problem IS NOT NULL;
      INSERT INTO fetches SELECT 'a', id, 5, 'ended', 1, 6 FROM projects WHERE id % 600 = 0`);
  }
  await using ledger = openSqliteLedger(path, { clock: createVirtualClock(), account: 'a' });
  const wanted = Array.from({ length: 2100 }, (_, index) => index + 1).filter(
    (id) => id % 3 !== 0 || (id % 300 === 0 && id % 600 !== 0),
  );
  expect(await Array.fromAsync(ledger.watchedProjects(), ({ project }) => Number(project.id))).toEqual(wanted);
  expect(await Array.fromAsync(ledger.watchedProjects(['7', '300', '2']), ({ project }) => project.id)).toEqual([
    '2',
    '7',
    '300',
  ]);
  // A batch is found along two indexes: along any other, each would go through all the projects that follow.
  using database = new DatabaseSync(path);
  const batch = [...statements].find((sql) => sql.startsWith('WITH next AS')) ?? '';
  const ranges = database
    .prepare(`EXPLAIN QUERY PLAN ${batch}`)
    .all()
    .map(({ detail }) => String(detail))
    .filter((step) => /id>\?\)/.test(step));
  expect(ranges).toEqual([
    'SEARCH projects USING INDEX projects_followed (account=? AND id>?)',
    'SEARCH artifacts USING INDEX artifacts_lost (account=? AND project_id>?)',
  ]);
});

test('runs migrations once and keeps the data at later openings', async () => {
  await using folder = await newFolder();
  const path = join(folder.path, 'ledger.sqlite');
  for (const id of ['11', '12', '13']) {
    await using ledger = openSqliteLedger(path, { clock: createVirtualClock(), account: 'a' });
    await recordCreated(ledger, id);
  }
  await using ledger = openSqliteLedger(path, { clock: createVirtualClock(), account: 'a' });
  expect((await ledger.followedProjects()).map(({ id }) => id)).toEqual(['11', '12', '13']);
});

test('migrates rows that went back as open since then and reported', async () => {
  await using folder = await newFolder();
  const path = join(folder.path, 'ledger.sqlite');
  const row = (
    id: number,
    outcome: string,
    orderId: number | null,
    record = '{"place":{},"cells":[]}',
    corrections: string | null = null,
  ): string =>
    `(${id}, 1, 's', ${id}, '${outcome}', ${orderId ?? 'NULL'}, '${record}', '[]', '[]', '{}', ${corrections === null ? 'NULL' : `'${corrections}'`}, ${id === 1 ? "'run-1'" : 'NULL'})`;
  ledgerOfVersion(
    11,
    path,
    `
    INSERT INTO runs (id, account, command, started_at) VALUES ('run-1', 'an account', 'run', 0);
    INSERT INTO deliveries VALUES ('run-1', 'deliveries/run-1', 500, '{"report":"x"}');
    INSERT INTO files (id, account, hash, name, run, recorded_at, layouts, notes, rows_accepted, rows_rejected) VALUES (1, 'an account', 'aa', 'oct.csv', 'run-1', 100, '[]', '[]', 3, 2);
    INSERT INTO orders (id, account, identity, address_key, state, payload, payload_hash, allow_duplication, run, created_at, updated_at)
      VALUES (1, 'an account', 'i1', '', 'refused', '{}', '', 0, '', 100, 200), (2, 'an account', 'i2', '', 'held', '{}', '', 0, '', 100, 300), (3, 'an account', 'i3', '', 'created', '{}', '', 0, '', 100, 400);
    INSERT INTO rows VALUES ${[row(1, 'rejection', null, undefined, 'corrections/a.xlsx'), row(2, 'rejection', null, '{"place":{},"cells":[],"correctedBy":9}', 'corrections/b.xlsx'), row(3, 'order', 1), row(4, 'order', 2), row(5, 'order', 3)].join(', ')}`,
  );
  await using ledger = openSqliteLedger(path, { clock: createVirtualClock(), account: 'an account' });
  expect(await ledger.waitingRows()).toMatchObject([
    { rows: 1, corrections: null, since: 200 },
    { rows: 1, corrections: 'corrections/a.xlsx', since: 100 },
  ]);
  expect(
    (await Array.fromAsync(ledger.notOrdered(false))).map(({ row: { id }, isOpen, isUndelivered, since }) => [
      id,
      isOpen,
      isUndelivered,
      since,
    ]),
  ).toEqual([
    [1, true, false, 100],
    [3, true, true, 200],
    [4, true, true, 300],
  ]);
  expect((await ledger.workbooksDone()).map((done) => done.path)).toEqual(['corrections/b.xlsx']);
  expect(await ledger.nightCounts()).toMatchObject({ since: 500, wentBack: 1, ordered: 0 });
});

test('refuses a ledger from a newer version and leaves it unchanged', async () => {
  await using folder = await newFolder();
  const path = join(folder.path, 'ledger.sqlite');
  const open = () => openSqliteLedger(path, { clock: createVirtualClock(), account: 'a' });
  await open()[Symbol.asyncDispose]();
  const database = new DatabaseSync(path);
  database.exec('PRAGMA user_version = 9999');
  database.close();
  expect(open).toThrow(ExplainedError);
  expect(open).toThrow(expect.objectContaining({ code: 'ledger-too-new' }));
  using after = new DatabaseSync(path);
  expect(after.prepare('PRAGMA user_version').get()).toEqual({ user_version: 9999 });
  expect(after.prepare('SELECT count(*) AS n FROM orders').get()).toEqual({ n: 0 });
});

test('loads no PostgreSQL package or driver for a SQLite ledger', async () => {
  await using folder = await newFolder();
  const program = `import { registerHooks } from 'node:module';
    const asked = [];
    registerHooks({ resolve(name, context, next) { asked.push(name); return next(name, context); } });
    const { openSqliteLedger } = await import(${JSON.stringify(new URL('../../../src/ledger/open-ledger.ts', import.meta.url).href)});
    await openSqliteLedger(${JSON.stringify(join(folder.path, 'ledger.sqlite'))}, { clock: { now: () => 0 }, account: 'a' })[Symbol.asyncDispose]();
    console.log(JSON.stringify(asked));`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--disable-warning=ExperimentalWarning',
    '--input-type=module',
    '-e',
    program,
  ]);
  const asked = JSON.parse(stdout) as readonly string[];
  expect(asked).toContain('./sqlite-driver.ts');
  expect(asked.filter((name) => /^pg|postgres/.test(name))).toEqual([]);
});
