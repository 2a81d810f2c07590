import { mkdir, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { summaryOf } from '../../end-to-end/summary.ts';
import { cellText, readTables, type SheetTable } from '../../end-to-end/workbook-cells.ts';
import { callHere, startSandboxHere } from '../../support/command-in-this-process.ts';
import { orderCsv } from '../../support/order-csv.ts';
import { temporaryWorkspace } from '../../support/temporary-workspace.ts';

const FIFTEEN_DAYS_S = 15 * 24 * 60 * 60;

test('collect delivers everything again only with --all, decisions included', async () => {
  await using sandbox = await startSandboxHere();
  await using workspace = await temporaryWorkspace({ env: sandbox.lines, inbox: { 'orders.csv': orderCsv(6) } });
  const call = async (...args: readonly string[]) =>
    summaryOf(await callHere([...args, '--workspace', workspace.path, '--json']));
  const tablesOf = ({ delivery }: Awaited<ReturnType<typeof call>>) =>
    readTables(workspace.at(delivery?.workbook ?? ''));
  const textsOf = (table: SheetTable | undefined, title: string) => table?.rows.map((row) => cellText(row.get(title)));

  await call('run');
  await sandbox.advance(FIFTEEN_DAYS_S);
  const first = await tablesOf(await call('collect'));
  expect(await call('collect')).toMatchObject({ exitCode: 0, delivery: null });
  const [riskiest = ''] = textsOf(first.get('Attention'), 'Project ID') ?? [];
  await mkdir(workspace.at('inbox/decisions'));
  await writeFile(workspace.at('inbox/decisions/mine.csv'), `Project ID,Decision,By\n${riskiest},Refer,Ann\n`);
  const again = await tablesOf(await call('collect', '--all'));
  const apartFromNew = (table: SheetTable | undefined) =>
    table?.rows.map((row) => [...row].filter(([title]) => title !== 'New'));
  expect(apartFromNew(again.get('Results'))).toEqual(apartFromNew(first.get('Results')));
  expect(new Set(textsOf(again.get('Results'), 'New'))).toEqual(new Set(['No']));
  const decided = again.get('Attention')?.rows.find((row) => cellText(row.get('Project ID')) === riskiest);
  expect(['Decision', 'By'].map((title) => cellText(decided?.get(title)))).toEqual(['Refer', 'Ann']);
});
