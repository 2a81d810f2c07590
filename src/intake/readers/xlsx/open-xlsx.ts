import type { FileHandle } from 'node:fs/promises';
import type { SheetRow } from '../../../domain/row.ts';
import { damaged, unreadable } from '../reading.ts';
import type { Reading } from '../reading.ts';
import { eachRow } from '../row-batches.ts';
import type { RowSource, SheetInfo } from '../row-source.ts';
import type { CellContext } from './cell-values.ts';
import { LookAhead } from './look-ahead.ts';
import { refuseOtherPackage } from './other-packages.ts';
import { openPackage } from './package.ts';
import type { Package } from './package.ts';
import { readRelationships } from './relationships.ts';
import type { Relationship } from './relationships.ts';
import { readSharedStrings } from './shared-strings-part.ts';
import { sheetRowBatches } from './sheet-part.ts';
import { readCellFormats } from './styles-part.ts';
import { readWorkbookPart } from './workbook-part.ts';
import type { WorkbookPart } from './workbook-part.ts';

interface Worksheet extends SheetInfo {
  readonly partName: string;
}

/**
 * Opens an Office Open XML workbook (.xlsx, .xlsm). The source closes the handle when it is disposed of.
 * @throws UnreadableFileError when it is damaged, goes beyond a limit, or is another kind of zip.
 */
export async function openXlsx(handle: FileHandle, reading: Reading, notes: readonly string[]): Promise<RowSource> {
  const pack = await openPackage(handle, reading);
  refuseOtherPackage(pack, reading);
  const workbookName = await workbookPartName(pack, reading);
  const workbook = await readWorkbookPart(pack.smallChunks(workbookName), workbookName, reading);
  const relationships = await readRelationships(pack, workbookName, reading);
  const sheets = worksheetsOf(workbook, relationships, pack, reading);
  const context = await readContext(pack, relationships, workbook.date1904, reading);
  const notesOnSheets: (readonly string[])[] = sheets.map(() => []);
  const lookAhead = new LookAhead(pack, reading);
  return {
    sheets: sheets.map(({ name, visible }) => ({ name, visible })),
    get notes() {
      return [...notes, ...notesOnSheets.flat()];
    },
    rows(sheetIndex) {
      const sheet = sheets[sheetIndex];
      if (sheet === undefined) throw new RangeError(`there is no sheet ${sheetIndex}: the file has ${sheets.length}`);
      const { name, partName } = sheet;
      const finished = (found: readonly string[]) => (notesOnSheets[sheetIndex] = found);
      async function* batches(): AsyncGenerator<readonly SheetRow[], void, undefined> {
        const merged = await lookAhead.mergedRanges(partName);
        yield* sheetRowBatches(lookAhead.chunks(partName), { name, partName, context, reading, merged, finished });
      }
      return { [Symbol.asyncIterator]: () => eachRow(batches()) };
    },
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

async function workbookPartName(pack: Package, reading: Reading): Promise<string> {
  const main = (await readRelationships(pack, '', reading)).find(({ type }) => type === 'officeDocument');
  const name = pack.find(main?.partName ?? 'xl/workbook.xml');
  if (name === undefined) throw damaged(reading, 'it holds no workbook');
  return name;
}

/** Chart sheets, dialog sheets and macro sheets hold no rows and are left out; so are hidden sheets that stand for no part, as old workbooks list their modules. */
function worksheetsOf(workbook: WorkbookPart, relationships: readonly Relationship[], pack: Package, reading: Reading): readonly Worksheet[] {
  const byId = new Map(relationships.map((relationship) => [relationship.id, relationship]));
  const worksheets: Worksheet[] = [];
  for (const { name, visible, relationshipId } of workbook.sheets) {
    const relationship = byId.get(relationshipId);
    if (relationship === undefined ? relationshipId === '' && !visible : relationship.type !== 'worksheet') continue;
    const partName = pack.find(relationship?.partName ?? '');
    if (partName === undefined) throw damaged(reading, `its sheet "${name}" is missing`);
    const other = worksheets.find((worksheet) => worksheet.partName === partName);
    if (other !== undefined) throw damaged(reading, `its sheets "${other.name}" and "${name}" are one and the same part`);
    worksheets.push({ name, visible, partName });
  }
  if (worksheets.length === 0) throw unreadable(reading, 'holds no worksheet. Put the rows on a worksheet and drop it again.');
  return worksheets;
}

async function readContext(pack: Package, relationships: readonly Relationship[], date1904: boolean, reading: Reading): Promise<CellContext> {
  const partOf = (wanted: string) => pack.find(relationships.find(({ type }) => type === wanted)?.partName ?? '');
  const stringsName = partOf('sharedStrings');
  const stylesName = partOf('styles');
  return {
    sharedStrings: stringsName === undefined ? undefined : await readSharedStrings(pack.chunks(stringsName), stringsName, reading),
    formats: stylesName === undefined ? [] : await readCellFormats(pack.smallChunks(stylesName), stylesName, reading),
    date1904,
  };
}
