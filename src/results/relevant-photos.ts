import { isReferenceList } from './catalogue-index.ts';
import type { FlatRecord } from './flatten.ts';
import type { ProjectRecord } from './project-columns.ts';
import type { ResultPhoto } from './results-input.ts';

/** An entry of a report that names photos: a hazard, a slope, a recommendation. */
interface Mention {
  readonly photoIds: readonly string[];
  /** Where the entry stands and what it says. */
  readonly words: string;
}

const ROOF = /roof/i;
const FRONT = /\bfront\b/i;

/** The photos of a project, those first that say most: what the report's hazards and comparisons show, the roof, the front, then the rest. */
export function photosByRelevance(record: ProjectRecord): readonly ResultPhoto[] {
  const { photos } = record.project;
  const described = (pattern: RegExp): readonly ResultPhoto[] => photos.filter(({ description = '' }) => pattern.test(description));
  return [...new Set([...mentioned(record, () => true), ...described(ROOF), ...described(FRONT), ...photos])];
}

/** The photos that show the roof: those that the service calls so, then those that the report refers to where it tells of the roof. */
export function roofPhotos(record: ProjectRecord): readonly ResultPhoto[] {
  const called = record.project.photos.filter(({ description = '' }) => ROOF.test(description));
  return [...new Set([...called, ...mentioned(record, ({ words }) => ROOF.test(words))])];
}

function mentioned(record: ProjectRecord, isMeant: (mention: Mention) => boolean): readonly ResultPhoto[] {
  const byId = new Map(record.project.photos.map((photo) => [photo.id, photo]));
  if (byId.size === 0) return [];
  const found: ResultPhoto[] = [];
  for (const mention of mentionsIn(record.record, '')) {
    if (!isMeant(mention)) continue;
    for (const id of mention.photoIds) {
      const photo = byId.get(id);
      if (photo !== undefined) found.push(photo);
    }
  }
  return found;
}

function* mentionsIn({ lists }: FlatRecord, parent: string): Generator<Mention> {
  for (const list of lists.values()) {
    for (const item of list.items) {
      const said: string[] = [parent + list.path];
      const photoIds: string[] = [];
      for (const { attribute, leaf } of item.values.values()) {
        // An id, and whatever else the reference held behind it.
        if (isReferenceList(attribute) && Array.isArray(leaf)) photoIds.push(...leaf.map((reference) => String(reference).split(' ')[0] ?? ''));
        else if (typeof leaf === 'string') said.push(leaf);
      }
      if (photoIds.length > 0) yield { photoIds, words: said.join(' ') };
      yield* mentionsIn(item, `${parent}${list.path}[].`);
    }
  }
}
