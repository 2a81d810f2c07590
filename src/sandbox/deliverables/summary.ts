import { attributeAt, type SummaryAttribute, SUMMARY_CATALOG } from '../../contract/summary-attributes.ts';
import type { Unspecified } from '../unspecified.ts';
import { isRecord } from '../../contract/json.ts';
import { SeededRandom } from '../seeded-random.ts';
import { type ImageOffer, type Inspection, reinspectionOf, type ReportOffer } from './inspection.ts';
import { inspectionData } from './inspection-data.ts';
import { inventAttributeValue, knownValues, inspectedHouseOf, zipNumberOf } from './inspected-house.ts';
import { setByPath, valueOf } from './summary-values.ts';

type Values = Record<'project' | 'summary', Record<string, unknown>>;

export type GeneratedSummary = Readonly<Record<'id' | 'type', string> & Values>;

const UNLISTED_SHARE = 0.1;

export function summaryOf(
  first: Inspection,
  report: Pick<ReportOffer, 'id' | 'type' | 'isLater'>,
  images: readonly ImageOffer[],
): GeneratedSummary {
  const inspection = report.isLater ? reinspectionOf(first) : first;
  const holds = templateOf(inspection, report.type);
  const house = inspectedHouseOf(inspection, (path) => holds({ path }));
  const random = new SeededRandom(inspection.seed, 'summary', inspection.key, report.type);
  const source = { inspection, house, images };
  const given = knownValues(source);
  const root: Values = { project: {}, summary: {} };
  for (const attribute of SUMMARY_CATALOG) {
    if (!holds(attribute)) continue;
    const isAnew = report.isLater && attribute.path.startsWith('summary.roof.');
    const drawing = { random: drawsOf(inspection, attribute.path, isAnew), grade: house.grade };
    setByPath(
      root,
      attribute.path,
      valueOf(attribute, { ...drawing, given: (path) => inventAttributeValue(path, source, given, drawing) }),
    );
  }
  if (inspection.closeout) root.summary.closeoutReasons = [random.pick(CLOSEOUT_REASONS)];
  const unlisted =
    inspection.unlistedAttributes === 'present' ? inspectionData().unlisted.filter(([path]) => holds({ path })) : [];
  if (unlisted.length > 0 && random.chance(UNLISTED_SHARE)) setByPath(root, ...random.pick(unlisted));
  return { id: report.id, type: report.type, ...root };
}

const SEEN_ANEW_SHARE = 0.02;

function drawsOf({ seed, key, house }: Inspection, path: string, always = false) {
  const isAnew = always || new SeededRandom(seed, 'anew', key, path).chance(SEEN_ANEW_SHARE);
  return new SeededRandom(seed, 'summary', isAnew ? key : house, path);
}

const CLOSEOUT_REASONS = attributeAt('summary.closeoutReasons')?.values ?? [];

const LEFT_OUT_SHARE = 0.03;

/**
 * Document: "only fields in the customized template appear": by service and type, minus those that the account (the
 * seed) omits.
 */
function templateOf(inspection: Inspection, reportType: string) {
  const sections = new Set(sectionsOf(inspection, reportType));
  return ({ path }: Pick<SummaryAttribute, 'path'>) => {
    const [root, section = ''] = path.split('.');
    if (root === 'project')
      return path !== 'project.address.zipcode' || zipNumberOf(inspection.project.request) !== undefined;
    if (inspection.closeout) return inspectionData().closeout.includes(path);
    switch (inspection.accountTemplate) {
      case 'full':
        return path !== 'summary.closeoutReasons';
      case 'slim':
        return sections.has(section) && inspectionData().slim.includes(path);
      case 'standard':
        return sections.has(section) && (path.endsWith('.overallCondition') || !isLeftOut(inspection.seed, path));
    }
  };
}

function sectionsOf({ project }: Inspection, reportType: string) {
  const { serviceName, houseType, policyType, isRenewal } = project.request;
  const { sections } = inspectionData();
  const isShared = policyType === 'Commercial Property Insurance' || /Condo|Townhouse|Multi Family/.test(houseType);
  return (sections[reportType] ?? sections[serviceName] ?? []).filter(
    (section) => (section !== 'history' || isRenewal === true) && (section !== 'community' || isShared),
  );
}

const leftOut = new Map<string, boolean>();

function isLeftOut(seed: string, path: string) {
  const key = `${seed}\u0000${path}`;
  const answer = leftOut.get(key) ?? new SeededRandom(seed, 'template', path).chance(LEFT_OUT_SHARE);
  leftOut.set(key, answer);
  return answer;
}

export function applySummaryOptions(
  made: GeneratedSummary,
  { factorNames, attachedStructures }: Unspecified,
): GeneratedSummary {
  const summary = { ...made.summary };
  if (factorNames === 'words')
    mapItems(summary, 'factors', (factor) =>
      'name' in factor ? { ...factor, name: readableName(String(factor.name)) } : factor,
    );
  if (attachedStructures === 'more' && isRecord(summary.hover)) {
    summary.hover = { ...summary.hover };
    mapItems(summary.hover, 'hoverTla', (item) =>
      isRecord(item.attachedStructures)
        ? { ...item, attachedStructures: { ...item.attachedStructures, attachedPorches: { count: 1, totalArea: 120 } } }
        : item,
    );
  }
  return { ...made, summary };
}

function mapItems(holder: unknown, name: string, change: (item: Record<string, unknown>) => unknown) {
  if (!isRecord(holder)) return;
  const items = holder[name];
  if (Array.isArray(items)) holder[name] = items.map((item: unknown) => (isRecord(item) ? change(item) : item));
}

function readableName(code: string) {
  const words = code.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
