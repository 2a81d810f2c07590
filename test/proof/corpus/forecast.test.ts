import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSqliteLedger } from '../../../src/ledger/open-ledger.ts';
import { callHere, startSandboxHere } from '../../support/command-in-this-process.ts';
import { type Ended, oneDocument, runToEnd } from '../../support/command-line.ts';
import { inProof, inTurn } from '../../support/proof-size.ts';
import { temporaryWorkspace, type TemporaryWorkspace } from '../../support/temporary-workspace.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { latestAccount } from '../../support/latest-account.ts';
import { FILES } from '../../corpus/expectations.ts';

interface Row {
  readonly file: string;
  readonly sheet: string;
  readonly row: number;
  readonly becomes: 'order' | 'repeat' | 'rejection';
  /** Rules of the problems told of it. */
  readonly told: readonly string[];
  /** What comes of the order; of an open question both. */
  readonly ends: readonly string[];
}

interface Checked {
  readonly name: string;
  readonly outcome: string;
  readonly noteCodes: readonly string[];
  readonly rows: { readonly read: number };
  readonly forecast: readonly {
    readonly sheet: string;
    readonly row: number;
    readonly run: Row['becomes'];
    readonly allowDuplication: boolean;
    readonly service: { readonly answer: string };
  }[];
  readonly problems: readonly {
    readonly sheet: string;
    readonly row: number;
    readonly problems: readonly { readonly rule: string; readonly severity: string }[];
  }[];
}

/** Whole, each file is read in a process of its own, as in a run. */
const call = inProof<(args: readonly string[]) => Promise<Ended>>({ share: callHere, whole: runToEnd });

const DUPLICATE_ENDS: Readonly<Record<string, readonly string[]>> = {
  created: ['created'],
  duplicate: ['refused'],
  open: ['created', 'refused', 'unresolved'],
};

/** What `check` says of each row of the inbox. */
async function forecast(workspace: TemporaryWorkspace): Promise<readonly Row[]> {
  const { files } = oneDocument(await call(['check', workspace.inbox, '--workspace', workspace.path, '--json'])) as {
    files: readonly Checked[];
  };
  return files.flatMap((file) => {
    // The same content twice is taken in once.
    if (file.outcome !== 'checked' || file.noteCodes.includes('known-content')) return [];
    const problems = new Map(file.problems.map((one) => [`${one.sheet} ${one.row}`, one.problems]));
    const told = (sheet: string, row: number): readonly string[] =>
      (problems.get(`${sheet} ${row}`) ?? []).map(({ rule }) => rule).toSorted();
    const sent = new Set(file.forecast.map(({ sheet, row }) => `${sheet} ${row}`));
    return [
      ...file.forecast.map(({ sheet, row, run, allowDuplication, service }): Row => {
        const ends = run !== 'order' ? [] : allowDuplication ? ['created'] : (DUPLICATE_ENDS[service.answer] ?? []);
        return { file: file.name, sheet, row, becomes: run, told: told(sheet, row), ends };
      }),
      ...file.problems
        .filter((one) => !sent.has(`${one.sheet} ${one.row}`))
        .map(({ sheet, row }): Row => ({
          file: file.name,
          sheet,
          row,
          becomes: 'rejection',
          told: told(sheet, row),
          ends: [],
        })),
    ];
  });
}

/** What a run put on record of each row, and what the service then made of the orders. */
async function run(workspace: TemporaryWorkspace): Promise<readonly Row[]> {
  await call(['submit', '--workspace', workspace.path]);
  const path = workspace.at('state/ledger.sqlite');
  await using ledger = openSqliteLedger(path, { clock: createVirtualClock(), account: latestAccount(path) ?? '' });
  const rows: Row[] = [];
  for (const name of await readdir(FILES)) {
    for (const file of await ledger.findFiles(name)) {
      for await (const { row, orderState } of ledger.rowsOf(file.id)) {
        const { sheet, rowNumber } = row.record.place;
        const ends = row.outcome === 'order' ? [orderState ?? ''] : [];
        rows.push({
          file: file.name,
          sheet,
          row: rowNumber,
          becomes: row.outcome,
          told: row.problems.map(({ rule }) => rule).toSorted(),
          ends,
        });
      }
    }
  }
  return rows;
}

const byPlace = (rows: readonly Row[]) =>
  rows.toSorted((a, b) =>
    `${a.file} ${a.sheet}` < `${b.file} ${b.sheet}`
      ? -1
      : `${a.file} ${a.sheet}` > `${b.file} ${b.sheet}`
        ? 1
        : a.row - b.row,
  );

test('check forecasts the outcome of run for each row of the corpus', { timeout: 900_000 }, async () => {
  await using sandbox = await startSandboxHere({ autoProgress: false });
  await using workspace = await temporaryWorkspace({ env: sandbox.lines });
  const dropped = inTurn((await readdir(FILES)).toSorted(), 16);
  for (const name of dropped) await cp(join(FILES, name), workspace.at('inbox', name));
  const expected = byPlace(await forecast(workspace));
  const came = byPlace(await run(workspace));
  const asOne = (rows: readonly Row[]) => rows.map(({ ends: _ends, ...row }) => row);
  expect(asOne(came)).toEqual(asOne(expected));
  const otherwise = came.filter(
    ({ ends: [end] }, index) => end !== undefined && !(expected[index]?.ends ?? []).includes(end),
  );
  expect(otherwise).toEqual([]);
  const kinds = Object.fromEntries(
    (['order', 'repeat', 'rejection'] as const).map((kind) => [
      kind,
      came.filter(({ becomes }) => becomes === kind).length,
    ]),
  );
  expect(came.length).toBeGreaterThan(10);
  // Which of them a share holds is a matter of the day.
  const least = inProof({ share: 0, whole: 21 });
  for (const count of Object.values(kinds)) expect(count).toBeGreaterThanOrEqual(least);
});
