/** The status of a project that no sweep has seen yet: the document does not name an initial one. */
export const STATUS_NOT_SEEN = 'not yet known';

/** Whether a status says that the inspection was closed out. The document names `closed out` in passing only, so its spelling is not certain. */
export function isClosedOut(status: string): boolean {
  return /\bclosed[\s_-]?out\b|^close[\s_-]?out$/i.test(status);
}

/** The problem of a project that the service answered 404 for. It goes as soon as a status is seen again. */
export const PROJECT_NOT_KNOWN = 'The service does not know this project (404).';

const COMPLETE_BUT = 'Complete, but for what the service lists and does not have: ';

/** The note of a project whose files are here except for these, which were asked for long enough. It holds nothing up. */
export function completeBut(lacking: readonly string[]): string {
  return `${COMPLETE_BUT}${lacking.join(' ')}`;
}

/** Whether a project's problem is only such a note. */
export function isCompleteBut(problem: string | null): boolean {
  return problem?.startsWith(COMPLETE_BUT) === true;
}

/** Whether none of a project's files is outstanding: it has no problem, or only such a note. */
export function holdsNothingUp(problem: string | null): boolean {
  return problem === null || isCompleteBut(problem);
}

/** A column that a results workbook had once: it keeps its place in every later one. */
export interface ResultColumn {
  /** The list whose sheet it stands on, such as `summary.interior.appliances[].recallData`; empty for the sheet Results. */
  readonly list: string;
  /** The attribute's path in the report, in a list's sheet relative to the item. */
  readonly path: string;
  /** The attribute that the catalogue knows, where `path` stands below it by a key; else null. */
  readonly keyedBy: string | null;
  readonly title: string;
  readonly group: string;
  /** The name of the sheet it stands on. */
  readonly sheet: string;
}

/** What an underwriter wrote beside a house on the sheet Attention. What was left empty is empty. */
export interface Decision {
  readonly decision: string;
  readonly by: string;
  readonly notes: string;
}
