import { readFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { hasTarp } from './inspected-house.ts';
import { type Inspection, sampleHouseFor } from './inspection.ts';
import type { ImageView } from './inspection-data.ts';

const FOLDER = join(findPackageJSON(import.meta.url) ?? '', '../samples/houses');

function fileOf(inspection: Inspection, shows: string) {
  if (shows === 'panel') return 'panel.jpg';
  const tarp = shows === 'roof' && hasTarp(inspection) ? '-tarp' : '';
  return `${sampleHouseFor(inspection).name}-${shows}${tarp}.jpg`;
}

type PhotoSize = 'full' | 'small';
const SMALL_WIDTH = 240;

const photos = new Map<string, Promise<Buffer>>();

/** Comments make the bytes differ and repeat for a seed. */
export async function photoOf(inspection: Inspection, { shows, format }: ImageView, size: PhotoSize = 'full') {
  const file = fileOf(inspection, shows);
  const key = `${file} ${format} ${size}`;
  const making = photos.get(key) ?? make(file, format, size);
  photos.set(key, making);
  const photo = await making;
  const comment = Buffer.from(`project ${inspection.key} ${shows}`, 'latin1');
  return format === 'jpeg' ? withJpegComment(photo, comment) : withPngComment(photo, comment);
}

async function make(file: string, format: 'jpeg' | 'png', size: PhotoSize) {
  const path = join(FOLDER, file);
  if (format === 'jpeg' && size === 'full') return readFile(path);
  const { default: sharp } = await import('sharp');
  const photo = size === 'full' ? sharp(path) : sharp(path).resize({ width: SMALL_WIDTH });
  return (format === 'jpeg' ? photo.jpeg({ quality: 50 }) : photo.png({ palette: true, effort: 1 })).toBuffer();
}

function withJpegComment(jpeg: Buffer, comment: Buffer) {
  const head = Buffer.from([0xff, 0xfe, 0, 0]);
  head.writeUInt16BE(comment.length + 2, 2);
  return Buffer.concat([jpeg.subarray(0, 2), head, comment, jpeg.subarray(2)]);
}

const PNG_AFTER_HEADER = 33;

function withPngComment(png: Buffer, comment: Buffer) {
  const body = Buffer.concat([Buffer.from('tEXtComment\0'), comment]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.length - 4);
  checksum.writeUInt32BE(crc32(body));
  const [head, rest] = [png.subarray(0, PNG_AFTER_HEADER), png.subarray(PNG_AFTER_HEADER)];
  return Buffer.concat([head, length, body, checksum, rest]);
}
