import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { THUMBNAIL } from '../results/results-input.ts';

const QUALITY = 65;
/** A small file may claim a picture that fills the memory: beyond any camera's it is none. */
const PIXELS_MAX = 200_000_000;
const SECONDS_MAX = 20;

/**
 * A small JPEG of a photo, made once: it is kept in `folder` under the photo's hash, and may be removed at any time. Null where the photo
 * cannot be read as an image.
 */
export async function thumbnailOf(photo: string, sha256: string, folder: string): Promise<Uint8Array | null> {
  const kept = join(folder, `${sha256}.jpg`);
  const known = await readFile(kept).catch(() => null);
  if (known !== null && isWholeJpeg(known)) return known;
  // Loading sharp takes a moment: only who makes one pays for it.
  const { default: sharp } = await import('sharp');
  // Each photo is made small once, one after the other: nothing is worth remembering, and more threads would only hold more memory.
  sharp.cache(false);
  sharp.concurrency(1);
  const made = await sharp(photo, { limitInputPixels: PIXELS_MAX })
    .timeout({ seconds: SECONDS_MAX })
    .rotate()
    .resize(THUMBNAIL.width, THUMBNAIL.height, { fit: 'cover' })
    .jpeg({ quality: QUALITY })
    .toBuffer()
    .catch(() => null);
  if (made === null) return null;
  // One that cannot be kept is made again the next time.
  await keep(made, kept).catch(() => {});
  return made;
}

async function keep(made: Uint8Array, kept: string): Promise<void> {
  const building = `${kept}.part`;
  await mkdir(dirname(kept), { recursive: true });
  await writeFile(building, made);
  await rename(building, kept);
}

/** From its first mark to its last: a disk may have lost some of it since. */
function isWholeJpeg(bytes: Buffer): boolean {
  return bytes.length > 4 && bytes.readUInt16BE(0) === 0xffd8 && bytes.readUInt16BE(bytes.length - 2) === 0xffd9;
}
