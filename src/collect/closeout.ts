import type { ReportReference, ReportSummary } from '../contract/report.ts';

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
  const isCloseout = reasons.size > 0 || reports.some(({ type }) => /close\s?out/i.test(type ?? ''));
  return isCloseout ? [...reasons] : null;
}
