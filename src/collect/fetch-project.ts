import type { LimitFunction } from 'p-limit';
import {
  ID_LENGTH_MAX,
  type ImageReference,
  IMAGES_MAX,
  REPORT_TYPES,
  type ReportReference,
  type SERVICE_NAMES,
  summariesIn,
} from '../contract/document.ts';
import { stringifyExactJson } from '../contract/json.ts';
import { closeoutReasonsOf, isCloseoutType } from '../domain/closeout.ts';
import { sentence } from '../domain/sentences.ts';
import type { ProjectRecord } from '../ledger/ledger.ts';
import { MalformedResponse, readOrThrow } from '../service/reads.ts';
import type { CollectContext, MissingFile, MissingFiles } from './collect-plan.ts';
import { ProjectFiles, type WantedFile } from './project-files.ts';

type FetchResult = { readonly kind: 'complete' } | MissingFiles;

const BROKEN_MAX = 20;
const LACKS_SHOWN_MAX = 30;

function inBrief(lacks: readonly MissingFile[]) {
  const more = lacks.slice(LACKS_SHOWN_MAX);
  if (more.length === 0) return lacks;
  const name = `${more.length} more`;
  const rest = { name, what: `${name} did not come.`, isVital: more.some(({ isVital }) => isVital) };
  return [...lacks.slice(0, LACKS_SHOWN_MAX), rest];
}

/** Photos only (document: serviceName), so it may have no report. */
const PHOTO_ONLY: (typeof SERVICE_NAMES)[number] = 'Photo Only Inspection';

/**
 * All but those recorded since this return; at most `atOnce` at a time over all projects. Without a report it is
 * complete only if photos alone were ordered; otherwise its photos are kept. Throws ServiceUnavailable and
 * StorageError, after everything in progress has ended.
 */
export async function fetchProject(
  project: ProjectRecord,
  context: CollectContext,
  atOnce: LimitFunction,
): Promise<FetchResult> {
  const projectFiles = await ProjectFiles.open(project, context);
  const odd: MissingFile[] = [];
  const listed = await unlessOdd(
    readOrThrow(() => context.client.listReports(project.id), context),
    'list of its reports',
    odd,
  );
  if (odd.length > 0) return { kind: 'incomplete', lacks: odd };
  if (listed === null) return { kind: 'nothing-offered', lost: await projectFiles.lostOtherwise() };
  const reports = [...new Map(listed.map((report) => [report.id, report])).values()];
  try {
    return await fetchListed(project, reports, projectFiles, context, atOnce);
  } finally {
    await projectFiles.flush();
  }
}

/** Null if the answer is malformed; the rest is still fetched. */
async function unlessOdd<T>(read: Promise<T>, name: string, lacks: MissingFile[], isVital = true) {
  return read.catch((failure: unknown) => {
    if (!(failure instanceof MalformedResponse)) throw failure;
    lacks.push({ name, what: `The ${name} cannot be used: ${failure.message}`, isVital });
    return null;
  });
}

async function fetchListed(
  project: ProjectRecord,
  reports: readonly ReportReference[],
  projectFiles: ProjectFiles,
  context: CollectContext,
  atOnce: LimitFunction,
): Promise<FetchResult> {
  let broken = 0;
  const file = async (wanted: WantedFile) => {
    const { kind, id } = wanted;
    if (broken >= BROKEN_MAX) {
      const what = sentence('files-incomplete/damaged', { kind: kind === 'report' ? 'Report' : 'Image', id });
      return { name: `${kind} ${id}`, what, isVital: true };
    }
    const lack = await projectFiles.file(wanted, context);
    if (lack?.isVital === true) broken += 1;
    return lack;
  };
  const odd: MissingFile[] = [];
  const [ofReports, ofSummaries, listed] = await allOf([
    Array.fromAsync(reports, (report, place) => atOnce(() => file(reportFile(report, place, context)))),
    Array.fromAsync(reports, (report, place) => atOnce(() => summaryOf(report, place, project, projectFiles, context))),
    atOnce(() => unlessOdd(listedImages(project.id, context), 'list of its photos', odd, false)),
  ]);
  const isPhotoOnly = reports.length === 0 && (await isOrderedPhotoOnly(project.id, context));
  const images = wantedImages(
    listed ?? [],
    new Set(ofSummaries.flatMap(({ kept }) => kept).flatMap(imageIdsIn)),
    isPhotoOnly ? { ...context, images: 'all' } : context,
  );
  const ofImages = await allOf(images.map((image) => atOnce(() => file(image))));
  const said = reports.map(({ type }, index) => ({ type, summary: ofSummaries[index]?.kept[0]?.summary }));
  const { ledger } = context;
  // Without a report, photos are kept but the project stays incomplete; the same if nothing is offered.
  await projectFiles.flush();
  const lost = await projectFiles.lostOtherwise();
  if (reports.length === 0 && (!isPhotoOnly || images.length === 0))
    return odd.length > 0 ? { kind: 'incomplete', lacks: odd } : { kind: 'nothing-offered', lost };
  const answers = [...ofReports, ...ofSummaries.flatMap(({ lacks }) => lacks), ...odd, ...ofImages];
  const found = answers.filter((lack) => lack !== null);
  const ofOffered =
    isPhotoOnly && found.length === images.length ? found.map((lack) => ({ ...lack, isVital: true })) : found;
  const lacks = [...ofOffered, ...lost];
  const closeout = () => ledger.recordCloseout(project.id, closeoutReasonsOf(said, project.status));
  await projectFiles.flush(lacks.length > 0 ? [closeout] : [closeout, () => ledger.markCollected(project.id)]);
  if (lacks.length > 0) return { kind: 'incomplete', lacks: inBrief(lacks) };
  await projectFiles.tidy();
  return { kind: 'complete' };
}

