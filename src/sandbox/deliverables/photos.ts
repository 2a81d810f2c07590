import { crc32 } from 'node:zlib';
import { SeededRandom } from '../seeded-random.ts';
import { houseDrawing, HOUSE_STYLES } from './house-drawing.ts';
import type { Inspection } from './inspection.ts';
import type { ImageOffer, ImageView } from './offer.ts';

const JPEG_QUALITY = 78;

/**
 * Photos of houses. Each drawing is made once and kept; a photo is the drawing with a comment of its own inside the file, so that no two
 * photos have the same bytes, and one seed always gives the same ones.
 */
export class Photos {
  readonly #drawn = new Map<string, Promise<Buffer>>();

  /** The drawing of an inspection's house from one side. */
  async drawn(inspection: Inspection, { shows, format }: ImageView): Promise<Buffer> {
    const style = new SeededRandom(inspection.seed, 'house', inspection.key).integer(0, HOUSE_STYLES - 1);
    const key = `${style} ${shows} ${format}`;
    let drawing = this.#drawn.get(key);
    if (drawing === undefined) this.#drawn.set(key, (drawing = draw(style, { shows, format })));
    return await drawing;
  }

  async photo(inspection: Inspection, image: ImageOffer): Promise<Buffer> {
    const drawing = await this.drawn(inspection, image.view);
    const comment = Buffer.from(`project ${inspection.key} ${image.view.shows}`, 'latin1');
    return image.view.format === 'jpeg' ? withJpegComment(drawing, comment) : withPngComment(drawing, comment);
  }
}

async function draw(style: number, { shows, format }: Pick<ImageView, 'shows' | 'format'>): Promise<Buffer> {
  // Loaded on first use: the server starts without it.
  const { default: sharp } = await import('sharp');
  const drawing = sharp(Buffer.from(houseDrawing(style, shows)));
  return await (format === 'jpeg' ? drawing.flatten().jpeg({ quality: JPEG_QUALITY }) : drawing.png({ palette: true })).toBuffer();
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
