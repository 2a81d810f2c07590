import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { openSqliteLedger } from '../../../src/ledger/open-ledger.ts';
import type { OrderState } from '../../../src/ledger/orders.ts';
import { ledgerOfVersion, migrationsOfSqlite } from '../../support/earlier-ledger.ts';
import { attemptOf, newOrder, projectTie, rowRecord } from '../../support/order-factory.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { onRecord, rowCounts } from '../../support/on-record.ts';

// A ledger as each earlier version of the program left it, with an order in every state, opened by today's: nothing is lost, nothing comes back to
// life, and every order goes on from where it stood.

const VERSIONS = migrationsOfSqlite().map((_name, index) => index + 1);
/** The version that put on record since when a row is open, and which rows were told. */
const OPEN_ROWS_FROM = 12;

const STATES: readonly OrderState[] = [
  'ready',
  'submitting',
  'created',
  'linked',
  'skipped',
  'refused',
  'unresolved',
  'held',
  'abandoned',
];
const idOf = (state: OrderState): number => STATES.indexOf(state) + 1;
const WITH_PROJECT: ReadonlySet<OrderState> = new Set(['created', 'linked']);
const SENT: ReadonlySet<OrderState> = new Set([
  'submitting',
  'created',
  'linked',
  'skipped',
  'refused',
  'unresolved',
  'abandoned',
]);
const orderIn = (state: OrderState) =>
  newOrder({ streetAddress: `${100 + idOf(state)} Oak Street`, inspectionNumber: `I-${state}` });

