import type { Finding } from './attention/findings.ts';
import { isReferenceList } from './catalogue-index.ts';
import type { FlatRecord } from './flatten.ts';
import type { ProjectRecord } from './project-columns.ts';
import type { ResultPhoto } from './results-input.ts';

/** An entry of a report that refers to photos: a hazard, a slope, a recommendation. */
interface Mention {
  /** The list it stands in. */
  readonly path: string;
  readonly photoIds: readonly string[];
  readonly texts: readonly string[];
}

const ROOF = /roof/i;
const FRONT = /\bfront\b/i;

/** The photos of a project, those first that say most: what the findings tell of, the roof, the front, then the rest in their order. */
export function photosByRelevance(record: ProjectRecord, findings: readonly Finding[]): readonly ResultPhoto[] {
  const { photos } = record.project;
  const isTold = ({ path, texts }: Mention): boolean => findings.some(({ paths, reason }) => paths.includes(path) && texts.some((text) => text !== '' && reason.includes(text)));
  const described = (pattern: RegExp): readonly ResultPhoto[] => photos.filter(({ description = '' }) => pattern.test(description));
  return [...new Set([...mentioned(record, isTold), ...described(ROOF), ...described(FRONT), ...photos])];
}

/** The photos that show the roof: those that the service calls so, then those that the report refers to where it tells of the roof. */
export function roofPhotos(record: ProjectRecord): readonly ResultPhoto[] {
  const called = record.project.photos.filter(({ description = '' }) => ROOF.test(description));
  return [...new Set([...called, ...mentioned(record, ({ path, texts }) => ROOF.test(path) || texts.some((text) => ROOF.test(text)))])];
}

function mentioned(record: ProjectRecord, isMeant: (mention: Mention) => boolean): readonly ResultPhoto[] {
  const byId = new Map(record.project.photos.map((photo) => [photo.id, photo]));
  if (byId.size === 0) return [];
  return [...mentionsIn(record.record, '')].filter(isMeant).flatMap(({ photoIds }) => photoIds.flatMap((id) => byId.get(id) ?? []));
}

function* mentionsIn({ lists }: FlatRecord, parent: string): Generator<Mention> {
  for (const list of lists.values()) {
    const path = parent + list.path;
    for (const item of list.items) {
      const leaves = [...item.values.values()];
      // An id, and whatever else the reference held behind it.
      const photoIds = leaves.flatMap(({ attribute, leaf }) => (isReferenceList(attribute) && Array.isArray(leaf) ? leaf.map((reference) => String(reference).split(' ')[0] ?? '') : []));
      if (photoIds.length > 0) yield { path, photoIds, texts: leaves.flatMap(({ leaf }) => (typeof leaf === 'string' ? [leaf] : [])) };
      yield* mentionsIn(item, `${path}[].`);
    }
  }
}
