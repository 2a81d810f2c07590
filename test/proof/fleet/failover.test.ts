import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { FaultRule } from '../../../src/sandbox/faults/faults.ts';
import { callHere, startSandboxHere } from '../../support/command-in-this-process.ts';
import { startCommand } from '../../support/command-line.ts';
import { orderCsv } from '../../support/order-csv.ts';
import { startReplicatedPostgres } from '../../support/postgres-server.ts';
import { inProof } from '../../support/proof-size.ts';
import { until } from '../../support/sandbox-process.ts';
import { temporaryWorkspace } from '../../support/temporary-workspace.ts';

// The built command, a PostgreSQL server and its replica, which lags: the primary is killed while orders are being sent, and the replica,
// which never heard of the last ones, is promoted.

const ROUNDS = inProof({ share: 1, whole: 10 });
const ORDERS = inProof({ share: 100, whole: 300 });
const LAG_MS = 1800;
const NIGHTS_MAX = 12;
/** Some 25 orders a second by two hosts: the replica knows of some, and not of others. */
const SLOW: FaultRule = { kind: 'latency', match: { method: 'POST', route: '/v1/project' }, ms: 150 };

const figures: object[] = [];
afterAll(() => {
  for (const each of figures) process.stdout.write(`${JSON.stringify(each)}\n`);
});

test.each(Array.from({ length: ROUNDS }, (_, round) => round))(
  'submit places no order twice after failover %i to a lagging replica',
  { timeout: 900_000 },
  async (round) => {
    await using server = await startReplicatedPostgres(LAG_MS);
    await using sandbox = await startSandboxHere({ autoProgress: false });
    const { url, schema } = server.fresh();
    await using workspace = await temporaryWorkspace({
      env: `${sandbox.lines}INSPECTION_LEDGER_URL=${url}?schema=${schema}\n`,
      config: 'submit:\n  quarantineSeconds: 2\n  maxConcurrency: 2\n',
    });
    const at = ['--workspace', workspace.path];
    // The schema stands once a run was there, and a worker finds it.
    expect(await callHere(['submit', ...at])).toMatchObject({ code: 0 });
    await writeFile(join(workspace.inbox, 'orders.csv'), orderCsv(ORDERS));
    await sandbox.faults([SLOW]);
    await using worker = round % 2 === 0 ? startCommand(['worker', ...at]) : null;
    await using night = startCommand(['submit', ...at]);
    const sentBefore = Math.floor(ORDERS * (0.5 + 0.04 * round));
    await until(async () => (await sandbox.audit()).creates >= sentBefore, night);
    await server.failOver();
    const ends = [(await night.ended).code];
    // A worker must not outlive this: what it had in hand may be on nobody's record.
    const workers = worker === null ? [] : [await worker.ended];
    expect(workers).toEqual(
      workers.map(() => expect.objectContaining({ code: 2, stderr: expect.stringContaining('recover') as string })),
    );
    await sandbox.faults([]);

    const recovered: string[] = [];
    const isOver = (): boolean => ends.length > 1 && (ends.at(-1) === 0 || ends.at(-1) === 3);
    for (let nights = 0; nights < NIGHTS_MAX && !isOver(); nights += 1) {
      const { code, stderr } = await callHere(['submit', ...at]);
      ends.push(code);
      if (code !== 2) continue;
      expect(stderr).toContain('inspection-batch recover');
      recovered.push((await callHere(['recover', ...at])).stdout);
    }
    const { doubles, projects } = await sandbox.audit();
    const counted = await callHere(['verify', ...at]);
    figures.push({ round, sentBefore, ends, doubles: doubles.length, projects, verify: counted.code, recovered });
    expect({ doubles, projects }).toEqual({ doubles: [], projects: ORDERS });
    expect(recovered).toEqual([expect.stringMatching(/From the service: projects of [1-9]\d* orders/)]);
    expect(counted).toMatchObject({ code: 0, stdout: expect.stringContaining('Everything matches') });
  },
);
