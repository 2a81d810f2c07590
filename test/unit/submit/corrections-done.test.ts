import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { dismissNamed } from '../../../src/cli/resolve-command.ts';
import { silentLog } from '../../../src/domain/ports.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { openSqliteLedger } from '../../../src/ledger/open-ledger.ts';
import { workspaceAt } from '../../../src/ops/workspace.ts';
import { correctionsName, placeCorrections, retireCorrections } from '../../../src/submit/corrections.ts';
import { FileEffects } from '../../simulation/file-effects.ts';
import { type CrashPoint, Session } from '../../simulation/session.ts';
import { newRow } from '../../support/order-factory.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const WORKBOOK = 'corrections/smith/oct - to fix.xlsx';

/** A file with two rows to fix and their workbook. */
async function wentBack(ledger: Ledger, root: string, hash: string, workbook = WORKBOOK): Promise<void> {
  const { id } = await ledger.recordFile(
    { hash, name: 'smith/oct.csv', sender: 'smith', layouts: [], notes: [] },
    async (transaction) => {
      for (const number of [2, 3]) transaction.addRow(newRow({}, number));
    },
  );
  await mkdir(dirname(join(root, workbook)), { recursive: true });
  await writeFile(join(root, workbook), hash);
  await ledger.markCorrected(
    id,
    (await ledger.openRowsOf(id)).map((row) => row.id),
    workbook,
  );
}

/** Dismisses the rows of a workbook, killed where `crash` says; then the next run, which writes another one of that name. Gives the effects of the first. */
async function dismissed(crash: CrashPoint | null): Promise<readonly string[]> {
  await using folder = await temporaryFolder();
  const workspace = workspaceAt(folder.path);
  await using ledger = openSqliteLedger(':memory:', { clock: createVirtualClock(), account: 'an account' });
  await wentBack(ledger, folder.path, 'aa');
  const session = new Session(crash);
  {
    await using files = new FileEffects(folder.path);
    files.belongTo(session);
    await Promise.race([
      dismissNamed(WORKBOOK, { ledger: session.ledger(ledger), workspace, log: silentLog }),
      session.died,
    ]);
  }
  session.kill();
  await retireCorrections({ ledger, workspace, log: silentLog });
  const waiting = await ledger.waitingRows();
  // Either nothing has happened, or all of it.
  if (waiting.length > 0) await dismissNamed(WORKBOOK, { ledger, workspace, log: silentLog });
  expect(waiting.map(({ rows }) => rows)).toEqual(waiting.length === 0 ? [] : [2]);
  await wentBack(ledger, folder.path, 'bb');
  await retireCorrections({ ledger, workspace, log: silentLog });
  expect([
    await readdir(join(workspace.corrections, 'done/smith')),
    await readdir(join(workspace.corrections, 'smith')),
  ]).toEqual([['oct - to fix.xlsx'], ['oct - to fix.xlsx']]);
  expect(await readFile(join(workspace.corrections, 'done/smith/oct - to fix.xlsx'), 'utf8')).toBe('aa');
  expect(await readFile(join(folder.path, WORKBOOK), 'utf8')).toBe('bb');
  expect([await ledger.workbooksDone(), (await ledger.waitingRows()).map(({ rows }) => rows)]).toEqual([[], [2]]);
  return session.effects;
}

test('dismissNamed leaves rows and workbook consistent when killed at any step', async () => {
  const effects = await dismissed(null);
  expect(effects).toEqual([
    'ledger dismissRows',
    'link corrections/done/smith/oct - to fix.xlsx',
    'unlink corrections/smith/oct - to fix.xlsx',
    'ledger markWorkbookDone',
  ]);
  for (const [index] of effects.entries()) {
    for (const when of ['before', 'after'] as const) await dismissed({ at: index + 1, when });
  }
});

test('dismissNamed leaves a workbook in the archive there', async () => {
  await using folder = await temporaryFolder();
  const workspace = workspaceAt(folder.path);
  await using ledger = openSqliteLedger(':memory:', { clock: createVirtualClock(), account: 'an account' });
  const archived = 'archive/2026/11/02/oct - to fix.xlsx';
  await wentBack(ledger, folder.path, 'aa', archived);
  await dismissNamed(archived, { ledger, workspace, log: silentLog });
  expect([await readFile(join(folder.path, archived), 'utf8'), await ledger.workbooksDone()]).toEqual(['aa', []]);
});

test.each([
  ['oct.csv', 'oct - to fix.xlsx'],
  ['smith/oct.csv', 'oct - to fix.xlsx'],
  ['oct - to fix.xlsx', 'oct - to fix 2.xlsx'],
  ['oct - to fix 2.xlsx', 'oct - to fix 3.xlsx'],
  ['oct - to fix (1).xlsx', 'oct - to fix 2.xlsx'],
  ['oct - refused.xlsx', 'oct - to fix 2.xlsx'],
  ['oct - to fix - to fix.xlsx', 'oct - to fix 3.xlsx'],
  ['oct (2).csv', 'oct (2) - to fix.xlsx'],
  ['oct - to fix it.csv', 'oct - to fix it - to fix.xlsx'],
  ['oct - to fix 2026.xlsx', 'oct - to fix 2026 - to fix.xlsx'],
  [' - to fix.xlsx', 'unnamed - to fix 2.xlsx'],
])('correctionsName for %j is %j', (name, expected) => {
  expect(correctionsName(name, 'to fix')).toBe(expected);
});

test('placeCorrections numbers a workbook whose name is taken as a later round', async () => {
  await using folder = await temporaryFolder();
  const placed = [];
  for (const kind of ['to fix', 'refused', 'to fix', 'to fix'] as const) {
    await writeFile(join(folder.path, 'building'), kind);
    placed.push(basename(await placeCorrections(join(folder.path, 'building'), folder.path, 'smith/oct.csv', kind)));
  }
  expect(placed).toEqual(['oct - to fix.xlsx', 'oct - refused.xlsx', 'oct - to fix 2.xlsx', 'oct - to fix 3.xlsx']);
});
