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
