import { expect, test } from 'vitest';
import type { OrderPayload } from '../../../src/domain/row.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import type { OrderRecord } from '../../../src/ledger/orders.ts';
import { describeNews } from '../../../src/night/news.ts';
import { openSqliteLedger } from '../../../src/ledger/open-ledger.ts';
import { createScratchLedger } from '../../../src/ledger/scratch-ledger.ts';
import { decidedRow, type OrderingRules, type RowDecision, rowKeysOf } from '../../../src/submit/row-decision.ts';
import { attemptOf, projectTie, validRow } from '../../support/order-factory.ts';
import { type LedgerBench, openLedgerBench } from '../../support/run-bench.ts';

const DAY_MS = 86_400_000;
const RULES: OrderingRules = { onDuplicate: 'link', whenNoKey: 'mark', renewalAfterDays: 300 };

let drops = 0;

/** Drops rows as one file, as a run takes it in, and says what was decided of each. */
async function drop(
  { ledger, clock }: Pick<LedgerBench, 'ledger' | 'clock'>,
  rows: readonly (Partial<OrderPayload> & { readonly allow?: boolean })[],
  rules: Partial<OrderingRules> = {},
): Promise<readonly RowDecision[]> {
  const decisions: RowDecision[] = [];
  drops += 1;
  await ledger.recordFile(
    { hash: `drop ${drops}`, name: `drop ${drops}.csv`, layouts: [], notes: [] },
    async (file) => {
      const valid = rows.map(({ allow, ...payload }) => validRow(payload, allow));
      await file.expect(valid.map(rowKeysOf));
      for (const read of valid) {
        const { row, decision } = decidedRow(read, file, { ...RULES, ...rules }, clock.now() - 30 * DAY_MS, []);
        file.addRow(row);
        if (decision !== null) decisions.push(decision);
      }
    },
  );
  return decisions;
}

/** Every ready order gets a project, numbered from `from`. */
async function placeAll(ledger: Ledger, from: number): Promise<readonly OrderRecord[]> {
  const orders = await ledger.ordersIn('ready', 0, 100);
  for (const [index, { id }] of orders.entries()) {
    await ledger.beginAttempt(id, attemptOf());
    await ledger.moveOrder(id, 'submitting', {
      to: 'created',
      project: projectTie(String(from + index)),
      adopted: false,
    });
  }
  return orders;
}

/** Cancels and delivers the projects of all orders, and prunes them a day later. */
async function forgetAll({ ledger, clock }: LedgerBench, projectIds: readonly string[]): Promise<void> {
  await ledger.recordStatuses(projectIds.map((id) => ({ id, status: 'Project Canceled' })));
  await ledger.startRun('a run', 'run');
  await ledger.recordDelivery({
    run: 'a run',
    folder: 'deliveries/a run',
    contents: {},
    orderIds: projectIds.map((_id, index) => index + 1),
    results: true,
    projectIds,
    seen: await ledger.newestIds(),
  });
  await clock.advance(DAY_MS);
  expect(await ledger.forgetDetails(clock.now())).toMatchObject({ orders: projectIds.length });
}

async function amendPolicy(ledger: Ledger, projectId: string, policyNumber: string) {
  const request = { kind: 'amend', policyNumber } as const;
  const id = await ledger.beginUpdate({ projectId, request, before: {}, source: null });
  await ledger.endUpdate(id ?? 0, { to: 'done', status: null, settled: false });
}

const kinds = (decisions: readonly RowDecision[]) => decisions.map(({ kind }) => kind);
const whys = (decisions: readonly RowDecision[]) =>
  decisions.map((decision) => (decision.kind === 'repeat' ? decision.why : ''));

