import { setImmediate as turnOfEventLoop, setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ExplainedError } from '../../../src/domain/errors.ts';
import type { Reads, Writes } from '../../../src/ledger/store.ts';
import { PostgresDriver } from '../../../src/ledger/postgres-driver.ts';
import { type CuttingProxy, startCuttingProxy } from '../../support/cutting-proxy.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts';

let server: PostgresServer;
let proxy: CuttingProxy;
beforeAll(async () => {
  server = await startPostgres();
  proxy = await startCuttingProxy(Number(new URL(server.url).port));
});
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

interface Bench extends AsyncDisposable {
  readonly driver: PostgresDriver;
  readonly other: PostgresDriver;
  readonly generations: number[];
}

/** One driver behind the proxy, and another beside it. */
async function bench(): Promise<Bench> {
  const { url, schema } = server.fresh();
  const generations: number[] = [];
  const cut = new URL(url);
  cut.port = String(proxy.port);
  const driver = await PostgresDriver.open(
    { url: cut.href, schema },
    { now: () => 1000, committed: (generation) => void generations.push(generation), witnessed: () => 0 },
  );
  const other = await PostgresDriver.open({ url, schema });
  await other.write((db) => db.run(`INSERT INTO lineage (one, workspace, generation) VALUES (1, 'w', 500)`));
  return {
    driver,
    other,
    generations,
    async [Symbol.asyncDispose]() {
      await driver.close();
      await other.close();
    },
  };
}

const add =
  (text: string) =>
  (db: Writes): Promise<number> =>
    db.run(`INSERT INTO deliveries (run, folder, published_at, contents) VALUES (?, '', 0, '')`, text);
const onRecord = async (db: Reads): Promise<unknown[]> =>
  (await db.query('SELECT run FROM deliveries ORDER BY run')).map(({ run }) => run);
const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'fulfilled',
    (failure: unknown) => failure,
  );

test('write fails if the connection breaks before the commit', async () => {
  await using bed = await bench();
  const { driver, other, generations } = bed;
  proxy.cutNext({ at: 'COMMIT', when: 'before' });
  const failures = await Promise.all([failureOf(driver.write(add('a'))), failureOf(driver.write(add('b')))]);
  for (const failure of failures) expect(failure).toMatchObject({ kind: 'work-left' });
  expect([await onRecord(other), generations]).toEqual([[], []]);
  await driver.write(add('c'));
  expect(await onRecord(other)).toEqual(['c']);
});

test('write succeeds if the connection breaks after the commit', async () => {
  await using bed = await bench();
  const { driver, other, generations } = bed;
  proxy.cutNext({ at: 'COMMIT', when: 'after', answer: 'COMMIT' });
  await Promise.all([driver.write(add('a')), driver.write(add('b'))]);
  expect([await onRecord(other), await onRecord(driver)]).toEqual([
    ['a', 'b'],
    ['a', 'b'],
  ]);
  expect(generations).toEqual([1000]);
  proxy.cutNext({ at: 'COMMIT', when: 'after', answer: 'COMMIT' });
  await driver.writeExclusively(add('c'));
  expect(await onRecord(other)).toEqual(['a', 'b', 'c']);
});

test('write refuses a database that lost its last commits', async () => {
  await using bed = await bench();
  const { driver, other } = bed;
  await driver.write(add('a'));
  await other.write((db) => db.run('UPDATE lineage SET generation = 700'));
  for (const failure of [await failureOf(driver.write(add('b'))), await failureOf(driver.writeExclusively(add('c')))])
    expect(failure).toMatchObject({ kind: 'usage', hint: expect.stringContaining('inspection-batch recover') });
  expect([await onRecord(other), await other.get('SELECT generation FROM lineage')]).toEqual([
    ['a'],
    { generation: 701 },
  ]);
});

