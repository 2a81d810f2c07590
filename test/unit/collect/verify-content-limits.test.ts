import { mkdtempDisposable, open, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import PdfDocument from 'pdfkit';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { verifyContent, type Expected, type Verified } from '../../../src/collect/verify-content.ts';
import { zipBytes } from '../../support/made-files.ts';

const MIB = 1024 * 1024;

/** `length`: what is said of the file's length; by default what is true. */
async function verify(
  content: string | Uint8Array,
  { expected = 'report', length }: { readonly expected?: Expected; readonly length?: number } = {},
): Promise<Verified> {
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
  ])('with %i bytes behind its end mark is %s', async (padding, kind) => {
    const whole = await pdf();
    const end = whole.lastIndexOf('%%EOF') + 5;
    expect(await kindOf(Buffer.concat([whole.subarray(0, end), Buffer.alloc(padding, ' ')]))).toBe(kind);
  });

  test('with an object behind its end mark is cut', async () => {
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
  ])('that claims %s is judged by that', async (_what, more, kind) => {
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

  test('of up to 32 MiB is checked inside', async () => {
    expect(await hollow(32 * MIB)).toBe('broken');
  });

  test('of more than 32 MiB is checked at its ends', async () => {
    expect(await hollow(32 * MIB + 1)).toBe('whole');
  });

  test('that became shorter meanwhile is broken', async () => {
    const whole = await pdf();
    expect(await kindOf(whole, { length: whole.length + 1000 })).toBe('broken');
  });

  test('that became longer meanwhile is checked as far as it was announced', async () => {
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
  ])('nested %i deep is %s', async (depth, kind) => {
    expect(await kindOf(nested(depth))).toBe(kind);
  });

  test.each([
    [10_000, 'whole'],
    [10_001, 'broken'],
  ])('with %i attributes in a tag is %s', async (count, kind) => {
    expect(await kindOf(withAttributes(count))).toBe(kind);
  });

  test('may have more attributes in many tags', async () => {
    expect(await kindOf(`<report>${'<a b="1"/>'.repeat(20_000)}</report>`)).toBe('whole');
  });

  test('may have many tags side by side', async () => {
    expect(await kindOf(`<report>${'<a></a>'.repeat(2_000)}</report>`)).toBe('whole');
  });

  test('with names beyond ASCII is whole wherever it is read in pieces', async () => {
    expect(await kindOf(`<report>${'<é/>'.repeat(60_000)}</report>`)).toBe('whole');
  });

  test('of more than 64 MiB is not read', async () => {
    expect(await kindOf('<report/>', { length: 64 * MIB + 1 })).toBe('broken');
  });

  test('of 64 MiB is read', async () => {
    expect(await kindOf('<report/>', { length: 64 * MIB })).toBe('whole');
  });

  test.each(['<htmlReport/>', '<anError/>', '<errors/>'])('%s is a report', async (text) => {
    expect(await kindOf(text)).toBe('whole');
  });

  test.each(['<html/>', '<ERROR/>', '<?xml version="1.0"?><html/>', '<!DOCTYPE  html><p/>'])(
    '%s is no report',
    async (text) => {
      expect(await kindOf(text)).toBe('broken');
    },
  );

  test('that mentions a web page inside is a report', async () => {
    expect(await kindOf('<report>&lt;html<html/></report>')).toBe('whole');
  });
});

describe('verifyContent of a ZIP', () => {
  const entry = { name: 'a.xml', content: 'x'.repeat(1000) };
  const DIRECTORY = Buffer.from('PK\u0001\u0002');

  test('with an entry without a name is broken', async () => {
    expect(await kindOf(zipBytes([{ ...entry, name: '' }]))).toBe('broken');
  });

  test('whose directory names fewer bytes than are packed is broken', async () => {
    expect(await kindOf(zipBytes([{ ...entry, claimedLength: 10 }]))).toBe('broken');
  });

  test('whose entry fails its checksum is broken', async () => {
    const bytes = zipBytes([{ ...entry, stored: true }]);
    bytes[100] = 0x79;
    expect(await reasonOf(bytes)).toContain('checksum');
  });

  test('with an encrypted entry is taken unread', async () => {
    // Encryption adds 12 bytes.
    const bytes = zipBytes([{ ...entry, stored: true, claimedLength: entry.content.length - 12 }]);
    bytes[bytes.indexOf(DIRECTORY) + 8] = 1;
    bytes[100] = 0x79;
    expect(await reasonOf(bytes)).toBe('whole');
  });

  test('whose entries together are longer than it is broken', async () => {
    const bytes = zipBytes([
      { ...entry, stored: true },
      { ...entry, name: 'b.xml', stored: true },
    ]);
    const second = bytes.indexOf(DIRECTORY, bytes.indexOf(DIRECTORY) + 1);
    bytes.writeUInt32LE(bytes.length, second + 20);
    bytes.writeUInt32LE(bytes.length, second + 24);
    expect(await reasonOf(bytes)).toContain('over one another');
  });

  test('that claims to unpack to more than 256 MiB and fifty times its size is a bomb', async () => {
    expect(await reasonOf(zipBytes([{ ...entry, claimedLength: 256 * MIB + 1 }]))).toContain('far more');
  });

  test('that claims to unpack to 256 MiB is read', async () => {
    expect(await reasonOf(zipBytes([{ ...entry, claimedLength: 256 * MIB }]))).not.toContain('far more');
  });

  test('may hold 20,000 entries', async () => {
    const entries = Array.from({ length: 20_000 }, (_, index) => ({ name: `${index}`, content: '', stored: true }));
    expect(await kindOf(zipBytes(entries))).toBe('whole');
  });

  test('with 20,001 entries is broken', async () => {
    const entries = Array.from({ length: 20_001 }, (_, index) => ({ name: `${index}`, content: '', stored: true }));
    expect(await kindOf(zipBytes(entries))).toBe('broken');
  });
});

describe('verifyContent of an image', () => {
  const box = (kind: string): Buffer => Buffer.concat([Buffer.from([0, 0, 0, 16]), Buffer.from(`ftyp${kind}0000`)]);

  test.each(['heic', 'heix', 'mif1', 'avif'])('knows a picture of kind %s', async (kind) => {
    expect(await verify(box(kind), { expected: 'image' })).toMatchObject({ kind: 'whole', extension: 'heic' });
  });

  test.each([
    ['a mark that is not at its place', Buffer.concat([Buffer.from('xxxx'), box('heic')])],
    ['the mark of a GIF in the middle', Buffer.from('x GIF89a    ')],
    ['the mark of a film', box('mp42')],
  ])('does not know %s', async (_what, bytes) => {
    expect(await reasonOf(bytes, { expected: 'image' })).toContain('known kind');
  });

  test('finds a GIF only at the start', async () => {
    const gif = await sharp({ create: { width: 2, height: 2, channels: 3, background: 'red' } })
      .gif()
      .toBuffer();
    expect(await kindOf(Buffer.concat([Buffer.from('x'), gif]), { expected: 'image' })).toBe('broken');
  });

  test('checks small files after large ones as thoroughly', async () => {
    const image = (side: number) =>
      sharp({ create: { width: side, height: side, channels: 3, background: 'red' } })
        .png()
        .toBuffer();
    const kinds = [];
    for (const side of [400, 4, 300, 5, 2]) kinds.push(await kindOf(await image(side), { expected: 'image' }));
    expect(new Set(kinds)).toEqual(new Set(['whole']));
  });
});
