import { describe, expect, test } from 'vitest';
import { projectDetail } from '../../../src/contract/document.ts';
import type { OrderPayload } from '../../../src/domain/row.ts';
import { SecondProjects } from '../../../src/upkeep/second-projects.ts';
import { orderPayload, recordCreated } from '../../support/order-factory.ts';
import { clientThat, collectContext, openLedgerBench } from '../../support/run-bench.ts';

describe('SecondProjects.orderLike', () => {
  test.each<[string, Partial<OrderPayload>, Partial<OrderPayload>, boolean]>([
    ['the same due date', { dueDate: '2026-05-01' }, { dueDate: '2026-05-01' }, true],
    ['another due date', { dueDate: '2026-05-01' }, { dueDate: '2026-05-02' }, false],
    ['a due date on one side', { dueDate: '2026-05-01' }, {}, false],
    ['no dates', {}, {}, false],
  ])('compares only dates if the service ignores times: %s', async (_what, ordered, shown, isFound) => {
    await using bench = await openLedgerBench();
    const id = await recordCreated(bench.ledger, '11', ordered);
    const order = await bench.ledger.order(id);
    // Shows its first project, however late the asked time.
    const searchProjects = async () => ({ kind: 'ok', value: [{ id: '11' }] }) as const;
    const seconds = new SecondProjects(collectContext({ ...bench, client: clientThat({ searchProjects }) }));
    const detail = projectDetail.parse({ id: 12, ...orderPayload(shown) });
    const found = await seconds.orderLike(order === null ? [] : [order], detail);
    expect(found?.id).toBe(isFound ? id : undefined);
  });
});
