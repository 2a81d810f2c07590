import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PROJECT_STATUSES, SERVICE_NAMES } from '../../../src/contract/document.ts';
import { type Project, ProjectStore } from '../../../src/sandbox/project-store.ts';
import { inProof } from '../../support/proof-size.ts';

const DAY_MS = 86_400_000;
const key = fc.constantFrom(undefined, '', 'A', 'B', 'C');
const status = fc.constantFrom(...PROJECT_STATUSES, 'closed out', 'Novel');
const action = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('create'), policyNumber: key, inspectionNumber: key }) },
  fc.record({ kind: fc.constant('status'), place: fc.nat(40), status }),
  fc.record({ kind: fc.constant('bundle'), place: fc.nat(40), bundled: fc.boolean() }),
  fc.record({ kind: fc.constant('update'), place: fc.nat(40), policyNumber: key }),
  fc.record({ kind: fc.constant('wait'), days: fc.constantFrom(0, 0.1, 1, 5) }),
);
type Action = Readonly<Partial<Record<'policyNumber' | 'inspectionNumber' | 'status', string>>> & {
  readonly kind: string;
  readonly place?: number;
  readonly bundled?: boolean;
  readonly days?: number;
};
const actions = fc.array(action, { maxLength: 80 }) as fc.Arbitrary<Action[]>;

const request = (index: number, { policyNumber, inspectionNumber }: Action) => ({
  streetAddress: `${index} Oak Street`,
  city: 'Cambridge',
  state: 'MA',
  zipcode: '02139',
  serviceName: SERVICE_NAMES[index % 2] ?? '4-Point',
  policyType: 'Homeowners Insurance' as const,
  houseType: 'Other',
  insuredName: 'Ann Lee',
  insuredPhone: '555-0100',
  insuredEmail: 'ann@insured.example',
  policyNumber,
  inspectionNumber,
});

/** A store after some actions, with a clock that only they move. */
function storeAfter(done: readonly Action[]): { readonly store: ProjectStore; readonly now: number } {
  let now = Date.UTC(2026, 0, 1);
  const rules = {
    seed: '1',
    environment: 'production',
    autoProgress: true,
    progressHours: { min: 4, max: 96 },
    canceledShare: 0.2,
    initialStatus: 'Project Created',
  } as const;
  const store = new ProjectStore({ rules, firstId: 7n, clock: { now: () => now } });
  for (const each of done) {
    const project = store.find(BigInt(7 + (each.place ?? 0)));
    if (each.kind === 'create') store.create(request(store.size, each), 'us');
    else if (each.kind === 'wait') now += (each.days ?? 0) * DAY_MS;
    else if (project === undefined) continue;
    else if (each.kind === 'status') store.setStatus(project, each.status ?? '', 'control');
    else if (each.kind === 'bundle') store.setBundled(project, each.bundled ?? false);
    else store.update(project, { policyNumber: each.policyNumber }, 'us');
  }
  return { store, now };
}

const ids = (projects: readonly Project[]): bigint[] => projects.map(({ id }) => id);
const matches = (wanted: string | undefined, held: string | undefined): boolean =>
  wanted === undefined || wanted === held;

describe('ProjectStore.search', () => {
  test.each(['Waiting for Weather', 'Project Canceled'])('finds the set status %s days later', (status) => {
    const actions = [{ kind: 'create' }, { kind: 'status', place: 0, status }, { kind: 'wait', days: 5 }];
    const { store } = storeAfter(actions);
    const query = { startId: 0n, limit: 10, includeBundles: true };
    expect(store.search({ ...query, status: 'Returned to Client' })).toEqual([]);
    expect(ids(store.search({ ...query, status }))).toEqual([7n]);
  });

  test('finds what a look at every project finds', () => {
    const query = fc.record({
      status: fc.option(status, { nil: undefined }),
      policyNumber: fc.constantFrom(undefined, undefined, 'A', 'B'),
      inspectionNumber: fc.constantFrom(undefined, undefined, 'A', 'B'),
      serviceName: fc.constantFrom(undefined, ...SERVICE_NAMES.slice(0, 3)),
      createdFrom: fc.option(
        fc.nat(10).map((days) => Date.UTC(2026, 0, 1) + days * DAY_MS),
        { nil: undefined },
      ),
      createdBefore: fc.option(
        fc.nat(10).map((days) => Date.UTC(2026, 0, 1) + days * DAY_MS),
        { nil: undefined },
      ),
      startId: fc.nat(60).map(BigInt),
      limit: fc.nat(12),
      includeBundles: fc.boolean(),
    });
    fc.assert(
      fc.property(actions, query, (done, wanted) => {
        const { store } = storeAfter(done);
        const expected = store
          .all()
          .filter(
            (project) =>
              project.id >= wanted.startId &&
              matches(wanted.status, store.statusOf(project)) &&
              matches(wanted.policyNumber, project.policyNumber) &&
              matches(wanted.inspectionNumber, project.request.inspectionNumber) &&
              matches(wanted.serviceName, project.request.serviceName) &&
              project.createdAt >= (wanted.createdFrom ?? 0) &&
              project.createdAt < (wanted.createdBefore ?? Number.POSITIVE_INFINITY) &&
              (wanted.includeBundles || !project.bundled),
          );
        expect(ids(store.search(wanted))).toEqual(ids(expected).slice(0, wanted.limit));
      }),
      { numRuns: inProof({ share: 100, whole: 300 }) },
    );
  });
});

describe('ProjectStore.duplicateOf', () => {
  test('finds the newest project of 30 days', () => {
    fc.assert(
      fc.property(actions, key, key, fc.nat(3), (done, policyNumber, inspectionNumber, daysAgo) => {
        const { store, now } = storeAfter(done);
        const until = now - daysAgo * DAY_MS;
        const expected = store
          .all()
          .findLast(
            (project) =>
              project.createdAt >= now - 30 * DAY_MS &&
              project.createdAt <= until &&
              (inspectionNumber
                ? project.request.inspectionNumber === inspectionNumber
                : Boolean(policyNumber) && project.policyNumber === policyNumber),
          );
        const found = store.duplicateOf(
          request(99, { kind: '', policyNumber, inspectionNumber } as Action),
          'us',
          until,
        );
        expect(found?.project.id).toBe(expected?.id);
      }),
      { numRuns: inProof({ share: 100, whole: 300 }) },
    );
  });
});

describe('ProjectStore.statusOf', () => {
  test('keeps a status that was set', () => {
    fc.assert(
      fc.property(actions, (done) => {
        const { store } = storeAfter(done);
        const set = store.all().filter(({ statusesSet }) => statusesSet.length > 0);
        expect(set.map((project) => store.statusOf(project))).toEqual(
          set.map(({ statusesSet }) => statusesSet.at(-1)?.status),
        );
      }),
      { numRuns: 50 },
    );
  });
});
