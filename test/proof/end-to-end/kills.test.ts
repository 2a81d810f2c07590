import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { SeededRandom } from '../../../src/sandbox/seeded-random.ts';
import { callHere, startSandboxHere } from '../../support/command-in-this-process.ts';
import { SAMPLES, startCommand } from '../../support/command-line.ts';
import { orderCsv } from '../../support/order-csv.ts';
import { inProof } from '../../support/proof-size.ts';
import { killOnce } from '../../support/sandbox-process.ts';
import { dropSamples, ordersOnRecord, temporaryWorkspace } from '../../support/temporary-workspace.ts';
import { entriesOf, isWhole, manifestProblems } from '../../end-to-end/delivery-archive.ts';
import { expectEachOrderedOnce, submitUntilDone } from '../../end-to-end/repeated-runs.ts';
import { sum, summaryOf } from '../../end-to-end/summary.ts';
import { cellText, readTables } from '../../end-to-end/workbook-cells.ts';

// Every moment of a kill is something that has happened, at the service or on disk, never a time.

/** How often a run is killed while it submits. */
const KILLS = inProof({ share: 4, whole: 16 });
const COLLECT_KILLS = inProof({ share: 3, whole: 6 });
/** Of the sample files; those who kill a run that reads take all. */
const SAMPLE_FILES = inProof({ share: 1, whole: Infinity });
/** A run that gets away before it is killed is another round, nothing more. */
const ROUNDS_MAX = 50;
/** Long enough that several requests are under way, before and after their work, whenever the kill comes. */
const LATENCY = { latencyMs: 50 };
/** Many processes start here one after the other, on however busy a machine. */
const PATIENT = { timeout: 900_000 };
const FIFTEEN_DAYS_S = 15 * 24 * 60 * 60;

test.concurrent(`submit, killed ${String(KILLS)} times, orders each inspection exactly once`, PATIENT, async () => {
  await using sandbox = await startSandboxHere(LATENCY);
  await using workspace = await temporaryWorkspace({
    env: sandbox.lines,
    config: 'submit:\n  quarantineSeconds: 2\n',
  });
  await dropSamples(workspace.inbox, SAMPLE_FILES);
  const random = new SeededRandom('kills', 1);
  let kills = 0;
  let inDoubt = 0;
  for (let round = 1; kills < KILLS && round <= ROUNDS_MAX; round += 1) {
    // New orders each time, so that there is always something to be killed at.
    await writeFile(workspace.at('inbox', `round ${round}.csv`), orderCsv(20, { series: round }));
    const moment = (await sandbox.audit()).creates + random.integer(1, 20);
    await using run = startCommand(['submit', '--workspace', workspace.path]);
    if (await killOnce(async () => (await sandbox.audit()).creates >= moment, run)) kills += 1;
    inDoubt += (await ordersOnRecord(workspace.path)).filter(({ state }) => state === 'submitting').length;
  }
  expect(kills).toBe(KILLS);
  await submitUntilDone(workspace, callHere);
  const orders = await expectEachOrderedOnce(workspace, sandbox);
  expect(orders.length).toBeGreaterThan(20 * KILLS);
  // The kills have bitten: some projects stood there though nobody had seen the answer.
  expect(inDoubt).toBeGreaterThanOrEqual(kills);
  expect(orders.filter(({ adopted }) => adopted).length).toBeGreaterThan(0);
});

