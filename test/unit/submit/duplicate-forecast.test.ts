import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { identityOf } from '../../../src/domain/identity.ts';
import type { OrderPayload } from '../../../src/domain/row.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { SCRATCH_IDS_FROM } from '../../../src/ledger/driver.ts';
import { openSqliteLedger } from '../../../src/ledger/open-ledger.ts';
import { isScratch, createScratchLedger } from '../../../src/ledger/scratch-ledger.ts';
import type { PolicyDetails } from '../../../src/ledger/updates.ts';
import { sandboxSettings } from '../../../src/sandbox/options.ts';
import { ProjectStore } from '../../../src/sandbox/project-store.ts';
import { DuplicateForecast, describeForecast, type RowForecast } from '../../../src/submit/duplicate-forecast.ts';
import { decidedRow, finalPayload, type OrderingRules, rowKeysOf } from '../../../src/submit/row-decision.ts';
import { newOrder, orderPayload, projectTie, rowRecord, type ValidRow } from '../../support/order-factory.ts';
import { createVirtualClock, type VirtualClock } from '../../support/virtual-clock.ts';
import { inProof } from '../../support/proof-size.ts';

const DAY_MS = 86_400_000;
const WINDOW_MS = 30 * DAY_MS;
const ACTOR = 'analyst@staging.example';

interface Night {
  readonly laterMs: number;
  /** Before tonight's run, this one of the projects is amended. */
  readonly amended: { readonly project: number; readonly to: PolicyDetails } | undefined;
  /** Tonight's files. */
  readonly files: readonly (readonly ValidRow[])[];
}

/** Our ledger, the sandbox's own store of projects, and one clock for both. */
interface Bench {
  readonly ledger: Ledger;
  readonly store: ProjectStore;
  readonly clock: VirtualClock;
  readonly rules: OrderingRules;
}

/** A run over tonight's files as it is forecast, and then as it goes; `compare` is called for each row with what the sandbox says when it is that row's turn. */
async function goThrough(
  night: Night,
  name: string,
  { ledger, store, clock, rules }: Bench,
  compare: (told: Told) => void,
): Promise<void> {
  await clock.advance(night.laterMs);
  if (night.amended !== undefined) await amend(night.amended, { ledger, store });
  const windowStart = clock.now() - WINDOW_MS;
  const files = night.files.map((rows, file) =>
    rows.map((row, index) => ({
      ...row,
      record: { ...row.record, place: { file: `${name}-${file}.csv`, sheet: 'Orders', rowNumber: index + 2 } },
    })),
  );
  const service = new DuplicateForecast(ledger, rules, clock.now());
  const forecasts: { readonly row: ValidRow; readonly forecast: RowForecast; readonly words: string | null }[] = [];
  await using scratch = openSqliteLedger(':memory:', { clock, account: ledger.account, openedFor: 'scratch' });
  const dryRun = createScratchLedger(scratch, ledger);
  for (const [file, rows] of files.entries()) {
    await dryRun.recordFile(
      { hash: `${name}-${file}`, name: `${name}-${file}.csv`, layouts: [], notes: [] },
      async (transaction) => {
        await transaction.expect(rows.map(rowKeysOf));
        for (const row of rows) {
          const decided = decidedRow(row, transaction, rules, windowStart, []);
          transaction.addRow(decided.row);
          if (decided.decision === null) throw new Error('the row is wrong');
          await service.expect([[row, decided.decision]]);
          const forecast = {
            decision: decided.decision,
            service: service.answerTo(row, decided.decision, decided.row.orderId),
          };
          const named = forecast.service.answer === 'created' ? [] : [forecast.service.of.orderId];
          const places = await transaction.placesOfOrders(named);
          const placeOfOrder = ({ id }: { readonly id: number }) => places.get(id) ?? null;
          forecasts.push({ row, forecast, words: describeForecast(forecast, rules, { placeOfOrder }) });
        }
      },
    );
  }
  const orderIds: (number | null)[] = [];
  for (const [file, rows] of files.entries()) {
    await ledger.recordFile(
      { hash: `${name}-${file}`, name: `${name}-${file}.csv`, layouts: [], notes: [] },
      async (transaction) => {
        await transaction.expect(rows.map(rowKeysOf));
        for (const row of rows) {
          const { row: decided } = decidedRow(row, transaction, rules, windowStart, []);
          transaction.addRow(decided);
          orderIds.push(decided.outcome === 'order' ? decided.orderId : null);
          expect(decided.outcome).toBe(forecasts[orderIds.length - 1]?.forecast.decision.kind);
        }
      },
    );
  }
  const projectsTonight: (string | null)[] = [];
  for (const [index, { row, forecast, words }] of forecasts.entries()) {
    const { decision, service } = forecast;
    const { payload } =
      decision.kind === 'order' ? decision.order : finalPayload(row.payload, identityOf(row.payload), rules);
    const duplicate = store.duplicateOf({ ...payload, allowDuplication: false }, ACTOR);
    const of =
      service.answer === 'created'
        ? null
        : isScratch({ id: service.of.orderId })
          ? projectsTonight[service.of.orderId - SCRATCH_IDS_FROM - 1]
          : service.of.projectId;
    compare({
      row,
      forecast,
      words,
      of: of ?? null,
      sandbox: duplicate === undefined ? null : { project: String(duplicate.project.id), rule: duplicate.rule },
    });
    const orderId = orderIds[index] ?? null;
    if (orderId !== null) projectsTonight.push(await send(orderId, { ledger, store, rules }));
  }
}

