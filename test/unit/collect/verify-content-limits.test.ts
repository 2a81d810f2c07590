import { mkdtempDisposable, open, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import PdfDocument from 'pdfkit';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { verifyContent, type ExpectedKind, type FileCheck } from '../../../src/collect/verify-content.ts';
import { zipBytes } from '../../support/made-files.ts';

const MIB = 1024 * 1024;

/** `length`: what is said of the file's length; by default what is true. */
async function verify(
  content: string | Uint8Array,
  { expected = 'report', length }: { readonly expected?: ExpectedKind; readonly length?: number } = {},
): Promise<FileCheck> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'content-'));
  const path = join(folder.path, 'file.part');
  const bytes = Buffer.from(content as string);
  await writeFile(path, bytes);
  return await verifyContent(path, length ?? bytes.length, expected);
}

const kindOf = async (...of: Parameters<typeof verify>): Promise<string> => (await verify(...of)).kind;
const reasonOf = async (...of: Parameters<typeof verify>): Promise<string> => {
  const verified = await verify(...of);
  return verified.kind === 'broken' ? verified.reason : 'whole';
};

async function pdf(): Promise<Buffer> {
  const document = new PdfDocument();
  document.text('A page');
  document.end();
  return buffer(document);
}

describe('verifyContent of a PDF', () => {
  test.each([
    [1024, 'whole'],
    [1025, 'broken'],
  ])('judges %i bytes after its end marker as %s', async (padding, kind) => {
    const whole = await pdf();
    const end = whole.lastIndexOf('%%EOF') + 5;
    expect(await kindOf(Buffer.concat([whole.subarray(0, end), Buffer.alloc(padding, ' ')]))).toBe(kind);
  });

  test('refuses an object after its end marker', async () => {
    expect(await kindOf(Buffer.concat([await pdf(), Buffer.from('9 0 obj')]))).toBe('broken');
  });

  /** A PDF for the web that claims a length. */
  const linearized = async (claim: (bytes: number) => number): Promise<Buffer> => {
    const whole = (await pdf()).toString('latin1');
    const firstLine = whole.indexOf('\n') + 1;
    const begin = (length: number): string =>
      `${whole.slice(0, firstLine)}%<< /Linearized 1\n/H [ 600 100 ] /L  ${String(length).padStart(7, '0')} >>\n`;
    const bytes = begin(0).length + whole.length - firstLine;
    return Buffer.from(begin(claim(bytes)) + whole.slice(firstLine), 'latin1');
  };

  test.each([
    ['a byte more than it has', 1, 'broken'],
    ['its own length', 0, 'whole'],
    ['a byte less than it has', -1, 'whole'],
  ])('judges a PDF that claims %s by that', async (_what, more, kind) => {
    expect(await kindOf(await linearized((bytes) => bytes + more))).toBe(kind);
  });

  /** A PDF of this length without the object that its table lists. */
  const hollow = async (bytes: number): Promise<string> => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'content-'));
    const path = join(folder.path, 'file.part');
    await using handle = await open(path, 'w');
    const table = 'xref\n0 2\n0000000000 65535 f \n0000000099 00000 n \ntrailer\n<< /Size 2 >>\nstartxref\n';
    const end = (place: number): string => `${table}${place}\n%%EOF`;
    const place = bytes - end(bytes).length;
    await handle.write('%PDF-1.7\n', 0);
    await handle.write(end(place), place);
    return (await verifyContent(path, bytes, 'report')).kind;
  };

  test('checks the inside up to 32 MiB', async () => {
    expect(await hollow(32 * MIB)).toBe('broken');
  });

  test('checks only the ends above 32 MiB', async () => {
    expect(await hollow(32 * MIB + 1)).toBe('whole');
  });

  test('refuses a file that became shorter meanwhile', async () => {
    const whole = await pdf();
    expect(await kindOf(whole, { length: whole.length + 1000 })).toBe('broken');
  });

  test('checks a file that grew only to its announced length', async () => {
    const whole = await pdf();
    expect(await kindOf(Buffer.concat([whole, Buffer.from('more')]), { length: whole.length })).toBe('whole');
  });
});

