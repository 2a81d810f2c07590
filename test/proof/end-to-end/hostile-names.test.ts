import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { startSandboxHere } from '../../support/command-in-this-process.ts';
import { oneDocument, runToEnd } from '../../support/command-line.ts';
import { orderCsv } from '../../support/order-csv.ts';
import { inTurn } from '../../support/proof-size.ts';
import { temporaryWorkspace } from '../../support/temporary-workspace.ts';
import { unzipped } from '../fuzz/unzipped.ts';
import { summaryOf } from '../../end-to-end/summary.ts';

/** What no text that we show may hold: control characters, changes of direction, zero-width characters. */
const UNSEEN = /[^\t\n\r\P{Cc}]|[\u061C\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/u;

const GOOD = 'orders\u202Excod\u001B]0;title\u0007.csv';
const UNREADABLE = 'scan\u200B\u009B31m\u2066.pdf';
const SENDER = 'smi\u202Eth\u001B[2J\nforged line';

test('every command escapes hostile names of files and senders', async () => {
  await using sandbox = await startSandboxHere();
  await using workspace = await temporaryWorkspace({
    env: sandbox.lines,
    config: '  hold:\n    maxWrongPercent: 60\n',
  });
  const at = ['--workspace', workspace.path];
  let seen = 0;
  const oneWrong = orderCsv(3).replaceAll('02139', (zip) => (seen++ === 0 ? 'no\u202Ewhere\u001B[2J' : zip));
  const dropped = {
    [GOOD]: oneWrong,
    [UNREADABLE]: '%PDF-1.7\n',
    [`${SENDER}/held\nforged line.csv`]: orderCsv(3, { series: 4 }).replaceAll('02139', 'nowhere'),
  };
  const drop = async (): Promise<void> => {
    for (const [name, text] of Object.entries(dropped)) {
      await mkdir(dirname(join(workspace.inbox, name)), { recursive: true });
      await writeFile(join(workspace.inbox, name), text);
    }
  };
  await drop();
  const shown: Record<string, string> = {};
  const run = async (...args: readonly string[]): Promise<void> => {
    const ended = await runToEnd([...args, ...at]);
    shown[`${args.join(' ')} out`] = ended.stdout;
    shown[`${args.join(' ')} err`] = ended.stderr;
    if (args.includes('--json')) oneDocument(ended);
  };
  for (const form of inTurn([[], ['--json']], 2)) await run('check', workspace.inbox, ...form);
  const first = await runToEnd(['submit', '--json', ...at]);
  shown['submit --json'] = first.stdout;
  expect(
    summaryOf(first)
      .files.map(({ outcome }) => outcome)
      .toSorted(),
  ).toEqual(['held', 'processed', 'unreadable']);
  await drop();
  for (const args of [
    ['submit'],
    ['status'],
    ['status', '--json'],
    ['status', 'orders'],
    ['approve', 'nothing'],
    ['verify'],
    ['approve', 'nothing\u001B[2J\u202E'],
  ])
    await run(...args);
  for (const entry of await readdir(workspace.path, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(workspace.path.length + 1);
    if (!name.startsWith('inbox')) shown[`name of ${name}`] = name;
    if (!entry.isFile()) continue;
    if (/^(logs|unreadable.*\.txt$|held.*\.txt$|deliveries.*\.(json|jsonl|csv|html)$)/s.test(name))
      shown[name] = await readFile(path, 'utf8');
    if (/^deliveries.*\.xlsx$/s.test(name))
      for (const { name: part, content } of unzipped(await readFile(path)))
        if (part.endsWith('.xml')) shown[`${name} ${part}`] = Buffer.from(content).toString('utf8');
    // The cells of the rows themselves go back as they were typed.
    if (/^corrections.*\.xlsx$/s.test(name))
      for (const { name: part, content } of unzipped(await readFile(path)))
        if (/comments|sheet[2-9]/.test(part)) shown[`${name} ${part}`] = Buffer.from(content).toString('utf8');
  }
  const wrong = Object.entries(shown).flatMap(([where, text]) =>
    UNSEEN.test(text)
      ? [[where, UNSEEN.exec(text)?.index, text.slice(Math.max(0, (UNSEEN.exec(text)?.index ?? 0) - 40)).slice(0, 80)]]
      : [],
  );
  expect(wrong).toEqual([]);
  expect(
    Object.entries(shown).filter(([, text]) => text.split('\n').some((line) => line.startsWith('forged line'))),
  ).toEqual([]);
  expect(Object.keys(shown).some((where) => where.startsWith('corrections'))).toBe(true);
});
