import { SeededRandom } from '../../src/sandbox/seeded-random.ts';
import { NO_FAULTS, type FaultRates } from './faults.ts';
import { runSchedule } from './run-schedule.ts';
import { QUARANTINE_MS, scheduleOf, type Night, type Schedule, type SimulatedRow } from './schedule.ts';
import type { CrashPoint } from './session.ts';

/** What came of killing the process at each of these points, and starting it again. */
export interface CrashReport {
  /** Effects of the run that nobody killed. */
  readonly effects: number;
  readonly kills: number;
  readonly failing: readonly { readonly at: string; readonly violations: readonly string[] }[];
}

const WHEN = ['before', 'after'] as const;

/** Schedules whose every effect is a crash point, by what they are about. */
export const GOLDEN: Readonly<Record<string, Schedule>> = {
  'nothing fails': golden({}),
  'several at once': golden({ maxConcurrency: 3 }),
  'every answer is lost': golden({
    rates: { ...NO_FAULTS, creates: ['504 after', 'timeout after', 'reset after'], createRate: 0.8 },
    maxConcurrency: 2,
  }),
  'requests are lost': golden({
    rates: { ...NO_FAULTS, creates: ['lost before', '504 before', '500 before'], createRate: 0.6 },
  }),
  'commits come late, the key is no help': golden({
    rates: { ...NO_FAULTS, creates: ['late after 504', 'late after timeout'], createRate: 0.6 },
    duplicateLagMs: Number.POSITIVE_INFINITY,
  }),
  'others stand in the way': golden({ rivals: true }),
  'slower, and other tokens': golden({ rates: { ...NO_FAULTS, creates: ['429', '401', 'not sent'], createRate: 0.4 } }),
};

/** Kills the process at each effect of the first night, or at every so many, in turn, and lets it finish. */
export async function enumerateCrashes(
  schedule: Schedule,
  whens: readonly CrashPoint['when'][] = WHEN,
  every = 1,
): Promise<CrashReport> {
  const effects = await effectsOf(schedule);
  const failing: { at: string; violations: readonly string[] }[] = [];
  for (const [index, name] of effects.entries()) {
    if (index % every > 0) continue;
    for (const when of whens) {
      const { violations } = await runSchedule(withCrashes(schedule, [{ at: index + 1, when }]));
      if (violations.length > 0) failing.push({ at: `${when} effect ${index + 1}, ${name}`, violations });
    }
  }
  return { effects: effects.length, kills: Math.ceil(effects.length / every) * whens.length, failing };
}

/** Kills it twice: in the first run at one effect, and in the run after it at another; so many pairs, drawn from the seed. */
export async function sampleCrashPairs(schedule: Schedule, pairs: number, seed: string): Promise<CrashReport> {
  const random = new SeededRandom(seed, 'crash pairs');
  const effects = await effectsOf(schedule);
  const failing: { at: string; violations: readonly string[] }[] = [];
  for (let pair = 0; pair < pairs; pair += 1) {
    const crashes = [effects.length, effects.length].map((most): CrashPoint => ({
      at: random.integer(1, most),
      when: random.pick(WHEN),
    }));
    const { violations } = await runSchedule(withCrashes(schedule, crashes));
    if (violations.length > 0)
      failing.push({ at: crashes.map(({ at, when }) => `${when} effect ${at}`).join(' and '), violations });
  }
  return { effects: effects.length, kills: pairs * 2, failing };
}

async function effectsOf(schedule: Schedule): Promise<readonly string[]> {
  const { effects, violations } = await runSchedule(schedule);
  if (violations.length > 0) throw new Error(`the run that nobody kills fails already: ${violations.join('; ')}`);
  return effects[0] ?? [];
}

function withCrashes(schedule: Schedule, crashes: readonly CrashPoint[]): Schedule {
  return {
    ...schedule,
    nights: schedule.nights.map((night, index): Night => ({ ...night, crash: crashes[index] ?? null })),
  };
}

function golden({
  rates = NO_FAULTS,
  maxConcurrency = 1,
  duplicateLagMs = 0,
  rivals = false,
}: {
  rates?: FaultRates;
  maxConcurrency?: number;
  duplicateLagMs?: number;
  rivals?: boolean;
}): Schedule {
  const base = scheduleOf('golden');
  const rows = [
    row(1, { inspectionNumber: 'I-1' }),
    row(2, { policyNumber: 'P-2', policyEffectiveDate: '2026-04-01' }),
    row(3, {}),
    row(4, { inspectionNumber: 'I-4', policyNumber: 'P-4' }),
    row(5, { inspectionNumber: 'I-5' }, true),
  ];
  const night: Night = { afterMs: QUARANTINE_MS / 2, files: [], crash: null, stopAt: null, foreign: [] };
  return {
    ...base,
    seed: 'golden',
    barrier: duplicateLagMs === 0 ? 'both' : 'time',
    rules: { onDuplicate: 'link', whenNoKey: 'mark', renewalAfterDays: 300 },
    maxConcurrency,
    service: {
      ...base.service,
      searchLagMsMax: 10_000,
      latenessMsMax: QUARANTINE_MS - 11_000,
      duplicateLagMs,
      keylessAreDuplicates: false,
      latencyMsMax: 50,
    },
    rates,
    before: rivals
      ? rows.slice(0, 2).map(({ payload }) => ({
          payload: { ...payload, insuredPhone: 'foreign', insuredName: 'Somebody Else' },
          ourAccount: true,
        }))
      : [],
    nights: [{ ...night, files: [rows] }, night, { ...night, afterMs: QUARANTINE_MS + 1000 }],
  };
}

function row(number: number, keys: Partial<SimulatedRow['payload']>, allowDuplication?: boolean): SimulatedRow {
  const tag = `tag ${number}`;
  const payload = {
    streetAddress: `${number} Long Lane`,
    city: 'Tampa',
    state: 'FL',
    zipcode: '02139',
    serviceName: '4-Point',
    policyType: 'Homeowners Insurance',
    houseType: 'Other',
    insuredName: `Insured ${number}`,
    insuredPhone: tag,
    insuredEmail: 'a@insured.example',
    ...keys,
  } as const;
  return { tag, payload, allowDuplication };
}
