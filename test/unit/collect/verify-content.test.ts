import { createWriteStream } from 'node:fs';
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { deflateSync } from 'node:zlib';
import { ZipArchive } from 'archiver';
import PdfDocument from 'pdfkit';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { verifyContent, type ExpectedKind, type FileCheck } from '../../../src/collect/verify-content.ts';

const newFolder = () => mkdtempDisposable(join(tmpdir(), 'content-'));

async function verify(bytes: Uint8Array, expected: ExpectedKind): Promise<FileCheck> {
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
const pixels = () =>
  sharp(Buffer.from(Array.from({ length: 64 * 64 * 3 }, (_, index) => (index * index * 31 + index * 7) % 251)), {
    raw: { width: 64, height: 64, channels: 3 },
  });

const WHOLE: readonly (readonly [
  name: string,
  make: () => Promise<Buffer>,
  expected: ExpectedKind,
  extension: string,
  mediaType: string,
])[] = [
  ['a PDF', pdf, 'report', 'pdf', 'application/pdf'],
  ['a ZIP', zip, 'report', 'zip', 'application/zip'],
  [
    'an XML',
    async () => Buffer.from('\uFEFF<?xml version="1.0"?>\n<report><a>1</a><b>2</b></report>\n'),
    'report',
    'xml',
    'application/xml',
  ],
  ['a JPEG', () => pixels().jpeg().toBuffer(), 'image', 'jpg', 'image/jpeg'],
  ['a PNG', () => pixels().png().toBuffer(), 'image', 'png', 'image/png'],
  ['a GIF', () => pixels().gif().toBuffer(), 'image', 'gif', 'image/gif'],
  ['a WebP', () => pixels().webp().toBuffer(), 'image', 'webp', 'image/webp'],
];

test.each(WHOLE)('recognizes %s by its content', async (_name, make, expected, extension, mediaType) => {
  expect(await verify(await make(), expected)).toEqual({ kind: 'whole', extension, mediaType });
});

test.each(WHOLE)('judges %s as broken wherever it is cut', async (_name, make, expected) => {
  const bytes = await make();
  const text = bytes.toString('latin1');
  const end = text.startsWith('%PDF')
    ? text.lastIndexOf('%%EOF') + 5
    : text.startsWith('ï»¿<')
      ? bytes.length - 1
      : bytes.length;
  const lengths = new Set([
    1,
    8,
    40,
    ...[0.1, 0.3, 0.5, 0.7, 0.9, 0.99].map((share) => Math.floor(end * share)),
    end - 20,
    end - 2,
    end - 1,
  ]);
  const taken: number[] = [];
  for (const length of lengths)
    if ((await verify(bytes.subarray(0, length), expected)).kind === 'whole') taken.push(length);
  expect(taken).toEqual([]);
});

test('judges an XML as broken when cut right after a tag', async () => {
  expect((await verify(Buffer.from('<report><a>1</a>'), 'report')).kind).toBe('broken');
});

test('refuses a web-optimized PDF cut after its early end marker', async () => {
  const first =
    '%PDF-1.5\n1 0 obj\n<< /Linearized 1 >>\nendobj\nxref\n0 1\n0000000000 65535 f \ntrailer\n<< /Size 9 >>\nstartxref\n0\n%%EOF\n';
  const whole = Buffer.from(
    `${first}2 0 obj\n(${'x'.repeat(4000)})\nendobj\nstartxref\n${first.indexOf('xref')}\n%%EOF\n`,
  );
  expect((await verify(whole, 'report')).kind).toBe('whole');
  expect((await verify(whole.subarray(0, 1500), 'report')).kind).toBe('broken');
});

test.each<[string, string | Buffer, ExpectedKind]>([
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
])('judges %s as broken (%#)', async (_what, bytes, expected) => {
  const verified = await verify(Buffer.from(bytes), expected);
  expect(verified).toEqual({ kind: 'broken', reason: expect.stringMatching(/.{5}/) });
});

test('judges an image as broken if a report is expected', async () => {
  expect((await verify(await pixels().png().toBuffer(), 'report')).kind).toBe('broken');
});

/** The same length, other bytes in the middle third: what a bad disk or proxy makes of a file. */
function spoilt(bytes: Buffer, from = Math.floor(bytes.length / 3), to = Math.floor((2 * bytes.length) / 3)): Buffer {
  const copy = Buffer.from(bytes);
  for (let at = from; at < to; at += 1) copy[at] = (copy[at] ?? 0) ^ 0x55;
  return copy;
}

test.each(WHOLE.filter(([name]) => ['a PDF', 'a ZIP', 'a PNG', 'a JPEG'].includes(name)))(
  'judges %s of the right length but damaged as broken',
  async (_name, make, expected) => {
    expect(await verify(spoilt(await make()), expected)).toEqual({
      kind: 'broken',
      reason: expect.stringMatching(/.{5}/),
    });
  },
);

/** A PDF with a compressed text and a photo: where reports have most of their bytes. */
async function reportLikePdf(): Promise<Buffer> {
  const document = new PdfDocument();
  for (let page = 0; page < 6; page += 1) document.addPage().text(`Page ${page} of the report. `.repeat(200));
  document.image(await pixels().jpeg().toBuffer(), 50, 50);
  document.end();
  return buffer(document);
}

test("finds damaged bytes in a PDF's compressed stream and its photo", async () => {
  const whole = await reportLikePdf();
  expect((await verify(whole, 'report')).kind).toBe('whole');
  const text = whole.toString('latin1');
  const flate = text.indexOf('stream', text.lastIndexOf('/FlateDecode')) + 40;
  expect(await verify(spoilt(whole, flate, flate + 3), 'report')).toMatchObject({
    kind: 'broken',
    reason: expect.stringContaining('checksum'),
  });
  const photo = text.indexOf('\u00ff\u00d8\u00ff');
  expect(await verify(spoilt(whole, photo + 2, photo + 4), 'report')).toMatchObject({
    kind: 'broken',
    reason: expect.stringContaining('picture'),
  });
});

// Every reader reads such a file.
test('accepts a PDF whose cross-reference table has wrong offsets', async () => {
  const whole = await pdf();
  const shifted = Buffer.concat([
    whole.subarray(0, 9),
    Buffer.from('% a comment that moves all behind it\n'),
    whole.subarray(9),
  ]);
  expect((await verify(shifted, 'report')).kind).toBe('whole');
});

test('checks a PDF whose object offsets are in a compressed table', async () => {
  const object = '1 0 obj\n<< /Type /Catalog >>\nendobj\n';
  const head = '%PDF-1.5\n';
  const row = (kind: number, offset: number, generation: number): number[] => [
    kind,
    offset >> 8,
    offset & 255,
    generation,
  ];
  const table = deflateSync(Buffer.from([...row(0, 0, 255), ...row(1, head.length, 0)]));
  const stream = Buffer.concat([
    Buffer.from(
      `2 0 obj\n<< /Type /XRef /Size 2 /W [1 2 1] /Root 1 0 R /Filter /FlateDecode /Length ${table.length} >>\nstream\n`,
    ),
    table,
    Buffer.from('\nendstream\nendobj\n'),
  ]);
  const whole = Buffer.concat([
    Buffer.from(head + object),
    stream,
    Buffer.from(`startxref\n${head.length + object.length}\n%%EOF\n`),
  ]);
  expect((await verify(whole, 'report')).kind).toBe('whole');
  expect(await verify(spoilt(whole, head.length, head.length + 7), 'report')).toMatchObject({
    kind: 'broken',
    reason: expect.stringContaining('object 1'),
  });
});

test.each<[string, string, string | null, 'whole' | 'broken']>([
  ['an XML where an XML is said', '<report><a>1</a></report>', 'application/xml', 'whole'],
  ['an XML without a stated type', '<report><a>1</a></report>', null, 'whole'],
  ['an XML where bytes are said', '<report><a>1</a></report>', 'application/octet-stream', 'whole'],
  ['an XML where a PDF is said', '<report><a>1</a></report>', 'application/pdf', 'broken'],
  ['an XML where a ZIP is said', '<report><a>1</a></report>', 'application/zip', 'broken'],
  [
    'the message of an object store',
    '<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>',
    'application/xml',
    'broken',
  ],
  [
    'a web page that is an XML',
    '<?xml version="1.0"?><!DOCTYPE html><html><body/></html>',
    'application/xml',
    'broken',
  ],
])('judges %s by its media type', async (_what, text, said, kind) => {
  await using folder = await newFolder();
  const path = join(folder.path, 'file.part');
  await writeFile(path, text);
  expect((await verifyContent(path, text.length, 'report', said)).kind).toBe(kind);
});

test("accepts up to 1,024 bytes before a PDF's start marker", async () => {
  const whole = await reportLikePdf();
  const text = whole.toString('latin1');
  const flate = text.indexOf('stream', text.lastIndexOf('/FlateDecode')) + 40;
  const damaged = spoilt(whole, flate, flate + 3);
  for (const before of ['\r\n', ' '.repeat(1024), 'X-Junk: yes\r\n\r\n']) {
    expect(await verify(Buffer.concat([Buffer.from(before), whole]), 'report')).toEqual({
      kind: 'whole',
      extension: 'pdf',
      mediaType: 'application/pdf',
    });
    expect(await verify(Buffer.concat([Buffer.from(before), damaged]), 'report')).toMatchObject({ kind: 'broken' });
  }
  expect(await verify(Buffer.concat([Buffer.alloc(1025, ' '), whole]), 'report')).toMatchObject({ kind: 'broken' });
});
