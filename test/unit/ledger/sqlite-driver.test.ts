import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Writes } from '../../../src/ledger/store.ts';
import { SqliteDriver } from '../../../src/ledger/sqlite-driver.ts';

interface Bench extends AsyncDisposable {
  readonly connection: SqliteDriver;
  readonly path: string;
}

async function bench(): Promise<Bench> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await mkdtempDisposable(join(tmpdir(), 'driver-')));
  const path = join(folder.path, 'ledger.sqlite');
  const connection = opened.use(new SqliteDriver(path));
  await connection.query('CREATE TABLE notes (text TEXT UNIQUE) STRICT');
  const resources = opened.move();
  return { connection, path, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

const add =
  (text: string) =>
  (db: Writes): Promise<number> =>
    db.run('INSERT INTO notes (text) VALUES (?)', text);
const notes = async (connection: SqliteDriver): Promise<unknown[]> =>
  (await connection.query('SELECT text FROM notes ORDER BY rowid')).map((row) => row['text']);

/** What `work` came to within so many turns of the event loop; `stuck` when it did not end. */
async function withinTurns<T>(work: Promise<T>, turns = 200): Promise<T | 'stuck'> {
  const patience = async (): Promise<'stuck'> => {
    for (let turn = 0; turn < turns; turn += 1) await turnOfEventLoop();
    return 'stuck';
  };
  return Promise.race([work, patience()]);
}

test('syncs every commit to disk before it counts', async () => {
  await using bed = await bench();
  expect(await bed.connection.get('PRAGMA journal_mode')).toEqual({ journal_mode: 'wal' });
  expect(await bed.connection.get('PRAGMA synchronous')).toEqual({ synchronous: 2 });
  expect(await bed.connection.get('PRAGMA foreign_keys')).toEqual({ foreign_keys: 1 });
});

test('writes in order, each visible to other connections once fulfilled', async () => {
  await using bed = await bench();
  using other = new SqliteDriver(bed.path);
  const seen: unknown[] = [];
  const write = async (text: string): Promise<void> => {
    await bed.connection.write(add(text));
    seen.push((await notes(other)).includes(text));
  };
  await Promise.all(['a', 'b', 'c'].map(write));
  expect(await notes(other)).toEqual(['a', 'b', 'c']);
  expect(seen).toEqual([true, true, true]);
});

test('undoes only the failed write of a shared commit', async () => {
  await using bed = await bench();
  const { connection } = bed;
  const together = await Promise.allSettled([
    connection.write(add('a')),
    connection.write(async (db) => {
      await add('half')(db);
      throw new Error('midway');
    }),
    connection.write(add('a')),
    connection.write(add('b')),
  ]);
  expect(together.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
  expect(await notes(connection)).toEqual(['a', 'b']);
});

test('rejects every write of a failed commit and then works again', async () => {
  await using bed = await bench();
  const { connection } = bed;
  const unfulfillable = async (db: Writes): Promise<void> => {
    await db.run('PRAGMA defer_foreign_keys = ON');
    await db.run(
      `INSERT INTO attempts (order_id, number, run, actor, payload, payload_hash, sent_at) VALUES (4711, 1, '', '', '', '', 0)`,
    );
  };
  const together = await Promise.allSettled([connection.write(add('a')), connection.write(unfulfillable)]);
  expect(together.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await notes(connection)).toEqual([]);
  await connection.write(add('b'));
  expect(await notes(connection)).toEqual(['b']);
});

test('runs asynchronous work as one transaction, all or nothing', async () => {
  await using bed = await bench();
  const { connection } = bed;
  using other = new SqliteDriver(bed.path);
  const failing = connection.writeExclusively(async (db) => {
    await add('half')(db);
    await turnOfEventLoop();
    expect(await notes(other)).toEqual([]);
    throw new Error('midway');
  });
  await expect(failing).rejects.toThrow('midway');
  expect(await notes(connection)).toEqual([]);
  await connection.writeExclusively(add('whole'));
  expect(await notes(other)).toEqual(['whole']);
});

test('runs no statement outside its transaction after a rollback midway', async () => {
  await using bed = await bench();
  const { connection } = bed;
  const undone = (db: Writes): Promise<unknown> =>
    Promise.all([
      add('a')(db),
      db.run('INSERT OR ROLLBACK INTO notes (text) VALUES (?)', 'a'),
      add('b')(db),
      db.insertAll('INSERT INTO notes (text) VALUES (?)', [['c']]),
    ]);
  await expect(connection.write(undone)).rejects.toThrow('UNIQUE');
  const together = await Promise.allSettled([connection.write(add('d')), connection.write(undone)]);
  expect(together.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await notes(connection)).toEqual([]);
});

test('fails a job when the ledger closes in the middle', async () => {
  await using bed = await bench();
  const closing = new SqliteDriver(bed.path);
  const begun = Promise.withResolvers<void>();
  const job = closing.write(async (db) => {
    await add('a')(db);
    begun.resolve();
    await turnOfEventLoop();
    await add('b')(db);
  });
  await begun.promise;
  closing[Symbol.dispose]();
  await expect(job).rejects.toThrow('not open');
  expect(await notes(bed.connection)).toEqual([]);
});

test('finishes a write and exclusive work requested in the same turn', async () => {
  await using bed = await bench();
  const { connection } = bed;
  const both = Promise.all([connection.write(add('a')), connection.writeExclusively(add('b'))]);
  expect(await withinTurns(both)).not.toBe('stuck');
  expect(new Set(await notes(connection))).toEqual(new Set(['a', 'b']));
});

test('finishes a write requested between two queued exclusive works', async () => {
  await using bed = await bench();
  const { connection } = bed;
  const work =
    (text: string) =>
    async (db: Writes): Promise<void> => {
      await add(text)(db);
      await turnOfEventLoop();
    };
  const first = connection.writeExclusively(work('a'));
  const second = connection.writeExclusively(work('b'));
  const write = connection.write(add('c'));
  expect(await withinTurns(Promise.all([first, second, write]))).not.toBe('stuck');
  expect(new Set(await notes(connection))).toEqual(new Set(['a', 'b', 'c']));
});

test('write refuses a ledger that went back until it catches up', async () => {
  await using bed = await bench();
  const { connection, path } = bed;
  using other = new SqliteDriver(path);
  await connection.write((db) => db.run(`INSERT INTO lineage (one, workspace, generation) VALUES (1, 'w', 500)`));
  await other.write((db) => db.run('UPDATE lineage SET generation = 100'));
  await expect(connection.write(add('a'))).rejects.toMatchObject({ kind: 'usage' });
  await expect(connection.writeExclusively(add('b'))).rejects.toMatchObject({
    kind: 'usage',
  });
  expect(await notes(other)).toEqual([]);
  await other.write((db) => db.run('UPDATE lineage SET generation = 600'));
  await connection.write(add('c'));
  expect(await notes(other)).toEqual(['c']);
});