/** Changes the policy of a project, at the service and on record. */
async function amend(
  { project: number, to }: NonNullable<Night['amended']>,
  { ledger, store }: Pick<Bench, 'ledger' | 'store'>,
): Promise<void> {
  const project = store.all()[number % Math.max(store.size, 1)];
  if (project === undefined) return;
  const id = await ledger.beginUpdate({
    projectId: String(project.id),
    request: { kind: 'amend', ...to },
    before: {},
    source: null,
  });
  if (id === null) throw new Error('an update is open');
  store.update(project, to, 'a');
  await ledger.endUpdate(id, { to: 'done', status: null, settled: false });
}

interface Told {
  readonly row: ValidRow;
  readonly forecast: RowForecast;
  readonly words: string | null;
  /** The project that the forecast names. */
  readonly of: string | null;
  readonly sandbox: { readonly project: string; readonly rule: string } | null;
}

/** Sends an order as a submission run does, the 409 and `submit.onDuplicate` included; gives its new project, if it got one. */
async function send(
  orderId: number,
  { ledger, store, rules }: Pick<Bench, 'ledger' | 'store' | 'rules'>,
): Promise<string | null> {
  for (;;) {
    const order = await ledger.order(orderId);
    if (order === null) throw new Error('the order is gone');
    await ledger.beginAttempt(orderId, {
      actor: ACTOR,
      idBound: '1',
      payload: order.payload,
      payloadHash: order.payloadHash,
    });
    const duplicate = order.allowDuplication
      ? undefined
      : store.duplicateOf({ ...order.payload, allowDuplication: false }, ACTOR);
    if (duplicate === undefined) {
      const project = String(store.create(order.payload, ACTOR).id);
      await ledger.moveOrder(orderId, 'submitting', { to: 'created', project: projectTie(project), adopted: false });
      return project;
    }
    // What stands there is always another order's of this ledger: never tied without a person.
    if (rules.onDuplicate === 'create' && order.rowWish !== false) {
      await ledger.moveOrder(orderId, 'submitting', {
        to: 'ready',
        code: 'not-sent',
        reason: '409',
        attemptUsed: true,
        allowDuplication: true,
      });
    } else {
      await ledger.moveOrder(orderId, 'submitting', { to: 'refused', code: 'service-refused', reason: '409' });
      return null;
    }
  }
}

