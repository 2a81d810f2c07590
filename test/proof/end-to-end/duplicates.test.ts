import { readdir } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { RunSummary } from '../../../src/night/run.ts';
import { callHere, startSandboxHere } from '../../support/command-in-this-process.ts';
import { orderCsv } from '../../support/order-csv.ts';
import type { SandboxControls } from '../../support/sandbox-process.ts';
import { temporaryWorkspace, type TemporaryWorkspace } from '../../support/temporary-workspace.ts';
import { summaryOf } from '../../end-to-end/summary.ts';

// Somebody else, on the same account, has ordered the same: the service says 409, and `submit.onDuplicate` says what then.

const ORDERS = 6;

describe.concurrent('submit.onDuplicate', () => {
  test('link: follows the existing project like one of ours', async () => {
    await using sandbox = await startSandboxHere();
    await using theirs = await submitted(sandbox, 'link');
    await using ours = await submitted(sandbox, 'link');
    expect(theirs.summary.orders).toMatchObject({ created: ORDERS, linked: 0 });
    expect(ours.summary).toMatchObject({
      exitCode: 0,
      orders: { created: 0, linked: ORDERS, skipped: 0, refused: 0, unresolved: 0, waiting: 0 },
    });
    await sandbox.advance(15 * 24 * 60 * 60);
    const collected = summaryOf(await callHere(['collect', '--workspace', ours.path, '--json']));
    expect(collected.projects.collected + collected.projects.canceled).toBe(ORDERS);
    expect(await sandbox.audit()).toMatchObject({ projects: ORDERS, doubles: [] });
  });

  test('skip: leaves the existing project alone', async () => {
    await using sandbox = await startSandboxHere();
    await using _theirs = await submitted(sandbox, 'link');
    await using ours = await submitted(sandbox, 'skip');
    expect(ours.summary).toMatchObject({
      exitCode: 0,
      orders: { created: 0, linked: 0, skipped: ORDERS, refused: 0 },
      projects: { outstanding: 0 },
    });
    expect(await sandbox.audit()).toMatchObject({ projects: ORDERS, doubles: [] });
  });

  test('reject: returns the rows in a corrections workbook', async () => {
    await using sandbox = await startSandboxHere();
    await using _theirs = await submitted(sandbox, 'link');
    await using ours = await submitted(sandbox, 'reject');
    expect(ours.summary).toMatchObject({ exitCode: 3, orders: { created: 0, linked: 0, skipped: 0, refused: ORDERS } });
    expect(await readdir(ours.at('corrections'))).toHaveLength(1);
    expect(await sandbox.audit()).toMatchObject({ projects: ORDERS, doubles: [] });
  });

  test('create: orders once more, exactly once', async () => {
    await using sandbox = await startSandboxHere();
    await using _theirs = await submitted(sandbox, 'link');
    await using ours = await submitted(sandbox, 'create');
    expect(ours.summary).toMatchObject({ exitCode: 0, orders: { created: ORDERS, linked: 0, refused: 0 } });
    expect((await sandbox.audit()).projects).toBe(2 * ORDERS);
    expect((await sandbox.projects()).filter(({ request }) => request['allowDuplication'] === true)).toHaveLength(
      ORDERS,
    );
  });
});

type Submitted = TemporaryWorkspace & { readonly summary: RunSummary };

/** A workspace of its own in which the same orders were submitted. */
async function submitted(sandbox: SandboxControls, onDuplicate: string): Promise<Submitted> {
  const workspace = await temporaryWorkspace({
    env: sandbox.lines,
    config: `submit:\n  onDuplicate: ${onDuplicate}\n`,
    inbox: { 'orders.csv': orderCsv(ORDERS, { keys: ['inspection', 'policy'] }) },
  });
  const summary = summaryOf(await callHere(['submit', '--workspace', workspace.path, '--json']));
  return { ...workspace, summary };
}
