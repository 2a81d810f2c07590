import { isUtf8 } from 'node:buffer';
import { type FileHandle, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { noteFor } from '../../domain/sentences.ts';
import { pattern, vocabulary } from '../vocabulary.ts';
import { wideEncoding } from './csv/text.ts';
import { readChunks, type Reading, type RowSource, unreadable } from './row-source.ts';
import { openXlsx } from './xlsx/open-xlsx.ts';
import { openPackage } from './xlsx/package.ts';

const lostMarks = vocabulary('lost-marks', z.strictObject({ patterns: z.array(pattern) }));

/** The converter holds a whole file in memory, some thirty times its size. */
const BYTES_MAX = 16 * 1024 * 1024;

/**
 * Opens the other kinds as SheetJS writes them as .xlsx, unless they have marks that it loses. The source closes the
 * handle. `title` names the kind in a note.
 */
export async function openConverted(handle: FileHandle, reading: Reading, title: string): Promise<RowSource> {
  if ((await handle.stat()).size > BYTES_MAX) throw unreadable(reading, 'too-large-to-convert', { title });
  const workbook = await convert(await buffer(readChunks(handle)), reading, title);
  const folder = await mkdtemp(join(tmpdir(), 'inspection-batch-'));
  try {
    const path = join(folder, 'converted.xlsx');
    await writeFile(path, workbook);
    const converted = await open(path);
    try {
      const source = await openXlsx(converted, await openPackage(converted, reading), [
        noteFor('converted', { title }),
      ]);
      await handle.close();
      return source;
    } catch (failure) {
      await converted.close();
      throw failure;
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function convert(bytes: Buffer, reading: Reading, title: string) {
  const { read, write, CFB } = await import('@e965/xlsx');
  const markup = isMarkup(bytes) ? textOf(bytes) : undefined;
  let hasMarks: boolean;
  let converted: Buffer;
  try {
    // Of a web page each text stays as it is: `02139` is no number.
    const workbook = read(markup ?? bytes, {
      type: markup === undefined ? 'buffer' : 'string',
      raw: true,
      cellNF: true,
      // Hidden rows.
      cellStyles: true,
      dense: true,
    });
    const part = markup === undefined ? partsOf(bytes, CFB as Parts) : undefined;
    hasMarks = part === undefined ? isMarked(markup ?? '') : hasMarksWithin(workbook, part);
    // The writer fails on a row without cells.
    for (const sheet of Object.values(workbook.Sheets))
      sheet['!data'] &&= Array.from(sheet['!data'], (row) => row ?? []);
    converted = write(workbook, { type: 'buffer', bookType: 'xlsx' }) as Buffer;
  } catch (failure) {
    const hasPassword = failure instanceof Error && /password/i.test(failure.message);
    throw unreadable(reading, hasPassword ? 'password-protected/converted' : 'not-converted', { title }, failure);
  }
  if (hasMarks) throw unreadable(reading, 'marks-not-converted', { title });
  return converted;
}

function isMarked(markup: string) {
  return lostMarks().patterns.some((mark) => mark.test(markup));
}

/** Of @e965/xlsx, which has no types for it. */
interface Parts {
  read(bytes: Buffer, options: { readonly type: 'buffer' }): object;
  find(container: object, name: string): { readonly content: Uint8Array } | null;
}

function partsOf(bytes: Buffer, parts: Parts): (name: string) => Buffer {
  const container = parts.read(bytes, { type: 'buffer' });
  return (name) => Buffer.from(parts.find(container, name)?.content ?? []);
}

function hasMarksWithin(workbook: object, part: (name: string) => Buffer) {
  const { Styles } = workbook as { readonly Styles?: { readonly Fonts?: readonly { readonly strike?: number }[] } };
  return (
    ['/content.xml', '/styles.xml'].some((name) => isMarked(part(name).toString())) ||
    Styles?.Fonts?.some(({ strike }) => strike === 1) === true ||
    hasStruckFont(part('/Workbook'))
  );
}

/** Of an Excel 97-2003 workbook ([MS-XLS] 2.3: numbers of records). */
function hasStruckFont(stream: Buffer) {
  const [end, font] = [0x0a, 0x31];
  for (let at = 0; at + 8 <= stream.length && stream.readUInt16LE(at) !== end; at += 4 + stream.readUInt16LE(at + 2))
    if (stream.readUInt16LE(at) === font && (stream.readUInt16LE(at + 6) & 8) !== 0) return true;
  return false;
}

function isMarkup(bytes: Buffer) {
  return /^[^\w]*</.test(bytes.subarray(0, 64).toString('latin1').replaceAll('\0', ''));
}

function textOf(bytes: Buffer) {
  return new TextDecoder(wideEncoding(bytes)?.label ?? (isUtf8(bytes) ? 'utf-8' : 'windows-1252')).decode(bytes);
}
