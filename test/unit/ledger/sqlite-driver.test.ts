import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import { expect, test } from 'vitest';
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
  connection.run('CREATE TABLE notes (text TEXT UNIQUE) STRICT');
  const resources = opened.move();
  return { connection, path, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

const add = (connection: SqliteDriver, text: string) => () =>
  connection.run('INSERT INTO notes (text) VALUES (?)', text);
const notes = (connection: SqliteDriver): unknown[] =>
  connection.query('SELECT text FROM notes ORDER BY rowid').map((row) => row['text']);

/** What `work` came to within so many turns of the event loop; `stuck` when it did not end. */
async function withinTurns<T>(work: Promise<T>, turns = 200): Promise<T | 'stuck'> {
  const patience = async (): Promise<'stuck'> => {
    for (let turn = 0; turn < turns; turn += 1) await turnOfEventLoop();
    return 'stuck';
  };
  return Promise.race([work, patience()]);
}

test('every commit is synced to disk before it is believed', async () => {
  await using bed = await bench();
  expect(bed.connection.get('PRAGMA journal_mode')).toEqual({ journal_mode: 'wal' });
  expect(bed.connection.get('PRAGMA synchronous')).toEqual({ synchronous: 2 });
  expect(bed.connection.get('PRAGMA foreign_keys')).toEqual({ foreign_keys: 1 });
});

test('writes come in the order they were asked for, and another connection sees each once it has fulfilled', async () => {
  await using bed = await bench();
  using other = new SqliteDriver(bed.path);
  const seen: unknown[] = [];
  const write = async (text: string): Promise<void> => {
    await bed.connection.write(add(bed.connection, text));
    seen.push(notes(other).includes(text));
  };
  await Promise.all(['a', 'b', 'c'].map(write));
  expect(notes(other)).toEqual(['a', 'b', 'c']);
  expect(seen).toEqual([true, true, true]);
});

test('of one commit a write that throws undoes all it did itself, and nothing else', async () => {
  await using bed = await bench();
  const { connection } = bed;
  const together = await Promise.allSettled([
    connection.write(add(connection, 'a')),
    connection.write(() => {
      add(connection, 'half')();
      throw new Error('midway');
    }),
    connection.write(add(connection, 'a')),
    connection.write(add(connection, 'b')),
  ]);
  expect(together.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
  expect(notes(connection)).toEqual(['a', 'b']);
});

test('when the commit itself fails nobody is told that it succeeded, and the next one works', async () => {
  await using bed = await bench();
  const { connection } = bed;
  const unfulfillable = (): void => {
    connection.run('PRAGMA defer_foreign_keys = ON');
    connection.run(
      `INSERT INTO attempts (order_id, number, run, actor, payload, payload_hash, sent_at) VALUES (4711, 1, '', '', '', '', 0)`,
    );
  };
  const together = await Promise.allSettled([connection.write(add(connection, 'a')), connection.write(unfulfillable)]);
  expect(together.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(notes(connection)).toEqual([]);
  await connection.write(add(connection, 'b'));
  expect(notes(connection)).toEqual(['b']);
});

test('asynchronous work is one transaction: all of it, or nothing', async () => {
  await using bed = await bench();
  const { connection } = bed;
  using other = new SqliteDriver(bed.path);
  const failing = connection.writeExclusively(async () => {
    add(connection, 'half')();
    await turnOfEventLoop();
    expect(notes(other)).toEqual([]);
    throw new Error('midway');
  });
  await expect(failing).rejects.toThrow('midway');
  expect(notes(connection)).toEqual([]);
  await connection.writeExclusively(async () => add(connection, 'whole')());
  expect(notes(other)).toEqual(['whole']);
});

test('a write and exclusive work asked for in the same turn both come to an end', async () => {
  await using bed = await bench();
  const { connection } = bed;
  const both = Promise.all([
    connection.write(add(connection, 'a')),
    connection.writeExclusively(async () => add(connection, 'b')()),
  ]);
  expect(await withinTurns(both)).not.toBe('stuck');
  expect(new Set(notes(connection))).toEqual(new Set(['a', 'b']));
});

test('a write asked for while two exclusive works are queued comes to an end, and so do they', async () => {
  await using bed = await bench();
  const { connection } = bed;
  const work = (text: string) => async (): Promise<void> => {
    add(connection, text)();
    await turnOfEventLoop();
  };
  const first = connection.writeExclusively(work('a'));
  const second = connection.writeExclusively(work('b'));
  const write = connection.write(add(connection, 'c'));
  expect(await withinTurns(Promise.all([first, second, write]))).not.toBe('stuck');
  expect(new Set(notes(connection))).toEqual(new Set(['a', 'b', 'c']));
});

test('write refuses a ledger that went back under it, until that is as far again', async () => {
  await using bed = await bench();
  const { connection, path } = bed;
  using other = new SqliteDriver(path);
  await connection.write(() => connection.run(`INSERT INTO lineage (one, workspace, generation) VALUES (1, 'w', 500)`));
  await other.write(() => other.run('UPDATE lineage SET generation = 100'));
  await expect(connection.write(add(connection, 'a'))).rejects.toMatchObject({ kind: 'usage' });
  await expect(connection.writeExclusively(async () => add(connection, 'b')())).rejects.toMatchObject({
    kind: 'usage',
  });
  expect(notes(other)).toEqual([]);
  await other.write(() => other.run('UPDATE lineage SET generation = 600'));
  await connection.write(add(connection, 'c'));
  expect(notes(other)).toEqual(['c']);
});