async function allOf<const T extends readonly Promise<unknown>[]>(
  promises: T,
): Promise<{ readonly [Place in keyof T]: Awaited<T[Place]> }> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

/** The compressed one if wanted and available (document: else 404). */
function reportFile({ id, type }: ReportReference, place: number, { client, reports }: CollectContext): WantedFile {
  const open = async () => {
    const compressed = reports === 'compressed' ? await client.openReportFile(id, { compressed: true }) : null;
    return compressed === null || compressed.kind === 'not-found' ? client.openReportFile(id) : compressed;
  };
  return { kind: 'report', id, type: type ?? '', detail: {}, place, isListed: true, open };
}

async function summaryOf(
  report: ReportReference,
  place: number,
  project: ProjectRecord,
  projectFiles: ProjectFiles,
  context: CollectContext,
) {
  const lacks: MissingFile[] = [];
  const name = `summary of report ${report.id}`;
  const without = judgeMissingSummary(report.type, project.status);
  const isVital = without === 'wrong';
  const kept = await unlessOdd(keptSummary(report, place, project.id, projectFiles, context), name, lacks, isVital);
  if (kept === null && lacks.length === 0 && without !== 'allowed')
    lacks.push({ name, what: `The ${name} is not available (404).`, isVital });
  return { kept: kept ?? [], lacks };
}

async function keptSummary(
  report: ReportReference,
  place: number,
  projectId: string,
  projectFiles: ProjectFiles,
  context: CollectContext,
) {
  const kept = await projectFiles.summary(report.id, place);
  if (kept !== null) {
    const reports = summariesIn(kept.toString('utf8'));
    if (reports === null) throw new MalformedResponse('the stored copy cannot be read.');
    return reports;
  }
  const answer = await readOrThrow(() => context.client.getReportSummary(report.id), context);
  if (answer === null) return null;
  const named = stringifyExactJson(answer.report.project?.['id'] ?? projectId).replaceAll('"', '');
  if (named !== projectId) throw new MalformedResponse(`it is of project ${named}.`);
  await projectFiles.keepSummary(report.id, report.type ?? '', answer.bytes, place);
  return [answer.report];
}

async function isOrderedPhotoOnly(projectId: string, { ledger }: CollectContext) {
  const story = await ledger.storyOfProject(projectId);
  const [orderId] = story?.orderIds ?? [];
  const asked = orderId === undefined ? story?.details : (await ledger.order(orderId))?.payload;
  return asked?.serviceName === PHOTO_ONLY;
}

async function listedImages(projectId: string, context: CollectContext) {
  if (context.images === 'none') return [];
  return (await readOrThrow(() => context.client.listImages(projectId), context)) ?? [];
}

function wantedImages(
  listed: readonly ImageReference[],
  referenced: ReadonlySet<string>,
  context: CollectContext,
): readonly WantedFile[] {
  if (context.images === 'none') return [];
  const wanted = new Map<string, WantedFile['detail']>();
  for (const { id, source, type, direction } of listed) {
    if (context.images === 'referenced' && !referenced.has(id)) continue;
    wanted.set(id, { source: source ?? '', type: type ?? '', direction: direction ?? '' });
  }
  const onList = new Set(wanted.keys());
  for (const id of referenced) if (!wanted.has(id)) wanted.set(id, {});
  return [...wanted].map(([id, detail], place) => ({
    kind: 'image',
    id,
    type: '',
    detail,
    place,
    isListed: onList.has(id),
    open: () => context.client.openImageFile(id),
  }));
}

/**
 * True if the service lists a report that is not here (or a photo, if there are no reports). Files that it no longer
 * lists do not count. Throws ServiceUnavailable.
 */
export async function offersNewFiles(projectId: string, context: CollectContext) {
  const reports = (await readOrThrow(() => context.client.listReports(projectId), context)) ?? [];
  const here = await context.ledger.artifactsOf(projectId);
  const isNew =
    (kind: 'report' | 'image') =>
    ({ id }: { readonly id: string }) =>
      !here.some((artifact) => artifact.kind === kind && artifact.serviceId === id);
  if (reports.length > 0 || here.some(({ kind }) => kind === 'report')) return reports.some(isNew('report'));
  return (await listedImages(projectId, context)).some(isNew('image'));
}

const WITH_SUMMARY: ReadonlySet<string> = new Set(REPORT_TYPES.filter((type) => !isCloseoutType(type)));

/**
 * For a report without a summary (404). Only a closeout, by type or status, may lack one; a listed type must have one;
 * for others, ask for some nights.
 */
export function judgeMissingSummary(type: string | null | undefined, status: string) {
  if (isCloseoutType(type) || isCloseoutType(status)) return 'allowed';
  return WITH_SUMMARY.has(type?.trim() ?? '') ? 'wrong' : 'doubtful';
}

/** At any depth of a summary, up to a limit. */
export function imageIdsIn(value: unknown) {
  const found = new Set<string>();
  gather(value, found);
  return [...found].filter((id) => id.length <= ID_LENGTH_MAX).slice(0, IMAGES_MAX);
}

function gather(value: unknown, found: Set<string>) {
  if (value === null || typeof value !== 'object') return;
  for (const [key, held] of Object.entries(value)) {
    if (key === 'image' && Array.isArray(held)) for (const image of held) addId(image, found);
    else gather(held, found);
  }
}

function addId(image: unknown, found: Set<string>) {
  const id = typeof image === 'object' && image !== null && 'id' in image ? image.id : '';
  if (typeof id === 'number' || typeof id === 'bigint' || (typeof id === 'string' && id !== '')) found.add(String(id));
}
