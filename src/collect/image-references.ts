import { ID_LENGTH_MAX, IMAGES_MAX } from '../contract/document.ts';

/** The ids of the images that a report summary refers to: every `image: [ { id } ]` in it, wherever it stands; of a list beyond any house's the first ones. */
export function imageIdsIn(value: unknown): readonly string[] {
  const found = new Set<string>();
  gather(value, found);
  return [...found].filter((id) => id.length <= ID_LENGTH_MAX).slice(0, IMAGES_MAX);
}

function gather(value: unknown, found: Set<string>): void {
  if (Array.isArray(value)) {
    for (const item of value) gather(item, found);
    return;
  }
  if (value === null || typeof value !== 'object') return;
  for (const [key, held] of Object.entries(value)) {
    if (key === 'image' && Array.isArray(held)) for (const image of held) addId(image, found);
    else gather(held, found);
  }
}

function addId(image: unknown, found: Set<string>): void {
  if (image === null || typeof image !== 'object' || !('id' in image)) return;
  if (typeof image.id === 'string' && image.id !== '') found.add(image.id);
  if (typeof image.id === 'number' || typeof image.id === 'bigint') found.add(String(image.id));
}
