import { expect, test } from 'vitest';
import { runToEnd } from '../../support/command-line.ts';
import { orderCsv } from '../../support/order-csv.ts';
import { type SandboxProcess, startSandboxProcess } from '../../support/sandbox-process.ts';
import { ordersOnRecord, temporaryWorkspace } from '../../support/temporary-workspace.ts';
import { summaryOf } from '../../end-to-end/summary.ts';
import { cellText, readTables } from '../../end-to-end/workbook-cells.ts';

async function setStatus(sandbox: SandboxProcess, id: number | undefined, status: string): Promise<void> {
  const answer = await fetch(`${sandbox.controlUrl}/projects/${id ?? ''}/status`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ status }),
  });
  if (!answer.ok) throw new Error(await answer.text());
}

test('collect reports a project received elsewhere once, and follows none given up', async () => {
  // An unknown status is shown in the results.
  await using sandbox = await startSandboxProcess(['--no-progress']);
  await using workspace = await temporaryWorkspace({ env: sandbox.lines, inbox: { 'orders.csv': orderCsv(3) } });
  const at = ['--workspace', workspace.path];
  await runToEnd(['submit', ...at]);
  const [received, strange, open] = (await sandbox.projects()).map(({ id }) => id);
  await setStatus(sandbox, received, 'Client Received');
  await setStatus(sandbox, strange, 'Waiting for Weather');

  const first = summaryOf(await runToEnd(['collect', ...at, '--json']));
  expect(first).toMatchObject({ exitCode: 3, projects: { received: 1, outstanding: 2 } });
  const results = (await readTables(workspace.at(first.delivery?.workbook ?? ''))).get('Results');
  const texts = results?.rows.map((row) => [...row.values()].map(cellText).join(' | ')) ?? [];
  expect(texts.find((row) => row.includes(String(received)))).toContain('no longer offers them');
  expect(texts.find((row) => row.includes(String(strange)))).toContain('Waiting for Weather');
  expect(summaryOf(await runToEnd(['collect', ...at, '--json'])).exitCode).toBe(0);

  const orders = await ordersOnRecord(workspace.path);
  const orderId = String(orders.find(({ projectId }) => projectId === String(open))?.id);
  expect(await runToEnd(['resolve', orderId, '--give-up', ...at])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`Project ${open} `),
  });
  expect((await runToEnd(['resolve', orderId, '--give-up', ...at])).code).toBe(2);
  await setStatus(sandbox, open, 'Returned to Client');
  expect(summaryOf(await runToEnd(['collect', ...at, '--json'])).projects).toMatchObject({ failed: 1, collected: 0 });
  expect((await runToEnd(['resolve', orderId, '--follow', ...at])).code).toBe(0);
  expect(summaryOf(await runToEnd(['collect', ...at, '--json'])).projects).toMatchObject({ failed: 0, collected: 1 });
});