describe('verifyContent of an XML', () => {
  const nested = (depth: number): string => '<a>'.repeat(depth) + '</a>'.repeat(depth);
  const withAttributes = (count: number): string =>
    `<report${Array.from({ length: count }, (_, index) => ` a${index}="1"`).join('')}/>`;

  test.each([
    [1_000, 'whole'],
    [1_001, 'broken'],
  ])('judges nesting %i deep as %s', async (depth, kind) => {
    expect(await kindOf(nested(depth))).toBe(kind);
  });

  test.each([
    [10_000, 'whole'],
    [10_001, 'broken'],
  ])('judges %i attributes in one tag as %s', async (count, kind) => {
    expect(await kindOf(withAttributes(count))).toBe(kind);
  });

  test('accepts more attributes spread over many tags', async () => {
    expect(await kindOf(`<report>${'<a b="1"/>'.repeat(20_000)}</report>`)).toBe('whole');
  });

  test('accepts many tags in a row', async () => {
    expect(await kindOf(`<report>${'<a></a>'.repeat(2_000)}</report>`)).toBe('whole');
  });

  test('accepts names beyond ASCII split across reads', async () => {
    expect(await kindOf(`<report>${'<é/>'.repeat(60_000)}</report>`)).toBe('whole');
  });

  test('refuses more than 64 MiB unread', async () => {
    expect(await kindOf('<report/>', { length: 64 * MIB + 1 })).toBe('broken');
  });

  test('reads up to 64 MiB', async () => {
    expect(await kindOf('<report/>', { length: 64 * MIB })).toBe('whole');
  });

  test.each(['<htmlReport/>', '<anError/>', '<errors/>'])('accepts %s as a report', async (text) => {
    expect(await kindOf(text)).toBe('whole');
  });

  test.each(['<html/>', '<ERROR/>', '<?xml version="1.0"?><html/>', '<!DOCTYPE  html><p/>'])(
    'refuses %s',
    async (text) => {
      expect(await kindOf(text)).toBe('broken');
    },
  );

  test('accepts a report that mentions a web page inside', async () => {
    expect(await kindOf('<report>&lt;html<html/></report>')).toBe('whole');
  });
});

describe('verifyContent of a ZIP', () => {
  const entry = { name: 'a.xml', content: 'x'.repeat(1000) };
  const DIRECTORY = Buffer.from('PK\u0001\u0002');

  test('refuses an entry without a name', async () => {
    expect(await kindOf(zipBytes([{ ...entry, name: '' }]))).toBe('broken');
  });

  test('refuses a directory that names fewer bytes than are packed', async () => {
    expect(await kindOf(zipBytes([{ ...entry, claimedLength: 10 }]))).toBe('broken');
  });

  test('refuses an entry that fails its checksum', async () => {
    const bytes = zipBytes([{ ...entry, stored: true }]);
    bytes[100] = 0x79;
    expect(await reasonOf(bytes)).toContain('checksum');
  });

  test('accepts an encrypted entry unread', async () => {
    // Encryption adds 12 bytes.
    const bytes = zipBytes([{ ...entry, stored: true, claimedLength: entry.content.length - 12 }]);
    bytes[bytes.indexOf(DIRECTORY) + 8] = 1;
    bytes[100] = 0x79;
    expect(await reasonOf(bytes)).toBe('whole');
  });

  test('refuses entries that together exceed the file', async () => {
    const bytes = zipBytes([
      { ...entry, stored: true },
      { ...entry, name: 'b.xml', stored: true },
    ]);
    const second = bytes.indexOf(DIRECTORY, bytes.indexOf(DIRECTORY) + 1);
    bytes.writeUInt32LE(bytes.length, second + 20);
    bytes.writeUInt32LE(bytes.length, second + 24);
    expect(await reasonOf(bytes)).toContain('overlap');
  });

  test('refuses a claim of over 256 MiB and fifty times its size', async () => {
    expect(await reasonOf(zipBytes([{ ...entry, claimedLength: 256 * MIB + 1 }]))).toContain('far more');
  });

  test('reads a claim of 256 MiB', async () => {
    expect(await reasonOf(zipBytes([{ ...entry, claimedLength: 256 * MIB }]))).not.toContain('far more');
  });

  test('accepts 20,000 entries', async () => {
    // Encrypted ones: to open and check each takes seconds.
    const content = 'twelve bytes';
    const bytes = zipBytes(
      Array.from({ length: 20_000 }, (_, index) => ({ name: `${index}`, content, stored: true, claimedLength: 0 })),
    );
    for (let at = bytes.indexOf(DIRECTORY); at !== -1; at = bytes.indexOf(DIRECTORY, at + 1)) bytes[at + 8] = 1;
    expect(await kindOf(bytes)).toBe('whole');
  });

  test('refuses 20,001 entries', async () => {
    const entries = Array.from({ length: 20_001 }, (_, index) => ({ name: `${index}`, content: '', stored: true }));
    expect(await kindOf(zipBytes(entries))).toBe('broken');
  });
});

