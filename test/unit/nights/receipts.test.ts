import { copyFile, readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { callHere, startSandboxHere } from '../../support/command-in-this-process.ts';
import { orderCsv } from '../../support/order-csv.ts';
import { temporaryWorkspace } from '../../support/temporary-workspace.ts';
import { summaryOf } from '../../end-to-end/summary.ts';
import { readTables } from '../../end-to-end/workbook-cells.ts';

const RECEIPT = 'orders - receipt.xlsx';
const FIFTEEN_DAYS_S = 15 * 24 * 60 * 60;

test('run keeps a receipt of each file until its reports are back', async () => {
  await using sandbox = await startSandboxHere();
  await using workspace = await temporaryWorkspace({
    env: sandbox.lines,
    inbox: { 'orders.csv': orderCsv(2, { keys: ['inspection'] }).replace('101 Oak Street', '') },
  });
  const at = ['--workspace', workspace.path];
  const night = async () => summaryOf(await callHere(['run', ...at, '--json']));
  const states = async () => {
    const rows = (await readTables(workspace.at('receipts', RECEIPT))).get('Outcome of each row')?.rows;
    return rows?.map((row) => row.get('Status'));
  };

  expect(await night()).toMatchObject({ exitCode: 3, orders: { created: 1 } });
  expect(await states()).toEqual(['ordered', 'to fix']);
  expect(await readdir(workspace.at('corrections'))).toEqual(['orders - to fix.xlsx']);
  const shown = await callHere(['status', 'orders.csv', ...at]);
  expect(shown.stdout).toContain(`receipt: receipts/${RECEIPT}`);

  await copyFile(workspace.at('receipts', RECEIPT), workspace.at('inbox', RECEIPT));
  await sandbox.advance(FIFTEEN_DAYS_S);
  const second = await night();
  expect(second.files).toMatchObject([{ outcome: 'processed', codes: ['receipt-dropped'], rows: { read: 0 } }]);
  expect(await states()).toEqual(['report received', 'to fix']);
  expect((await sandbox.audit()).projects).toBe(1);
});
