import { createWriteStream } from 'node:fs';
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { ZipArchive } from 'archiver';
import PdfDocument from 'pdfkit';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { verifyContent, type Expected, type Verified } from './verify-content.ts';

const newFolder = () => mkdtempDisposable(join(tmpdir(), 'content-'));

async function verify(bytes: Uint8Array, expected: Expected): Promise<Verified> {
  await using folder = await newFolder();
  const path = join(folder.path, 'file.part');
  await writeFile(path, bytes);
  return await verifyContent(path, bytes.length, expected);
}

async function pdf(): Promise<Buffer> {
  const document = new PdfDocument();
  for (let page = 0; page < 5; page += 1) document.addPage().text(`Page ${page}`);
  document.end();
  return buffer(document);
}

async function zip(): Promise<Buffer> {
  await using folder = await newFolder();
  const archive = new ZipArchive();
  const output = createWriteStream(join(folder.path, 'a.zip'));
  archive.pipe(output);
  for (let entry = 0; entry < 3; entry += 1) archive.append(Buffer.alloc(500, entry), { name: `${entry}.xml` });
  await archive.finalize();
  await finished(output);
  return await readFile(join(folder.path, 'a.zip'));
}

/** The same picture every time, with much in it. */
const pixels = () => sharp(Buffer.from(Array.from({ length: 64 * 64 * 3 }, (_, index) => (index * index * 31 + index * 7) % 251)), { raw: { width: 64, height: 64, channels: 3 } });

const WHOLE: readonly (readonly [name: string, make: () => Promise<Buffer>, expected: Expected, extension: string, mediaType: string])[] = [
  ['a PDF', pdf, 'report', 'pdf', 'application/pdf'],
  ['a ZIP', zip, 'report', 'zip', 'application/zip'],
  ['an XML', async () => Buffer.from('\uFEFF<?xml version="1.0"?>\n<report><a>1</a><b>2</b></report>\n'), 'report', 'xml', 'application/xml'],
  ['a JPEG', () => pixels().jpeg().toBuffer(), 'image', 'jpg', 'image/jpeg'],
  ['a PNG', () => pixels().png().toBuffer(), 'image', 'png', 'image/png'],
  ['a GIF', () => pixels().gif().toBuffer(), 'image', 'gif', 'image/gif'],
  ['a WebP', () => pixels().webp().toBuffer(), 'image', 'webp', 'image/webp'],
];

test.each(WHOLE)('%s is known by its content', async (_name, make, expected, extension, mediaType) => {
  expect(await verify(await make(), expected)).toEqual({ kind: 'whole', extension, mediaType });
});

test.each(WHOLE)('%s that is cut anywhere is broken', async (_name, make, expected) => {
  const bytes = await make();
  const text = bytes.toString('latin1');
  const end = text.startsWith('%PDF') ? text.lastIndexOf('%%EOF') + 5 : text.startsWith('ï»¿<') ? bytes.length - 1 : bytes.length;
  const lengths = new Set([1, 8, 40, ...[0.1, 0.3, 0.5, 0.7, 0.9, 0.99].map((share) => Math.floor(end * share)), end - 20, end - 2, end - 1]);
  const taken: number[] = [];
  for (const length of lengths) if ((await verify(bytes.subarray(0, length), expected)).kind === 'whole') taken.push(length);
  expect(taken).toEqual([]);
});

test('an XML that is cut right behind a tag is broken', async () => {
  expect((await verify(Buffer.from('<report><a>1</a>'), 'report')).kind).toBe('broken');
});

test('a PDF made for the web, with an end mark near its beginning, is broken when it is cut behind that mark', async () => {
  const first = '%PDF-1.5\n1 0 obj\n<< /Linearized 1 >>\nendobj\nxref\n0 1\n0000000000 65535 f \ntrailer\n<< /Size 9 >>\nstartxref\n0\n%%EOF\n';
  const whole = Buffer.from(`${first}2 0 obj\n(${'x'.repeat(4000)})\nendobj\nstartxref\n${first.indexOf('xref')}\n%%EOF\n`);
  expect((await verify(whole, 'report')).kind).toBe('whole');
  expect((await verify(whole.subarray(0, 1500), 'report')).kind).toBe('broken');
});

test.each<[string, string | Buffer, Expected]>([
  ['nothing', '', 'report'],
  ['nothing', '', 'image'],
  ['a web page', '<!DOCTYPE html><html><body>Sign in</body></html>', 'report'],
  ['a web page after white space and a BOM', '\uFEFF \n<HTML><body>Sign in</body></HTML>', 'report'],
  ['a web page', '<!DOCTYPE html><html></html>', 'image'],
  ['an error in JSON', '{"error":{"message":"no"}}', 'report'],
  ['plain text', 'The file is not available.', 'report'],
  ['the mark of a PDF, and nothing else', '%PDF-1.7\n', 'report'],
  ['the mark of a ZIP, and nothing else', 'PK\u0003\u0004', 'report'],
  ['zeros', Buffer.alloc(4096), 'image'],
  ['a PDF instead of an image', '%PDF-1.7\nstartxref\n0\n%%EOF', 'image'],
])('%s is broken (%#)', async (_what, bytes, expected) => {
  const verified = await verify(Buffer.from(bytes), expected);
  expect(verified).toEqual({ kind: 'broken', reason: expect.stringMatching(/.{5}/) });
});

test('an image instead of a report is broken', async () => {
  expect((await verify(await pixels().png().toBuffer(), 'report')).kind).toBe('broken');
});
