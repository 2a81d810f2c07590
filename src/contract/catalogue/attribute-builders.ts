import type { AttributeType, SummaryAttribute } from '../catalogue-types.ts';

/** What an entry may say beyond its path, name and meaning. Left out: not nullable, not dynamic, no unit, no values. */
type Details = Partial<Omit<SummaryAttribute, 'path' | 'title' | 'group' | 'type' | 'meaning'>>;

type Build = (path: string, name: string, meaning: string, details?: Details) => SummaryAttribute;

/** Writes entries of one group whose paths share a prefix; an entry's title is `Group: name`. An empty prefix is for items. */
export function attributesOf(group: string, prefix: string): Record<AttributeType, Build> {
  const builder = (type: AttributeType): Build => (path, name, meaning, details = {}) => ({
    path: [prefix, path].filter((part) => part !== '').join('.'),
    title: `${group}: ${name}`,
    group,
    type,
    nullable: false,
    dynamic: false,
    meaning,
    ...details,
  });
  return {
    text: builder('text'),
    number: builder('number'),
    boolean: builder('boolean'),
    texts: builder('texts'),
    objects: builder('objects'),
    percentages: builder('percentages'),
    counts: builder('counts'),
    flags: builder('flags'),
    details: builder('details'),
  };
}

/** A list of images inside an item: objects with at least `id`. */
export function imagesOf(group: string, details: Details = {}): SummaryAttribute {
  const { objects, text } = attributesOf(group, '');
  return objects('image', 'images', 'The images that show it; the id finds the file.', {
    ...details,
    items: [text('id', 'image id', 'Id of the image.')],
  });
}

export const dynamic = { dynamic: true } as const;
export const nullable = { nullable: true } as const;

export const CONDITIONS = ['Excellent', 'Good', 'Average', 'Fair', 'Poor'] as const;
export const SYSTEM_UPDATE_STATUSES = ['Original', 'Partially Updated', 'Fully Updated', 'Unknown'] as const;
export const SIZES = ['Small', 'Medium', 'Large'] as const;
export const DIRECTIONS = ['Front', 'Right', 'Rear', 'Left'] as const;