const numbered = { inspectionNumber: 'A-1', policyNumber: 'P-1' };
const YEARS: readonly [string, Partial<OrderPayload>, Partial<OrderPayload>, Partial<OrderPayload>][] = [
  [
    'an inspection number with effective dates',
    { ...numbered, policyEffectiveDate: '2026-11-01' },
    { ...numbered, policyEffectiveDate: '2027-11-01' },
    { ...numbered, policyEffectiveDate: '2028-11-01' },
  ],
  [
    'an inspection number with due dates',
    { ...numbered, dueDate: '2026-11-01' },
    { ...numbered, dueDate: '2027-11-01' },
    { ...numbered, dueDate: '2028-11-01' },
  ],
  [
    'a policy number with due dates',
    { policyNumber: 'P-1', dueDate: '2026-11-01' },
    { policyNumber: 'P-1', dueDate: '2027-11-01' },
    { policyNumber: 'P-1', dueDate: '2028-11-01' },
  ],
  [
    'no numbers',
    { policyEffectiveDate: '2026-11-01' },
    { policyEffectiveDate: '2027-11-01' },
    { policyEffectiveDate: '2028-11-01' },
  ],
];

test.each(YEARS)('orders a renewal once and recognizes it afterwards: %s', async (_what, first, second, third) => {
  await using bench = await openLedgerBench();
  expect(kinds(await drop(bench, [first]))).toEqual(['order']);
  await placeAll(bench.ledger, 501);
  await bench.clock.advance(365 * DAY_MS);
  expect(kinds(await drop(bench, [first, second, first, second]))).toEqual(['repeat', 'order', 'repeat', 'repeat']);
  const [renewal] = await placeAll(bench.ledger, 601);
  expect(renewal).toMatchObject({ renews: 1, allowDuplication: false });
  await bench.clock.advance(365 * DAY_MS);
  expect(kinds(await drop(bench, [third, second, first]))).toEqual(['order', 'repeat', 'repeat']);
  expect(kinds(await drop(bench, [first, second, third]))).toEqual(['repeat', 'repeat', 'repeat']);
});

test('takes one house in two spellings without numbers as one order', async () => {
  await using bench = await openLedgerBench();
  const decisions = await drop(bench, [
    { streetAddress: '12 Oak Lane' },
    { streetAddress: '12 OAK LN.' },
    { streetAddress: '12 North Oak Lane Apartment 4' },
    { streetAddress: '12 N Oak Ln #4' },
    { streetAddress: '12 Oak Court' },
  ]);
  expect(kinds(decisions)).toEqual(['order', 'repeat', 'order', 'repeat', 'order']);
});

test('takes rows with and without numbers as repeats within 30 days', async () => {
  await using bench = await openLedgerBench();
  const bare: Partial<OrderPayload> = {};
  const full = { policyNumber: 'P-1', policyEffectiveDate: '2026-11-01' };
  expect(kinds(await drop(bench, [bare]))).toEqual(['order']);
  await bench.clock.advance(5 * DAY_MS);
  const [repeat, other] = await drop(bench, [full, { ...full, policyNumber: 'P-2', insuredName: 'Bob' }]);
  expect(repeat).toMatchObject({ kind: 'repeat', of: { order: { id: 1 } } });
  expect(other).toMatchObject({ kind: 'order' });
  // Once tied it stays so, also past the 30 days.
  await bench.clock.advance(90 * DAY_MS);
  expect(kinds(await drop(bench, [full, bare]))).toEqual(['repeat', 'repeat']);
});

test('takes a row without numbers and one with the name turned as one order', async () => {
  const full = { policyNumber: 'P-1', policyEffectiveDate: '2026-11-01' };
  for (const [before, after] of [
    [{}, full],
    [full, {}],
  ]) {
    await using bench = await openLedgerBench();
    await drop(bench, [{ ...before, insuredName: 'Ann Lee' }]);
    expect(kinds(await drop(bench, [{ ...after, insuredName: 'Lee, Ann' }]))).toEqual(['repeat']);
  }
});

const EFFECTIVE = { policyEffectiveDate: '2026-11-01' };

