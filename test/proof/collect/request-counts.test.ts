import { expect, test } from 'vitest';
import { callHere, startSandboxHere } from '../../support/command-in-this-process.ts';
import { orderCsv } from '../../support/order-csv.ts';
import type { SandboxControls } from '../../support/sandbox-process.ts';
import { temporaryWorkspace } from '../../support/temporary-workspace.ts';
import { summaryOf } from '../../end-to-end/summary.ts';

const PROJECTS = 1100;

/** Requests at the service by route, tokens aside. */
async function requestsAt(sandbox: SandboxControls): Promise<ReadonlyMap<string, number>> {
  const { requests } = await sandbox.audit();
  const counted = Object.entries(requests).map(
    ([route, answers]) => [route, Object.values(answers).reduce((sum, count) => sum + count, 0)] as const,
  );
  return new Map(counted.filter(([route]) => route.includes(' /v1/') && !route.includes('oauth')));
}

function since(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): Readonly<Record<string, number>> {
  return Object.fromEntries(
    [...after]
      .map(([route, count]) => [route, count - (before.get(route) ?? 0)] as const)
      .filter(([, count]) => count > 0),
  );
}

test('collect needs four requests for 1,100 outstanding projects without news', async () => {
  // One request shows that the service is there; three are pages of projects.
  await using sandbox = await startSandboxHere({ autoProgress: false });
  await using workspace = await temporaryWorkspace({ env: sandbox.lines, inbox: { 'orders.csv': orderCsv(PROJECTS) } });
  expect((await callHere(['submit', '--workspace', workspace.path])).code).toBe(0);
  // The first night learns the status that the service begins with.
  for (const night of [1, 2]) {
    const before = await requestsAt(sandbox);
    const { projects } = summaryOf(await callHere(['collect', '--workspace', workspace.path, '--json']));
    expect([night, projects.outstanding, since(before, await requestsAt(sandbox))]).toEqual([
      night,
      PROJECTS,
      { 'GET /v1/project': 4 },
    ]);
  }
});