test('write refuses a database that lacks what another host noted', async () => {
  const { url, schema } = server.fresh();
  let witnessed = 0;
  const driver = await PostgresDriver.open(
    { url, schema },
    { now: () => 1000, committed: () => {}, witnessed: () => witnessed },
  );
  await driver.write((db) => db.run(`INSERT INTO lineage (one, workspace, generation) VALUES (1, 'w', 500)`));
  witnessed = 1001;
  expect(await failureOf(driver.write(add('a')))).toMatchObject({ kind: 'usage' });
  witnessed = 1000;
  await driver.write(add('b'));
  expect(await onRecord(driver)).toEqual(['b']);
  await driver.close();
});

test('write goes through after a freeze during which another host wrote', async () => {
  const { url, schema } = server.fresh();
  const other = await PostgresDriver.open({ url, schema });
  await other.write((db) => db.run(`INSERT INTO lineage (one, workspace, generation) VALUES (1, 'w', 500)`));
  let others: Promise<unknown> | undefined;
  // The frozen host asks for the mark only after it woke.
  const witnessed = () => {
    others ??= other.write((db) => db.run('UPDATE lineage SET generation = 2000'));
    return 2000;
  };
  const driver = await PostgresDriver.open({ url, schema }, { now: () => 1000, committed: () => {}, witnessed });
  await driver.write(add('a'));
  await others;
  expect(await onRecord(other)).toEqual(['a']);
  await driver.close();
  await other.close();
});

test.each(['before', 'after'] as const)(
  'write undoes a job if the connection breaks %s its statement',
  async (when) => {
    await using bed = await bench();
    const { driver, other } = bed;
    proxy.cutNext({ at: 'INTO deliveries', when });
    const addAndLook =
      (run: string) =>
      async (db: Writes): Promise<void> => {
        await add(run)(db);
        await onRecord(db);
      };
    const failures = await Promise.all([
      failureOf(driver.write(addAndLook('a'))),
      failureOf(driver.write(addAndLook('b'))),
    ]);
    for (const failure of failures) expect(failure).toBeInstanceOf(ExplainedError);
    // The connection is a new one, on which the statement is prepared again.
    proxy.cutNext({ at: 'INTO deliveries', when });
    const alone = driver.writeExclusively(async (db) => {
      await db.run(`UPDATE lineage SET workspace = 'half'`);
      await turnOfEventLoop();
      await addAndLook('whole')(db);
    });
    await expect(alone).rejects.toMatchObject({ kind: 'work-left' });
    expect([await onRecord(other), await other.get('SELECT workspace FROM lineage')]).toEqual([[], { workspace: 'w' }]);
    await driver.write(add('c'));
    expect(await onRecord(other)).toEqual(['c']);
  },
);

test('query reconnects if the connection breaks', async () => {
  await using bed = await bench();
  const { driver } = bed;
  await driver.write(add('a'));
  proxy.cutNext({ at: 'ORDER BY run', when: 'after' });
  expect(await onRecord(driver)).toEqual(['a']);
});

test("write waits until another host's write ends", async () => {
  await using bed = await bench();
  const { driver, other } = bed;
  const began = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  const long = driver.writeExclusively(async (db) => {
    await add('first')(db);
    began.resolve();
    await mayEnd.promise;
  });
  await began.promise;
  let seen: unknown[] | null = null;
  const second = other.write(async (db) => {
    seen = await onRecord(db);
    await add('second')(db);
  });
  // Long enough for one that does not wait; turns of the event loop say nothing of the time that a server takes.
  await Promise.race([second, pause(500)]);
  const meanwhile = [seen, await onRecord(other)];
  mayEnd.resolve();
  await Promise.all([long, second]);
  expect(meanwhile).toEqual([null, []]);
  expect([seen, await onRecord(driver)]).toEqual([['first'], ['first', 'second']]);
});