describe('verifyContent of an image', () => {
  const box = (kind: string): Buffer => Buffer.concat([Buffer.from([0, 0, 0, 16]), Buffer.from(`ftyp${kind}0000`)]);

  test.each(['heic', 'heix', 'mif1', 'avif'])('recognizes a picture of kind %s', async (kind) => {
    expect(await verify(box(kind), { expected: 'image' })).toMatchObject({ kind: 'whole', extension: 'heic' });
  });

  test.each([
    ['a mark that is not at its place', Buffer.concat([Buffer.from('xxxx'), box('heic')])],
    ['the mark of a GIF in the middle', Buffer.from('x GIF89a    ')],
    ['the mark of a film', box('mp42')],
  ])('does not recognize %s', async (_what, bytes) => {
    expect(await reasonOf(bytes, { expected: 'image' })).toContain('known kind');
  });

  function bitmap(size: number) {
    const bytes = Buffer.alloc(102, 0x7f);
    bytes.write('BM', 'latin1');
    bytes.writeUInt32LE(size, 2);
    bytes.writeUInt32LE(0, 6);
    return bytes;
  }

  test('recognizes a BMP, and notices a cut one', async () => {
    expect(await verify(bitmap(102), { expected: 'image' })).toMatchObject({ kind: 'whole', mediaType: 'image/bmp' });
    expect(await kindOf(bitmap(103), { expected: 'image' })).toBe('broken');
  });

  test('recognizes a TIFF of either byte order', async () => {
    for (const mark of ['II*\0', 'MM\0*']) {
      const bytes = Buffer.concat([Buffer.from(mark, 'latin1'), Buffer.alloc(60)]);
      expect(await verify(bytes, { expected: 'image' })).toMatchObject({ kind: 'whole', extension: 'tiff' });
    }
  });

  test('recognizes a GIF only at the start', async () => {
    const gif = await sharp({ create: { width: 2, height: 2, channels: 3, background: 'red' } })
      .gif()
      .toBuffer();
    expect(await kindOf(Buffer.concat([Buffer.from('x'), gif]), { expected: 'image' })).toBe('broken');
  });

  test('checks small files after large ones just as thoroughly', async () => {
    const image = (side: number) =>
      sharp({ create: { width: side, height: side, channels: 3, background: 'red' } })
        .png()
        .toBuffer();
    const kinds = [];
    for (const side of [400, 4, 300, 5, 2]) kinds.push(await kindOf(await image(side), { expected: 'image' }));
    expect(new Set(kinds)).toEqual(new Set(['whole']));
  });
});
