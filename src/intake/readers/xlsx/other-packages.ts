import { unreadable } from '../reading.ts';
import type { Reading } from '../reading.ts';
import type { Package } from './package.ts';

/** Zips that are known, and are no workbook that can be read here. */
const OTHER_PACKAGES: readonly { readonly has: (names: readonly string[]) => boolean; readonly sentence: string }[] = [
  {
    has: (names) => names.includes('xl/workbook.bin'),
    sentence: 'is a binary Excel workbook (.xlsb), which is not read here. Open it in Excel and save it as "Excel Workbook (.xlsx)".',
  },
  {
    has: (names) => names.some((name) => name.endsWith('.iwa')) || names.includes('Index.zip'),
    sentence: 'is an Apple Numbers, Pages or Keynote document. Open it in Numbers, choose File > Export To > Excel, and drop the .xlsx.',
  },
  { has: (names) => names.includes('word/document.xml'), sentence: 'is a Word document. Put the rows into a workbook and save it as .xlsx.' },
  { has: (names) => names.includes('ppt/presentation.xml'), sentence: 'is a PowerPoint presentation. Put the rows into a workbook and save it as .xlsx.' },
];

/** @throws UnreadableFileError that says what the zip is, when it is not a workbook. */
export function refuseOtherPackage(pack: Package, reading: Reading): void {
  const other = OTHER_PACKAGES.find(({ has }) => has(pack.partNames));
  if (other !== undefined) throw unreadable(reading, other.sentence);
  if (pack.find('content.xml') !== undefined && pack.find('mimetype') !== undefined) {
    throw unreadable(reading, 'is an OpenDocument file (.ods or .odt), which is not read here. Open it in LibreOffice or Excel and save it as "Excel Workbook (.xlsx)".');
  }
  if (pack.find('[Content_Types].xml') === undefined && pack.find('_rels/.rels') === undefined && pack.find('xl/workbook.xml') === undefined) {
    throw unreadable(reading, 'is a zip archive, not a spreadsheet. Unpack it and drop the spreadsheets that are in it.');
  }
}
