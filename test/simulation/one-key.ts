import { SeededRandom } from '../../src/sandbox/seeded-random.ts';
import { NO_FAULTS, type FaultRates } from './faults.ts';
import { QUARANTINE_MS, scheduleOf, type Night, type Schedule, type SimulatedRow } from './schedule.ts';

const PAIRS = 30;
const TRIPLES = 10;
/** Each of these rows asks for a project of its own. */
export const ONE_KEY_ROWS = 2 * PAIRS + 3 * TRIPLES;

/**
 * Pairs and triples of rows that the service can only take for one: the same inspection number, the same policy and date, the same commercial
 * address, or neither number at the same address. The later ones say Yes to a duplicate. They stand side by side, so that they are sent at
 * the same time, or in a later file.
 */
export function oneKeyRows(seed: string): readonly (readonly SimulatedRow[])[] {
  const random = new SeededRandom(seed, 'one key');
  const [tonight, later]: [SimulatedRow[], SimulatedRow[]] = [[], []];
  for (let group = 0; group < PAIRS + TRIPLES; group += 1) {
    const kind = random.pick(['inspection', 'policy', 'commercial', 'none'] as const);
    const members = group < PAIRS ? 2 : 3;
    for (let member = 0; member < members; member += 1) {
      const file = member > 0 && random.chance(0.15) ? later : tonight;
      // A third one never comes before the second.
      (later.some(({ tag }) => tag.startsWith(`tag ${group}.`)) ? later : file).push(rowOf(kind, group, member));
    }
  }
  return [tonight, later];
}

function rowOf(kind: 'inspection' | 'policy' | 'commercial' | 'none', group: number, member: number): SimulatedRow {
  const tag = `tag ${group}.${member}`;
  const keys = {
    inspection: { inspectionNumber: `I-${group}` },
    policy: { policyNumber: `P-${group}`, policyEffectiveDate: '2026-04-01' },
    commercial: { inspectionNumber: `C-${group}-${member}` },
    none: {},
  }[kind];
  const type =
    kind === 'commercial'
      ? ({ policyType: 'Commercial Property Insurance', houseType: 'Restaurant' } as const)
      : ({ policyType: 'Homeowners Insurance', houseType: 'Other' } as const);
  const payload = {
    streetAddress: `${group + 1} Long Lane`,
    city: 'Tampa',
    state: 'FL',
    zipcode: '02139',
    serviceName: '4-Point',
    ...type,
    insuredName: `Insured ${group}`,
    insuredPhone: tag,
    insuredEmail: 'a@insured.example',
    note: `visit ${member}`,
    ...keys,
  } as const;
  return { tag, payload, allowDuplication: member === 0 ? undefined : true };
}

/** Those rows on one night, under jitter, and the nights after it. */
export function oneKeySchedule(seed: string, rates: FaultRates = NO_FAULTS): Schedule {
  const base = scheduleOf(`one key ${seed}`);
  const night: Night = { afterMs: 24 * 3_600_000, files: [], crash: null, stopAt: null, foreign: [] };
  return {
    ...base,
    barrier: 'both',
    rules: { onDuplicate: 'link', whenNoKey: 'mark', renewalAfterDays: 300 },
    maxConcurrency: 8,
    service: {
      ...base.service,
      searchLagMsMax: 10_000,
      latenessMsMax: QUARANTINE_MS - 11_000,
      duplicateLagMs: 0,
      latencyMsMax: 2000,
    },
    rates,
    before: [],
    nights: [{ ...night, files: oneKeyRows(seed) }, night],
  };
}
