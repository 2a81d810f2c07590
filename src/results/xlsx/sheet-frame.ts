import type { SheetOptions } from '../workbook-writer.ts';
import { columnLetters, XML_HEAD, xmlText } from './xml-text.ts';

/** Characters that stay readable on one printed page across. */
const PAGE_WIDTH = 240;

/** What stands before a sheet's rows: its look on the screen and its columns. */
export function sheetHead({ kind, columns, frozenColumns = 0, tabColour }: SheetOptions, first: boolean): string {
  const foldable = columns.some((column) => column.foldable === true);
  return (
    `${XML_HEAD}<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">` +
    `<sheetPr>${tabColour === undefined ? '' : `<tabColor rgb="FF${tabColour}"/>`}${foldable ? '<outlinePr summaryRight="0"/>' : ''}<pageSetUpPr fitToPage="1"/></sheetPr>` +
    `<sheetViews><sheetView${kind === 'page' ? ' showGridLines="0"' : ''}${first ? ' tabSelected="1"' : ''} workbookViewId="0"${kind === 'table' ? `>${pane(frozenColumns)}</sheetView>` : '/>'}</sheetViews>` +
    `<sheetFormatPr defaultRowHeight="15"${foldable ? ' outlineLevelCol="1"' : ''}/>` +
    `${columns.length === 0 ? '' : `<cols>${columns.map(column).join('')}</cols>`}<sheetData>`
  );
}

function column({ width, foldable }: SheetOptions['columns'][number], index: number): string {
  return `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"${foldable === true ? ' outlineLevel="1"' : ''}/>`;
}

/** The header row stays in sight, and the first columns where there are such. */
function pane(frozenColumns: number): string {
  const corner = `${columnLetters(frozenColumns)}2`;
  if (frozenColumns === 0) return `<pane ySplit="1" topLeftCell="${corner}" activePane="bottomLeft" state="frozen"/><selection pane="bottomLeft" activeCell="${corner}" sqref="${corner}"/>`;
  return (
    `<pane xSplit="${frozenColumns}" ySplit="1" topLeftCell="${corner}" activePane="bottomRight" state="frozen"/>` +
    `<selection pane="topRight"/><selection pane="bottomLeft"/><selection pane="bottomRight" activeCell="${corner}" sqref="${corner}"/>`
  );
}

/** What stands behind a sheet's rows and links: how it is printed. */
export function sheetSetUp({ name, columns }: SheetOptions): string {
  const printed = columns.reduce((sum, { width }) => sum + width, 0);
  return (
    `<pageMargins left="0.4" right="0.4" top="0.5" bottom="0.6" header="0.3" footer="0.3"/>` +
    `<pageSetup orientation="landscape" fitToWidth="${Math.max(1, Math.ceil(printed / PAGE_WIDTH))}" fitToHeight="0"/>` +
    `<headerFooter><oddFooter>&amp;L${xmlText(name.replaceAll('&', '&&'))}&amp;RPage &amp;P of &amp;N</oddFooter></headerFooter>`
  );
}
