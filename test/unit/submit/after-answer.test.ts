import { expect, test } from 'vitest';
import { projectDetail } from '../../../src/contract/document.ts';
import type { OrderRecord } from '../../../src/ledger/orders.ts';
import type { CreateOutcome } from '../../../src/service/outcome.ts';
import { newOrder, orderPayload } from '../../support/order-factory.ts';
import type { OnDuplicate } from '../../../src/submit/row-decision.ts';
import {
  decideAfterAnswer,
  decideAfterDuplicate,
  decideAfterSearch,
  type Candidate,
  type DuplicateGrounds,
  type SearchFindings,
} from '../../../src/submit/after-answer.ts';

const NOW = 1_000_000;
const QUARANTINE = 300_000;

function orderRecord(changes: Partial<OrderRecord> = {}): OrderRecord {
  const { identity, payload, payloadHash } = newOrder({ inspectionNumber: 'A-1' });
  return {
    id: 1,
    identity,
    state: 'unresolved',
    payload,
    payloadHash,
    allowDuplication: false,
    rowWish: null,
    reference: null,
    attempts: 1,
    idBound: '100',
    uncertainSince: NOW,
    projectId: null,
    code: null,
    reason: null,
    createdAt: 0,
    renews: null,
    ...changes,
  };
}

function candidate(id: string, status: string | null = 'Site Inspected'): Candidate {
  return { detail: projectDetail.parse({ id, ...orderPayload(), inspectionCode: '', inspectionLink: '' }), status };
}

function found(ours: readonly string[], others: readonly string[] = [], startedAt = NOW): SearchFindings {
  return {
    kind: 'looked',
    startedAt,
    ours: ours.map((id) => candidate(id)),
    others: others.map((id) => candidate(id)),
  };
}

/** Somebody else's: the first was canceled, the others go on. */
function canceled(id: string, ...others: readonly string[]): SearchFindings {
  return {
    kind: 'looked',
    startedAt: NOW,
    ours: [],
    others: [candidate(id, 'Project Canceled'), ...others.map((other) => candidate(other))],
  };
}

/** No move: the order stays in doubt. */
const DOUBT = { staysInDoubt: true };
const AWAY: SearchFindings = { kind: 'away', reason: 'HTTP 503' };
const tie = (projectId: string, status = 'Site Inspected') => ({
  projectId,
  status,
  inspectionCode: null,
  inspectionLink: null,
});

test.each<[string, CreateOutcome, object]>([
  [
    'created',
    { kind: 'created', project: candidate('11').detail },
    { kind: 'move', move: { to: 'created', project: tie('11', 'not yet known'), adopted: false } },
  ],
  [
    'refused',
    { kind: 'refused', status: 422, message: 'bad date' },
    { kind: 'move', move: { to: 'refused', code: 'service-refused', reason: 'bad date' } },
  ],
  ['409', { kind: 'duplicate', message: 'exists' }, { kind: 'look' }],
  [
    'an unknown outcome, in doubt from now on',
    { kind: 'unknown', reason: 'HTTP 504', status: 504, retryAfterMs: null },
    { kind: 'move', move: { to: 'unresolved', code: 'outcome-unknown', reason: 'HTTP 504', uncertainSince: NOW } },
  ],
  [
    'no connection: the attempt is given back',
    { kind: 'not-sent', reason: 'ECONNREFUSED' },
    { kind: 'again', why: 'away', move: { to: 'ready', code: 'not-sent', attemptUsed: false } },
  ],
  [
    '429: the attempt is given back',
    { kind: 'throttled', retryAfterMs: 1000 },
    { kind: 'again', why: 'throttled', move: { to: 'ready', code: 'service-throttled', attemptUsed: false } },
  ],
  [
    '403 in own words: the order waits, the run stops',
    { kind: 'stop', status: 403, message: 'not you', notCreated: true },
    { kind: 'stop', move: { to: 'ready', code: 'run-stopped', attemptUsed: false } },
  ],
  [
    'a strange 4xx proves nothing: in doubt, the run stops',
    { kind: 'stop', status: 418, message: 'teapot', notCreated: false },
    { kind: 'stop', move: { to: 'unresolved', code: 'outcome-unknown', uncertainSince: NOW } },
  ],
])('decideAfterAnswer: %s', (_name, outcome, expected) => {
  expect(decideAfterAnswer(outcome, NOW)).toMatchObject(expected);
});

