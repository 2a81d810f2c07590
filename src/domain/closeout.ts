import type { ReportReference, ReportSummary } from '../contract/document.ts';
import { isClosedOutStatus } from './project.ts';

type Said = Readonly<{ type?: ReportReference['type']; summary: ReportSummary['summary'] }>;

/**
 * Why an inspection did not take place, in the service's words; empty without a reason, null if it took place. It did
 * not if a report is a closeout (`isCloseout`) or the project's status says so, unless another report describes the
 * house.
 */
export function closeoutReasonsOf(reports: readonly Said[], status: string) {
  const closeouts = reports.filter(isCloseout);
  if (reports.some((report) => !closeouts.includes(report) && hasInspected(report))) return null;
  if (closeouts.length === 0 && !isClosedOutStatus(status)) return null;
  return [...new Set(closeouts.flatMap(reasonsIn))];
}

export function isCloseout(report: Said) {
  return (
    isCloseoutType(report.type) ||
    /^closeout$/i.test(String(riskIn(report)['overallCondition'])) ||
    (reasonsIn(report).length > 0 && !hasInspected(report))
  );
}

export function isCloseoutType(type: string | null | undefined) {
  return /closed?[\s-]?out/i.test(type ?? '');
}

function reasonsIn({ summary }: Said) {
  const said = summary?.['closeoutReasons'];
  return (Array.isArray(said) ? said : []).flatMap((reason: unknown) =>
    typeof reason === 'string' && reason.trim() !== '' ? [reason.trim()] : [],
  );
}

const SECTIONS = ['bldg', 'roof', 'exterior', 'interior', 'community', 'hover', 'addlStructures', 'hazards', 'factors'];
const FROM_AFAR = new Set([
  'overallCondition',
  'inaccessible',
  'hazardScore',
  'areaEconomy',
  'neighborhood',
  'waterBody',
]);

function hasInspected(report: Said) {
  const seen = Object.entries(riskIn(report)).filter(([name]) => !FROM_AFAR.has(name));
  return [...SECTIONS.map((section) => report.summary?.[section]), ...seen.map(([, value]) => value)].some(isAssessed);
}

function isAssessed(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false;
  if (typeof value !== 'object') return true;
  return Object.entries(value).some(([name, held]) => name !== 'comments' && isAssessed(held));
}

function riskIn({ summary }: Said) {
  const held = summary?.['risk'];
  return typeof held === 'object' && held !== null ? (held as Record<string, unknown>) : {};
}
