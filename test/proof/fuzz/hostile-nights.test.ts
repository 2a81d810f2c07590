import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { FileWorker } from '../../../src/intake/read-orders.ts';
import { readingLimits } from '../../../src/intake/readers/row-source.ts';
import { ensureWorkspace, workspaceAt } from '../../../src/ops/workspace.ts';
import { takeInInbox } from '../../../src/submit/take-in.ts';
import { startSandboxHere } from '../../support/command-in-this-process.ts';
import { startCommand } from '../../support/command-line.ts';
import { deskInThisProcess } from '../../support/desk-in-this-process.ts';
import { orderCsv } from '../../support/order-csv.ts';
import { inProof, inTurn, PROOF_DAY } from '../../support/proof-size.ts';
import { openLedgerBench, takeInContext } from '../../support/run-bench.ts';
import { temporaryWorkspace } from '../../support/temporary-workspace.ts';
import { summaryOf } from '../../end-to-end/summary.ts';
import { HOSTILE_SEEDS, mutatedHostileFile } from './hostile-seeds.ts';

const SEED = 20_261_122;
const NIGHT = 24;
/**
 * Of the thousand, the first are taken in by this process, in nights of many (in a share two of the nights), and the last by the built command, four
 * in a night (in a share one of the nights).
 */
const NIGHTS = inProof({ share: 2, whole: 41 });
const FIRST_NIGHT = inProof({ share: (PROOF_DAY * 2) % 40, whole: 0 });
const MUTATED = NIGHTS * NIGHT;
const BY_COMMAND = [984, 988, 992, 996];
const HONEST = 'honest.csv';

/** Reads here, and tells of files that took more processor time than a file of their size may. */
function watchedDesk(tooSlow: string[]): FileWorker {
  return {
    ...deskInThisProcess,
    // Nearly all the time of a small file goes into the usual form, which has tests of its own.
    writeCorrections: (path, corrections) =>
      deskInThisProcess.writeCorrections(path, corrections, Number.POSITIVE_INFINITY),
    async read(path, displayName, options) {
      const began = process.cpuUsage();
      const look = (): void => {
        const { user, system } = process.cpuUsage(began);
        if ((user + system) / 1_000_000 > readingLimits(0).processorSeconds) tooSlow.push(displayName);
      };
      const reading = await deskInThisProcess.read(path, displayName, options).finally(look);
      return {
        layouts: reading.layouts,
        answers: reading.answers,
        columnDescriptions: reading.columnDescriptions,
        questions: reading.questions,
        givenWords: reading.givenWords,
        get notes() {
          return reading.notes;
        },
        async *rows() {
          yield* reading.rows();
          look();
        },
        [Symbol.asyncDispose]: () => reading[Symbol.asyncDispose](),
      };
    },
  };
}

test(
  `takeInInbox ends with ${MUTATED} mutated hostile files from night ${FIRST_NIGHT}`,
  { timeout: 900_000 },
  async () => {
    // The honest file of each night comes through whole.
    await using bench = await openLedgerBench();
    const workspace = workspaceAt(bench.folder);
    await ensureWorkspace(workspace);
    const outcomes = new Map<string, number>();
    const tooSlow: string[] = [];
    for (let night = FIRST_NIGHT; night < FIRST_NIGHT + NIGHTS; night += 1) {
      for (let index = night * NIGHT; index < (night + 1) * NIGHT; index += 1) {
        const { name, bytes } = mutatedHostileFile(SEED, index);
        await writeFile(join(workspace.inbox, name), bytes);
      }
      await writeFile(join(workspace.inbox, HONEST), orderCsv(5, { series: 100 + night }));
      const taken = await takeInInbox(
        takeInContext(bench, workspace, { files: watchedDesk(tooSlow), dateOrder: 'auto' }),
      );
      expect(taken.faults).toEqual([]);
      for (const { name, outcome, rows, corrections, reason } of taken.files) {
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        expect({
          name,
          read: rows.read,
          isWritten: rows.rejected === 0 || corrections !== null,
          isSaid: outcome !== 'unreadable' || (reason ?? '').includes(name),
        }).toEqual({ name, read: rows.accepted + rows.rejected, isWritten: true, isSaid: true });
      }
      expect(taken.files.find(({ name }) => name === HONEST)).toMatchObject({
        outcome: 'processed',
        rows: { read: 5, accepted: 5, rejected: 0 },
      });
      expect([...(await readdir(workspace.inbox)), ...(await readdir(workspace.processing))]).toEqual([]);
    }
    expect(tooSlow).toEqual([]);
    // A campaign that only ever sees one of the ends proves little.
    const fewest = inProof({ share: 0, whole: MUTATED / 10 });
    expect(outcomes.get('processed')).toBeGreaterThan(NIGHTS + fewest);
    expect(outcomes.get('unreadable')).toBeGreaterThan(fewest);
  },
);