test.concurrent('submit, killed while reading files, records every row once', PATIENT, async () => {
  await using sandbox = await startSandboxHere();
  await using workspace = await temporaryWorkspace({ env: sandbox.lines });
  await dropSamples(workspace.inbox);
  const samples = await readdir(workspace.inbox);
  let kills = 0;
  for (const left of [4, 3, 2]) {
    await using run = startCommand(['submit', '--workspace', workspace.path]);
    // With fewer than `left` files still in the inbox, the next one has been claimed.
    const isClaimed = async (): Promise<boolean> =>
      (await readdir(workspace.inbox)).length < left && (await readdir(workspace.at('processing'))).length > 0;
    if (await killOnce(isClaimed, run)) kills += 1;
  }
  expect(kills).toBeGreaterThan(0);
  await submitUntilDone(workspace, callHere);
  await expectEachOrderedOnce(workspace, sandbox);
  expect([await readdir(workspace.inbox), await readdir(workspace.at('processing'))]).toEqual([[], []]);

  const readme = await readFile(join(SAMPLES, '../docs/samples.md'), 'utf8');
  const told = [...readme.matchAll(/^\| `(.+?)` \| \d+ \| \d+ \| (\d+) \|/gm)].map(([, name = '', rejected]) => ({
    name,
    rejected: Number(rejected),
  }));
  for (const { name, rejected } of told) {
    const keys = new Set<string>();
    // A workbook whose rows all came back fixed lies in `done/`.
    for (const workbook of (await readdir(workspace.at('corrections'), { recursive: true })).filter((file) =>
      basename(file).startsWith(name.slice(0, 2)),
    )) {
      const tables = await readTables(workspace.at('corrections', workbook));
      for (const table of tables.values())
        for (const row of table.rows) if (row.has('_row')) keys.add(cellText(row.get('_row')));
    }
    expect([name, keys.size]).toEqual([name, rejected]);
  }
  const archived = await readdir(workspace.at('archive'), { recursive: true, withFileTypes: true });
  for (const name of samples) {
    const entry = archived.find((candidate) => candidate.name === name);
    expect(await readFile(join(entry?.parentPath ?? '', name))).toEqual(await readFile(join(SAMPLES, name)));
  }
});

test.concurrent(
  `collect, killed ${String(COLLECT_KILLS)} times, delivers every report whole and once`,
  PATIENT,
  async () => {
    await using sandbox = await startSandboxHere(LATENCY);
    await using workspace = await temporaryWorkspace({ env: sandbox.lines, inbox: { 'orders.csv': orderCsv(24) } });
    expect((await callHere(['submit', '--workspace', workspace.path])).code).toBe(0);
    await sandbox.advance(FIFTEEN_DAYS_S);
    const downloads = async (): Promise<number> => {
      const { requests } = await sandbox.audit();
      return sum(
        Object.entries(requests).map(([route, answers]) =>
          route.startsWith('GET /files/') ? (answers['200'] ?? 0) : 0,
        ),
      );
    };
    for (let kill = 0; kill < COLLECT_KILLS; kill += 1) {
      const moment = (await downloads()) + 8;
      await using run = startCommand(['collect', '--workspace', workspace.path]);
      expect(await killOnce(async () => (await downloads()) >= moment, run)).toBe(true);
    }
    const { projects, delivery, exitCode } = summaryOf(
      await callHere(['collect', '--workspace', workspace.path, '--json']),
    );
    // What was canceled or closed out is news, also where it was the killed runs that saw it.
    expect({ exitCode, ...projects }).toMatchObject({ exitCode: 3, outstanding: 0, returned: 0, failed: 0 });
    expect(projects.collected + projects.canceled).toBe(24);
    const entries = new Map(await entriesOf(workspace.at(delivery?.archive ?? '')));
    const manifest = entries.get('manifest.sha256')?.toString('utf8') ?? '';
    entries.delete('manifest.sha256');
    expect(manifestProblems(manifest, entries)).toEqual([]);
    expect([...entries].filter(([name, bytes]) => !isWhole(name, bytes)).map(([name]) => name)).toEqual([]);
    const reports = [...entries.keys()].filter((name) => /_\d{8}\.pdf$/.test(name));
    expect(reports).toHaveLength(projects.collected);
    // Nothing that was begun and not finished is left where people look.
    expect(await readdir(workspace.at('deliveries'))).toHaveLength(3);
  },
);
