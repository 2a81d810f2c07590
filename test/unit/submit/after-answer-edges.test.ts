import { describe, expect, test } from 'vitest';
import { projectDetail } from '../../../src/contract/document.ts';
import type { OrderRecord } from '../../../src/ledger/orders.ts';
import {
  decideAfterDuplicate,
  decideAfterSearch,
  type Candidate,
  type DuplicateGrounds,
  type SearchFindings,
  isSameNight,
  resendTime,
} from '../../../src/submit/after-answer.ts';
import { newOrder, orderPayload } from '../../support/order-factory.ts';

const HOUR_MS = 3_600_000;
const QUARANTINE_MS = 300_000;
const NOW = 1_000_000;

function orderRecord(changes: Partial<OrderRecord> = {}): OrderRecord {
  const { identity, payload, payloadHash } = newOrder({ inspectionNumber: 'A-1' });
  return {
    id: 7,
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
    renews: null,
    createdAt: 0,
    ...changes,
  };
}

const candidate = (id: string, changes: object = {}, status = 'Site Inspected'): Candidate => ({
  detail: projectDetail.parse({ id, ...orderPayload(), ...changes }),
  status,
});

const found = (ours: readonly Candidate[], others: readonly Candidate[] = [], startedAt = NOW): SearchFindings => ({
  kind: 'looked',
  startedAt,
  ours,
  others,
});

describe('isSameNight', () => {
  test.each([
    [0, true],
    [12 * HOUR_MS - 1, true],
    [12 * HOUR_MS, false],
  ])('is %i ms after the doubt: %s', (ms, expected) => {
    expect(isSameNight({ uncertainSince: NOW }, NOW + ms)).toBe(expected);
  });

  test('is true for an order that was never in doubt', () => {
    expect(isSameNight({ uncertainSince: null }, 100 * HOUR_MS)).toBe(true);
  });
});

describe('resendTime', () => {
  test.each([
    [null, false, QUARANTINE_MS, null],
    [NOW, false, QUARANTINE_MS, NOW + QUARANTINE_MS],
    [NOW, true, QUARANTINE_MS, NOW + 12 * HOUR_MS],
    [NOW, true, 24 * HOUR_MS, NOW + 24 * HOUR_MS],
  ])(
    'counts from doubt at %s, duplicate allowed %s, quarantine %i: %s',
    (uncertainSince, allowDuplication, ms, from) => {
      expect(resendTime({ uncertainSince, allowDuplication }, ms)).toBe(from);
    },
  );
});

describe('decideAfterSearch', () => {
  const OVER = NOW + QUARANTINE_MS;
  const wished = (changes: Partial<OrderRecord> = {}) => orderRecord({ allowDuplication: true, ...changes });

  test('leaves an order in doubt that has to wait longer', () => {
    expect(decideAfterSearch(orderRecord(), found([], [], OVER), QUARANTINE_MS, 'later')).toBeNull();
  });

  test('holds an order that only a person may send again', () => {
    expect(decideAfterSearch(wished(), found([], [], OVER), QUARANTINE_MS, 'person')).toMatchObject({
      to: 'held',
      code: 'unproven',
    });
  });

  test('holds one that allows a duplicate if a newer project resembles it', () => {
    expect(decideAfterSearch(wished(), found([], [candidate('101')], OVER), QUARANTINE_MS)).toMatchObject({
      to: 'held',
      code: 'may-be-own-project',
      reason: expect.stringContaining('Project 101'),
    });
  });

  test.each([
    ['a project that existed before its first attempt', candidate('100')],
    ['a newer one that does not resemble it', candidate('101', { insuredName: 'Bo', streetAddress: '9 Elm Road' })],
  ])('does not hold it for %s', (_what, other) => {
    expect(decideAfterSearch(wished(), found([], [other], OVER), QUARANTINE_MS)).toMatchObject({ to: 'ready' });
  });

  test('does not hold it for a newer project of another term', () => {
    const order = wished({ payload: orderPayload({ inspectionNumber: 'A-1', dueDate: '2026-11-01' }) });
    const nextYears = candidate('101', { dueDate: '2027-11-01' });
    expect(decideAfterSearch(order, found([], [nextYears], OVER), QUARANTINE_MS)).toMatchObject({ to: 'ready' });
  });

  test('holds an order if only the policy of a project differs', () => {
    const amended = candidate('101', { inspectionNumber: 'A-1', policyNumber: 'P-NEW' });
    expect(decideAfterSearch(orderRecord(), found([], [amended], OVER), QUARANTINE_MS)).toMatchObject({
      to: 'held',
      code: 'may-be-own-project',
    });
  });

  test('frees one if its number is shown for another house', () => {
    const other = candidate('101', { inspectionNumber: 'A-1', streetAddress: '9 Elm Road' });
    expect(decideAfterSearch(orderRecord(), found([], [other], OVER), QUARANTINE_MS)).toMatchObject({ to: 'ready' });
  });

  test('frees one that allows no duplicate, whatever resembles it', () => {
    expect(decideAfterSearch(orderRecord(), found([], [candidate('101')], OVER), QUARANTINE_MS)).toMatchObject({
      to: 'ready',
    });
  });

  test.each([
    [4, 'ready'],
    [5, 'held'],
  ])('moves it after %i attempts to %s', (attempts, to) => {
    expect(decideAfterSearch(orderRecord({ attempts }), found([], [], OVER), QUARANTINE_MS)).toMatchObject({ to });
  });
});

