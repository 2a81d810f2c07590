import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ExcelJS from 'exceljs';
import { expect, test } from 'vitest';
import { type CommandOptions, type Ended, PACKAGE_ROOT, runToEnd, startCommand } from '../../support/command-line.ts';
import { inProof } from '../../support/proof-size.ts';
import { until } from '../../support/sandbox-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A fenced block of the page, and the prose that stands before it. */
interface Block {
  readonly prose: string;
  readonly kind: string;
  readonly text: string;
}

async function tutorial(): Promise<readonly Block[]> {
  const parts = (await readFile(join(PACKAGE_ROOT, 'docs/tutorial.md'), 'utf8')).split(
    /^```(sh|text)\n([\s\S]*?)^```$/m,
  );
  const blocks: Block[] = [];
  for (let index = 0; index + 2 < parts.length; index += 3)
    blocks.push({ prose: parts[index] ?? '', kind: parts[index + 1] ?? '', text: parts[index + 2] ?? '' });
  return blocks;
}

/** Does what the prose says to do by hand in a workbook: open it, type into its cells, save it in the inbox. */
async function byHand(prose: string, home: string): Promise<void> {
  const [, path] = /Open `([^`]+\.xlsx)`/.exec(prose) ?? [];
  if (path === undefined) return;
  const book = new ExcelJS.Workbook();
  await book.xlsx.readFile(join(home, 'practice', path));
  const cells = [...prose.matchAll(/`([^`]+)`\s+into\s+([A-Z]+\d+)/g)];
  expect(cells).toHaveLength(2);
  for (const [, value = '', cell = ''] of cells) {
    expect(book.worksheets[0]?.getCell(cell).value).toBeNull();
    if (book.worksheets[0] !== undefined) book.worksheets[0].getCell(cell).value = value;
  }
  await book.xlsx.writeFile(join(home, 'practice/inbox', path.replace(/^.*\//, '')));
}

/** The exit code that the page speaks of before the next command; 0 where it speaks of none. */
function exitCodeSaid(following: readonly Block[]): number {
  const upToNext = following.slice(0, following.findIndex(({ kind }) => kind === 'sh') + 1);
  const [, code = '0'] = /exit code (\d+)/.exec(upToNext.map(({ prose }) => prose).join('')) ?? [];
  return Number(code);
}

/** Each line that the page shows is printed; `…` stands for anything. */
function expectShown(text: string, stdout: string): void {
  for (const line of text.trim().split('\n')) {
    expect(stdout.split('\n')).toContainEqual(
      expect.stringMatching(
        new RegExp(`^${line.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll('…', '.*')}$`),
      ),
    );
  }
}

/** Runs what is typed into the first terminal; it ends as the page says. */
async function typed(script: string, code: number, options: CommandOptions): Promise<Ended> {
  const ended = await runToEnd(['-c', script], { ...options, file: '/bin/sh' });
  expect({ script, ...ended }).toEqual({ script, ...ended, code });
  return ended;
}

/** Starts what the second terminal is for, and waits until it serves. Ctrl-C ends it. */
async function startSandbox(
  command: string,
  clone: string,
  environment: Readonly<Record<string, string>>,
  envFile: string,
): Promise<AsyncDisposable> {
  const started = startCommand(['-c', command], { file: '/bin/sh', cwd: clone, environment, ownGroup: true });
  await until(async () => (await readFile(envFile, 'utf8').catch(() => '')).includes('CONTROL_URL='), started);
  return {
    async [Symbol.asyncDispose]() {
      process.kill(-started.pid, 'SIGINT');
      await started.ended;
      expect(() => process.kill(-started.pid, 0)).toThrow(/ESRCH/);
    },
  };
}

// In CI the clone is this checkout, installed already; the whole proof clones and installs.
test("the tutorial's commands print the output that it shows", { timeout: 600_000 }, async () => {
  await using folder = await temporaryFolder();
  await using secondTerminal = new AsyncDisposableStack();
  const home = folder.path;
  const isFresh = inProof({ share: false, whole: true });
  const clone = isFresh ? join(home, 'inspection-batch') : PACKAGE_ROOT;
  if (isFresh) await promisify(execFile)('git', ['clone', '--quiet', PACKAGE_ROOT, clone]);
  const environment = { HOME: home, PATH: process.env['PATH'] ?? '' };
  const blocks = await tutorial();
  /** Where the first terminal was left: a shell of its own runs each block. */
  let left = '';
  let ended: Ended | undefined;
  for (const [index, { prose, kind, text }] of blocks.entries()) {
    await byHand(prose, home);
    if (kind === 'text') {
      expectShown(text, ended?.stdout ?? '');
    } else if (prose.trim().split('\n\n').at(-1)?.includes('second terminal') === true) {
      secondTerminal.use(await startSandbox(text, clone, environment, join(home, 'practice/.env')));
    } else {
      const isInstalled = text.startsWith('npm ci\n') && !isFresh;
      const script = isInstalled ? text.replace('npm ci\n', '') : text;
      // npm reads the settings of whoever calls it, in the home folder and in the environment.
      const own = text.startsWith('npm ') ? (process.env as Record<string, string>) : {};
      ended = await typed(`${left}set -e\n${script}`, exitCodeSaid(blocks.slice(index + 1)), {
        cwd: clone,
        environment: { ...environment, ...own },
      });
      left += script
        .split('\n')
        .filter((line) => /^(?:cd|export) /.test(line))
        .map((line) => `${line}\n`)
        .join('');
    }
  }
  expect(blocks.map(({ kind }) => kind).join(' ')).toBe('sh sh sh sh text sh text sh text sh text sh sh text');
});