/** What a run of the built command made of an inbox, and how long it took. */
interface Night {
  readonly ms: number;
  readonly files: ReadonlyMap<string, { readonly outcome: string; readonly rows: { readonly accepted: number } }>;
}

const HONEST_ROWS = inProof({ share: 40, whole: 400 });

test('submit orders an honest file next to hostile ones', { timeout: 900_000 }, async () => {
  await using sandbox = await startSandboxHere({ latencyMs: 50 });
  await using workspace = await temporaryWorkspace({ env: sandbox.lines });
  let nights = 0;
  const nightWith = async (hostile: readonly { readonly name: string; readonly bytes: Buffer }[]): Promise<Night> => {
    for (const { name, bytes } of hostile) await writeFile(join(workspace.inbox, name), bytes);
    await writeFile(join(workspace.inbox, HONEST), orderCsv(HONEST_ROWS, { series: 1000 + (nights += 1) }));
    const began = performance.now();
    await using run = startCommand(['submit', '--json', '--workspace', workspace.path]);
    const ended = await run.ended;
    const ms = performance.now() - began;
    const summary = summaryOf(ended);
    expect([0, 3]).toContain(summary.exitCode);
    expect(summary.orders).toMatchObject({ waiting: 0, unresolved: 0 });
    expect(await readdir(workspace.at('processing'))).toEqual([]);
    const files = new Map(summary.files.map((file) => [file.name, file]));
    expect(files.get(HONEST)).toMatchObject({ outcome: 'processed', rows: { accepted: HONEST_ROWS } });
    return { ms, files };
  };
  // What once held up a night for hours: each of these in full; in a share, one of them each day.
  const full = inTurn(
    [
      'comments behind merged cells.xlsx',
      'spaces in a number format.xlsx',
      'brackets in a number format.xlsx',
      'a stray cell in the last column of every row.xlsx',
      'a row filled to the last column.xlsx',
      'shared formulas.xlsx',
      'a long text in every cell.xlsx',
      'a bomb.xlsx',
      'nothing but quotes.csv',
    ],
    9,
  );
  const worst = await nightWith(
    HOSTILE_SEEDS.filter(({ name }) => full.includes(name)).map(({ name, make }) => ({ name, bytes: make(1) })),
  );
  expect(full.filter((name) => !['processed', 'unreadable'].includes(worst.files.get(name)?.outcome ?? ''))).toEqual(
    [],
  );
  const besides: number[] = [];
  for (const first of inTurn(BY_COMMAND, BY_COMMAND.length))
    besides.push((await nightWith([0, 1, 2, 3].map((place) => mutatedHostileFile(SEED, first + place)))).ms);
  // In a share the nights in this process tell of files that take too long.
  if (besides.length === 1) return;
  // The best of each: the machine may have other things to do. Harmless files cost a process each too.
  const harmless = [0, 1, 2, 3].map((place) => ({
    name: `harmless ${place}.csv`,
    bytes: Buffer.from(orderCsv(1, { series: 900 + place })),
  }));
  const usual = Math.min((await nightWith(harmless)).ms, (await nightWith(harmless)).ms);
  expect(Math.min(...besides)).toBeLessThan(3 * usual);
});
