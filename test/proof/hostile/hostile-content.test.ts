import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { crc32, deflateRawSync, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { storeFile } from '../../../src/collect/project-files.ts';
import { type ExpectedKind, verifyContent, type FileCheck } from '../../../src/collect/verify-content.ts';
import { inTurn } from '../../support/proof-size.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

async function verify(bytes: Uint8Array, expected: ExpectedKind): Promise<FileCheck> {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'file.part');
  await writeFile(path, bytes);
  return await verifyContent(path, bytes.length, expected);
}

interface ZipEntry {
  readonly packed: Buffer;
  readonly claims: number;
  readonly crc?: number;
  /** Where its local header is said to stand, if not where it does. */
  readonly at?: number;
}

/** A ZIP that says of its entries what the test wants. */
function zipOf(entries: readonly ZipEntry[]): Buffer {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const [nth, { packed, claims, crc = 0, at }] of entries.entries()) {
    const name = Buffer.from(`${nth}.xml`);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(crc, 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(claims, 18);
    fields.writeUInt16LE(name.length, 22);
    if (at === undefined) locals.push(Buffer.from('PK\u0003\u0004'), fields, name, packed);
    const head = Buffer.alloc(14);
    head.writeUInt32LE(at ?? offset, 10);
    central.push(Buffer.from('PK\u0001\u0002\u0014\u0000', 'latin1'), fields, head, name);
    if (at === undefined) offset += 30 + name.length + packed.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, directory, Buffer.from('PK\u0005\u0006'), end]);
}

const packedOf = (plain: Buffer): ZipEntry => ({
  packed: deflateRawSync(plain),
  claims: plain.length,
  crc: crc32(plain),
});
const MiB = 1024 ** 2;
const streamOf = (filter: string, content: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`<< /Length ${content.length} /Filter /${filter} >>\nstream\n`),
    content,
    Buffer.from('\nendstream'),
  ]);
const zeros = packedOf(Buffer.alloc(64 * MiB));
const aMegabyte = packedOf(Buffer.alloc(MiB));
const bomb = streamOf('FlateDecode', deflateSync(Buffer.alloc(60 * MiB)));

