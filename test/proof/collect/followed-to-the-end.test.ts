import { expect, test } from 'vitest';
import { callHere, startSandboxHere } from '../../support/command-in-this-process.ts';
import { orderCsv } from '../../support/order-csv.ts';
import type { SandboxControls } from '../../support/sandbox-process.ts';
import { ordersOnRecord, temporaryWorkspace } from '../../support/temporary-workspace.ts';
import { summaryOf } from '../../end-to-end/summary.ts';
import { cellText, readTables } from '../../end-to-end/workbook-cells.ts';

async function setStatus(sandbox: SandboxControls, id: number | undefined, status: string): Promise<void> {
  const answer = await fetch(`${sandbox.controlUrl}/projects/${id ?? ''}/status`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ status }),
  });
  if (!answer.ok) throw new Error(await answer.text());
}

test('collect reports a project received elsewhere once, and follows none given up', async () => {
  // An unknown status is shown in the results.
  await using sandbox = await startSandboxHere({ autoProgress: false });
  await using workspace = await temporaryWorkspace({ env: sandbox.lines, inbox: { 'orders.csv': orderCsv(3) } });
  const at = ['--workspace', workspace.path];
  await callHere(['submit', ...at]);
  const [received, strange, open] = (await sandbox.projects()).map(({ id }) => id);
  await setStatus(sandbox, received, 'Client Received');
  await setStatus(sandbox, strange, 'Waiting for Weather');

  const first = summaryOf(await callHere(['collect', ...at, '--json']));
  expect(first).toMatchObject({ exitCode: 3, projects: { received: 1, outstanding: 2 } });
  const results = (await readTables(workspace.at(first.delivery?.workbook ?? ''))).get('Results');
  const texts = results?.rows.map((row) => [...row.values()].map(cellText).join(' | ')) ?? [];
  expect(texts.find((row) => row.includes(String(received)))).toContain('no longer offers them');
  expect(texts.find((row) => row.includes(String(strange)))).toContain('Waiting for Weather');
  expect(summaryOf(await callHere(['collect', ...at, '--json'])).exitCode).toBe(0);

  const orders = await ordersOnRecord(workspace.path);
  const orderId = String(orders.find(({ projectId }) => projectId === String(open))?.id);
  expect(await callHere(['resolve', orderId, '--give-up', ...at])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`Project ${open} `),
  });
  expect((await callHere(['resolve', orderId, '--give-up', ...at])).code).toBe(2);
  await setStatus(sandbox, open, 'Returned to Client');
  expect(summaryOf(await callHere(['collect', ...at, '--json'])).projects).toMatchObject({ failed: 1, collected: 0 });
  expect((await callHere(['resolve', orderId, '--follow', ...at])).code).toBe(0);
  expect(summaryOf(await callHere(['collect', ...at, '--json'])).projects).toMatchObject({ failed: 0, collected: 1 });
});
