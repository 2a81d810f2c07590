import { describe, expect, test } from 'vitest';
import { sweepStatuses } from '../../../src/collect/sweep.ts';
import { projectSearchItem, projectStatusResponse, STATUS_LENGTH_MAX } from '../../../src/contract/document.ts';
import { recordCreated } from '../../support/order-factory.ts';
import { clientThat, collectContext, openLedgerBench } from '../../support/run-bench.ts';

const LONGEST = 'x'.repeat(200);
const TOO_LONG = 'x'.repeat(201);

test('a status has at most 200 characters', () => {
  expect(STATUS_LENGTH_MAX).toBe(200);
  const isTaken = (status: string) => projectStatusResponse.safeParse({ project: [{ id: 7, status }] }).success;
  expect([isTaken(LONGEST), isTaken(TOO_LONG)]).toEqual([true, false]);
});

describe('sweepStatuses', () => {
  /** Which projects are asked for singly, the search showing this status of the first. */
  async function askedSingly(status: string): Promise<readonly string[]> {
    await using bench = await openLedgerBench();
    const ids = Array.from({ length: 9 }, (_, index) => String(11 + index));
    for (const id of ids) await recordCreated(bench.ledger, id);
    const singly: string[] = [];
    const client = clientThat({
      searchProjects: async ({ startId }) => ({
        kind: 'ok',
        value: ids
          .filter((id) => BigInt(id) >= BigInt(startId ?? 0))
          .map((id) => projectSearchItem.parse({ id, status: id === '11' ? status : 'Site Inspected' })),
      }),
      getStatus: async (id) => {
        singly.push(id);
        return { kind: 'ok', value: { id, status: 'Returned to Client' } };
      },
    });
    const context = collectContext({ ...bench, client });
    await bench.clock.drive(sweepStatuses(await bench.ledger.followedProjects(), context));
    return singly;
  }

  test('takes the longest status from a search', async () => {
    expect(await askedSingly(LONGEST)).toEqual([]);
  });

  test('asks singly for a project whose status is longer', async () => {
    expect(await askedSingly(TOO_LONG)).toEqual(['11']);
  });
});