const literal = (value: string | number | null): string =>
  value === null ? 'NULL' : typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`;
const insert = (table: string, values: Readonly<Record<string, string | number | null>>): string =>
  `INSERT INTO ${table} (${Object.keys(values).join(', ')}) VALUES (${Object.values(values).map(literal).join(', ')});`;

function orderSql(state: OrderState): string {
  const { identity, addressKey, policyKey, payload, payloadHash } = orderIn(state);
  const id = idOf(state);
  const project = WITH_PROJECT.has(state) ? 200 + id : null;
  const attempts = SENT.has(state) ? 1 : 0;
  return [
    insert('orders', {
      id,
      account: 'an account',
      identity,
      address_key: addressKey,
      policy_key: policyKey,
      state,
      payload: JSON.stringify(payload),
      payload_hash: payloadHash,
      allow_duplication: 0,
      attempts,
      id_bound: attempts === 1 ? 100 : null,
      uncertain_since: state === 'unresolved' ? 150 : null,
      project_id: project,
      reason: attempts === 1 ? `why ${state}` : null,
      run: 'run-1',
      created_at: 100,
      updated_at: 200 + id,
    }),
    ...(attempts === 1
      ? [
          insert('attempts', {
            order_id: id,
            number: 1,
            run: 'run-1',
            actor: 'an analyst',
            payload: '{}',
            payload_hash: payloadHash,
            sent_at: 140,
            outcome: state === 'submitting' ? null : state,
          }),
        ]
      : []),
    ...(project === null
      ? []
      : [
          insert('projects', {
            account: 'an account',
            id: project,
            status: 'Project Created',
            status_at: 160,
            first_seen_at: 160,
          }),
        ]),
    insert('rows', {
      ...ROW,
      id,
      row_number: id,
      outcome: 'order',
      order_id: id,
      record: JSON.stringify(rowRecord(id)),
    }),
    ...[
      'accepted',
      ...(attempts === 1 ? ['sending'] : []),
      ...(state === 'ready' || state === 'submitting' ? [] : [state]),
    ].map((event, index) =>
      insert('steps', {
        account: 'an account',
        at: 100 + index,
        run: 'run-1',
        subject: 'order',
        subject_id: String(id),
        event,
      }),
    ),
  ].join('\n');
}

const ROW = { file_id: 1, sheet: 'Orders', problems: '[]', repairs: '[]', summary: '{}' };
/** Of one row that went back and of one that came back fixed. */
const [OPEN, FIXED] = [STATES.length + 1, STATES.length + 2];

/** What a version with so many migrations left behind. */
function left(version: number): string {
  return [
    insert('runs', { id: 'run-1', account: 'an account', command: 'run', started_at: 50 }),
    insert('deliveries', {
      run: 'run-1',
      folder: 'deliveries/run-1',
      published_at: 190,
      contents: '{"report":"report.html"}',
    }),
    insert('files', {
      id: 1,
      account: 'an account',
      hash: 'aa',
      name: 'orders.csv',
      run: 'run-1',
      recorded_at: 100,
      layouts: '[]',
      notes: '[]',
      rows_accepted: STATES.length,
      rows_rejected: 2,
      archived_as: 'archive/orders.csv',
    }),
    ...STATES.map(orderSql),
    insert('rows', {
      ...ROW,
      id: OPEN,
      row_number: OPEN,
      outcome: 'rejection',
      record: JSON.stringify(rowRecord(OPEN)),
      corrections: 'corrections/a.xlsx',
      handed_over_in: 'run-1',
    }),
    insert('rows', {
      ...ROW,
      id: FIXED,
      row_number: FIXED,
      outcome: 'rejection',
      record: JSON.stringify({ ...rowRecord(FIXED), correctedBy: 99 }),
      corrections: 'corrections/b.xlsx',
      handed_over_in: 'run-1',
    }),
    ...(version < OPEN_ROWS_FROM
      ? []
      : [
          `UPDATE rows SET open_since = 100 WHERE id = ${OPEN};`,
          `UPDATE rows SET open_since = 200 + id WHERE id IN (${idOf('refused')}, ${idOf('held')});`,
          `INSERT INTO correction_workbooks (account, file_id, path, written_at) VALUES ('an account', 1, 'corrections/a.xlsx', 100), ('an account', 1, 'corrections/b.xlsx', 100);`,
        ]),
  ].join('\n');
}

/** It holds every order as it stood, and none beside them. */
async function expectHoldsEveryOrder(ledger: Ledger): Promise<void> {
  for (const state of STATES) {
    const { identity, payload } = orderIn(state);
    const project = WITH_PROJECT.has(state) ? String(200 + idOf(state)) : null;
    expect(await ledger.ordersIn(state, 0, 10)).toMatchObject([
      {
        id: idOf(state),
        identity,
        state,
        payload,
        attempts: SENT.has(state) ? 1 : 0,
        projectId: project,
        uncertainSince: state === 'unresolved' ? 150 : null,
      },
    ]);
  }
  const street = `${100 + idOf('created')} OAK ST.`;
  const there = newOrder({ streetAddress: street });
  const ofSubject = (await onRecord(ledger, there)).ordersOfSubject(there.subjectKey);
  expect(ofSubject.map(({ id }) => id)).toEqual([idOf('created')]);
  expect((await ledger.followedProjects()).map(({ id }) => id)).toEqual(['203', '204']);
  expect(await ledger.contradictions()).toEqual([]);
  expect(await rowCounts(ledger)).toEqual({ read: STATES.length + 2, accepted: STATES.length });
}

/** It still knows what waits for somebody, since when, and what was told. */
async function expectKnowsWhatWaits(ledger: Ledger): Promise<void> {
  expect((await ledger.waitingRows()).map(({ rows, corrections, since }) => ({ rows, corrections, since }))).toEqual([
    { rows: 1, corrections: null, since: 200 + idOf('refused') },
    { rows: 1, corrections: 'corrections/a.xlsx', since: 100 },
  ]);
  const shown = (await Array.fromAsync(ledger.notOrdered(false))).map(({ row, isOpen, isUndelivered }) => ({
    id: row.id,
    isOpen,
    isUndelivered,
  }));
  const once = { isOpen: false, isUndelivered: true };
  const waits = { isOpen: true, isUndelivered: true };
  expect(shown).toEqual([
    { id: idOf('linked'), ...once },
    { id: idOf('skipped'), ...once },
    { id: idOf('refused'), ...waits },
    { id: idOf('held'), ...waits },
    { id: idOf('abandoned'), ...once },
    { id: OPEN, isOpen: true, isUndelivered: false },
  ]);
  expect((await ledger.workbooksDone()).map(({ path }) => path)).toEqual(['corrections/b.xlsx']);
}

/** It sends only what was never sent, and goes on with what was in doubt. */
async function expectSendsOnlyWhatWasNeverSent(ledger: Ledger): Promise<void> {
  await ledger.startRun('run-2', 'run');
  expect(await ledger.recoverInterrupted()).toBe(1);
  const began: OrderState[] = [];
  for (const state of STATES) if (await ledger.beginAttempt(idOf(state), attemptOf())) began.push(state);
  expect(began).toEqual(['ready']);
  expect((await ledger.ordersIn('unresolved', 0, 10)).map(({ id }) => id)).toEqual([
    idOf('submitting'),
    idOf('unresolved'),
  ]);
  expect(
    await ledger.moveOrder(idOf('unresolved'), 'unresolved', {
      to: 'created',
      project: projectTie('300'),
      adopted: true,
    }),
  ).toBe(true);
  expect(
    await ledger.moveOrder(idOf('held'), 'held', {
      to: 'ready',
      code: 'not-sent',
      reason: 'a person said so',
      attemptUsed: false,
    }),
  ).toBe(true);
}

test.each(VERSIONS)('opens a ledger with %i migrations, keeps every order, resends none', async (version) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'ledger-'));
  const path = join(folder.path, 'ledger.sqlite');
  ledgerOfVersion(version, path, left(version));
  await using ledger = openSqliteLedger(path, { clock: createVirtualClock(), account: 'an account' });
  await expectHoldsEveryOrder(ledger);
  await expectKnowsWhatWaits(ledger);
  await expectSendsOnlyWhatWasNeverSent(ledger);
  expect(await ledger.contradictions()).toEqual([]);
});

describe('0025-problem-codes', () => {
  /** The code of a problem that an earlier version recorded. */
  async function codeOf(problem: string | null): Promise<string | null | undefined> {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'ledger-'));
    const path = join(folder.path, 'ledger.sqlite');
    const project = { account: 'an account', id: 300, status: 'Returned to Client', problem, collected_at: 100 };
    ledgerOfVersion(24, path, insert('projects', { ...project, status_at: 100, first_seen_at: 100 }));
    await using ledger = openSqliteLedger(path, { clock: createVirtualClock(), account: 'an account' });
    return (await ledger.followedProjects())[0]?.problemCode;
  }

  test.each([
    [null, null],
    ['The service does not know this project (404).', 'project-not-known'],
    ['The service does not offer a report.', 'earlier-version'],
    [
      'Complete, but for what the service lists and does not have: Image I1 is not available (404).',
      'complete-but-lacking',
    ],
  ])('gives the problem %j the code %j', async (problem, code) => {
    expect(await codeOf(problem)).toBe(code);
  });
});
