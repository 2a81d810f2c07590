import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { THUMBNAIL } from '../results/results-input.ts';

const QUALITY = 65;

/**
 * A small JPEG of a photo, made once: it is kept in `folder` under the photo's hash, and may be removed at any time. Null where the photo
 * cannot be read as an image.
 */
export async function thumbnailOf(photo: string, sha256: string, folder: string): Promise<Uint8Array | null> {
  const kept = join(folder, `${sha256}.jpg`);
  const known = await readFile(kept).catch(() => null);
  if (known !== null) return known;
  // Loading sharp takes a moment: only who makes one pays for it.
  const { default: sharp } = await import('sharp');
  const made = await sharp(photo)
    .rotate()
    .resize(THUMBNAIL.width, THUMBNAIL.height, { fit: 'cover' })
    .jpeg({ quality: QUALITY })
    .toBuffer()
    .catch(() => null);
  if (made === null) return null;
  await mkdir(folder, { recursive: true });
  const building = `${kept}.part`;
  await writeFile(building, made);
  await rename(building, kept);
  return made;
}
