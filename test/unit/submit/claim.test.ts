import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import fsPromises, {
  appendFile,
  link,
  mkdir,
  mkdtempDisposable,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { sha256OfFile } from '../../../src/ops/durable-files.ts';
import { listDropped, awaitSettled } from '../../../src/ops/list-inbox.ts';
import { WrongFileError } from '../../../src/ops/pinned-folder.ts';
import { ensureWorkspace, workspaceAt, type Workspace } from '../../../src/ops/workspace.ts';
import { approveHeldFile, returnToInbox, waitingFiles } from '../../../src/submit/hold.ts';
import { claimFile, putIntoInbox } from '../../../src/submit/claimed-files.ts';
import { takeInInbox, takeInNamed } from '../../../src/submit/take-in.ts';
import { orderCsv } from '../../support/order-csv.ts';
import { type LedgerBench, openLedgerBench, takeInContext } from '../../support/run-bench.ts';

const SECRET = 'the ledger';
/** Much longer than a claim takes, and much shorter than forever. */
const DEADLINE_MS = 20_000;

interface Bench extends LedgerBench {
  readonly workspace: Workspace;
  drop(name: string, content?: string): Promise<string>;
  run(changes?: { signal?: AbortSignal }): ReturnType<typeof takeInInbox>;
  named(path: string): ReturnType<typeof takeInNamed>;
}

async function openBench(): Promise<Bench> {
  const bench = await openLedgerBench();
  const workspace = workspaceAt(bench.folder);
  await ensureWorkspace(workspace);
  await writeFile(join(workspace.state, 'ledger.sqlite'), SECRET);
  const context = takeInContext(bench, workspace);
  return {
    ...bench,
    workspace,
    drop: async (name, content = orderCsv(1)) => {
      const path = join(workspace.inbox, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
      return path;
    },
    run: (changes = {}) => takeInInbox({ ...context, ...changes }),
    named: (path) => takeInNamed([path], context),
  };
}

const reasons = ({
  files,
}: {
  readonly files: readonly { readonly name: string; readonly outcome: string; readonly reason: string | null }[];
}) => files.map(({ name, outcome, reason }) => [name, outcome, reason]);

/** What stands in state/ but the ledger's own files, and what the secret file holds. */
async function stateOf({ workspace }: Bench): Promise<unknown> {
  const names = (await readdir(workspace.state)).filter((name) => name !== 'snapshots' && name !== 'inbox.json');
  return [names, await readFile(join(workspace.state, 'ledger.sqlite'), 'utf8')];
}

const UNTOUCHED = [['ledger.sqlite'], SECRET];

/** Does something between the listing and the claim of the first file: right before a claim a run asks whether it should stop. */
function beforeFirstClaim(work: () => void): AbortSignal {
  let isDone = false;
  return Object.defineProperty(new AbortController().signal, 'aborted', {
    get: () => {
      if (!isDone) work();
      isDone = true;
      return false;
    },
  });
}

function pipeAt(path: string): void {
  execFileSync('mknod', [path, 'p']);
}

const SWAPS: readonly (readonly [string, (path: string, bench: Bench) => void | Promise<void>, RegExp])[] = [
  ['a link to the ledger', (path) => symlink('../state/ledger.sqlite', path), /is now a link/],
  ['a link to an honest file', (path) => symlink('b.csv', path), /is now a link/],
  ['a link to itself', (path) => symlink('a.csv', path), /is now a link/],
  ['a pipe', pipeAt, /is now a pipe/],
  ['a folder', (path) => mkdir(path), /is now a folder/],
  ['another file', (path) => writeFile(path, orderCsv(3, { series: 7 })), /replaced by another file/],
  [
    'a hard link to the ledger',
    (path, { workspace }) => link(join(workspace.state, 'ledger.sqlite'), path),
    /replaced by another file/,
  ],
];

test.each(SWAPS)(
  'leaves and reports a file exchanged for %s after listing',
  { timeout: DEADLINE_MS },
  async (_what, exchange, sentence) => {
    await using bench = await openBench();
    const path = await bench.drop('a.csv');
    await bench.drop('b.csv', orderCsv(1, { series: 1 }));
    const [listed] = (await listDropped(bench.workspace.inbox)).files;
    // The old file goes on living under another name, so that its inode is not given to the new one.
    await rename(path, join(bench.folder, 'old'));
    await exchange(path, bench);
    if (listed === undefined) throw new Error('nothing was listed');
    await expect(claimFile(listed, bench.workspace)).rejects.toThrow(sentence);
    expect([await stateOf(bench), await readdir(bench.workspace.processing)]).toEqual([UNTOUCHED, []]);
    expect(await readdir(bench.workspace.inbox)).toEqual(['a.csv', 'b.csv']);
  },
);

test.each(SWAPS)(
  'puts back a file exchanged for %s during the move',
  { timeout: DEADLINE_MS },
  async (_what, exchange) => {
    await using bench = await openBench();
    const path = await bench.drop('a.csv');
    await bench.drop('b.csv', orderCsv(1, { series: 1 }));
    const [listed] = (await listDropped(bench.workspace.inbox)).files;
    if (listed === undefined) throw new Error('nothing was listed');
    const original = fsPromises.rename;
    fsPromises.rename = async (from, to) => {
      fsPromises.rename = original;
      syncBuiltinESMExports();
      await original(path, join(bench.folder, 'old'));
      await exchange(path, bench);
      await original(from, to);
    };
    syncBuiltinESMExports();
    await expect(claimFile(listed, bench.workspace)).rejects.toThrow(/"a\.csv"/);
    expect([await stateOf(bench), await readdir(bench.workspace.processing)]).toEqual([UNTOUCHED, []]);
    expect(await readdir(bench.workspace.inbox)).toEqual(['a.csv', 'b.csv']);
  },
);

test("claims nothing through a sender's folder that becomes a link", { timeout: DEADLINE_MS }, async () => {
  await using bench = await openBench();
  await bench.drop('acme/ledger.sqlite');
  await bench.drop('zeta/b.csv', orderCsv(1, { series: 1 }));
  const acme = join(bench.workspace.inbox, 'acme');
  const taken = await bench.run({
    signal: beforeFirstClaim(() => {
      execFileSync('mv', [acme, join(bench.folder, 'moved away')]);
      execFileSync('ln', ['-s', '../state', acme]);
    }),
  });
  expect(reasons(taken)).toEqual([
    ['acme/ledger.sqlite', 'settling', expect.stringContaining('"acme"')],
    ['zeta/b.csv', 'processed', null],
  ]);
  expect(await stateOf(bench)).toEqual(UNTOUCHED);
  expect(await readdir(bench.workspace.processing)).toEqual([]);
  // Nor the next night, when the link is what is listed.
  expect(reasons(await bench.run())).toEqual([]);
  expect(await stateOf(bench)).toEqual(UNTOUCHED);
});

test("reads a replaced sender's folder the next night", async () => {
  await using bench = await openBench();
  await bench.drop('acme/a.csv');
  const acme = join(bench.workspace.inbox, 'acme');
  const signal = beforeFirstClaim(() =>
    execFileSync('sh', ['-c', 'mv "$1" "$2" && cp -r "$2" "$1"', 'sh', acme, join(bench.folder, 'old')]),
  );
  expect(reasons(await bench.run({ signal }))).toEqual([
    ['acme/a.csv', 'settling', expect.stringContaining('replaced')],
  ]);
  expect(reasons(await bench.run())).toEqual([['acme/a.csv', 'processed', null]]);
});

test('never takes a hard link to our own file', async () => {
  await using bench = await openBench();
  await link(join(bench.workspace.state, 'ledger.sqlite'), join(bench.workspace.inbox, 'a.csv'));
  for (let night = 0; night < 2; night += 1) {
    expect(reasons(await bench.run())).toEqual([['a.csv', 'settling', expect.stringContaining('hard link')]]);
    expect(await stateOf(bench)).toEqual(UNTOUCHED);
  }
});

test('leaves and reports links, pipes, and sockets without waiting', { timeout: DEADLINE_MS }, async () => {
  await using bench = await openBench();
  await bench.drop('z.csv');
  await symlink('../state/ledger.sqlite', join(bench.workspace.inbox, 'a.csv'));
  await mkdir(join(bench.workspace.inbox, 'smith'));
  pipeAt(join(bench.workspace.inbox, 'smith/b.csv'));
  pipeAt(join(bench.workspace.processing, 'left.csv'));
  pipeAt(join(bench.workspace.held, 'held.csv'));
  const server = createServer().listen(join(bench.workspace.inbox, 's'));
  await once(server, 'listening');
  const taken = await bench.run();
  server.close();
  expect(reasons(taken)).toEqual([['z.csv', 'processed', null]]);
  expect(taken.notes.filter(({ name }) => name !== 'z.csv')).toEqual([
    { name: 'a.csv', notes: [{ code: 'not-a-file', text: expect.stringContaining('a link') }] },
    { name: 's', notes: [{ code: 'not-a-file', text: expect.stringContaining('a socket') }] },
    { name: 'smith/b.csv', notes: [{ code: 'not-a-file', text: expect.stringContaining('a pipe') }] },
  ]);
  expect(await stateOf(bench)).toEqual(UNTOUCHED);
});

test('accepts a named link, and reports a named pipe without waiting', { timeout: DEADLINE_MS }, async () => {
  await using bench = await openBench();
  await writeFile(join(bench.folder, 'real.csv'), orderCsv(2));
  await symlink('real.csv', join(bench.folder, 'link.csv'));
  pipeAt(join(bench.folder, 'pipe.csv'));
  expect(reasons(await bench.named(join(bench.folder, 'link.csv')))).toEqual([['link.csv', 'processed', null]]);
  expect(reasons(await bench.named(join(bench.folder, 'pipe.csv')))).toEqual([
    ['pipe.csv', 'settling', expect.stringContaining('a pipe')],
  ]);
  expect(reasons(await bench.named(bench.workspace.state))).toEqual([
    ['state', 'settling', expect.stringContaining('is a folder')],
  ]);
  await expect(sha256OfFile(join(bench.folder, 'pipe.csv'))).rejects.toMatchObject({ code: 'EINVAL' });
  expect(await readdir(bench.workspace.processing)).toEqual([]);
});

test('leaves an approved held file that was exchanged for a link', async () => {
  await using bench = await openBench();
  await writeFile(join(bench.workspace.held, 'a.csv'), orderCsv(1));
  const [file] = await waitingFiles(bench.workspace);
  if (file === undefined) throw new Error('nothing waits');
  await approveHeldFile(file, bench.ledger);
  await rm(file.path);
  await symlink('../state/ledger.sqlite', file.path);
  await expect(claimFile(file, bench.workspace)).rejects.toThrow(WrongFileError);
  expect(await stateOf(bench)).toEqual(UNTOUCHED);
});

test('puts nothing back into the inbox through a link', async () => {
  await using bench = await openBench();
  const ours = join(bench.workspace.processing, 'run.lock');
  await writeFile(ours, orderCsv(1));
  await symlink('../state', join(bench.workspace.inbox, 'smith'));
  await expect(putIntoInbox(ours, bench.workspace, 'smith', 'run.lock')).rejects.toThrow(/ELOOP|ENOTDIR/);
  expect([await stateOf(bench), await readdir(bench.workspace.processing)]).toEqual([UNTOUCHED, ['run.lock']]);
});

test('takes in an approved file once after a kill during its move', async () => {
  await using bench = await openBench();
  await mkdir(join(bench.workspace.held, 'smith'));
  await writeFile(join(bench.workspace.held, 'smith/a.csv'), orderCsv(2));
  const [file] = await waitingFiles(bench.workspace);
  if (file === undefined) throw new Error('nothing waits');
  await approveHeldFile(file, bench.ledger);
  await bench.ledger.recordHeld({
    hash: await sha256OfFile(file.path),
    name: 'smith/a.csv',
    heldAs: file.heldAs,
    limits: [],
    reasons: ['x'],
  });
  await approveHeldFile(file, bench.ledger);
  await mkdir(join(bench.workspace.inbox, 'smith'));
  await link(file.path, join(bench.workspace.inbox, 'smith/a.csv'));
  await bench.run();
  await bench.run();
  expect((await bench.ledger.orderCounts()).ready).toBe(2);
  expect([
    await readdir(join(bench.workspace.inbox, 'smith')),
    await readdir(join(bench.workspace.held, 'smith')),
  ]).toEqual([[], []]);
  const archived = await readdir(bench.workspace.archive, { recursive: true });
  expect(archived.filter((path) => path.endsWith('.csv'))).toHaveLength(1);
});

test("puts an approved file back into its sender's folder", async () => {
  await using bench = await openBench();
  await mkdir(join(bench.workspace.inbox, 'Smith & Co'));
  await mkdir(join(bench.workspace.held, 'Smith - Co'));
  await writeFile(join(bench.workspace.held, 'Smith - Co/a.csv'), orderCsv(1));
  const [file] = await waitingFiles(bench.workspace);
  if (file === undefined) throw new Error('nothing waits');
  expect(await returnToInbox(file, bench.workspace)).toBe(join(bench.workspace.inbox, 'Smith & Co/a.csv'));
});

test('copies listed files from another device and removes only those', { timeout: DEADLINE_MS }, async () => {
  await using bench = await openBench();
  await using elsewhere = await mkdtempDisposable('/dev/shm/inbox-');
  await rm(bench.workspace.inbox, { recursive: true });
  await rm(join(bench.workspace.state, 'inbox.json'));
  await symlink(elsewhere.path, bench.workspace.inbox);
  const path = await bench.drop('smith/a.csv');
  const { files } = await listDropped(bench.workspace.inbox);
  for (const file of files)
    expect(await claimFile(file, bench.workspace)).toMatchObject({ name: 'a.csv', sender: 'smith' });
  expect([
    await readdir(join(elsewhere.path, 'smith')),
    await readFile(join(bench.workspace.processing, 'smith/a.csv'), 'utf8'),
  ]).toEqual([[], orderCsv(1)]);
  await bench.drop('smith/a.csv', orderCsv(1, { series: 2 }));
  const [again] = (await listDropped(bench.workspace.inbox)).files;
  if (again === undefined) throw new Error('nothing was listed');
  await rename(path, join(elsewhere.path, 'old'));
  pipeAt(path);
  await expect(claimFile(again, bench.workspace)).rejects.toThrow(WrongFileError);
  expect(await readdir(join(elsewhere.path, 'smith'))).toEqual(['a.csv']);
});

test('settles files with times ahead of our clock by watching them', async () => {
  await using bench = await openBench();
  const path = await bench.drop('a.csv');
  await bench.drop('b.csv', orderCsv(1, { series: 1 }));
  await utimes(path, 4_000_000_000, 4_000_000_000);
  const { files } = await listDropped(bench.workspace.inbox);
  let now = Date.UTC(2001, 0, 1);
  const slept: number[] = [];
  const world = (meanwhile: () => Promise<void>) => ({
    clock: { now: () => now },
    sleep: async (ms: number) => {
      slept.push(ms);
      await meanwhile();
      now += ms;
    },
  });
  const names = ({ settled, settling }: Awaited<ReturnType<typeof awaitSettled>>) =>
    [settled, settling].map((list) => list.map(({ name }) => name));
  expect(
    names(
      await awaitSettled(
        files,
        10_000,
        world(async () => {}),
      ),
    ),
  ).toEqual([['a.csv', 'b.csv'], []]);
  expect(
    names(
      await awaitSettled(
        files,
        10_000,
        world(() => appendFile(path, '\n')),
      ),
    ),
  ).toEqual([['b.csv'], ['a.csv']]);
  expect(slept).toEqual([10_000, 10_000]);
});
