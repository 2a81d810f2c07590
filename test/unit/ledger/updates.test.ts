import { describe, expect, test } from 'vitest';
import { orderPayload, recordCreated } from '../../support/order-factory.ts';
import { openLedgerBench } from '../../support/run-bench.ts';

describe('endUpdate', () => {
  test('records the status that the service showed with a refusal', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    await recordCreated(ledger, '11');
    const request = { kind: 'cancel' } as const;
    const id = await ledger.beginUpdate({ projectId: '11', request, before: {}, source: null });
    const end = { code: 'service-refused', reason: 'too late', status: 'Site Inspected' };
    await ledger.endUpdate(id ?? 0, { to: 'refused', ...end });
    expect(await ledger.storyOfProject('11')).toMatchObject({ project: { status: 'Site Inspected' } });
  });
});

describe('amendedWithoutOrder', () => {
  test('returns the values before the first of two amendments', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    const details = orderPayload({ policyNumber: 'P-1' });
    await ledger.followElsewhere({ projectId: '11', inspectionCode: null, inspectionLink: null, details });
    for (const [from, to] of [
      ['P-1', 'P-2'],
      ['P-2', 'P-3'],
    ] as const) {
      const request = { kind: 'amend', policyNumber: to } as const;
      const before = { policyNumber: from };
      const id = await ledger.beginUpdate({ projectId: '11', request, before, source: null });
      await ledger.endUpdate(id ?? 0, { to: 'done', status: null, settled: false });
    }
    expect((await ledger.amendedWithoutOrder()).get('11')).toEqual({ policyNumber: 'P-1' });
  });
});

describe('unsentEntries', () => {
  test('lists messages about projects last', async () => {
    await using bench = await openLedgerBench();
    const { ledger } = bench;
    await ledger.addToOutbox([{ channel: 'webhook.projects', about: 'project 11', facts: {} }]);
    await ledger.addToOutbox([{ channel: 'engineers', about: 'run r-1', facts: {} }]);
    expect((await ledger.unsentEntries()).map(({ channel }) => channel)).toEqual(['engineers', 'webhook.projects']);
  });
});