describe('decideAfterDuplicate', () => {
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
  const ELSEWHERE = { streetAddress: '9 Elm Road' };

  test('adopts ours at another house only by reference or after doubt', () => {
    const ours = found([candidate('101', ELSEWHERE)]);
    expect(decideAfterDuplicate(sending(), ours, grounds())).not.toMatchObject({ to: 'created' });
    expect(decideAfterDuplicate(sending({ reference: 'IB-1' }), ours, grounds())).toMatchObject({ to: 'created' });
    expect(decideAfterDuplicate(sending(), ours, grounds({ hadUnknownOutcome: true }))).toMatchObject({
      to: 'created',
    });
  });

  test('does not link a row that said No under "reject"', () => {
    const others = found([], [candidate('99')]);
    expect(decideAfterDuplicate(sending({ rowWish: false }), others, grounds({ onDuplicate: 'reject' }))).toMatchObject(
      {
        to: 'refused',
      },
    );
    expect(decideAfterDuplicate(sending({ rowWish: false }), others, grounds({ onDuplicate: 'skip' }))).toMatchObject({
      to: 'skipped',
    });
  });

  test('holds a wish to create after an unknown outcome, else frees it', () => {
    const others = found([], [candidate('99')]);
    const create = { onDuplicate: 'create' } as const;
    expect(decideAfterDuplicate(sending(), others, grounds({ ...create, hadUnknownOutcome: true }))).toMatchObject({
      to: 'held',
    });
    expect(decideAfterDuplicate(sending(), others, grounds(create))).toMatchObject({
      to: 'ready',
      allowDuplication: true,
    });
  });

  test('links a project at the same house after an unknown outcome', () => {
    const others = found([], [candidate('99')]);
    expect(decideAfterDuplicate(sending(), others, grounds({ hadUnknownOutcome: true }))).toMatchObject({
      to: 'linked',
    });
  });

  test('links a project of the same house and names what differs', () => {
    const other = candidate('99', { serviceName: 'Roof Only', insuredName: 'Somebody Else' });
    expect(decideAfterDuplicate(sending(), found([], [other]), grounds())).toMatchObject({
      to: 'linked',
      reason: expect.stringMatching(/service "Roof Only" and insured "Somebody Else"\.$/),
    });
    expect(decideAfterDuplicate(sending(), found([], [candidate('99')]), grounds())).toMatchObject({
      reason: expect.not.stringContaining('"'),
    });
  });

  describe('a row that is tied to nothing', () => {
    const whyBack = (others: readonly Candidate[], more: Partial<DuplicateGrounds> = {}, order = sending()) => {
      const move = decideAfterDuplicate(order, found([], others), grounds(more));
      expect(move.to).toBe('refused');
      return { code: 'code' in move ? move.code : '', reason: 'reason' in move ? move.reason : '' };
    };
    const byPolicy = () =>
      sending({ payload: newOrder({ policyNumber: 'P-1', policyEffectiveDate: '2026-01-01' }).payload });

    test('is refused for another house', () => {
      expect(whyBack([candidate('99', ELSEWHERE)])).toEqual({
        code: 'duplicate-of-other-house',
        reason: expect.stringContaining('project 99 '),
      });
    });

    test('is refused for a project that another row ordered', () => {
      expect(whyBack([candidate('99')], { taken: new Set(['99']) }).code).toBe('duplicate-of-other-order');
    });

    test('is refused for another service under the same policy', () => {
      const other = candidate('99', {
        policyNumber: 'P-1',
        policyEffectiveDate: '2026-01-01',
        serviceName: 'Exterior',
      });
      expect(whyBack([other], {}, byPolicy()).code).toBe('duplicate-of-other-service');
    });

    test('is refused for a project that was closed out', () => {
      const { detail } = candidate('99');
      expect(whyBack([{ detail, status: 'closed out' }]).code).toBe('duplicate-canceled');
    });

    test('names up to three projects with service, street, city, and insured', () => {
      const { reason } = whyBack(['97', '98', '99'].map((id) => candidate(id, ELSEWHERE)));
      expect(reason).toMatch(/project 99 \(4-Point, 9 Elm Road, Cambridge,.* Ann Lee\), project 98/);
      expect(reason).toContain('project 97');
      expect(reason).not.toContain('more');
    });

    test('names three of five projects and counts the rest', () => {
      const { reason } = whyBack(['95', '96', '97', '98', '99'].map((id) => candidate(id, ELSEWHERE)));
      expect(reason).toContain('and 2 more');
      expect(reason).not.toContain('project 96');
    });

    test('omits details that a project lacks', () => {
      expect(whyBack([candidate('99', { ...ELSEWHERE, city: null, insuredName: null })]).reason).toContain(
        'project 99 (4-Point, 9 Elm Road).',
      );
    });
  });
});
