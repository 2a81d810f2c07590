import { describe, expect, test } from 'vitest';
import { findNamedProject, parseProjectReference, unsettledOrder } from '../../../src/update/find-project.ts';
import { recordCreated, recordOrder } from '../../support/order-factory.ts';
import { openLedgerBench } from '../../support/run-bench.ts';

const POLICY = { key: 'policyNumber', text: 'P-1' } as const;

describe('parseProjectReference', () => {
  test.each([
    ['project: 7', { key: 'projectId', text: '7' }],
    ['Policy:P-1', { key: 'policyNumber', text: 'P-1' }],
    ['inspection:T-1', { key: 'inspectionNumber', text: 'T-1' }],
    [' P-1 ', { key: 'any', text: 'P-1' }],
  ])('reads %s', (text, name) => {
    expect(parseProjectReference(text)).toEqual(name);
  });
});

describe('findNamedProject', () => {
  test('refuses names of different projects', async () => {
    await using bench = await openLedgerBench();
    await recordCreated(bench.ledger, '11', { policyNumber: 'P-1' });
    await recordCreated(bench.ledger, '12', { policyNumber: 'P-2' });
    const names = [POLICY, { key: 'policyNumber', text: 'P-2' }] as const;
    expect(await findNamedProject(names, bench.ledger)).toMatchObject({ code: 'names-disagree' });
  });

  test('refuses a name of several projects', async () => {
    await using bench = await openLedgerBench();
    for (const id of ['11', '12']) await recordCreated(bench.ledger, id, { policyNumber: 'P-1' });
    expect(await findNamedProject([POLICY], bench.ledger)).toMatchObject({ code: 'several-projects' });
  });

  test('finds the one project that both names have', async () => {
    await using bench = await openLedgerBench();
    for (const id of ['11', '12']) await recordCreated(bench.ledger, id, { policyNumber: 'P-1' });
    const names = [POLICY, { key: 'projectId', text: '12' }] as const;
    expect(await findNamedProject(names, bench.ledger)).toMatchObject({ kind: 'one', projectId: '12' });
  });

  test('takes an unrecorded ID alone, without leading zeros', async () => {
    await using bench = await openLedgerBench();
    const found = await findNamedProject([{ key: 'any', text: '0099' }], bench.ledger);
    expect(found).toEqual({ kind: 'one', projectId: '99', named: null });
  });

  test('refuses an unrecorded ID next to another name', async () => {
    await using bench = await openLedgerBench();
    await recordCreated(bench.ledger, '11', { policyNumber: 'P-1' });
    const names = [POLICY, { key: 'projectId', text: '99' }] as const;
    expect(await findNamedProject(names, bench.ledger)).toMatchObject({ code: 'project-not-on-record' });
  });

  test('refuses digits beyond the largest project ID', async () => {
    await using bench = await openLedgerBench();
    const found = await findNamedProject([{ key: 'any', text: '9999999999999999999' }], bench.ledger);
    expect(found).toMatchObject({ code: 'project-not-on-record' });
  });
});

describe('unsettledOrder', () => {
  test('names an unsettled order with this policy number', async () => {
    await using bench = await openLedgerBench();
    await recordOrder(bench.ledger, { policyNumber: 'P-1' });
    expect(await unsettledOrder([POLICY], bench.ledger)).toMatchObject({ code: 'order-unsettled' });
  });

  test('ignores a settled order', async () => {
    await using bench = await openLedgerBench();
    await recordCreated(bench.ledger, '11', { policyNumber: 'P-1' });
    expect(await unsettledOrder([POLICY], bench.ledger)).toBeNull();
  });

  test('ignores an unsettled order with one of two numbers', async () => {
    await using bench = await openLedgerBench();
    await recordOrder(bench.ledger, { policyNumber: 'P-1', inspectionNumber: 'T-1' });
    const names = [POLICY, { key: 'inspectionNumber', text: 'T-2' }] as const;
    expect(await unsettledOrder(names, bench.ledger)).toBeNull();
  });
});
