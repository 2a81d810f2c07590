/**
 * Hours of what CI does for minutes, against the built command and the sandbox over loopback HTTP. Build first.
 *
 *   npx node scripts/soak.ts kills [--count 500] [--seed 1]       SIGKILLs at random moments of submissions
 *   npx node scripts/soak.ts orders [--count 5000] [--kills 20]   many orders, 50 ms latency, 30 % commit-then-504, killed on the way
 *
 * Prints one JSON document; exit code 1 where an order was lost or doubled, or its story cannot be told.
 */
import { writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { SeededRandom } from '../src/sandbox/seeded-random.ts';
import { runToEnd, startCommand } from '../test/support/command-line.ts';
import { orderCsv } from '../test/support/order-csv.ts';
import { startSandboxProcess, type SandboxProcess } from '../test/support/sandbox-process.ts';
import { ordersOnRecord, temporaryWorkspace, type TemporaryWorkspace } from '../test/support/temporary-workspace.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string' },
    kills: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
  },
});
const CONFIG = 'submit:\n  quarantineSeconds: 2\n  maxConcurrency: 16\n';
const RUNS_MAX = 400;
const ROWS_A_ROUND = 40;
const QUARANTINE_MS = 2000;
const random = new SeededRandom('soak', values.seed);
const print = (line: string): void => void process.stderr.write(`${line}\n`);

const started = performance.now();
const result = await (positionals[0] === 'kills'
  ? kills(Number(values.count ?? 500))
  : orders(Number(values.count ?? 5000), Number(values.kills)));
process.stdout.write(
  `${JSON.stringify({ ...result, seconds: Math.round((performance.now() - started) / 1000) }, null, 1)}\n`,
);
process.exitCode = result.wrong.length === 0 ? 0 : 1;

interface Result {
  readonly soak: string;
  readonly kills: number;
  readonly orders: number;
  readonly projects: number;
  readonly doubled: number;
  readonly adopted: number;
  readonly runs: number;
  readonly wrong: readonly string[];
}

/** New orders in every round, so that there is always something to be killed at. */
async function kills(count: number): Promise<Result> {
  await using sandbox = await startSandboxProcess(['--latency', '20']);
  await using workspace = await temporaryWorkspace({ env: sandbox.lines, config: CONFIG });
  await sandbox.faults([
    { kind: 'commit-then-504', match: { method: 'POST', route: '/v1/project' }, probability: 0.1 },
  ]);
  let killed = 0;
  let runs = 0;
  for (let round = 1; killed < count && round <= count * 2; round += 1) {
    await writeFile(workspace.at('inbox', `round ${round}.csv`), orderCsv(ROWS_A_ROUND, { series: round }));
    runs += 1;
    if (await killAfter(workspace, sandbox, random.integer(1, ROWS_A_ROUND))) killed += 1;
    if (killed % 25 === 0) print(`${killed} kills`);
  }
  return await judged('kills', workspace, sandbox, killed, runs);
}

async function orders(count: number, killsWanted: number): Promise<Result> {
  await using sandbox = await startSandboxProcess(['--latency', '50']);
  await using workspace = await temporaryWorkspace({ env: sandbox.lines, config: CONFIG });
  await sandbox.faults([
    { kind: 'commit-then-504', match: { method: 'POST', route: '/v1/project' }, probability: 0.3 },
  ]);
  for (let series = 0; series * 1000 < count; series += 1) {
    await writeFile(
      workspace.at('inbox', `orders ${series}.csv`),
      orderCsv(Math.min(1000, count - series * 1000), { series }),
    );
  }
  let killed = 0;
  let runs = 0;
  while (killed < killsWanted && runs < RUNS_MAX) {
    runs += 1;
    const { creates } = await sandbox.audit();
    const share = Math.max(1, Math.floor((count - creates) / (killsWanted - killed + 1)));
    if (await killAfter(workspace, sandbox, random.integer(1, share * 2 - 1))) killed += 1;
    print(`run ${runs}: ${killed} kills, ${(await sandbox.audit()).creates} projects`);
  }
  return await judged('orders', workspace, sandbox, killed, runs);
}

/** Kills a submission once so many more projects stand there; false where it came to its own end before. */
async function killAfter(workspace: TemporaryWorkspace, sandbox: SandboxProcess, more: number): Promise<boolean> {
  const moment = (await sandbox.audit()).creates + more;
  await using run = startCommand(['submit', '--workspace', workspace.path]);
  while (!run.isOver && (await sandbox.audit()).creates < moment) await pause(5);
  run.kill('SIGKILL');
  const { signal } = await run.ended;
  if (signal === null) await pause(QUARANTINE_MS);
  return signal === 'SIGKILL';
}

/** By the sandbox's own list, row by row; the program's word is only held against it. */
async function judged(
  soak: string,
  workspace: TemporaryWorkspace,
  sandbox: SandboxProcess,
  killed: number,
  runsBefore: number,
): Promise<Result> {
  const wrong: string[] = [];
  let runs = runsBefore;
  for (let code: number | null = 4; code === 4 && runs < runsBefore + RUNS_MAX; runs += 1) {
    ({ code } = await runToEnd(['submit', '--workspace', workspace.path]));
    if (code === 4) await pause(QUARANTINE_MS / 4);
    else if (code !== 0) wrong.push(`the last run ended with ${code}`);
  }
  const audit = await sandbox.audit();
  const onRecord = await ordersOnRecord(workspace.path);
  const projects = await sandbox.projects();
  if (audit.doubles.length > 0) wrong.push(`${audit.doubles.length} doubles`);
  if (projects.length !== onRecord.length) wrong.push(`${projects.length} projects for ${onRecord.length} orders`);
  const ids = new Set(onRecord.map(({ projectId }) => projectId));
  for (const { id } of projects) if (!ids.has(String(id))) wrong.push(`project ${id} is tied to no order`);
  for (const { id, state, reason } of onRecord)
    if (state !== 'created') wrong.push(`order ${id} is ${state}: ${reason}`);
  for (const order of random.sample(onRecord, 20)) {
    const told = await runToEnd(['status', order.projectId ?? '', '--workspace', workspace.path, '--json']);
    if (told.code !== 0 || !told.stdout.includes(`"${order.projectId}"`))
      wrong.push(`the story of order ${order.id} cannot be told`);
  }
  return {
    soak,
    kills: killed,
    orders: onRecord.length,
    projects: projects.length,
    doubled: audit.doubles.length,
    adopted: onRecord.filter(({ adopted }) => adopted).length,
    runs,
    wrong: wrong.slice(0, 20),
  };
}
