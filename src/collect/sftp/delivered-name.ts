/** A file as its name tells it (document: Events, SFTP). */
export interface DeliveredName {
  /** The name without its ending: report and summary share it. */
  readonly stem: string;
  readonly projectId: string;
  readonly kind: 'report' | 'summary';
}

/**
 * Reads `{POLICY_NUMBER}_{PROJECT_ID}_{INSPECTION_ORDERED_DATE}.pdf` or `.json`, the date as eight digits; the policy number may be empty and
 * may hold underscores. Null for any other name, hidden ones among them.
 */
export function parseDeliveredName(name: string): DeliveredName | null {
  const found = /^((?!\.).*_([1-9]\d{0,18})_\d{8})\.(pdf|json)$/i.exec(name);
  if (found === null) return null;
  const [, stem = '', projectId = '', ending = ''] = found;
  return { stem, projectId, kind: ending.toLowerCase() === 'pdf' ? 'report' : 'summary' };
}
