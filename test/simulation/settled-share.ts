import { NO_FAULTS } from './faults.ts';
import { runSchedule } from './run-schedule.ts';
import { QUARANTINE_MS, scheduleOf, type Night, type Schedule, type SimulatedRow } from './schedule.ts';

export interface SettledShare {
  readonly orders: number;
  /** Orders whose create got no answer that proves anything. */
  readonly inDoubt: number;
  /** Those that two further runs did not settle. */
  readonly left: number;
}

const BATCH = 200;

/** Two of a hundred creates end in a 504, taken or not; then two more runs, under the same faults. */
export async function settledShare(orders: number): Promise<SettledShare> {
  let inDoubt = 0;
  let left = 0;
  for (let batch = 0; batch * BATCH < orders; batch += 1) {
    const { counts, violations } = await runSchedule(scheduleWith(batch), { quietNights: 0 });
    inDoubt += counts.get('came into doubt') ?? 0;
    left += violations.filter((what) => what.startsWith('unsettled')).length;
    const worse = violations.find((what) => !what.startsWith('unsettled'));
    if (worse !== undefined) throw new Error(worse);
  }
  return { orders: Math.ceil(orders / BATCH) * BATCH, inDoubt, left };
}

function scheduleWith(batch: number): Schedule {
  const seed = `settled ${batch}`;
  const base = scheduleOf(seed);
  const night: Night = { afterMs: QUARANTINE_MS + 1000, files: [], crash: null, stopAt: null, foreign: [] };
  const rows = Array.from({ length: BATCH }, (_, index) => row(index));
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
      keylessAreDuplicates: false,
      latencyMsMax: 50,
    },
    rates: { ...NO_FAULTS, creates: ['504 after', '504 before', 'late after 504'], createRate: 0.02 },
    before: [],
    nights: [{ ...night, files: [rows] }, night, night],
  };
}

function row(index: number): SimulatedRow {
  const tag = `tag ${index}`;
  const payload = {
    streetAddress: `${index} Long Lane`,
    city: 'Tampa',
    state: 'FL',
    zipcode: '02139',
    serviceName: '4-Point',
    policyType: 'Homeowners Insurance',
    houseType: 'Other',
    insuredName: `Insured ${index}`,
    insuredPhone: tag,
    insuredEmail: 'a@insured.example',
    ...(index % 3 === 0 ? { inspectionNumber: `I-${index}` } : {}),
    ...(index % 3 === 1 ? { policyNumber: `P-${index}`, policyEffectiveDate: '2026-04-01' } : {}),
  } as const;
  return { tag, payload, allowDuplication: undefined };
}
