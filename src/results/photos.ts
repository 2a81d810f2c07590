import type { Finding } from './attention/judge.ts';
import { type FlatRecord, referencedIds } from './flatten.ts';
import type { SurveyedProject } from './model.ts';

type Mention = Readonly<{
  path: string;
  photoIds: readonly string[];
  texts: readonly string[];
}>;

const ROOF = /roof/i;
const FRONT = /\bfront\b/i;

/** First those of findings in their order, then of the roof, of the front, and the rest. */
export function photosByRelevance(judged: SurveyedProject) {
  const described = (pattern: RegExp) => photosCalled(judged, pattern);
  const found = judged.findings.flatMap((finding) => photosShowing(judged, finding));
  return [...new Set([...found, ...described(ROOF), ...described(FRONT), ...judged.project.photos])];
}

/** Its own; for the roof, any of the roof. */
export function photosShowing(judged: SurveyedProject, finding: Finding) {
  const own = photosOfFinding(judged, finding);
  return own.length > 0 || finding.category !== 'roof' ? own : photosCalled(judged, ROOF);
}

/** Those of the entries that its source quotes best: others may share a word, such as a side. */
export function photosOfFinding(judged: SurveyedProject, { paths, source }: Finding) {
  const quotedIn = ({ path, texts }: Mention) =>
    paths.includes(path) ? Math.max(0, ...texts.map((text) => (source.includes(text) ? text.length : 0))) : 0;
  const most = Math.max(0, ...mentionsOf(judged.record).map(quotedIn));
  return most === 0 ? [] : mentioned(judged, (mention) => quotedIn(mention) === most);
}

/** Those that an entry of a list, such as a recommendation, names. */
export function photosOfItem({ project }: SurveyedProject, item: FlatRecord) {
  const ids = photoIdsOf(item);
  return project.photos.filter(({ id }) => ids.includes(id));
}

export function roofPhotos(judged: SurveyedProject) {
  const unnamed = mentioned(
    judged,
    ({ path, texts }) => ROOF.test(path) || texts.some((text) => ROOF.test(text)),
  ).filter(({ description = '' }) => description === '');
  return [...new Set([...photosCalled(judged, ROOF), ...unnamed])];
}

function photosCalled(judged: SurveyedProject, pattern: RegExp) {
  const earlier = earlierPhotos(judged);
  return judged.project.photos.filter((photo) => pattern.test(photo.description ?? '') && !earlier.has(photo));
}

/** Those of the previous inspection: the report compares them with its own. */
export function earlierPhotos(judged: SurveyedProject) {
  const compared = comparisons(judged).map(({ photos }) => photos);
  return new Set(compared.flatMap(([, ...before]) => before)).difference(new Set(compared.map(([now]) => now)));
}

export function labeledPhotos(judged: SurveyedProject, photos = photosByRelevance(judged)) {
  const earlier = earlierPhotos(judged);
  return [...new Set(photos)].map((photo) =>
    earlier.has(photo) ? { ...photo, description: `${photo.description ?? ''} (previous inspection)`.trim() } : photo,
  );
}

const COMPARISONS = ['summary.roof.comparison', 'summary.exterior.comparison'];
const UNCHANGED = /^no change/i;

/** Photos: now, then before. */
export function comparedPhotos(judged: SurveyedProject) {
  return comparisons(judged).flatMap(({ item, photos }) => {
    const textOf = (name: string) => String(item.values.get(name)?.leaf ?? '');
    if (textOf('change') === '' || UNCHANGED.test(textOf('change')) || photos.length === 0) return [];
    return [{ text: textOf('comment') || `${textOf('direction')}: ${textOf('change')}`, photos }];
  });
}

function comparisons({ record, project }: SurveyedProject) {
  return COMPARISONS.flatMap((path) => record.lists.get(path)?.items ?? []).map((item) => ({
    item,
    photos: photosWith(photoIdsOf(item), project),
  }));
}

function photoIdsOf({ values }: FlatRecord) {
  return [...values.values()].flatMap(referencedIds);
}

function mentioned(judged: SurveyedProject, isMeant: (mention: Mention) => boolean) {
  const ids = mentionsOf(judged.record)
    .filter(isMeant)
    .flatMap(({ photoIds }) => photoIds);
  return photosWith(ids, judged.project);
}

function photosWith(ids: readonly string[], { photos }: SurveyedProject['project']) {
  const byId = new Map(photos.map((photo) => [photo.id, photo]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

const mentionsByRecord = new WeakMap<FlatRecord, readonly Mention[]>();

/** Read once: a project has many findings. */
function mentionsOf(record: FlatRecord) {
  const mentions = mentionsByRecord.get(record) ?? [...mentionsIn(record)];
  mentionsByRecord.set(record, mentions);
  return mentions;
}

function* mentionsIn({ lists }: FlatRecord, parent = ''): Generator<Mention> {
  for (const list of lists.values()) {
    const path = parent + list.path;
    for (const item of list.items) {
      yield {
        path,
        photoIds: photoIdsOf(item),
        texts: [...item.values.values()].flatMap(({ leaf }) => (typeof leaf === 'string' ? [leaf] : [])),
      };
      yield* mentionsIn(item, `${path}[].`);
    }
  }
}
