import { SUMMARY_CATALOGUE } from '../../contract/summary-catalogue.ts';
import { SeededRandom } from '../seeded-random.ts';
import { houseFactsOf } from './findings.ts';
import type { Inspection } from './inspection.ts';
import type { ImageOffer, ReportOffer } from './offer.ts';
import { givenValue } from './summary-facts.ts';
import { templateOf } from './summary-template.ts';
import { place, valueOf } from './summary-values.ts';

/** One entry of the summary endpoint's `report` (document: Report summary). */
export interface Summary {
  readonly id: string;
  readonly type: string;
  readonly project: Record<string, unknown>;
  readonly summary: Record<string, unknown>;
}

/** How often a summary holds an attribute that the document does not list. */
const UNKNOWN_ATTRIBUTE_SHARE = 0.1;

const UNKNOWN_ATTRIBUTES: readonly (readonly [string, unknown])[] = [
  ['summary.risk.wildfireBufferFeet', 30],
  ['summary.exterior.hasRainBarrel', true],
  ['summary.roof.droneNotes', ['Taken from 60 ft.']],
  ['summary.sustainability', { solarReady: true }],
];

/** A summary over every attribute that the template holds: a pure function of the seed and the project. */
export function summaryOf(inspection: Inspection, report: Pick<ReportOffer, 'id' | 'type'>, images: readonly ImageOffer[]): Summary {
  const holds = templateOf(inspection, report.type);
  const facts = houseFactsOf(inspection, (path) => holds({ path }));
  const random = new SeededRandom(inspection.seed, 'summary', inspection.key, report.type);
  const source = { inspection, facts, images, random };
  const drawing = { random, grade: facts.grade };
  const root: { project: Record<string, unknown>; summary: Record<string, unknown> } = { project: {}, summary: {} };
  for (const attribute of SUMMARY_CATALOGUE) {
    if (!holds(attribute)) continue;
    place(root, attribute.path, valueOf(attribute, { ...drawing, given: (path) => givenValue(path, source, drawing) }));
  }
  if (inspection.closeout) root.summary.closeoutReasons = [random.pick(CLOSEOUT_REASONS)];
  if (!inspection.closeout && random.chance(UNKNOWN_ATTRIBUTE_SHARE)) place(root, ...random.pick(UNKNOWN_ATTRIBUTES));
  return { id: report.id, type: report.type, ...root };
}

const CLOSEOUT_REASONS = SUMMARY_CATALOGUE.find(({ path }) => path === 'summary.closeoutReasons')?.values ?? [];