test.each<[Partial<OrderPayload>, Partial<OrderPayload>]>([
  [{ insuredName: 'Ann M. Lee' }, { insuredName: 'Lee Ann M' }],
  [{ insuredName: 'Ann & Bob Lee' }, { insuredName: 'Ann and Bob Lee' }],
  [{ insuredName: 'José Peña' }, { insuredName: 'Jose Pena' }],
  [{ insuredName: 'Acme, L.L.C.' }, { insuredName: 'Acme LLC' }],
  [{ streetAddress: '9 Peña Ln' }, { streetAddress: '#9 Pena Lane' }],
  [{ inspectionNumber: 'A-1' }, { policyNumber: 'P-1' }],
  [{ policyNumber: 'HO-007027' }, { policyNumber: 'HO-7027' }],
  [{ policyNumber: 'HO7029' }, { policyNumber: 'HO-07029' }],
  [{ inspectionNumber: 'INS-0048' }, { inspectionNumber: 'INS-48' }],
  // An earlier version sent the label.
  [{ policyNumber: 'Policy #99881' }, { policyNumber: '99881' }],
  [{ policyNumber: 'Policy No. HO-99882' }, { policyNumber: 'HO-99882' }],
  [{ inspectionNumber: 'Insp #48' }, { inspectionNumber: '48' }],
])('takes %o and %o of one house as one order', async (before, after) => {
  for (const [one, other] of [
    [before, after],
    [after, before],
  ]) {
    await using bench = await openLedgerBench();
    expect(
      kinds(
        await drop(bench, [
          { ...EFFECTIVE, ...one },
          { ...EFFECTIVE, ...other },
        ]),
      ),
    ).toEqual(['order', 'repeat']);
  }
});

test.each<[Partial<OrderPayload>, Partial<OrderPayload>]>([
  [{ inspectionNumber: 'A-1' }, { inspectionNumber: 'A-2', policyNumber: 'P-1' }],
  [{ policyNumber: 'HO-7027' }, { policyNumber: 'HO-70270' }],
  [{ policyNumber: 'A07' }, { policyNumber: 'B07' }],
  [{ insuredName: 'Ann Lee' }, { insuredName: 'Ann & Bob Lee' }],
])('takes %o and %o of one house as two orders', async (one, other) => {
  await using bench = await openLedgerBench();
  expect(
    kinds(
      await drop(bench, [
        { ...EFFECTIVE, ...one },
        { ...EFFECTIVE, ...other },
      ]),
    ),
  ).toEqual(['order', 'order']);
});

test.each<[string, Partial<OrderPayload>, Partial<OrderPayload>]>([
  ['its first policy', { inspectionNumber: 'A-1', policyNumber: 'P-1' }, { policyNumber: 'P-1' }],
  ['a policy in between', { inspectionNumber: 'A-1', policyNumber: 'P-1' }, { policyNumber: 'P-2' }],
  ['its latest policy', { inspectionNumber: 'A-1', policyNumber: 'P-1' }, { policyNumber: 'P-3' }],
  ['its first policy in another spelling', { policyNumber: 'P-1' }, { policyNumber: 'p 1' }],
  ['its first policy and a number', { policyNumber: 'P-1' }, { inspectionNumber: 'A-1', policyNumber: 'P-1' }],
])('finds a twice amended order by %s', async (_what, ordered, row) => {
  await using bench = await openLedgerBench();
  await drop(bench, [{ ...EFFECTIVE, ...ordered }]);
  await placeAll(bench.ledger, 501);
  await amendPolicy(bench.ledger, '501', 'P-2');
  await amendPolicy(bench.ledger, '501', 'P-3');
  expect(kinds(await drop(bench, [{ ...EFFECTIVE, policyNumber: 'P-9' }]))).toEqual(['order']);
  expect(await drop(bench, [{ ...EFFECTIVE, ...row }])).toMatchObject([{ kind: 'repeat', of: { order: { id: 1 } } }]);
});

test('finds an amended order by its first policy without its date', async () => {
  await using bench = await openLedgerBench();
  await drop(bench, [{ ...EFFECTIVE, policyNumber: 'P-1' }]);
  await placeAll(bench.ledger, 501);
  await amendPolicy(bench.ledger, '501', 'P-2');
  expect(kinds(await drop(bench, [{ policyNumber: 'P-1' }]))).toEqual(['repeat']);
});

