import { readFile, readdir } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { FaultRule } from '../../../src/sandbox/faults/faults.ts';
import { callHere, startSandboxHere } from '../../support/command-in-this-process.ts';
import { oneDocument, startCommand } from '../../support/command-line.ts';
import { orderCsv } from '../../support/order-csv.ts';
import { until } from '../../support/sandbox-process.ts';
import { ordersOnRecord, temporaryWorkspace } from '../../support/temporary-workspace.ts';
import { expectEachOrderedOnce, submitUntilDone } from '../../end-to-end/repeated-runs.ts';
import { sum, summaryOf } from '../../end-to-end/summary.ts';

const ORDERS = 45;
const CONFIG = 'submit:\n  quarantineSeconds: 1\n';
const CREATE = { method: 'POST', route: '/v1/project' } as const;

describe.concurrent('submit, under service faults', () => {
  const lostAnswer: FaultRule = { kind: 'commit-then-504', match: CREATE, probability: 0.3 };
  const cutAnswer: FaultRule = { kind: 'commit-then-reset', match: CREATE, probability: 0.3 };
  const away: FaultRule = { kind: '503', match: CREATE, times: 3 };
  const throttled: FaultRule = { kind: '429', match: CREATE, retryAfter: 1, times: 3 };

  test.each([
    ['the answer is 504', lostAnswer],
    ['the connection is cut', cutAnswer],
  ])('finds each order by search if %s, and sends none again', async (_name, rule) => {
    const { orders, bites } = await orderedUnder([rule]);
    expect(bites[0]).toBeGreaterThan(2);
    expect(orders.filter(({ adopted }) => adopted)).toHaveLength(bites[0] ?? 0);
    expect(new Set(orders.map(({ attempts }) => attempts))).toEqual(new Set([1]));
  });

  test('searches after a 503, then sends again after the quarantine', async () => {
    const { orders, bites } = await orderedUnder([away]);
    expect(bites).toEqual([3]);
    expect(orders.filter(({ adopted }) => adopted)).toEqual([]);
    expect(sum(orders.map(({ attempts }) => attempts - 1))).toBe(3);
  });

  test('sends again after a 429 within the same run', async () => {
    const { orders, bites, runs } = await orderedUnder([throttled]);
    expect({ bites, runs }).toEqual({ bites: [3], runs: 1 });
    expect(new Set(orders.map(({ attempts }) => attempts))).toEqual(new Set([1]));
  });

  test('orders each row once under all faults, searches and tokens included', async () => {
    const unsearchable: FaultRule = { kind: '503', match: { method: 'GET', route: '/v1/project' }, times: 2 };
    const noToken: FaultRule = { kind: '503', match: { method: 'POST', route: '/v1/oauth/token' }, times: 1 };
    const { bites } = await orderedUnder([
      { ...away, times: 2 },
      { ...throttled, times: 1 },
      unsearchable,
      noToken,
      lostAnswer,
      cutAnswer,
    ]);
    expect(bites.slice(0, 4)).toEqual([2, 1, 2, 1]);
    expect(Math.min(...bites.slice(4))).toBeGreaterThan(0);
  });
});

/** Orders a file's rows while these faults are on, until nothing is left over. */
async function orderedUnder(rules: readonly FaultRule[]) {
  await using sandbox = await startSandboxHere({ seed: 'faults' });
  await using workspace = await temporaryWorkspace({
    env: sandbox.lines,
    config: CONFIG,
    inbox: { 'orders.csv': orderCsv(ORDERS) },
  });
  await sandbox.faults(rules);
  const summaries = await submitUntilDone(workspace, callHere);
  const bites = (await sandbox.audit()).faults.map((fault) => fault.bites);
  const orders = await expectEachOrderedOnce(workspace, sandbox);
  expect(orders).toHaveLength(ORDERS);
  expect(sum(summaries.map((summary) => summary.orders.created))).toBe(ORDERS);
  return { orders, bites, runs: summaries.length };
}

describe.concurrent('run, without credentials, service or lock', () => {
  test.each(['CLIENT_SECRET', 'PASSWORD'])('ends with 2 for a wrong %s, offered only once', async (variable) => {
    await using sandbox = await startSandboxHere();
    const csv = orderCsv(3);
    const env = sandbox.lines.replace(new RegExp(`^(INSPECTION_${variable})=.*$`, 'm'), '$1=not-the-one-9f2c');
    await using workspace = await temporaryWorkspace({ env, inbox: { 'orders.csv': csv } });
    const ended = await callHere(['run', '--workspace', workspace.path, '--json']);
    expect(ended.code).toBe(2);
    expect(oneDocument(ended)).toMatchObject({
      exitCode: 2,
      error: { message: expect.stringContaining('credentials') as string },
    });
    expect(`${ended.stdout}${ended.stderr}`).not.toContain('not-the-one-9f2c');
    expect(await readFile(workspace.at('inbox/orders.csv'), 'utf8')).toBe(csv);
    expect(await readdir(workspace.at('processing'))).toEqual([]);
    expect(await sandbox.audit()).toMatchObject({ projects: 0, tokens: { refused: 1 } });
  });

  test('takes in rows while the service is down, and orders them later', async () => {
    const first = await startSandboxHere();
    const { lines, baseUrl } = first;
    await first[Symbol.asyncDispose]();
    const withWrongRow = orderCsv(7).replace('Ann Lee 6', '');
    await using workspace = await temporaryWorkspace({
      env: lines,
      config: CONFIG,
      inbox: { 'orders.csv': withWrongRow },
    });
    const summary = summaryOf(await callHere(['run', '--workspace', workspace.path, '--json']));
    expect(summary).toMatchObject({
      exitCode: 4,
      files: [{ outcome: 'processed', rows: { read: 7, accepted: 6, rejected: 1 } }],
      orders: { created: 0, waiting: 6 },
    });
    expect(await readdir(workspace.at('corrections'))).toEqual(['orders - to fix.xlsx']);
    expect(await readdir(workspace.inbox)).toEqual([]);

    await using sandbox = await startSandboxHere({ port: Number(new URL(baseUrl).port) });
    const again = summaryOf(await callHere(['run', '--workspace', workspace.path, '--json']));
    // 3: the run before ended with 4, and nobody heard of the row that went back.
    expect(again).toMatchObject({ exitCode: 3, files: [], orders: { created: 6, waiting: 0 } });
    expect(await expectEachOrderedOnce(workspace, sandbox)).toHaveLength(6);
  });

  test('ends with 5 while another run holds the lock', async () => {
    await using sandbox = await startSandboxHere();
    await using workspace = await temporaryWorkspace({ env: sandbox.lines, inbox: { 'orders.csv': orderCsv(3) } });
    await sandbox.faults([{ kind: 'hang', match: CREATE }]);
    await using first = startCommand(['submit', '--workspace', workspace.path]);
    await until(async () => ((await sandbox.audit()).faults[0]?.bites ?? 0) > 0, first);
    const before = await ordersOnRecord(workspace.path);
    const second = await callHere(['run', '--workspace', workspace.path, '--json']);
    expect(second.code).toBe(5);
    expect(oneDocument(second)).toMatchObject({
      exitCode: 5,
      error: { message: expect.stringContaining(`process ${first.pid}`) as string },
    });
    expect(await ordersOnRecord(workspace.path)).toEqual(before);
    expect(first.isOver).toBe(false);
  });
});