test('write undoes only its own changes if it throws', async () => {
  await using bed = await bench();
  const { driver, other } = bed;
  const together = await Promise.allSettled([
    driver.write(add('a')),
    driver.write(async (db) => {
      await add('half')(db);
      throw new Error('midway');
    }),
    // Once more: there is one already.
    driver.write(async (db) => {
      await add('a')(db);
      return onRecord(db);
    }),
    driver.write(onRecord),
    driver.write(add('b')),
  ]);
  expect(together.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled', 'fulfilled']);
  expect(together[3]).toMatchObject({ value: ['a'] });
  expect(await onRecord(other)).toEqual(['a', 'b']);
});

test.each([1, 60])('write undoes only its own job if one of %i statements fails', async (statements) => {
  await using bed = await bench();
  const { driver, other } = bed;
  await driver.write(add('a'));
  const together = await Promise.allSettled([
    driver.write(add('b')),
    driver.write((db) =>
      Promise.all([
        add('a')(db),
        ...Array.from({ length: statements - 1 }, () => db.run(`UPDATE lineage SET workspace = 'half'`)),
      ]),
    ),
    driver.write(async (db) => {
      await add('c')(db);
      throw new Error('midway');
    }),
    driver.write(onRecord),
  ]);
  expect(together.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
  expect(together[3]).toMatchObject({ value: ['a', 'b'] });
  expect([await onRecord(other), await other.get('SELECT workspace FROM lineage')]).toEqual([
    ['a', 'b'],
    { workspace: 'w' },
  ]);
});

test('write commits once though a concurrent query fails', async () => {
  await using bed = await bench();
  const { driver, other } = bed;
  let ran = 0;
  const written = driver.write(async (db) => {
    ran += 1;
    await db.run(`UPDATE lineage SET workspace = 'x'`);
    await add('a')(db);
  });
  await expect(driver.query('SELECT 1 / 0')).rejects.toThrow('division by zero');
  await written;
  expect([ran, await onRecord(other)]).toEqual([1, ['a']]);
});

test('run refuses a statement after the end of its job', async () => {
  await using bed = await bench();
  const { driver } = bed;
  const late: Writes[] = [];
  await driver.write(async (db) => {
    late.push(db);
  });
  await expect(late[0]?.run(`UPDATE lineage SET workspace = 'late'`)).rejects.toThrow('after the end');
  expect(await driver.get('SELECT workspace FROM lineage')).toEqual({ workspace: 'w' });
});

test('write never changes or removes steps', async () => {
  // Only the personal details of a step may be removed.
  await using bed = await bench();
  const { driver } = bed;
  await driver.write((db) =>
    db.run(
      `INSERT INTO steps (account, at, subject, subject_id, event, detail) VALUES ('a', 1, 'order', '1', 'held', '{"reason":"x","kept":"y"}')`,
    ),
  );
  for (const sql of [`UPDATE steps SET event = 'nothing'`, 'DELETE FROM steps', 'TRUNCATE steps'])
    await expect(driver.write((db) => db.run(sql))).rejects.toThrow('append-only');
  await driver.write((db) =>
    db.run(`UPDATE steps SET detail = json_remove(detail, '$.reason', '$.problem', '$.comment')`),
  );
  expect(await driver.query('SELECT event, detail FROM steps')).toEqual([{ event: 'held', detail: '{"kept":"y"}' }]);
});

test('open refuses a ledger of a newer version and leaves it unchanged', async () => {
  await using bed = await bench();
  const { url, schema } = server.fresh();
  const newer = await PostgresDriver.open({ url, schema });
  await newer.write((db) => db.run('UPDATE ledger_version SET version = 9999'));
  await newer.close();
  await expect(PostgresDriver.open({ url, schema })).rejects.toMatchObject({
    kind: 'usage',
    message: expect.stringContaining('newer version'),
  });
  expect(await onRecord(bed.driver)).toEqual([]);
});

test('open reports a wrong password without printing it', async () => {
  const { url, schema } = server.fresh();
  const wrong = new URL(url);
  wrong.password = 'not-the-password';
  const failure = await failureOf(PostgresDriver.open({ url: wrong.href, schema }));
  expect(failure).toMatchObject({ kind: 'usage', hint: expect.stringContaining('INSPECTION_LEDGER_URL') });
  expect(String(failure)).not.toContain('not-the-password');
});
