import { crc32 } from 'node:zlib';
import { houseDrawing, type View } from './house-drawing.ts';
import { styleOf } from './house-styles.ts';
import type { Inspection } from './inspection.ts';
import type { ImageView } from './offer.ts';

/** How large a photo is, and how much of it is kept. */
const SIZES = {
  /** As the image endpoint gives it. */
  full: { width: 640, quality: 78 },
  /** As it stands in a report. */
  report: { width: 480, quality: 72 },
  /** As it stands in a compressed one. */
  small: { width: 240, quality: 50 },
} as const;
export type PhotoSize = keyof typeof SIZES;

/** Every sandbox of a process draws the same houses: each drawing is made once and kept. */
const drawings = new Map<string, Promise<Buffer>>();

/** The house of an inspection from one side, as JPEG. */
export async function drawnJpeg(inspection: Inspection, shows: View, size: PhotoSize): Promise<Buffer> {
  return await drawn(styleOf(inspection), shows, 'jpeg', size);
}

/** A photo: the drawing with a comment of its own inside the file, so that no two have the same bytes, and one seed always gives the same ones. */
export async function photoOf(inspection: Inspection, { shows, format }: ImageView, size: PhotoSize = 'full'): Promise<Buffer> {
  const drawing = await drawn(styleOf(inspection), shows, format, size);
  const comment = Buffer.from(`project ${inspection.key} ${shows}`, 'latin1');
  return format === 'jpeg' ? withJpegComment(drawing, comment) : withPngComment(drawing, comment);
}

async function drawn(style: number, shows: View, format: 'jpeg' | 'png', size: PhotoSize): Promise<Buffer> {
  const key = `${style} ${shows} ${format} ${size}`;
  let drawing = drawings.get(key);
  if (drawing === undefined) drawings.set(key, (drawing = draw(style, shows, format, size)));
  return await drawing;
}

async function draw(style: number, shows: View, format: 'jpeg' | 'png', size: PhotoSize): Promise<Buffer> {
  // Loaded on first use: the server starts without it.
  const { default: sharp } = await import('sharp');
  const { width, quality } = SIZES[size];
  const drawing = sharp(Buffer.from(houseDrawing(style, shows))).resize({ width });
  // The least effort: a palette of colours makes a drawing small enough.
  return await (format === 'jpeg' ? drawing.flatten().jpeg({ quality }) : drawing.png({ palette: true, effort: 1 })).toBuffer();
}

/** A COM segment right after the start of the image. */
function withJpegComment(jpeg: Buffer, comment: Buffer): Buffer {
  const head = Buffer.from([0xff, 0xfe, 0, 0]);
  head.writeUInt16BE(comment.length + 2, 2);
  return Buffer.concat([jpeg.subarray(0, 2), head, comment, jpeg.subarray(2)]);
}

/** Where the IHDR chunk ends: 8 bytes of signature, 25 of the chunk. */
const PNG_AFTER_HEADER = 33;

/** A tEXt chunk right after the header. */
function withPngComment(png: Buffer, comment: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from('tEXtComment\0', 'latin1'), comment]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(body.length - 4, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([png.subarray(0, PNG_AFTER_HEADER), frame.subarray(0, 4), body, frame.subarray(4), png.subarray(PNG_AFTER_HEADER)]);
}
