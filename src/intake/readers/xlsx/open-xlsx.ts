import type { FileHandle } from 'node:fs/promises';
import { posix } from 'node:path';
import type { Note } from '../../../domain/row.ts';
import { damagedFile, eachRow, type RowSource, type SheetInfo, unreadable } from '../row-source.ts';
import { percentDecoded, readCellFormats } from './cell-values.ts';
import { readComments } from './comments.ts';
import { type MergedRange, readMergedRanges } from './merged-ranges.ts';
import type { Package } from './package.ts';
import { readSharedStrings } from './shared-strings.ts';
import { sheetRowBatches } from './sheet-part.ts';
import { isXmlTrue, relationshipIdOf } from './xml-events.ts';
import { readXmlPart } from './xml-part.ts';

interface ListedSheet extends SheetInfo {
  readonly relationshipId: string;
}

/** The source closes the handle. */
export async function openXlsx(handle: FileHandle, pack: Package, notes: readonly Note[]): Promise<RowSource> {
  const { reading } = pack;
  const workbookName = await workbookPartName(pack);
  const workbook = await readWorkbookPart(pack, workbookName);
  const relationships = await readRelationships(pack, workbookName);
  const sheets = worksheetsOf(workbook.sheets, relationships, pack);
  const context = await readContext(pack, relationships, workbook.date1904);
  const mergedRanges = new Map<string, readonly MergedRange[]>();
  return {
    sheets: sheets.map(({ name, visible }) => ({ name, visible })),
    notes,
    rows(sheetIndex) {
      const sheet = sheets[sheetIndex];
      if (sheet === undefined) throw new RangeError(`there is no sheet ${sheetIndex}: the file has ${sheets.length}`);
      const { name, partName } = sheet;
      async function* batches() {
        const merged = mergedRanges.get(partName) ?? (await readMergedRanges(pack, partName));
        mergedRanges.set(partName, merged);
        yield* sheetRowBatches(pack.chunks(partName), { name, partName, context, reading, merged });
      }
      return { [Symbol.asyncIterator]: () => eachRow(batches()) };
    },
    async comments(sheetIndex) {
      const linked = await readRelationships(pack, sheets[sheetIndex]?.partName ?? '');
      const partName = pack.find(linked.find(({ type }) => type === 'comments')?.partName ?? '');
      return partName === undefined ? [] : readComments(pack, partName);
    },
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

async function workbookPartName(pack: Package) {
  const main = (await readRelationships(pack, '')).find(({ type }) => type === 'officeDocument');
  const name = pack.find(main?.partName ?? 'xl/workbook.xml');
  if (name === undefined) throw damagedFile(pack.reading, 'no-workbook');
  return name;
}

/** Leaves out chart, dialog and macro sheets, and hidden sheets without a part (modules of old workbooks). */
function worksheetsOf(listed: readonly ListedSheet[], relationships: readonly Relationship[], pack: Package) {
  const { reading } = pack;
  const byId = new Map(relationships.map((relationship) => [relationship.id, relationship]));
  const worksheets = [];
  for (const { name, visible, relationshipId } of listed) {
    const relationship = byId.get(relationshipId);
    if (relationship === undefined ? relationshipId === '' && !visible : relationship.type !== 'worksheet') continue;
    const partName = pack.find(relationship?.partName ?? '');
    if (partName === undefined) throw damagedFile(reading, 'sheet-missing', { name });
    const other = worksheets.find((worksheet) => worksheet.partName === partName);
    if (other !== undefined) throw damagedFile(reading, 'sheets-share-part', { name: other.name, name2: name });
    worksheets.push({ name, visible, partName });
  }
  if (worksheets.length === 0) throw unreadable(reading, 'no-worksheet');
  return worksheets;
}

async function readContext(pack: Package, relationships: readonly Relationship[], date1904: boolean) {
  const partOf = (wanted: string) => pack.find(relationships.find(({ type }) => type === wanted)?.partName ?? '');
  const stringsName = partOf('sharedStrings');
  const stylesName = partOf('styles');
  const formats = stylesName === undefined ? [] : await readCellFormats(pack, stylesName);
  const anyStruck = formats.some(({ struck }) => struck);
  return {
    sharedStrings:
      stringsName === undefined
        ? undefined
        : await readSharedStrings(pack.chunks(stringsName), stringsName, pack.reading, anyStruck),
    formats,
    date1904,
  };
}

async function readWorkbookPart(pack: Package, partName: string) {
  const sheets: ListedSheet[] = [];
  let date1904 = false;
  let list = '';
  await readXmlPart(pack, partName, (name, attributes, depth) => {
    if (depth === 1) list = name;
    if (depth === 1 && name === 'workbookPr') date1904 = isXmlTrue(attributes['date1904']);
    if (depth !== 2 || list !== 'sheets' || name !== 'sheet') return;
    const relationshipId = relationshipIdOf(attributes) ?? '';
    const visible = !/^(hidden|veryHidden)$/.test(attributes['state'] ?? '');
    sheets.push({ name: attributes['name'] ?? `Sheet${sheets.length + 1}`, visible, relationshipId });
  });
  return { sheets, date1904 };
}

type Relationship = Readonly<{
  id: string;
  /** The last word of the type's address, such as `worksheet`; it is the same in the strict format. */
  type: string;
  partName: string;
}>;

/** `''`: the package's links. Empty if the part has no list. */
async function readRelationships(pack: Package, sourcePart: string) {
  const folder = folderOf(sourcePart);
  const found: Relationship[] = [];
  const listName = pack.find(`${folder}_rels/${sourcePart.slice(folder.length)}.rels`);
  if (listName === undefined) return found;
  await readXmlPart(pack, listName, (name, { Id: id, Type: type, Target: target, TargetMode: mode }, depth) => {
    if (name !== 'Relationship' || depth !== 1 || mode === 'External') return;
    if (id === undefined || type === undefined || target === undefined) return;
    found.push({ id, type: type.slice(type.lastIndexOf('/') + 1), partName: partNameFor(pack, folder, target) });
  });
  return found;
}

function folderOf(partName: string) {
  return partName.slice(0, partName.lastIndexOf('/') + 1);
}

/** Absolute or relative to the source's folder; perhaps percent-encoded. */
function partNameFor(pack: Package, folder: string, target: string) {
  const path = target.replaceAll('\\', '/');
  const plain = posix.join('/', path.startsWith('/') ? '' : folder, path).slice(1);
  return pack.find(plain) ?? pack.find(percentDecoded(plain)) ?? plain;
}
