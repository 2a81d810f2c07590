import { SELF_INSPECTION_SERVICE_NAMES } from '../../contract/document.ts';
import type { Unspecified } from '../unspecified.ts';
import type { AccountTemplate } from '../options.ts';
import { CLOSED_OUT, type Visit } from '../progress.ts';
import type { Project } from '../project-store.ts';
import { SeededRandom } from '../seeded-random.ts';
import { inspectionData } from './inspection-data.ts';

export type Inspection = Readonly<{
  seed: string;
  project: Project;
  closeout: boolean;
  visit: Visit;
  accountTemplate: AccountTemplate;
  unlistedAttributes: Unspecified['unlistedAttributes'];
  laterReport: Unspecified['laterReport'];
  /** The seed: the project's ID, or `sample` for staging's identical projects. */
  key: string;
  house: string;
}>;

export function sampleHouseFor({ seed, house }: Inspection) {
  return new SeededRandom(seed, 'house', house).pick(inspectionData().houses);
}

const SAMPLE_KEY = 'sample';

const SAMPLE_VISIT: Visit = {
  inspectedAt: Date.UTC(2026, 0, 12, 15) / 1000,
  returnedAt: Date.UTC(2026, 0, 13, 15) / 1000,
};

export function asStagingSample(inspection: Inspection): Inspection {
  const { sampleOrder: request } = inspectionData();
  const { policyNumber } = request;
  const project = { ...inspection.project, request, policyNumber, policyEffectiveDate: undefined };
  return { ...inspection, project, visit: SAMPLE_VISIT, key: SAMPLE_KEY, house: SAMPLE_KEY };
}

export function maskSampleId(inspection: Inspection) {
  return inspection.key === SAMPLE_KEY ? { ...inspection, project: { ...inspection.project, id: 0n } } : inspection;
}

export type ReportOffer = Readonly<{
  id: string;
  type: string;
  format: 'pdf' | 'xml' | 'zip';
  compressed: boolean;
  isLater?: true;
}>;

export function reinspectionOf(inspection: Inspection): Inspection {
  const { key, visit } = inspection;
  return { ...inspection, key: `${key} later`, visit: { ...visit, inspectedAt: visit.returnedAt } };
}

export type ImageOffer = Readonly<ReturnType<typeof inventImages>[number]>;

/** After `Client Received` lists are empty and files answer 404. */
const OFFERING = new Set(['Returned to Client', CLOSED_OUT, 'Receive Error']);

export function offersDeliverables(status: string, afterReceived: 'gone' | 'kept') {
  return OFFERING.has(status) || (afterReceived === 'kept' && status === 'Client Received');
}

export function reportsOf(inspection: Inspection): ReportOffer[] {
  const { id, request } = inspection.project;
  const first = { id: `R${id}-1`, format: 'pdf' } as const;
  if (inspection.closeout) return [{ ...first, type: 'Inspection Closeout Report', compressed: false }];
  const roofOnly = { type: 'Roof-only Underwriting Report', format: 'pdf', compressed: false } as const;
  const second = inspectionData().secondReports[request.serviceName];
  const reports: ReportOffer[] = [
    request.serviceName === 'Roof Only'
      ? { ...first, ...roofOnly }
      : { ...first, type: 'Full-scope Underwriting Report', compressed: true },
    ...(second === undefined ? [] : [{ id: `R${id}-2`, ...second }]),
  ];
  const hasLater = inspection.laterReport === 'present' && inspection.key !== SAMPLE_KEY;
  return hasLater ? [...reports, { id: `R${id}-${reports.length + 1}`, ...roofOnly, isLater: true }] : reports;
}

/** A renewal has all four sides, and these again as before. */
export function inventImages(inspection: Inspection) {
  const random = new SeededRandom(inspection.seed, 'images', inspection.key);
  const { id, request } = inspection.project;
  const inside = request.serviceName.includes('4-Point') || request.serviceName.includes('4-point');
  const { views } = inspectionData();
  const [front, ...others] = inside ? views : views.filter(({ type }) => type !== 'Interior' && type !== 'Electric');
  const count = inspection.closeout ? random.integer(0, 1) : random.integer(3, 7);
  const source = SELF_INSPECTION_SERVICE_NAMES.includes(request.serviceName) ? 'Selfapp' : 'Pilot';
  const sides =
    request.isRenewal === true && !inspection.closeout ? views.filter(({ type }) => type === 'Elevation') : [];
  return [...new Set([front, ...sides, ...random.sample(others, count)]), ...sides]
    .filter((view) => view !== undefined)
    .map((view, index) => ({ id: `I${id}-${index + 1}`, source, view, inline: random.chance(0.5) }));
}

export function imageReferenceOf(
  { id, source, view: { type, direction } }: ImageOffer,
  imageValues: Unspecified['imageValues'],
) {
  const shown = { words: (word: string) => word, codes: (word: string) => word.toUpperCase(), empty: () => '' }[
    imageValues
  ];
  return { id, source: shown(source), type: shown(type), direction: shown(direction) };
}

export function projectOfFileId(kind: 'R' | 'I', id: string) {
  const match = /^([RI])(\d{1,19})-\d{1,3}$/.exec(id);
  return match?.[1] === kind && match[2] !== undefined ? BigInt(match[2]) : undefined;
}
