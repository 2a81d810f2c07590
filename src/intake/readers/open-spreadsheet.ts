import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { describeCompoundFile } from './compound-file.ts';
import { openCsv } from './csv/open-csv.ts';
import { fileBytes } from './file-bytes.ts';
import { fileKind, KIND_BYTES } from './file-kind.ts';
import { limitsFor } from './limits.ts';
import type { ReadLimits } from './limits.ts';
import { unreadable } from './reading.ts';
import type { Reading } from './reading.ts';
import type { RowSource } from './row-source.ts';
import { openXlsx } from './xlsx/open-xlsx.ts';

/**
 * Opens a spreadsheet, .xlsx, .xlsm, .csv or .tsv, by what it holds rather than by its name; dispose of the source to close it.
 * A damaged part may show only while its rows are read: then the iteration throws the same error.
 * @param displayName the name people know the file by: it begins every message, and names the sheet of a CSV.
 * @throws UnreadableFileError with a sentence for the person who dropped the file.
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
      throw unreadable(reading, 'is empty. Fill it in and drop it again.');
    case 'other':
      throw unreadable(reading, kind.sentence);
    case 'compound':
      throw unreadable(reading, await describeCompoundFile(fileBytes(handle)));
    case 'zip':
      return openXlsx(handle, reading, notesOnName(reading, /\.(xlsx|xlsm|xltx|xltm)$/i, 'an Excel workbook (.xlsx)'));
    case 'text':
      return openCsv(handle, reading, notesOnName(reading, /\.(csv|tsv|tab|txt)$/i, 'a text file (.csv)'));
  }
}

async function firstBytes(handle: FileHandle): Promise<Uint8Array> {
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(KIND_BYTES), 0, KIND_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}

/** A name that ends otherwise than files of its kind do is worth a note. */
function notesOnName({ fileName }: Reading, usualEnd: RegExp, title: string): readonly string[] {
  if (usualEnd.test(fileName)) return [];
  const end = /\.[^./\\]+$/.exec(fileName)?.[0];
  return [`is ${title}${end === undefined ? '' : `, although its name ends in ${end}`}: read as such`];
}
