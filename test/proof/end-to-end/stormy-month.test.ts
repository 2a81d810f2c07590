import { readdir, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { FaultRule } from '../../../src/sandbox/faults/faults.ts';
import { SeededRandom } from '../../../src/sandbox/seeded-random.ts';
import { callHere, startSandboxHere } from '../../support/command-in-this-process.ts';
import { startCommand } from '../../support/command-line.ts';
import { orderCsv } from '../../support/order-csv.ts';
import { inProof, PROOF_DAY } from '../../support/proof-size.ts';
import { killOnce } from '../../support/sandbox-process.ts';
import { ordersOnRecord, temporaryWorkspace } from '../../support/temporary-workspace.ts';

/** Every other one is stormy; in a share, in two of the four ways, the other two the day after. */
const NIGHTS = inProof({ share: 4, whole: 30 });
const FIRST_STORM = inProof({ share: (PROOF_DAY % 2) * 2, whole: 0 });
/** The night on which the service's account gets another name. */
const MOVES_IN = NIGHTS / 2;
/** How many nights renew a row of the night before. */
const RENEWALS = NIGHTS - 1;
const CREATE = { method: 'POST', route: '/v1/project' } as const;
const SEARCH = { method: 'GET', route: '/v1/project' } as const;

/** Storms in which no run can end well: nothing is created, or no answer arrives and no search tells what was created. */
const STORMS: readonly (readonly FaultRule[])[] = [
  [{ kind: '503', match: CREATE }],
  [
    { kind: 'commit-then-504', match: CREATE },
    { kind: '503', match: SEARCH },
  ],
  [
    { kind: 'commit-then-reset', match: CREATE, probability: 0.7 },
    { kind: '500', match: CREATE },
    { kind: '503', match: SEARCH },
  ],
  [{ kind: '500', match: CREATE }],
];

/** The rows of a night, the last of them dated and without numbers; and that one of the night before, a year on. */
function ordersOf(night: number): string {
  const dated = (series: number, date: string): readonly string[] => {
    const lines = orderCsv(4, { series, keys: ['inspection', 'policy', 'none', 'none'] })
      .trimEnd()
      .split('\n');
    return lines.map((line, index) => (index === 4 ? line.replace(/^,,,/, `,,${date},`) : line));
  };
  const renewed = night === 1 ? [] : dated(night - 1, '2027-11-01').slice(4);
  return `${[...dated(night, '2026-11-01'), ...renewed].join('\n')}\n`;
}

test('submit ends with 3 once for each night with rejected rows', { timeout: 900_000 }, async () => {
  // A night may be stormy or killed: the first run after it that ends well counts.
  await using sandbox = await startSandboxHere({ latencyMs: 10, autoProgress: false });
  await using workspace = await temporaryWorkspace({
    env: sandbox.lines,
    config: 'submit:\n  quarantineSeconds: 1\n',
  });
  const random = new SeededRandom('stormy month', 1);
  const submit = async (): Promise<number | null> => (await callHere(['submit', '--workspace', workspace.path])).code;
  const [wrong, ends, kills] = [[] as string[], { 0: 0, 3: 0, 4: 0 } as Record<string, number>, { count: 0 }];
  let rejected = 0;
  let whole = '';
  for (let night = 1; night <= NIGHTS; night += 1) {
    const wentBack = random.next() < 0.7;
    if (wentBack) rejected += 1;
    const name = `night ${String(night)}.csv`;
    const orders = ordersOf(night);
    await writeFile(
      workspace.at('inbox', name),
      wentBack ? orders.replace(`Ann Lee ${String(night * 1000 + 2)}`, '') : orders,
    );
    if (!wentBack) whole = orders;
    if (night === MOVES_IN) {
      // The service is the same at another address. What was ordered comes again as well.
      await writeFile(workspace.at('.env'), sandbox.lines.replace('127.0.0.1', 'localhost'));
      await writeFile(workspace.at('inbox', 'once more.csv'), `${whole}\n`);
      const before = (await sandbox.audit()).requests;
      if ((await submit()) !== 2) wrong.push('another address was not asked about');
      if (JSON.stringify((await sandbox.audit()).requests) !== JSON.stringify(before)) wrong.push('something was sent');
      await callHere(['account', '--same', '--workspace', workspace.path]);
    }
    let isUnreported = wentBack;
    const note = (code: number | null, when: string): void => {
      ends[String(code)] = (ends[String(code)] ?? 0) + 1;
      // A stopped run reports no news by its exit code; one that ends well ends with 3 if, and only if, something is unreported.
      if (code !== 4 && code !== (isUnreported ? 3 : 0))
        wrong.push(
          `night ${String(night)}, ${when}: ${String(code)} though ${isUnreported ? 'something' : 'nothing'} was unreported`,
        );
      if (code !== 4) isUnreported = false;
    };
    if (night % 2 === 0) {
      // Each create takes a while, so that the kill comes in time.
      await sandbox.faults([{ kind: 'latency', match: CREATE, ms: 300 }]);
      const before = (await sandbox.audit()).creates;
      await using run = startCommand(['submit', '--workspace', workspace.path]);
      const moment = random.integer(0, 2);
      if (
        await killOnce(
          async () =>
            moment === 0
              ? (await readdir(workspace.at('processing')).catch(() => [])).length > 0
              : (await sandbox.audit()).creates >= before + moment,
          run,
        )
      )
        kills.count += 1;
      else note((await run.ended).code, 'before it could be killed');
    } else {
      await sandbox.faults(STORMS[(FIRST_STORM + (night - 1) / 2) % STORMS.length] ?? []);
      const code = await submit();
      if (code !== 4) wrong.push(`night ${String(night)}: the storm has not bitten`);
      note(code, 'in the storm');
    }
    await sandbox.faults([]);
    let code: number | null = 4;
    for (let run = 0; code === 4 && run < 8; run += 1) {
      code = await submit();
      note(code, 'after the storm');
      // An order in doubt waits until its quarantine is over.
      if (code === 4) await pause(1100);
    }
    note(await submit(), 'once more');
  }
  expect(wrong).toEqual([]);
  expect(ends['3']).toBe(rejected);
  expect(kills.count, 'nights on which the run was killed in time').toBeGreaterThanOrEqual(NIGHTS / 4);
  expect((await ordersOnRecord(workspace.path)).map(({ state }) => state)).toEqual(
    Array.from({ length: NIGHTS * 4 + RENEWALS - rejected }, () => 'created'),
  );
  expect(await sandbox.audit()).toMatchObject({
    projects: NIGHTS * 4 + RENEWALS - rejected,
    doubles: [],
    internalErrors: [],
  });
  expect(await readdir(workspace.at('corrections'))).toHaveLength(rejected);
});