test('decideAfterAnswer keeps the code and link of a self-inspection', () => {
  const project = projectDetail.parse({ id: 11, inspectionCode: 'ABC123', inspectionLink: 'https://x.example/ABC123' });
  expect(decideAfterAnswer({ kind: 'created', project }, NOW)).toMatchObject({
    move: { project: { inspectionCode: 'ABC123', inspectionLink: 'https://x.example/ABC123' } },
  });
});

test.each<[string, OrderRecord, SearchFindings, object]>([
  ['ours is adopted, even at once', orderRecord(), found(['11']), { to: 'created', project: tie('11'), adopted: true }],
  [
    'ours is adopted among others',
    orderRecord(),
    found(['12'], ['11']),
    { to: 'created', project: { projectId: '12' } },
  ],
  [
    'two that are ours wait for a person, who sees both',
    orderRecord(),
    found(['11', '12']),
    { to: 'held', code: 'several-own-projects', reason: expect.stringMatching(/11, 12/) },
  ],
  ['not found right away: still in doubt', orderRecord(), found([]), DOUBT],
  [
    'not found a moment before the quarantine ends: still in doubt',
    orderRecord(),
    found([], [], NOW + QUARANTINE - 1),
    DOUBT,
  ],
  [
    'not found after it: free to be sent again',
    orderRecord(),
    found([], [], NOW + QUARANTINE),
    { to: 'ready', code: 'not-found', attemptUsed: true },
  ],
  [
    "somebody else's, after it: free to be sent again, with the key as barrier",
    orderRecord(),
    found([], ['11'], NOW + QUARANTINE),
    { to: 'ready', attemptUsed: true },
  ],
  ['the service was away: still in doubt, however long', orderRecord({ uncertainSince: 0 }), AWAY, DOUBT],
  [
    'after too many attempts a person has to look',
    orderRecord({ attempts: 5 }),
    found([], [], NOW + QUARANTINE),
    { to: 'held', code: 'attempts-used-up' },
  ],
  [
    'after too many attempts ours is adopted all the same',
    orderRecord({ attempts: 5 }),
    found(['11'], [], NOW + QUARANTINE),
    { to: 'created' },
  ],
])('decideAfterSearch: %s', (_name, order, findings, expected) => {
  expect(decideAfterSearch(order, findings, QUARANTINE) ?? DOUBT).toMatchObject(expected);
});

test.each([
  ['nobody’s mark', null, { to: 'held', code: 'may-be-own-project' }],
  ['half of a mark', '[ref IB-01', { to: 'held' }],
  ['another order’s mark', '[ref IB-ABCDEF012345]', { to: 'ready' }],
])('decideAfterSearch judges a like project of an order without numbers by %s', (_name, note, expected) => {
  const { payload } = newOrder({ note: '[ref IB-0123456789AB]' });
  const like = candidate('200');
  const others = [{ ...like, detail: { ...like.detail, note } }];
  const findings: SearchFindings = { kind: 'looked', startedAt: NOW + QUARANTINE, ours: [], others };
  const order = orderRecord({ payload, reference: 'IB-0123456789AB' });
  expect(decideAfterSearch(order, findings, QUARANTINE)).toMatchObject(expected);
});

test.each([{ insuredName: 'Somebody Else' }, { serviceName: 'Exterior' }])(
  'decideAfterSearch frees an order without numbers if another inspection has no mark: %o',
  (other) => {
    const { payload } = newOrder({ note: '[ref IB-0123456789AB]' });
    const like = candidate('200');
    const others = [{ ...like, detail: { ...like.detail, ...other, note: null } }];
    const findings: SearchFindings = { kind: 'looked', startedAt: NOW + QUARANTINE, ours: [], others };
    const order = orderRecord({ payload, reference: 'IB-0123456789AB' });
    expect(decideAfterSearch(order, findings, QUARANTINE)).toMatchObject({ to: 'ready' });
  },
);