const RULE_NAMES: Readonly<Record<string, string>> = {
  'inspection-number': 'inspection number',
  'policy-and-date': 'policy number and effective date',
  'commercial-address': 'commercial address',
};

const keyed: fc.Arbitrary<Partial<OrderPayload>> = fc.oneof(
  fc.record({ inspectionNumber: fc.constantFrom('A', 'B') }),
  fc.record({ policyNumber: fc.constantFrom('P', 'Q') }),
  fc.record({
    policyNumber: fc.constantFrom('P', 'Q'),
    policyEffectiveDate: fc.constantFrom('2026-01-01', '2026-02-01'),
  }),
  fc.record({
    inspectionNumber: fc.constantFrom('A', 'B'),
    policyNumber: fc.constantFrom('P', 'Q'),
    policyEffectiveDate: fc.constantFrom('2026-01-01', '2026-02-01'),
  }),
);
const keyless: fc.Arbitrary<Partial<OrderPayload>> = fc.oneof(
  fc.constant({}),
  fc.constant({ policyEffectiveDate: '2026-01-01' }),
);

const rowOf = (key: fc.Arbitrary<Partial<OrderPayload>>): fc.Arbitrary<ValidRow> =>
  fc
    .record({
      key,
      property: fc.constantFrom<Partial<OrderPayload>>(
        {},
        { streetAddress: '9 Elm Road' },
        { streetAddress: '12  OAK street.' },
      ),
      type: fc.constantFrom<Partial<OrderPayload>>(
        {},
        { policyType: 'Commercial Property Insurance', houseType: 'Restaurant' },
      ),
      insurer: fc.constantFrom<Partial<OrderPayload>>({}, {}, { insuredBy: 'Granite State' }),
      insured: fc.constantFrom('Ann Lee', 'Bob'),
      allowDuplication: fc.constantFrom(undefined, undefined, undefined, true, false),
    })
    .map(({ key, property, type, insurer, insured, allowDuplication }) => ({
      kind: 'order',
      record: rowRecord(2),
      payload: orderPayload({ ...key, ...property, ...type, ...insurer, insuredName: insured }),
      allowDuplication,
      repairs: [],
      warnings: [],
    }));

const nightsOf = (row: fc.Arbitrary<ValidRow>): fc.Arbitrary<readonly Night[]> =>
  fc.array(
    fc.record({
      laterMs: fc.constantFrom(0, DAY_MS, 15 * DAY_MS, WINDOW_MS - 1, WINDOW_MS, WINDOW_MS + 1, 31 * DAY_MS),
      amended: fc.option(
        fc.record({
          project: fc.nat(20),
          to: fc.record(
            {
              policyNumber: fc.constantFrom('P', 'Q', 'R'),
              policyEffectiveDate: fc.constantFrom('2026-01-01', '2026-02-01'),
            },
            { requiredKeys: [] },
          ),
        }),
        { nil: undefined },
      ),
      files: fc.array(fc.array(row, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 2 }),
    }),
    { minLength: 1, maxLength: 4 },
  );

const rulesWith = (
  onDuplicate: readonly OrderingRules['onDuplicate'][],
  whenNoKey: readonly OrderingRules['whenNoKey'][],
): fc.Arbitrary<OrderingRules> =>
  fc.record({
    onDuplicate: fc.constantFrom(...onDuplicate),
    whenNoKey: fc.constantFrom(...whenNoKey),
    renewalAfterDays: fc.constant(300),
  });

/** Compares forecast and sandbox over these nights. */
async function agree(
  nights: readonly Night[],
  rules: OrderingRules,
  keylessAreDuplicates: boolean,
  compare: (told: Told) => void,
): Promise<void> {
  const clock = createVirtualClock();
  await using ledger = openSqliteLedger(':memory:', { clock, account: 'an account' });
  const store = new ProjectStore({
    rules: { ...sandboxSettings({}), initialStatus: 'Project Created' },
    firstId: 100_001n,
    clock,
    keylessAreDuplicates,
  });
  const bench = { ledger, store, clock, rules };
  for (const [index, night] of nights.entries()) await goThrough(night, `night-${index}`, bench, compare);
}

