import { type FileHandle, open } from 'node:fs/promises';
import { z } from 'zod';
import { noteFor } from '../../domain/sentences.ts';
import { pattern, vocabulary } from '../vocabulary.ts';
import { openCsv } from './csv/open-csv.ts';
import { openConverted } from './open-converted.ts';
import {
  readChunks,
  limitsFor,
  type Reading,
  type ReadLimits,
  refusedFile,
  tooLarge,
  unreadable,
} from './row-source.ts';
import { openXlsx } from './xlsx/open-xlsx.ts';
import { openPackage, type Package } from './xlsx/package.ts';

/**
 * By its content, not its name; dispose of the source to close it. `displayName` begins every message and names the
 * sheet of a CSV. Throws UnreadableFileError; damage may show only while rows are read.
 */
export async function openSpreadsheet(path: string, displayName: string, limits?: ReadLimits) {
  const handle = await open(path, 'r');
  try {
    return await openHandle(handle, { fileName: displayName, limits: limits ?? limitsFor((await handle.stat()).size) });
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function openHandle(handle: FileHandle, reading: Reading) {
  const kind = fileKind(await firstBytes(handle));
  switch (kind.kind) {
    case 'empty':
      throw unreadable(reading, 'empty');
    case 'other':
      throw refusedFile(reading, 'not-a-spreadsheet', kind.sentence);
    case 'compound': {
      const held = await streamOf(readChunks(handle));
      if (held?.title === undefined)
        throw refusedFile(reading, held?.code ?? 'not-a-spreadsheet', held?.sentence ?? kinds().oldOffice);
      return openConverted(handle, reading, held.title);
    }
    case 'converted':
      return openConverted(handle, reading, kind.title);
    case 'zip': {
      const pack = await openPackage(handle, reading);
      const title = packageTitle(pack);
      if (title !== undefined) return openConverted(handle, reading, title);
      const notes = notesOnName(reading, /\.(xlsx|xlsm|xltx|xltm)$/i, 'an Excel workbook (.xlsx)');
      return openXlsx(handle, pack, notes);
    }
    case 'text':
      return openCsv(handle, reading, notesOnName(reading, /\.(csv|tsv|tab|txt|dat)$/i, 'a text file (.csv)'));
  }
}

async function firstBytes(handle: FileHandle) {
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(KIND_BYTES), 0, KIND_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}

function notesOnName({ fileName }: Reading, usualEnd: RegExp, title: string) {
  if (usualEnd.test(fileName)) return [];
  const end = /\.[^./\\]+$/.exec(fileName)?.[0];
  return [noteFor('other-kind', { title, although: end === undefined ? '' : `, although its name ends in ${end}` })];
}

type FileKind = Readonly<
  | { kind: 'zip' | 'compound' | 'text' | 'empty' }
  | { kind: 'converted'; title: string }
  /** A known kind that is not read; the sentence continues the file's name. */
  | { kind: 'other'; sentence: string }
>;

const KIND_BYTES = 8192;

const sentence = z.string();
const start = z.string().transform((text) => new RegExp(text, 'u'));
const kinds = vocabulary(
  'file-kinds',
  z.strictObject({
    signatures: z.array(z.strictObject({ starts: z.array(z.string()), at: z.number().default(0), sentence })),
    starts: z.array(z.strictObject({ start, title: z.string().optional(), sentence: sentence.default('') })),
    unknown: sentence,
    streams: z.array(
      z.strictObject({
        name: z.string(),
        title: z.string().optional(),
        code: z.string().default('not-a-spreadsheet'),
        sentence: sentence.default(''),
      }),
    ),
    oldOffice: sentence,
    packages: z.array(
      z.strictObject({
        holds: z.array(pattern).default([]),
        lacks: z.array(pattern).default([]),
        title: z.string().optional(),
        sentence: sentence.optional(),
      }),
    ),
  }),
);

function fileKind(first: Uint8Array): FileKind {
  if (first.length === 0) return { kind: 'empty' };
  const bytes = Buffer.from(first.buffer, first.byteOffset, first.byteLength).toString('latin1');
  if (['PK\x03\x04', 'PK\x05\x06', 'PK\x07\x08'].some((mark) => bytes.startsWith(mark))) return { kind: 'zip' };
  if (bytes.startsWith('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')) return { kind: 'compound' };
  const { signatures, starts, unknown } = kinds();
  const known = signatures.find(({ starts, at }) => starts.some((mark) => bytes.startsWith(mark, at)));
  if (known !== undefined) return { kind: 'other', sentence: known.sentence };
  const words = bytes
    .replace(/^(\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, '')
    .replaceAll('\0', '')
    .trimStart();
  if (words === '' && first.length < KIND_BYTES) return { kind: 'empty' };
  const found = starts.find(({ start: begins }) => begins.test(words));
  if (found !== undefined)
    return found.title === undefined
      ? { kind: 'other', sentence: found.sentence }
      : { kind: 'converted', title: found.title };
  return looksLikeText(first) ? { kind: 'text' } : { kind: 'other', sentence: unknown };
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

const TEXT_CONTROLS = new Set<number>([0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x1a]);

/** Names are UTF-16 in 64 bytes. */
const OVERLAP_BYTES = 128;

async function streamOf(chunks: AsyncIterable<Uint8Array>) {
  const { streams } = kinds();
  const found = new Set<string>();
  let tail: Uint8Array = new Uint8Array(0);
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([tail, chunk]);
    for (const { name } of streams)
      if (bytes.includes(Buffer.from(`\0${name}\0`, 'utf16le').subarray(1))) found.add(name);
    tail = bytes.subarray(-OVERLAP_BYTES);
  }
  return streams.find(({ name }) => found.has(name));
}

const UNPACKED_BYTES_MAX = 128 * 1024 * 1024;

/** Undefined for a workbook of Excel; throws for a package that is not read. */
function packageTitle(pack: Package) {
  const has = (part: RegExp) => pack.partNames.some((name) => part.test(name));
  const kind = kinds().packages.find(({ holds, lacks }) => holds.every(has) && !lacks.some(has));
  if (kind?.sentence !== undefined) throw refusedFile(pack.reading, 'not-a-spreadsheet', kind.sentence);
  if (kind !== undefined && pack.partNames.reduce((sum, name) => sum + pack.bytes(name), 0) > UNPACKED_BYTES_MAX)
    throw tooLarge(pack.reading, 'too-large-to-convert/unpacked');
  return kind?.title;
}
