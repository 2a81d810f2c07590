import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import type { Cell } from '../../src/domain/cells.ts';
import type { Note, SheetRow } from '../../src/domain/row.ts';
import type { ReadLimits } from '../../src/intake/readers/row-source.ts';
import { openSpreadsheet } from '../../src/intake/readers/open-spreadsheet.ts';

/** An entry of a zip made for a test. */
export interface MadeEntry {
  readonly name: string;
  readonly content: string | Uint8Array;
  readonly stored?: boolean;
  /** What the zip claims the content's length to be, where that is a lie. */
  readonly claimedLength?: number;
}

/** The bytes of a zip. */
export function zipBytes(entries: readonly MadeEntry[]): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, stored = false, claimedLength } of entries) {
    const plain = typeof content === 'string' ? Buffer.from(content) : content;
    const packed = stored ? plain : deflateRawSync(plain);
    const nameBytes = Buffer.from(name);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(stored ? 0 : 8, 4);
    fields.writeUInt32LE(crc32(plain), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(claimedLength ?? plain.length, 18);
    fields.writeUInt16LE(nameBytes.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    const body = Buffer.concat([Buffer.from('PK\x03\x04'), fields, nameBytes, packed]);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\0', 'latin1'), fields, place, nameBytes]));
    bodies.push(body);
    offset += body.length;
  }
  const directoryBytes = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(directoryBytes.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...bodies, directoryBytes, Buffer.from('PK\x05\x06'), end]);
}

/** What of a workbook a test cares about; the rest is as small as can be. */
export interface MadeWorkbook {
  /** The XML inside `<sheetData>`. */
  readonly rows?: string;
  /** The whole sheet part, instead of `rows`. */
  readonly sheet?: string;
  /** The XML inside `<sst>`; null: no such part. */
  readonly strings?: string | null;
  /** Number format codes of the styles 1, 2, …; a number is a built-in id. Null: no styles part. */
  readonly formats?: readonly (string | number)[] | null;
  readonly workbookPr?: string;
  /** Parts to add, or to put in the place of others. */
  readonly parts?: Readonly<Record<string, string | Uint8Array>>;
}

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
export const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** A list of relationships: id, last word of the type, target. */
export function relationshipsXml(
  relationships: readonly (readonly [id: string, type: string, target: string])[],
): string {
  const items = relationships.map(
    ([id, type, target]) => `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`,
  );
  return `${DECLARATION}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${items.join('')}</Relationships>`;
}

/** A workbook part with the sheets' XML inside. */
export function workbookXml(sheets: string, workbookPr = ''): string {
  return `${DECLARATION}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}">${workbookPr}<sheets>${sheets}</sheets></workbook>`;
}

export function sheetXml(rows: string): string {
  return `${DECLARATION}<worksheet xmlns="${MAIN}"><sheetData>${rows}</sheetData></worksheet>`;
}

/** The parts of a workbook, by name. */
export function workbookParts(made: MadeWorkbook): Record<string, string | Uint8Array> {
  const { rows = '', strings = '', formats = [], workbookPr = '' } = made;
  const codes = (formats ?? []).flatMap((format, index) =>
    typeof format === 'string'
      ? [
          `<numFmt numFmtId="${164 + index}" formatCode="${format.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"/>`,
        ]
      : [],
  );
  const xfs = (formats ?? []).map(
    (format, index) => `<xf numFmtId="${typeof format === 'string' ? 164 + index : format}"/>`,
  );
  return {
    '[Content_Types].xml': `${DECLARATION}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
    '_rels/.rels': relationshipsXml([['rId1', 'officeDocument', 'xl/workbook.xml']]),
    'xl/workbook.xml': workbookXml('<sheet name="Orders" sheetId="1" r:id="rId1"/>', workbookPr),
    'xl/_rels/workbook.xml.rels': relationshipsXml([
      ['rId1', 'worksheet', 'worksheets/sheet1.xml'],
      ['rId2', 'sharedStrings', 'sharedStrings.xml'],
      ['rId3', 'styles', 'styles.xml'],
    ]),
    'xl/worksheets/sheet1.xml': made.sheet ?? sheetXml(rows),
    ...(strings === null ? {} : { 'xl/sharedStrings.xml': `${DECLARATION}<sst xmlns="${MAIN}">${strings}</sst>` }),
    ...(formats === null
      ? {}
      : {
          'xl/styles.xml': `${DECLARATION}<styleSheet xmlns="${MAIN}"><numFmts>${codes.join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${xfs.join('')}</cellXfs></styleSheet>`,
        }),
    ...made.parts,
  };
}

export function workbookBytes(made: MadeWorkbook): Buffer {
  return zipBytes(Object.entries(workbookParts(made)).map(([name, content]) => ({ name, content })));
}

/** What a file was read as. */
export interface ReadFile {
  readonly sheets: readonly { readonly name: string; readonly visible: boolean }[];
  readonly notes: readonly Note[];
  readonly rows: readonly (readonly SheetRow[])[];
}

/** All that comes. */
export async function listOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** Reads a file with these bytes to its end, and leaves nothing behind. */
export async function readBytes(bytes: Uint8Array, name = 'orders.xlsx', limits?: ReadLimits): Promise<ReadFile> {
  const folder = await mkdtemp(join(tmpdir(), 'readers-'));
  try {
    const path = join(folder, 'snapshot');
    await writeFile(path, bytes);
    await using source = await openSpreadsheet(path, name, limits);
    const rows: SheetRow[][] = [];
    for (let index = 0; index < source.sheets.length; index += 1) rows.push(await listOf(source.rows(index)));
    return { sheets: source.sheets, notes: source.notes, rows };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Reads a made workbook's first sheet. */
export async function readMade(made: MadeWorkbook): Promise<readonly SheetRow[]> {
  return (await readBytes(workbookBytes(made))).rows[0] ?? [];
}

/** The cells of a made workbook's first row that holds anything. */
export async function firstCells(made: MadeWorkbook): Promise<readonly (Cell | undefined)[]> {
  return (await readMade(made))[0]?.cells ?? [];
}