test('gives the keys of removed orders to the ones before', () => {
  const rules: OrderingRules = { onDuplicate: 'link', whenNoKey: 'mark', renewalAfterDays: 300 };
  const sets: readonly Partial<OrderPayload>[] = [
    { inspectionNumber: 'A-1' },
    { policyNumber: 'P-1', policyEffectiveDate: '2026-01-01' },
    { policyType: 'Commercial Property Insurance', houseType: 'Restaurant' },
  ];
  for (const keys of sets) {
    const service = new DuplicateForecast(null, rules, 0);
    const answerTo = (orderId: number, allowDuplication: boolean) => {
      const order = newOrder(keys, { allowDuplication });
      return service.answerTo(
        { payload: order.payload, allowDuplication },
        { kind: 'order', order, repairs: [], warnings: [] },
        orderId,
      );
    };
    expect(answerTo(1, false)).toEqual({ answer: 'created' });
    const { count } = service;
    answerTo(2, true);
    answerTo(3, true);
    service.takeBack(count);
    expect(answerTo(4, false)).toMatchObject({ of: { orderId: 1 } });
    answerTo(5, true);
    expect(answerTo(6, false)).toMatchObject({ of: { orderId: 5 } });
  }
});

// Whether it is a duplicate, of which project, and by which rule.
test('agrees with the sandbox when every order has a number', async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(
      nightsOf(rowOf(keyed)),
      rulesWith(['link', 'create', 'reject'], ['mark']),
      fc.boolean(),
      async (nights, rules, literal) => {
        await agree(nights, rules, literal, ({ forecast: { service, decision }, of, sandbox }) => {
          const forecast = service.answer === 'created' ? null : { project: of, rule: RULE_NAMES[service.rule] };
          expect([service.answer, forecast]).toEqual([sandbox === null ? 'created' : 'duplicate', sandbox]);
          seen.add(`${decision.kind} ${service.answer} ${service.answer === 'created' ? '' : service.rule}`);
        });
      },
    ),
    // With this seed the share has every case that is asked for below.
    inProof({ share: { numRuns: 12, seed: 1 }, whole: { numRuns: 200 } }),
  );
  // The test is worth something only if all of these came up.
  for (const kind of ['order', 'repeat']) {
    for (const answer of [
      'created ',
      'duplicate inspection-number',
      'duplicate policy-and-date',
      'duplicate commercial-address',
    ])
      expect(seen).toContain(`${kind} ${answer}`);
  }
});

// The service may or may not compare such orders.
test.each([false, true])('never contradicts the sandbox on orders without a number (%s)', async (literal) => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(
      nightsOf(rowOf(fc.oneof(keyed, keyless))),
      rulesWith(['link', 'skip', 'reject', 'create'], ['mark', 'mint', 'hold']),
      async (nights, rules) => {
        await agree(nights, rules, literal, ({ forecast: { service }, of, sandbox }) => {
          seen.add(service.answer);
          if (service.answer === 'open') return;
          expect(service.answer).toBe(sandbox === null ? 'created' : 'duplicate');
          // Read literally, the service may name another one first, which has neither number.
          const told =
            service.answer === 'created' || (literal && service.rule === 'commercial-address')
              ? sandbox
              : { project: of, rule: RULE_NAMES[service.rule] };
          expect(told).toEqual(sandbox);
        });
      },
    ),
    // With this seed the share has all three answers.
    inProof({ share: { numRuns: 10, seed: 1 }, whole: { numRuns: 100 } }),
  );
  expect([...seen].toSorted()).toEqual(['created', 'duplicate', 'open']);
});