test('decideAfterSearch does not allow a duplicate when it frees an order', () => {
  expect(decideAfterSearch(orderRecord(), found([], ['11'], NOW + QUARANTINE), QUARANTINE)).not.toHaveProperty(
    'allowDuplication',
  );
});

const grounds = (changes: Partial<DuplicateGrounds> = {}): DuplicateGrounds => ({
  onDuplicate: 'link',
  hadUnknownOutcome: false,
  taken: new Set(),
  contested: new Set(),
  now: NOW,
  ...changes,
});

const sending = (changes: Partial<OrderRecord> = {}) =>
  orderRecord({ state: 'submitting', uncertainSince: null, ...changes });

test.each<[string, OrderRecord, SearchFindings, OnDuplicate, object]>([
  ["somebody else's, link", sending(), found([], ['11']), 'link', { to: 'linked', project: tie('11') }],
  [
    "somebody else's, skip",
    sending(),
    found([], ['11']),
    'skip',
    { to: 'skipped', code: 'duplicate-skipped', reason: expect.stringContaining('project 11') },
  ],
  [
    "somebody else's, reject",
    sending(),
    found([], ['11']),
    'reject',
    { to: 'refused', code: 'duplicate-rejected', reason: expect.stringContaining('project 11') },
  ],
  [
    "somebody else's, create",
    sending(),
    found([], ['11']),
    'create',
    { to: 'ready', code: 'duplicate-allowed', attemptUsed: true, allowDuplication: true },
  ],
  [
    "somebody else's, create, but the row itself said no",
    sending({ rowWish: false }),
    found([], ['11']),
    'create',
    { to: 'linked' },
  ],
  [
    "somebody else's that was canceled, link: nobody would inspect it",
    sending(),
    canceled('11'),
    'link',
    {
      to: 'refused',
      code: 'duplicate-canceled',
      reason: expect.stringMatching(/project 11\b/),
    },
  ],
  ["somebody else's that was canceled, skip", sending(), canceled('11'), 'skip', { to: 'refused' }],
  [
    "somebody else's that was canceled, create",
    sending(),
    canceled('11'),
    'create',
    { to: 'ready', allowDuplication: true },
  ],
  [
    'a canceled one next to one in progress',
    sending(),
    canceled('11', '9'),
    'link',
    { to: 'linked', project: tie('9') },
  ],
  [
    'the newest of several, by number',
    sending(),
    found([], ['9', '100', '20']),
    'link',
    { to: 'linked', project: tie('100') },
  ],
  [
    'on a first attempt ours is adopted: the request was delivered twice',
    sending(),
    found(['11'], ['9']),
    'create',
    { to: 'created', project: tie('11'), adopted: true },
  ],
  [
    'on a second attempt ours is adopted, whatever the config',
    sending({ attempts: 2 }),
    found(['11'], ['9']),
    'create',
    { to: 'created', project: tie('11'), adopted: true },
  ],
  [
    'on a second attempt two of ours wait for a person',
    sending({ attempts: 2 }),
    found(['11', '12']),
    'skip',
    { to: 'held' },
  ],
  ['not visible yet: in doubt from now on', sending(), found([]), 'link', { to: 'unresolved', uncertainSince: NOW }],
  [
    'not visible after many attempts: held',
    sending({ attempts: 5 }),
    found([]),
    'link',
    { to: 'held', code: 'duplicate-not-visible' },
  ],
  [
    'looking failed: in doubt from now on',
    sending({ attempts: 2 }),
    AWAY,
    'create',
    { to: 'unresolved', uncertainSince: NOW, code: 'duplicate-search-failed' },
  ],
])('decideAfterDuplicate: %s', (_name, order, findings, onDuplicate, expected) => {
  expect(decideAfterDuplicate(order, findings, grounds({ onDuplicate }))).toMatchObject(expected);
});