test('recognizes the rows after two policies were swapped', async () => {
  await using bench = await openLedgerBench();
  const { ledger } = bench;
  const date = { policyEffectiveDate: '2026-11-01' };
  const [one, two] = [
    { ...date, policyNumber: 'P-1', streetAddress: '1 Elm Street', insuredName: 'Ann' },
    { ...date, policyNumber: 'P-2', streetAddress: '2 Elm Street', insuredName: 'Bob' },
  ];
  await drop(bench, [one, two]);
  await placeAll(ledger, 501);
  for (const [projectId, policyNumber] of [
    ['501', 'P-2'],
    ['502', 'P-1'],
  ] as const) {
    await amendPolicy(ledger, projectId, policyNumber);
  }
  const decisions = await drop(bench, [{ ...one, policyNumber: 'P-2' }, { ...two, policyNumber: 'P-1' }, one, two]);
  expect(kinds(decisions)).toEqual(['repeat', 'repeat', 'repeat', 'repeat']);
  expect(decisions.map((decision) => (decision.kind === 'repeat' ? decision.of.order.id : 0))).toEqual([1, 2, 1, 2]);
  expect(whys(decisions).join(' ')).not.toContain('Allow duplicate');
});

const newsOf = async (ledger: Ledger) => {
  const news = (await ledger.openNews()).filter(({ kind }) => kind === 'repeat-not-ordered');
  await ledger.markReported(news.map(({ id }) => id));
  return news.map(({ subject }) => subject);
};

test.each<[string, Partial<OrderPayload>, Partial<OrderPayload>, number, readonly string[]]>([
  ['the same row after a year', YEARS[0]?.[1] ?? {}, YEARS[0]?.[1] ?? {}, 400, []],
  ['no date, within 30 days', numbered, numbered, 30, []],
  ['no date, after 30 days', numbered, numbered, 31, ['1 undated']],
  ['no date and no numbers, after a year', {}, {}, 400, ['1 undated']],
  ['only a policy number, after a year', { policyNumber: 'P-1' }, { policyNumber: 'P-1' }, 400, ['1 undated']],
  [
    'another date in between',
    { ...numbered, policyEffectiveDate: '2026-11-01' },
    { ...numbered, policyEffectiveDate: '2027-03-01' },
    100,
    ['1 other-date 2027-03-01'],
  ],
  ['policy and date, after a year', { policyNumber: 'P-1', policyEffectiveDate: '2026-11-01' }, {}, 400, []],
])('reports a repeat at most once: %s', async (_what, first, second, days, expected) => {
  await using bench = await openLedgerBench();
  const again = Object.keys(second).length === 0 ? first : second;
  await drop(bench, [first]);
  await placeAll(bench.ledger, 501);
  await bench.clock.advance(days * DAY_MS);
  expect(kinds(await drop(bench, [again]))).toEqual(['repeat']);
  expect(await newsOf(bench.ledger)).toEqual(expected);
  // A list that says the same stays quiet, told or still to be told.
  expect(kinds(await drop(bench, [again, again]))).toEqual(['repeat', 'repeat']);
  expect(await newsOf(bench.ledger)).toEqual([]);
});

test.each<['canceled' | 'closed-out' | 'given-up', Partial<OrderPayload>]>([
  ['canceled', { policyNumber: 'P-1', policyEffectiveDate: '2026-11-01' }],
  ['closed-out', { policyNumber: 'P-1', policyEffectiveDate: '2026-11-01' }],
  ['given-up', { inspectionNumber: 'A-1', policyEffectiveDate: '2026-11-01' }],
])('reports a repeat of a project that was %s once, with advice', async (end, payload) => {
  await using bench = await openLedgerBench();
  const { ledger } = bench;
  await drop(bench, [payload]);
  await placeAll(ledger, 501);
  if (end === 'canceled') await ledger.recordStatuses([{ id: '501', status: 'Project Canceled' }]);
  if (end === 'closed-out') await ledger.recordCloseout('501', ['Inspection was denied by the insured.']);
  if (end === 'given-up') await ledger.giveUpProject('501', 'no longer wanted');
  const [repeat] = await drop(bench, [payload]);
  expect(whys(repeat === undefined ? [] : [repeat])[0]).toContain('put Yes under "Allow duplicate"');
  const news = (await ledger.openNews()).filter(({ kind }) => kind === 'repeat-not-ordered');
  const told = await describeNews(news, { run: 'r', now: bench.clock.now(), ledger });
  expect(told.join()).toMatch(/: .*\(project 501\).*Allow duplicate/);
  expect(await newsOf(ledger)).toEqual([`1 ${end}`]);
  await drop(bench, [payload]);
  expect(await newsOf(ledger)).toEqual([]);
});

