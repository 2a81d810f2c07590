import { expect } from 'vitest';
import type { RunSummary } from '../../src/night/run.ts';
import { type Ended, runToEnd } from '../support/command-line.ts';
import type { SandboxControls, SandboxProject } from '../support/sandbox-process.ts';
import { type OrderOnRecord, ordersOnRecord, type TemporaryWorkspace } from '../support/temporary-workspace.ts';
import { summaryOf } from './summary.ts';

/** More than any fault here needs: the quarantines of these tests last a second or two, and a run takes a good part of one. */
const RUNS_MAX = 60;

/** Runs `submit` as cron does, until it does not end with 4 any more. Answers with every summary. */
export async function submitUntilDone(
  workspace: TemporaryWorkspace,
  call: (args: readonly string[]) => Promise<Ended> = runToEnd,
): Promise<readonly RunSummary[]> {
  const summaries: RunSummary[] = [];
  for (let run = 0; run < RUNS_MAX; run += 1) {
    const summary = summaryOf(await call(['submit', '--workspace', workspace.path, '--json']));
    summaries.push(summary);
    if (summary.exitCode !== 4) return summaries;
  }
  throw new Error(`work is left over after ${RUNS_MAX} runs: ${JSON.stringify(summaries.at(-1))}`);
}

/**
 * Promise 2, judged by the sandbox and not by the program: at the service stands exactly one project for each order on record, and each
 * order is tied to its own. Answers with the orders.
 */
export async function expectEachOrderedOnce(
  workspace: TemporaryWorkspace,
  sandbox: SandboxControls,
): Promise<readonly OrderOnRecord[]> {
  const orders = await ordersOnRecord(workspace.path);
  const projects = new Map((await sandbox.projects()).map((project) => [String(project.id), project]));
  expect(await sandbox.audit()).toMatchObject({ doubles: [], projects: orders.length, internalErrors: [] });
  expect(
    orders.filter(({ state }) => state !== 'created').map(({ id, state, reason }) => ({ id, state, reason })),
  ).toEqual([]);
  expect(new Set(orders.map(({ projectId }) => projectId))).toEqual(new Set(projects.keys()));
  for (const order of orders)
    expect(contentOf(projects.get(order.projectId ?? ''))).toEqual({
      ...order.payload,
      allowDuplication: order.allowDuplication,
    });
  return orders;
}

function contentOf(project: SandboxProject | undefined): object {
  return { ...project?.request };
}
