import { describe, expect, test } from 'vitest';
import { resolveCommand } from '../../../src/cli/resolve-command.ts';
import { runCommand } from '../../../src/cli/run-command.ts';
import type { OrderPayload } from '../../../src/domain/row.ts';
import type { OrderRecord } from '../../../src/ledger/orders.ts';
import { latestAccount, openSqliteLedger } from '../../../src/ledger/open-ledger.ts';
import { systemClock } from '../../../src/ops/system.ts';
import { environmentLines, startSandbox } from '../../../src/sandbox/sandbox.ts';
import { attemptOf, newOrder, recordOrders } from '../../support/order-factory.ts';
import { temporaryWorkspace } from '../../support/temporary-workspace.ts';

async function openBench() {
  await using opened = new AsyncDisposableStack();
  const sandbox = await startSandbox();
  opened.defer(() => sandbox.close());
  const workspace = opened.use(await temporaryWorkspace({ env: environmentLines(sandbox) }));
  await runCommand('submit', { workspace: workspace.path });
  const path = workspace.at('state/ledger.sqlite');
  const ledger = () => openSqliteLedger(path, { clock: systemClock, account: latestAccount(path) ?? '' });
  const resources = opened.move();
  return {
    workspace,
    /** Records an order that was sent once and then held. */
    async hold(payload: Partial<OrderPayload>): Promise<number> {
      await using records = ledger();
      const [id = 0] = await recordOrders(records, [newOrder(payload)]);
      await records.beginAttempt(id, attemptOf());
      const doubt = { code: 'outcome-unknown', reason: '504', uncertainSince: 0 } as const;
      await records.moveOrder(id, 'submitting', { to: 'unresolved', ...doubt });
      await records.moveOrder(id, 'unresolved', { to: 'held', code: 'attempts-used-up', reason: 'not found' });
      return id;
    },
    async order(id: number): Promise<OrderRecord | null> {
      await using records = ledger();
      return await records.order(id);
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

describe('resolveCommand', () => {
  test.each<[string, Partial<OrderPayload>, boolean]>([
    ['an inspection number', { inspectionNumber: 'A-1' }, false],
    ['a policy number', { policyNumber: 'P-1', policyEffectiveDate: '2026-05-01' }, false],
    ['neither number', {}, true],
  ])('--resubmit of an order with %s allows a duplicate only without numbers', async (_what, payload, allowed) => {
    await using bench = await openBench();
    const id = await bench.hold(payload);
    expect(await resolveCommand(String(id), { resubmit: true }, bench.workspace.path)).toMatchObject({ exitCode: 0 });
    expect(await bench.order(id)).toMatchObject({ state: 'ready', allowDuplication: allowed });
  });
});