test('never renews or advises amending with renewalAfterDays null', async () => {
  await using bench = await openLedgerBench();
  const [, first, second] = YEARS[0] ?? ['', {}, {}];
  await drop(bench, [first]);
  await placeAll(bench.ledger, 501);
  await bench.clock.advance(365 * DAY_MS);
  expect(kinds(await drop(bench, [second], { renewalAfterDays: null }))).toEqual(['repeat']);
  const { rows } = await bench.ledger.storyOf(1);
  const words = rows.at(-1)?.problems.map(({ message }) => message) ?? [];
  expect(words.join(' ')).toMatch(/Policy effective date: "2026-11-01" → "2027-11-01".*another term/);
  expect(words.join(' ')).not.toContain('amend');
});

test('ranks the cell above the rule: Yes orders again, No renews', async () => {
  await using bench = await openLedgerBench();
  const [, first, second, third] = YEARS[0] ?? ['', {}, {}, {}];
  await drop(bench, [first]);
  await placeAll(bench.ledger, 501);
  const [yes, plain, no] = await drop(bench, [{ ...second, allow: true }, second, { ...third, allow: false }]);
  expect(yes).toMatchObject({ kind: 'order', order: { allowDuplication: true, renews: null } });
  expect(plain).toMatchObject({ kind: 'repeat', of: { order: { id: 2 } } });
  expect(no).toMatchObject({ kind: 'order', order: { allowDuplication: false, renews: 2 } });
});

test('recognizes a renewal after its details were forgotten', async () => {
  await using bench = await openLedgerBench();
  const { ledger, clock } = bench;
  const [, first, second, third] = YEARS[3] ?? ['', {}, {}, {}];
  await drop(bench, [first]);
  await placeAll(ledger, 501);
  await clock.advance(365 * DAY_MS);
  await drop(bench, [second]);
  await placeAll(ledger, 601);
  await forgetAll(bench, ['501', '601']);
  const elsewhere = { ...third, streetAddress: '12 OAK ST' };
  expect(kinds(await drop(bench, [first, second, elsewhere, third]))).toEqual(['repeat', 'repeat', 'order', 'repeat']);
});

test('recognizes repeats after their details were forgotten', async () => {
  await using bench = await openLedgerBench();
  const policy = { policyNumber: '0004411', policyEffectiveDate: '2026-11-01' };
  const full = { ...numbered, ...policy };
  const [second, third] = ['2 Elm St', '3 Elm St'].map((streetAddress) => ({ streetAddress, dueDate: '2026-12-01' }));
  await drop(bench, [full, { ...third, ...policy, policyNumber: 'P-3' }, { ...second }]);
  await placeAll(bench.ledger, 501);
  await forgetAll(bench, ['501', '502', '503']);
  await bench.clock.advance(60 * DAY_MS);
  const again = [
    policy,
    { policyEffectiveDate: '2026-11-01' },
    { ...policy, policyNumber: '4411' },
    { ...second, inspectionNumber: 'I-2', policyNumber: 'P-2' },
    { ...third, ...policy, policyNumber: 'P-3', inspectionNumber: 'I-3' },
    { ...numbered, streetAddress: '9 Oak St', insuredName: 'Bob Ray', policyNumber: 'P-9' },
  ];
  expect(kinds(await drop(bench, again))).toEqual([...Array.from({ length: 5 }, () => 'repeat'), 'rejection']);
});