/** A PDF of these objects, with one table; `places` may say other places than the true ones. */
function pdfOf(
  objects: readonly Buffer[],
  places: (offset: number, nth: number) => number = (offset) => offset,
): Buffer {
  const parts = [Buffer.from('%PDF-1.4\n')];
  const lines = ['0000000000 65535 f \n'];
  let offset = 9;
  for (const [nth, object] of objects.entries()) {
    const whole = Buffer.concat([Buffer.from(`${nth + 1} 0 obj\n`), object, Buffer.from('\nendobj\n')]);
    lines.push(`${String(places(offset, nth)).padStart(10, '0')} 00000 n \n`);
    parts.push(whole);
    offset += whole.length;
  }
  parts.push(
    Buffer.from(
      `xref\n0 ${lines.length}\n${lines.join('')}trailer\n<< /Size ${lines.length} >>\nstartxref\n${offset}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}

const many = <T>(count: number, make: (nth: number) => T): T[] => Array.from({ length: count }, (_, nth) => make(nth));

/** Streams inside one another: each JPEG hides the next object in a segment, and all share one long scan and one end. */
function nestedPictures(depth: number, scanBytes: number): Buffer {
  const scan = Buffer.concat([
    Buffer.from('ffda0002', 'hex'),
    Buffer.alloc(scanBytes, 7),
    Buffer.from('ffd9', 'hex'),
    Buffer.from('\nendstream\nendobj\n'),
  ]);
  const objects: Buffer[] = [];
  let behind = scan.length - '\nendstream\nendobj\n'.length;
  for (let nth = depth; nth > 0; nth -= 1) {
    const start = Buffer.from('ffd8', 'hex');
    const head = Buffer.from(
      `${nth} 0 obj\n<< /Length ${start.length + behind} /Filter /DCTDecode >>\nstream\n`,
      'latin1',
    );
    // The head of the object inside lies in a comment of this picture.
    objects.unshift(Buffer.concat([head, start]));
    const comment = head.length + start.length + 2;
    behind += head.length + start.length + 4;
    objects.unshift(Buffer.concat([Buffer.from('fffe', 'hex'), Buffer.from([comment >> 8, comment & 255])]));
  }
  const body = Buffer.concat([...objects.slice(1), scan]);
  const lines = ['0000000000 65535 f \n'];
  for (let nth = 1; nth <= depth; nth += 1)
    lines.push(`${String(9 + body.indexOf(`${nth} 0 obj`)).padStart(10, '0')} 00000 n \n`);
  return Buffer.concat([
    Buffer.from('%PDF-1.4\n'),
    body,
    Buffer.from(`xref\n0 ${depth + 1}\n${lines.join('')}trailer\n<< >>\nstartxref\n${9 + body.length}\n%%EOF\n`),
  ]);
}

const HOSTILE: readonly (readonly [string, () => Buffer, ExpectedKind, string])[] = [
  [
    'a ZIP of 3 MB that claims a terabyte',
    () => zipOf(many(256, () => ({ packed: Buffer.alloc(12_000, 1), claims: 0xfffffffe }))),
    'report',
    'far more than its size',
  ],
  ['a ZIP that unpacks a thousandfold', () => zipOf(many(20, () => zeros)), 'report', 'far more than its size'],
  [
    'a ZIP whose entries are one and the same',
    () => zipOf([aMegabyte, ...many(4_000, () => ({ ...aMegabyte, at: 0 }))]),
    'report',
    'overlap',
  ],
  [
    'a ZIP that unpacks to more than it claims',
    () => zipOf([{ ...zeros, claims: 100 }]),
    'report',
    'cannot be read to its end',
  ],
  [
    'a ZIP of very many entries',
    () => zipOf(many(30_000, () => ({ packed: deflateRawSync(Buffer.alloc(0)), claims: 0 }))),
    'report',
    'entries',
  ],
  [
    'an XML nested a million deep',
    () => Buffer.from(`${'<a>'.repeat(1_000_000)}${'</a>'.repeat(1_000_000)}`),
    'report',
    'not well-formed',
  ],
  [
    'an XML with a million attributes',
    () => Buffer.from(`<a ${many(1_000_000, (nth) => `a${nth}=""`).join(' ')}/>`),
    'report',
    'not well-formed',
  ],
  [
    'a PDF without any of its objects',
    () => pdfOf([...many(200_000, () => Buffer.alloc(40, 32))], () => 5).subarray(0),
    'report',
    '',
  ],
  [
    'a PDF that names 200,000 objects and has none',
    () =>
      Buffer.concat([
        Buffer.from(`%PDF-1.4\n${' '.repeat(16 * MiB)}`),
        Buffer.from(
          `xref\n0 200000\n${'0000000012 00000 n \n'.repeat(200_000)}trailer\n<< >>\nstartxref\n${9 + 16 * MiB}\n%%EOF\n`,
        ),
      ]),
    'report',
    'is missing',
  ],
  [
    'a PDF of objects without a stream, and one at its end',
    () => pdfOf([...many(150_000, () => Buffer.alloc(100, 40)), Buffer.from('stream')]),
    'report',
    '',
  ],
  ['a PDF whose streams are bombs', () => pdfOf(many(300, () => bomb)), 'report', ''],
  ['a PDF with pictures inside one another', () => nestedPictures(4_000, 8 * MiB), 'report', 'overlap'],
  [
    'a PDF whose tables are one and the same',
    () => {
      const table = `xref\n0 100000\n${'0000000000 65535 f \n'.repeat(100_000)}`;
      const body = `%PDF-1.4\n${' '.repeat(50)}${table}`;
      return Buffer.from(
        `${body}${many(200, (nth) => `trailer\n<< /Prev ${9 + nth} >>\n`).join('')}startxref\n10\n%%EOF\n`,
      );
    },
    'report',
    '',
  ],
  [
    'a dictionary of spaces and brackets',
    () =>
      pdfOf(many(4_000, () => Buffer.from(`<< /Length 12 /Filter ${' '.repeat(2_000)}${'>> '.repeat(600)}stream\n`))),
    'report',
    '',
  ],
  [
    'a GIF without end',
    () =>
      Buffer.concat([
        Buffer.from('GIF89a\u0001\u0000\u0001\u0000\u0000\u0000\u0000', 'latin1'),
        Buffer.alloc(20 * MiB, 0x21),
      ]),
    'image',
    '',
  ],
  [
    'a JPEG of marks',
    () => Buffer.concat([Buffer.from('ffd8', 'hex'), Buffer.alloc(30 * MiB, 0xff)]),
    'image',
    'no end',
  ],
  [
    'a WebP of empty parts',
    () => {
      const head = Buffer.from('RIFF\u0000\u0000\u0000\u0000WEBP', 'latin1');
      head.writeUInt32LE(30 * MiB, 4);
      return Buffer.concat([head, Buffer.alloc(30 * MiB)]);
    },
    'image',
    '',
  ],
];

// In a share one in three of them each day.
test.each(inTurn(HOSTILE, 3))('verify ends soon for %s', async (_name, make, expected, why) => {
  const bytes = make();
  const before = process.cpuUsage();
  const verified = await verify(bytes, expected);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(15_000);
  expect(verified.kind === 'broken' ? verified.reason : 'whole').toContain(why);
});

test('verify accepts the oddities of honest writers', async () => {
  // Wrong offsets, many streams, a ZIP within a ZIP and an animated GIF.
  const text = (nth: number): Buffer =>
    streamOf('FlateDecode', deflateSync(Buffer.from(`BT (page ${nth}) Tj ET `.repeat(50))));
  expect(await verify(pdfOf(many(500, text)), 'report')).toMatchObject({ kind: 'whole', extension: 'pdf' });
  expect(
    await verify(
      pdfOf(many(500, text), (offset, nth) => offset + (nth % 3)),
      'report',
    ),
  ).toMatchObject({ kind: 'whole' });
  const damaged = pdfOf(many(500, text));
  const inside = damaged.indexOf('stream\n', Math.floor(damaged.length / 3)) + 20;
  damaged[inside] = (damaged[inside] ?? 0) ^ 0xff;
  expect(await verify(damaged, 'report')).toMatchObject({ kind: 'broken' });
  expect(await verify(zipOf(many(50, (nth) => packedOf(Buffer.alloc(100_000, nth)))), 'report')).toMatchObject({
    kind: 'whole',
    extension: 'zip',
  });
  const frame = (value: number): Buffer => Buffer.alloc(40 * 40 * 3, value);
  const moving = await sharp(Buffer.concat([frame(3), frame(90), frame(200)]), {
    raw: { width: 40, height: 120, channels: 3, pageHeight: 40 },
  })
    .gif()
    .toBuffer();
  expect(await verify(moving, 'image')).toMatchObject({ kind: 'whole', extension: 'gif' });
});

/** So many bytes now and then, on a clock that goes on meanwhile. */
async function* dripping(
  clock: ReturnType<typeof createVirtualClock>,
  bytes: number,
  everyMs: number,
  times: number,
): AsyncGenerator<Buffer> {
  for (let time = 0; time < times; time += 1) {
    clock.jumpTo(clock.now() + everyMs);
    yield Buffer.alloc(bytes, 32);
  }
}

test.each<[string, number, number, string]>([
  ['a byte every 5 s', 1, 5_000, 'it arrived too slowly'],
  ['2 KB a second without end', 10_240, 5_000, 'it took longer than an hour'],
])('storeFile gives up on a slow body: %s', async (_name, bytes, everyMs, why) => {
  await using folder = await temporaryFolder();
  const clock = createVirtualClock();
  const stream = Readable.from(dripping(clock, bytes, everyMs, 1_000_000), { objectMode: false });
  const stored = await storeFile(
    { stream, contentType: null, contentLength: null },
    join(folder.path, 'report'),
    'report',
    clock,
  );
  expect(stored).toEqual({ kind: 'broken', reason: expect.stringContaining(why), isFinal: true });
  expect(await readdir(folder.path)).toEqual([]);
});