test.each([1, 2])('decideAfterDuplicate on attempt %i waits for a project another order may own', (attempts) => {
  expect(
    decideAfterDuplicate(sending({ attempts }), found(['11']), grounds({ contested: new Set(['11']) })),
  ).toMatchObject({
    to: 'unresolved',
    uncertainSince: NOW,
    answered409: true,
  });
  const both = found(['11'], ['9']);
  expect(decideAfterDuplicate(sending({ attempts }), both, grounds({ contested: new Set(['11']) }))).toMatchObject({
    to: 'linked',
    project: tie('9'),
  });
  expect(
    decideAfterDuplicate(sending({ attempts }), both, grounds({ contested: new Set(['11']), onDuplicate: 'create' })),
  ).toMatchObject({ to: 'unresolved' });
});

test('decideAfterDuplicate does not let a canceled project hide a possible own one', () => {
  const canceledAndNew = { ...canceled('9', '200') } as Extract<SearchFindings, { kind: 'looked' }>;
  expect(decideAfterDuplicate(sending(), canceled('9'), grounds({ hadUnknownOutcome: true }))).toMatchObject({
    to: 'held',
    code: 'duplicate-after-doubt',
  });
  const elsewhere = canceledAndNew.others.map((one) =>
    one.detail.id === '200' ? { ...one, detail: { ...one.detail, streetAddress: '9 Elm Road' } } : one,
  );
  expect(
    decideAfterDuplicate(sending(), { ...canceledAndNew, others: elsewhere }, grounds({ hadUnknownOutcome: true })),
  ).toMatchObject({ to: 'held', code: 'may-be-own-project', reason: expect.stringContaining('Project 200') });
  expect(
    decideAfterDuplicate(sending(), { ...canceledAndNew, others: elsewhere }, grounds({ contested: new Set(['200']) })),
  ).toMatchObject({ to: 'unresolved' });
});

// Only for an order with neither number.
test('decideAfterDuplicate allows a duplicate for unexplained 409s only after a quarantine', () => {
  const { payload } = newOrder();
  expect(decideAfterDuplicate(sending({ payload }), found([]), grounds())).toMatchObject({
    to: 'unresolved',
    uncertainSince: NOW,
  });
  expect(decideAfterDuplicate(sending({ payload, attempts: 2 }), found([]), grounds())).toMatchObject({
    to: 'ready',
    attemptUsed: true,
    allowDuplication: true,
  });
  expect(decideAfterDuplicate(sending({ payload, attempts: 2, rowWish: false }), found([]), grounds())).toMatchObject({
    to: 'held',
  });
});

test.each([
  ['link', { to: 'linked', project: tie('11') }],
  ['skip', { to: 'held', code: 'may-be-own-project', reason: expect.stringContaining('Project 11') }],
  ['reject', { to: 'held' }],
  ['create', { to: 'held' }],
] as const)(
  'decideAfterDuplicate respects a possible own project after an unknown outcome: %s',
  (onDuplicate, expected) => {
    // Newer than all that was known before the first attempt.
    expect(
      decideAfterDuplicate(
        sending({ attempts: 2, idBound: '10' }),
        found([], ['11']),
        grounds({ onDuplicate, hadUnknownOutcome: true }),
      ),
    ).toMatchObject(expected);
  },
);

// The project that no search shows may be ours.
test('decideAfterDuplicate never overrides an unexplained 409 after an unknown outcome', () => {
  const { payload } = newOrder();
  const after = grounds({ onDuplicate: 'create', hadUnknownOutcome: true });
  expect(decideAfterDuplicate(sending({ payload, attempts: 2 }), found([]), after)).toMatchObject({
    to: 'unresolved',
    uncertainSince: NOW,
    answered409: true,
  });
  expect(decideAfterDuplicate(sending({ payload, attempts: 3 }), found([]), after)).toMatchObject({
    to: 'held',
    code: 'duplicate-without-number',
  });
});
