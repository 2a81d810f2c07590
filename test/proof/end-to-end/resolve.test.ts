import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSqliteLedger } from '../../../src/ledger/open-ledger.ts';
import { callHere, startSandboxHere } from '../../support/command-in-this-process.ts';
import { orderCsv } from '../../support/order-csv.ts';
import { ordersOnRecord, temporaryWorkspace } from '../../support/temporary-workspace.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { latestAccount } from '../../support/latest-account.ts';

test('resolve adopts, resubmits or abandons held orders only', async () => {
  await using sandbox = await startSandboxHere();
  await using workspace = await temporaryWorkspace({ env: sandbox.lines, inbox: { 'first.csv': orderCsv(1) } });
  await using elsewhere = await temporaryWorkspace({
    env: sandbox.lines,
    inbox: { 'other.csv': orderCsv(1, { series: 5 }) },
  });
  const at = ['--workspace', workspace.path];
  await callHere(['submit', ...at]);
  await callHere(['submit', '--workspace', elsewhere.path]);
  const [first, free] = await sandbox.projects();

  // Three orders that are on record and held: taken in while nothing may be sent any more.
  await sandbox.faults([{ match: { method: 'POST', route: '/v1/project' }, kind: '503', probability: 1 }]);
  await callHere(['submit', join(await csvBeside(workspace.path), 'more.csv'), ...at]);
  await sandbox.faults([]);
  const held = await hold(workspace.path);
  expect(held).toHaveLength(3);
  const [adopted, resubmitted, abandoned] = held.map(String);

  const foreign = await callHere(['resolve', adopted ?? '', '--adopt', String(first?.id), ...at]);
  expect(foreign).toMatchObject({ code: 2, stderr: expect.stringContaining('belongs to another order') });
  expect(await callHere(['resolve', adopted ?? '', ...at])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--adopt ID'),
  });
  expect(await callHere(['resolve', '1', '--abandon', ...at])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is created'),
  });

  expect(await callHere(['resolve', resubmitted ?? '', '--resubmit', ...at])).toMatchObject({ code: 0 });
  expect(await callHere(['resolve', abandoned ?? '', '--abandon', ...at])).toMatchObject({ code: 0 });
  expect(await callHere(['resolve', adopted ?? '', '--adopt', String(free?.id), ...at])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/another house, 5100 Oak Street.* --anyway/s),
  });
  expect(await callHere(['resolve', adopted ?? '', '--adopt', String(free?.id), '--anyway', ...at])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`project ${free?.id}`),
  });
  await callHere(['submit', ...at]);
  const states = new Map((await ordersOnRecord(workspace.path)).map(({ id, state }) => [String(id), state]));
  expect([states.get(adopted ?? ''), states.get(resubmitted ?? ''), states.get(abandoned ?? '')]).toEqual([
    'created',
    'created',
    'abandoned',
  ]);
});

async function csvBeside(workspace: string): Promise<string> {
  await writeFile(join(workspace, 'more.csv'), orderCsv(3, { series: 1 }));
  return workspace;
}

/** Moves every order that is not at an end to `held`, as a run would that found two projects for it. */
async function hold(workspace: string): Promise<readonly number[]> {
  const path = join(workspace, 'state/ledger.sqlite');
  await using ledger = openSqliteLedger(path, { clock: createVirtualClock(), account: latestAccount(path) ?? '' });
  const ids: number[] = [];
  for (const state of ['ready', 'unresolved'] as const) {
    for (const order of await ledger.ordersIn(state, 0, 100)) {
      await ledger.moveOrder(order.id, state, {
        to: 'held',
        code: 'attempts-used-up',
        reason: 'two projects look like it',
      });
      ids.push(order.id);
    }
  }
  return ids.toSorted((a, b) => a - b);
}
