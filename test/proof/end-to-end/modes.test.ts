import { execFileSync, spawnSync } from 'node:child_process';
import { chmod, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { callHere, startSandboxHere } from '../../support/command-in-this-process.ts';
import { BIN, CRON_ENVIRONMENT, runToEnd } from '../../support/command-line.ts';
import { orderCsv } from '../../support/order-csv.ts';
import { inTurn } from '../../support/proof-size.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { SETTLED } from '../../support/temporary-workspace.ts';

const umask = process.umask();
afterEach(() => void process.umask(umask));

/** Every file and folder of a workspace by its mode, but what a person made. */
async function modesIn(root: string, made: ReadonlySet<string>): Promise<Map<string, string[]>> {
  const modes = new Map<string, string[]>();
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const shown = path.slice(root.length + 1);
    if (made.has(shown)) continue;
    const mode = `${entry.isDirectory() ? 'folder' : 'file'} ${((await stat(path)).mode & 0o7777).toString(8)}`;
    modes.set(mode, [...(modes.get(mode) ?? []), shown]);
  }
  return modes;
}

const SHARED: readonly (readonly [whom: string, config: string, expected: readonly string[]])[] = [
  ['nobody', '', ['file 600', 'folder 700']],
  ['the group', 'workspace:\n  sharedWith: group\n', ['file 640', 'folder 750']],
];

// In a share one of them each day.
test.each(inTurn(SHARED, 2))('run shares its files with %s, whatever the umask', async (_whom, config, expected) => {
  await using sandbox = await startSandboxHere();
  await using folder = await temporaryFolder();
  process.umask(0);
  const root = folder.path;
  const at = ['--workspace', root];
  const made = new Set(['config.yaml', '.env']);
  const write = async (name: string, text: string, mode: number): Promise<void> => {
    await writeFile(join(root, name), text);
    await chmod(join(root, name), mode);
  };
  await write(
    'config.yaml',
    `${SETTLED}  hold:\n    maxWrongPercent: 70\nresults:\n  formats: [xlsx, csv, jsonl]\n${config}`,
    0o644,
  );
  await write('.env', sandbox.lines, 0o600);
  expect((await runToEnd(['init', root])).code).toBe(0);
  await write('inbox/orders.csv', orderCsv(3), 0o666);
  await write('inbox/to fix.csv', orderCsv(3, { series: 1 }).replace('02139', 'nowhere'), 0o755);
  await write('inbox/held.csv', orderCsv(3, { series: 2 }).replaceAll('02139', 'nowhere'), 0o4777);
  await write('inbox/scan.pdf', '%PDF-1.7\n', 0o666);
  await write('named.csv', orderCsv(1, { series: 3 }), 0o777);
  made.add('named.csv');
  expect((await runToEnd(['submit', join(root, 'named.csv'), ...at])).code).toBe(0);
  expect((await runToEnd(['run', ...at])).code).toBe(3);
  await sandbox.advance(20 * 24 * 60 * 60);
  expect((await runToEnd(['run', ...at])).code).toBe(3);
  const modes = await modesIn(root, made);
  const others = [...modes].filter(([mode]) => !expected.includes(mode));
  expect([others, modes.size]).toEqual([[], expected.length]);
  const files = modes.get(expected[0] ?? '') ?? [];
  const kinds = [
    '.xlsx',
    '.csv',
    '.jsonl',
    '.txt',
    '.html',
    '.zip',
    'index.json',
    '.pdf',
    '.jpg',
    'ledger.sqlite',
    '.env.example',
  ];
  expect(kinds.filter((kind) => !files.some((path) => path.endsWith(kind)))).toEqual([]);
});

test('init keeps the mode of an existing inbox', async () => {
  await using folder = await temporaryFolder();
  expect((await callHere(['init', folder.path])).code).toBe(0);
  await chmod(join(folder.path, 'inbox'), 0o2770);
  expect((await callHere(['init', folder.path])).code).toBe(0);
  expect((await stat(join(folder.path, 'inbox'))).mode & 0o7777).toBe(0o2770);
});

/** Of nobody in particular; only root can be somebody else. */
const OTHER_USER = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

test('status reads a read-only workspace; other commands explain their refusal', async () => {
  await using sandbox = await startSandboxHere();
  await using folder = await temporaryFolder();
  const root = folder.path;
  await writeFile(join(root, 'config.yaml'), SETTLED);
  await writeFile(join(root, '.env'), sandbox.lines, { mode: 0o600 });
  expect((await callHere(['init', root])).code).toBe(0);
  await writeFile(join(root, 'inbox/orders.csv'), orderCsv(3));
  expect((await callHere(['submit', '--workspace', root])).code).toBe(0);
  await writeFile(join(root, 'wrong.csv'), orderCsv(1).replace('02139', 'nowhere'));
  execFileSync('chmod', ['-R', 'a+rX,a-w', root]);
  try {
    const asOther = (args: readonly string[]) =>
      spawnSync(BIN, [...args, '--workspace', root], {
        cwd: root,
        env: { ...CRON_ENVIRONMENT },
        encoding: 'utf8',
        ...OTHER_USER,
      });
    const status = asOther(['status']);
    expect([status.status, status.stdout]).toEqual([0, expect.stringMatching(/^Orders +3 created$/m)]);
    for (const args of [['verify'], ['prune', '--dry-run'], ['backup'], ['run'], ['check', join(root, 'wrong.csv')]]) {
      const ended = asOther(args);
      expect([args, ended.status, ended.stderr]).toEqual([
        args,
        2,
        expect.not.stringContaining('fault of inspection-batch'),
      ]);
    }
    execFileSync('chmod', ['a-rwx', join(root, 'state/ledger.sqlite')]);
    expect(asOther(['status'])).toMatchObject({ status: 2, stderr: expect.stringContaining('cannot be opened here') });
  } finally {
    execFileSync('chmod', ['-R', 'u+rwX', root]);
  }
});