test('decides in a dry run as in a run', async () => {
  await using bench = await openLedgerBench();
  const { ledger, clock } = bench;
  const [, first, second] = YEARS[3] ?? ['', {}, {}];
  const full = { ...first, policyNumber: 'P-1' };
  await drop(bench, [first]);
  await placeAll(ledger, 501);
  const rows = [full, { ...full, insuredName: 'Bob' }, second, { ...second, streetAddress: '12 Oak St.' }, first];
  await using scratch = openSqliteLedger(':memory:', { clock, account: ledger.account, openedFor: 'scratch' });
  const dry = await drop({ ledger: createScratchLedger(scratch, ledger) as Ledger, clock }, rows);
  expect(kinds(dry)).toEqual(kinds(await drop(bench, rows)));
  expect(kinds(dry)).toEqual(['repeat', 'repeat', 'order', 'repeat', 'repeat']);
});

test.each([
  ['only without', [{}]],
  ['only with', [{ inspectionNumber: 'I-9' }]],
  ['in both ways', [{}, { inspectionNumber: 'I-9' }]],
])('takes a renewal with and without numbers as one, on record %s', async (_what, known) => {
  const dated = { policyEffectiveDate: '2026-11-01' };
  const next = { policyEffectiveDate: '2027-11-01' };
  const withNumber = { ...next, inspectionNumber: 'I-9' };
  for (const year of [
    [withNumber, next],
    [next, withNumber],
  ]) {
    await using bench = await openLedgerBench();
    await drop(
      bench,
      known.map((numbers) => ({ ...dated, ...numbers })),
    );
    await placeAll(bench.ledger, 501);
    await bench.clock.advance(365 * DAY_MS);
    expect(kinds(await drop(bench, year))).toEqual(['order', 'repeat']);
    // Known by both from here on.
    await bench.clock.advance(60 * DAY_MS);
    expect(kinds(await drop(bench, year))).toEqual(['repeat', 'repeat']);
  }
});

test('takes different numbers as two orders, even around one without', async () => {
  for (const number of ['inspectionNumber', 'policyNumber'] as const) {
    await using bench = await openLedgerBench();
    const rows = [{}, { [number]: 'I-1' }, { [number]: 'I-2' }, { [number]: 'I-1' }, {}, { [number]: 'I-2' }];
    await using scratch = openSqliteLedger(':memory:', {
      clock: bench.clock,
      account: bench.ledger.account,
      openedFor: 'scratch',
    });
    const fates = ['repeat', 'order', 'repeat', 'repeat', 'repeat'];
    await drop(bench, rows.slice(0, 1));
    const dry = { ledger: createScratchLedger(scratch, bench.ledger) as Ledger, clock: bench.clock };
    expect(kinds(await drop(dry, rows.slice(1)))).toEqual(fates);
    expect(kinds(await drop(bench, rows.slice(1)))).toEqual(fates);
    expect(kinds(await drop(bench, rows.slice(1)))).toEqual(fates.map(() => 'repeat'));
  }
});

test('recognizes a renewal by all keys of its order', async () => {
  const due = (year: number): Partial<OrderPayload> => ({ dueDate: `${year}-11-01` });
  const withNumber = { inspectionNumber: 'I-9' };
  await using bench = await openLedgerBench();
  const { ledger, clock } = bench;
  await drop(bench, [due(2026), { ...due(2026), ...withNumber }]);
  await drop(bench, [{ ...due(2026), policyNumber: 'P-1', insuredName: 'Bob' }]);
  await placeAll(ledger, 501);
  await amendPolicy(ledger, '502', 'P-2');
  for (const year of [2027, 2028]) {
    await clock.advance(320 * DAY_MS);
    const [bare, amended] = [due(year), { ...due(year), policyNumber: 'P-2', insuredName: 'Bob' }];
    expect(kinds(await drop(bench, year === 2027 ? [bare, amended] : [{ ...bare, ...withNumber }, amended]))).toEqual([
      'order',
      'order',
    ]);
    await placeAll(ledger, year);
    // Another list comes later, and writes them as they were.
    await clock.advance(45 * DAY_MS);
    const written = [{ ...bare, ...withNumber }, bare, { ...amended, policyNumber: 'P-1' }, amended];
    expect(kinds(await drop(bench, written))).toEqual(['repeat', 'repeat', 'repeat', 'repeat']);
  }
});
