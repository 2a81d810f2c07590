import { type FileHandle, open } from 'node:fs/promises';
import { note, type Note } from '../../domain/row.ts';
import { openCsv } from './csv/open-csv.ts';
import { openConverted, SAVE_AS_XLSX, HAS_PASSWORD } from './open-converted.ts';
import {
  fileBytes,
  limitsFor,
  type Reading,
  type ReadLimits,
  type RowSource,
  tooMuch,
  unreadable,
} from './row-source.ts';
import { openXlsx } from './xlsx/open-xlsx.ts';
import { openPackage, type Package } from './xlsx/package.ts';

/**
 * Opens a spreadsheet by its content, not its name; dispose of the source to close it. Damage may show only while
 * rows are read: the iteration then throws the same error. `displayName` begins every message and names the sheet
 * of a CSV. Throws UnreadableFileError with a sentence for the sender.
 */
export async function openSpreadsheet(path: string, displayName: string, limits?: ReadLimits): Promise<RowSource> {
  const handle = await open(path, 'r');
  try {
    return await openHandle(handle, { fileName: displayName, limits: limits ?? limitsFor((await handle.stat()).size) });
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function openHandle(handle: FileHandle, reading: Reading): Promise<RowSource> {
  const kind = fileKind(await firstBytes(handle));
  switch (kind.kind) {
    case 'empty':
      throw unreadable(reading, 'empty', 'is empty. Fill it in and drop it again.');
    case 'other':
      throw unreadable(reading, 'not-a-spreadsheet', kind.sentence);
    case 'compound': {
      const held = await streamOf(fileBytes(handle));
      if (held?.title === undefined)
        throw unreadable(reading, held?.code ?? 'not-a-spreadsheet', held?.sentence ?? OLD_OFFICE_FILE);
      return openConverted(handle, reading, held.title);
    }
    case 'converted':
      return openConverted(handle, reading, kind.title);
    case 'zip': {
      const pack = await openPackage(handle, reading);
      const title = convertedTitle(pack, reading);
      if (title !== undefined) return openConverted(handle, reading, title);
      const notes = notesOnName(reading, /\.(xlsx|xlsm|xltx|xltm)$/i, 'an Excel workbook (.xlsx)');
      return openXlsx(handle, pack, reading, notes);
    }
    case 'text':
      return openCsv(handle, reading, notesOnName(reading, /\.(csv|tsv|tab|txt|dat)$/i, 'a text file (.csv)'));
  }
}

async function firstBytes(handle: FileHandle): Promise<Uint8Array> {
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(KIND_BYTES), 0, KIND_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}

function notesOnName({ fileName }: Reading, usualEnd: RegExp, title: string): readonly Note[] {
  if (usualEnd.test(fileName)) return [];
  const end = /\.[^./\\]+$/.exec(fileName)?.[0];
  return [
    note('other-kind', `is ${title}${end === undefined ? '' : `, although its name ends in ${end}`}: read as such`),
  ];
}

export type FileKind =
  | { readonly kind: 'zip' }
  | { readonly kind: 'compound' }
  | { readonly kind: 'text' }
  | { readonly kind: 'empty' }
  | { readonly kind: 'converted'; readonly title: string }
  /** A known kind that is not read; the sentence continues the file's name. */
  | { readonly kind: 'other'; readonly sentence: string };

const PUT_ROWS_IN_WORKBOOK = 'Put the rows into a spreadsheet, save it as .xlsx or .csv, and drop that.';

const KIND_BYTES = 8192;

const PICTURE = `is a picture. ${PUT_ROWS_IN_WORKBOOK}`;
const ARCHIVE = 'is a packed archive. Unpack it and drop the spreadsheets that are in it.';
const OLD_SPREADSHEET = `is a very old kind of spreadsheet. ${SAVE_AS_XLSX}`;

const SIGNATURES: readonly { readonly starts: readonly string[]; readonly at?: number; readonly sentence: string }[] = [
  { starts: ['%PDF-'], sentence: `is a PDF. ${PUT_ROWS_IN_WORKBOOK}` },
  { starts: ['\x89PNG', '\xff\xd8\xff', 'GIF8', 'II*\0', 'MM\0*'], sentence: PICTURE },
  { starts: ['ftyphei', 'ftypmif', 'ftypavif'], at: 4, sentence: PICTURE },
  { starts: ['WEBP'], at: 8, sentence: PICTURE },
  { starts: ['\x1f\x8b', '7z\xbc\xaf', 'Rar!', '\xfd7zXZ'], sentence: ARCHIVE },
  { starts: ['{\\rtf'], sentence: `is a rich text document. ${PUT_ROWS_IN_WORKBOOK}` },
  {
    starts: ['PAR1', 'SQLite format 3\0'],
    sentence: 'is a database file. Export its rows as .csv or .xlsx and drop that.',
  },
  // SYLK and BIFF 2 to 4.
  { starts: ['ID;PWXL', 'ID;PCALC', '\x09\0\x04\0', '\x09\x02\x06\0', '\x09\x04\x06\0'], sentence: OLD_SPREADSHEET },
];

const WEB_PAGE = 'a web page that was named as a spreadsheet';

/** A comment ends at its first `-->`, to match in linear time. */
const CONVERTED: readonly (readonly [start: RegExp, title: string])[] = [
  [/^(<!--(?:(?!-->)[\s\S])*-->\s*)?<(!doctype\s+html|html|head|body|table|meta|style|div)\b/i, WEB_PAGE],
  [/^(<\?xml[^>]*>\s*)?(<!doctype[^>]*>\s*)?<html\b/i, WEB_PAGE],
  [/^(<\?xml[^>]*>\s*)?(<!--(?:(?!-->)[\s\S])*-->\s*|<\?mso[^>]*>\s*)*<(\w+:)?Workbook\b/, 'an "XML Spreadsheet 2003"'],
  [/^(<\?xml[^>]*>\s*)?<office:document\b/, 'an OpenDocument file (.fods)'],
];

const MARKUP: readonly (readonly [start: RegExp, sentence: string])[] = [
  [/^<\?xml\b/, `is an XML document, not a spreadsheet. ${PUT_ROWS_IN_WORKBOOK}`],
  [/^(\{\s*["}]|\[\s*[{[\]])/, `is a JSON file. ${PUT_ROWS_IN_WORKBOOK}`],
  [/^MIME-Version:/i, `is a web archive that was named as a spreadsheet. ${SAVE_AS_XLSX}`],
];

function fileKind(start: Uint8Array): FileKind {
  if (start.length === 0) return { kind: 'empty' };
  const bytes = Buffer.from(start.buffer, start.byteOffset, start.byteLength).toString('latin1');
  if (['PK\x03\x04', 'PK\x05\x06', 'PK\x07\x08'].some((mark) => bytes.startsWith(mark))) return { kind: 'zip' };
  if (bytes.startsWith('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')) return { kind: 'compound' };
  const known = SIGNATURES.find(({ starts, at = 0 }) => starts.some((mark) => bytes.startsWith(mark, at)));
  if (known !== undefined) return { kind: 'other', sentence: known.sentence };
  const words = bytes
    .replace(/^(\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, '')
    .replaceAll('\0', '')
    .trimStart();
  if (words === '' && start.length < KIND_BYTES) return { kind: 'empty' };
  const converted = CONVERTED.find(([signature]) => signature.test(words));
  if (converted !== undefined) return { kind: 'converted', title: converted[1] };
  const markup = MARKUP.find(([signature]) => signature.test(words));
  if (markup !== undefined) return { kind: 'other', sentence: markup[1] };
  return looksLikeText(start)
    ? { kind: 'text' }
    : { kind: 'other', sentence: `is not a spreadsheet, or is damaged. ${PUT_ROWS_IN_WORKBOOK}` };
}

/** True for few control characters. NULs are UTF-16, or are left out with a note. */
function looksLikeText(start: Uint8Array) {
  let nulls = 0;
  let controls = 0;
  for (const byte of start) {
    if (byte === 0) nulls += 1;
    else if ((byte < 0x20 && !TEXT_CONTROLS.has(byte)) || byte === 0x7f) controls += 1;
  }
  const wide = nulls > start.length / 4 || ((start[0] ?? 0) >= 0xfe && (start[1] ?? 0) >= 0xfe);
  return controls <= start.length / (wide ? 10 : 100);
}

const TEXT_CONTROLS: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x1a]);

/** `title` if the file is converted, else a sentence that continues its name. */
interface CompoundStream {
  readonly name: string;
  readonly title?: string;
  readonly code?: string;
  readonly sentence?: string;
}

/** The first match decides. */
const STREAMS: readonly CompoundStream[] = [
  { name: 'EncryptedPackage', code: 'password-protected', sentence: HAS_PASSWORD },
  { name: 'Workbook', title: 'an Excel 97-2003 workbook (.xls)' },
  // The converter loses letters beyond ASCII in these.
  { name: 'Book', sentence: `is an Excel 5.0 or 95 workbook (.xls), which is not read here. ${SAVE_AS_XLSX}` },
  { name: 'WordDocument', sentence: 'is an old Word document. Put the rows into a workbook and save it as .xlsx.' },
];
const OLD_OFFICE_FILE = `is an old Office file, which is not read here. ${SAVE_AS_XLSX}`;

/** Names are UTF-16 in 64 bytes. */
const OVERLAP_BYTES = 128;

async function streamOf(chunks: AsyncIterable<Uint8Array>): Promise<CompoundStream | undefined> {
  const found = new Set<string>();
  let tail: Uint8Array = new Uint8Array(0);
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([tail, chunk]);
    for (const { name } of STREAMS)
      if (bytes.includes(Buffer.from(`\0${name}\0`, 'utf16le').subarray(1))) found.add(name);
    tail = bytes.subarray(-OVERLAP_BYTES);
  }
  return STREAMS.find(({ name }) => found.has(name));
}

const UNPACKED_BYTES_MAX = 128 * 1024 * 1024;

function convertedTitle(pack: Package, reading: Reading) {
  const title =
    pack.find('xl/workbook.bin') !== undefined
      ? 'a binary Excel workbook (.xlsb)'
      : pack.find('content.xml') !== undefined && pack.find('mimetype') !== undefined
        ? 'an OpenDocument spreadsheet (.ods)'
        : undefined;
  if (title !== undefined && pack.partNames.reduce((sum, name) => sum + pack.bytes(name), 0) > UNPACKED_BYTES_MAX)
    throw tooMuch(reading, 'too-large-to-convert', 'it unpacks to more than 128 MB');
  return title;
}
