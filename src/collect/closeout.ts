import { REPORT_TYPES, type ReportReference, type ReportSummary } from '../contract/document.ts';

/**
 * Why an inspection did not take place, in the service's words (document: `closeoutReasons`, a dynamic list). Null where nothing says that
 * it did not; empty where a report is a closeout by its type and gives no reason.
 */
export function closeoutReasonsOf(reports: readonly Pick<ReportReference, 'type'>[], summaries: readonly Pick<ReportSummary, 'summary'>[]): readonly string[] | null {
  const reasons = new Set<string>();
  for (const { summary } of summaries) {
    const said = summary?.['closeoutReasons'];
    for (const reason of Array.isArray(said) ? said : []) if (typeof reason === 'string' && reason.trim() !== '') reasons.add(reason.trim());
  }
  const isCloseout = reasons.size > 0 || reports.some(({ type }) => isCloseoutType(type));
  return isCloseout ? [...reasons] : null;
}

/** `Inspection Closeout Report`. */
function isCloseoutType(type: string | null | undefined): boolean {
  return /closed?[\s-]?out/i.test(type ?? '');
}

const WITH_SUMMARY: ReadonlySet<string> = new Set(REPORT_TYPES.filter((type) => !isCloseoutType(type)));

/**
 * What it means that the service has no summary of a report (404). The document names no report that has none: only a closeout, known by its
 * type or by its project's status, may be without. A report of a listed type has to have one; whether one of another type, or of none, has one
 * is found out by asking for some nights.
 */
export function withoutSummary(type: string | null | undefined, status: string): 'allowed' | 'doubtful' | 'wrong' {
  if (isCloseoutType(type) || isCloseoutType(status)) return 'allowed';
  return WITH_SUMMARY.has(type?.trim() ?? '') ? 'wrong' : 'doubtful';
}
