import { SELF_INSPECTION_SERVICE_NAMES } from '../contract/document.ts';
import { SeededRandom } from './seeded-random.ts';

export type ProgressPlan = ReturnType<typeof progressPlan>;

export type ProgressRules = Readonly<{
  seed: string;
  environment: 'staging' | 'production';
  /** False: only staging's two prefixes progress, since the document says so. */
  autoProgress: boolean;
  /** From creation to the last status, for the fastest and the slowest project; sandbox time. */
  progressHours: Readonly<{ min: number; max: number }>;
  canceledShare: number;
  initialStatus: string;
}>;

const HOUR_MS = 3_600_000;

const STAGING_SECONDS = { min: 20, max: 290 } as const;

export const CLOSED_OUT = 'closed out';
const FIRST_STATUS = 'Project Created';

const CLOSEOUT_SHARE = 0.04;
const REWORK_SHARE = 0.12;

export function progressPlan(
  rules: ProgressRules,
  subject: Readonly<{
    id: bigint;
    serviceName: string;
    inspectionNumber: string | undefined;
  }>,
) {
  const random = new SeededRandom(rules.seed, 'progress', subject.id);
  const staged =
    rules.environment === 'staging'
      ? stagingPlan(random, subject.inspectionNumber ?? '', rules.initialStatus)
      : undefined;
  if (staged !== undefined) return staged;

  const fate = random.next();
  const closeout = fate < CLOSEOUT_SHARE;
  const canceled = !closeout && fate < CLOSEOUT_SHARE + rules.canceledShare;
  if (!rules.autoProgress) return { moves: [{ afterMs: 0, status: rules.initialStatus }], closeout, sample: false };

  const usual = statusesOf(random, subject.serviceName, closeout, canceled);
  const statuses = [rules.initialStatus, ...usual.slice(Math.max(0, usual.indexOf(rules.initialStatus)) + 1)];
  const { min, max } = rules.progressHours;
  const totalMs = min * (max / min) ** random.next() * HOUR_MS;
  const weights = statuses.map((_, index) => (index === 0 ? 0 : 0.2 + random.next()));
  const weightSum = weights.reduce((sum, weight) => sum + weight, 0);
  let passed = 0;
  const moves = statuses.map((status, index) => {
    passed += weights[index] ?? 0;
    return { afterMs: weightSum === 0 ? 0 : Math.round((passed / weightSum) * totalMs), status };
  });
  return { moves, closeout, sample: false };
}

function stagingPlan(random: SeededRandom, inspectionNumber: string, initialStatus: string) {
  const closeout = inspectionNumber.startsWith('closeout_report');
  if (!closeout && !inspectionNumber.startsWith('report_provided')) return undefined;
  const afterMs = random.integer(STAGING_SECONDS.min, STAGING_SECONDS.max) * 1000;
  return {
    moves: [
      { afterMs: 0, status: initialStatus },
      { afterMs, status: closeout ? CLOSED_OUT : 'Returned to Client' },
    ],
    closeout,
    sample: !closeout,
  };
}

function statusesOf(random: SeededRandom, serviceName: string, closeout: boolean, canceled: boolean) {
  const self = SELF_INSPECTION_SERVICE_NAMES.includes(serviceName);
  const before = self ? ['Customer Contacted'] : ['Customer Contacted', 'Pending Acceptance', 'Assigned to Pilot'];
  const visit = self ? ['Selfapp Uploaded'] : ['Site Inspected', 'Image Uploaded'];
  if (canceled) return [FIRST_STATUS, ...before.slice(0, random.integer(0, before.length)), 'Project Canceled'];
  if (closeout) return [FIRST_STATUS, ...before.slice(0, random.integer(1, before.length)), 'Returned to Client'];
  const rework = random.chance(REWORK_SHARE) ? ['Project Rework', ...visit] : [];
  return [FIRST_STATUS, ...before, ...visit, ...rework, 'Returned to Client'];
}

/** Epoch seconds. */
export type Visit = ReturnType<typeof visitOf>;

const VISITS = new Set(['Site Inspected', 'Selfapp Uploaded']);
const RETURNS = new Set(['Returned to Client', CLOSED_OUT]);

/** The last one in the statuses, else a drawn one. Later statuses do not change it. */
export function visitOf({ moves }: ProgressPlan, { id, createdAt, statusesSet }: ProjectCourse, seed: string) {
  const setAt = statusesSet[0]?.at ?? Infinity;
  const planned = moves
    .map(({ afterMs, status }) => ({ at: createdAt + afterMs, status }))
    .filter(({ at }) => at <= setAt);
  const statuses = [...planned, ...statusesSet];
  const returned = statuses.find(({ status }) => RETURNS.has(status))?.at ?? statuses.at(-1)?.at ?? createdAt;
  const seen = statuses.findLast(({ at, status }) => at <= returned && VISITS.has(status))?.at;
  const inspected =
    seen ?? createdAt + (returned - createdAt) * (0.3 + 0.6 * new SeededRandom(seed, 'visit', id).next());
  const returnedAt = Math.floor(returned / 1000);
  return {
    inspectedAt: Math.min(returnedAt, Math.max(Math.floor(inspected / 1000), Math.ceil(createdAt / 1000))),
    returnedAt,
  };
}

type ProjectCourse = Readonly<{
  id: bigint;
  createdAt: number;
  statusesSet: readonly Readonly<{ status: string; at: number }>[];
}>;
