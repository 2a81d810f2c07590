import { mkdir, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { ReportReference } from '../contract/report.ts';
import type { ArtifactKind, ProjectRecord, StoredArtifact } from '../ledger/ledger.ts';
import { writeFileDurably } from '../ops/atomic-files.ts';
import { safeFileName } from '../ops/safe-file-name.ts';
import type { OpenFile } from '../service/open-file.ts';
import type { ReadOutcome } from '../service/outcome.ts';
import { createHash } from 'node:crypto';
import { type Download, download } from './download.ts';
import { imageIdsIn } from './image-references.ts';
import type { CollectParts } from './parts.ts';
import { readOrAway } from '../service/read-or-away.ts';

/** What a project's collection came to: nothing was offered, all of it is safe on disk, or something is missing. */
export type Fetched = { readonly kind: 'nothing-offered' } | { readonly kind: 'complete' } | { readonly kind: 'incomplete'; readonly problem: string };

/** Fetches a project's reports, summaries and images; what is on record from this return of the project is not fetched again. Throws ServiceAway. */
export async function fetchProject(project: ProjectRecord, parts: CollectParts): Promise<Fetched> {
  const reports = await readOrAway(() => parts.client.listReports(project.id), parts);
  if (reports === null || reports.length === 0) return { kind: 'nothing-offered' };
  const shelf = new Shelf(project, await parts.ledger.artifactsOf(project.id), parts);
  const problems: string[] = [];
  const referenced = new Set<string>();
  for (const report of new Map(reports.map((listed) => [listed.id, listed])).values()) {
    problems.push(...(await shelf.file('report', report.id, report.type ?? '', {}, () => parts.client.openReportFile(report.id))));
    await fetchSummary(report, shelf, referenced, parts);
  }
  for (const image of await wantedImages(project, referenced, parts)) {
    problems.push(...(await shelf.file('image', image.id, '', image.detail, () => parts.client.openImageFile(image.id))));
  }
  return problems.length === 0 ? { kind: 'complete' } : { kind: 'incomplete', problem: problems.join(' ') };
}

/** Keeps a report's summary. Not every report has one, such as a closeout: 404 is no problem. */
async function fetchSummary(report: ReportReference, shelf: Shelf, referenced: Set<string>, parts: CollectParts): Promise<void> {
  const answer = await readOrAway(() => parts.client.getReportSummary(report.id), parts);
  if (answer === null) return;
  for (const id of imageIdsIn(answer.report)) referenced.add(id);
  await shelf.bytes('summary', report.id, report.type ?? '', answer.bytes);
}

interface WantedImage {
  readonly id: string;
  readonly detail: Readonly<Record<string, string>>;
}

async function wantedImages(project: ProjectRecord, referenced: ReadonlySet<string>, parts: CollectParts): Promise<readonly WantedImage[]> {
  if (parts.images === 'none') return [];
  const listed = (await readOrAway(() => parts.client.listImages(project.id), parts)) ?? [];
  const wanted = new Map<string, WantedImage>();
  for (const { id, source, type, direction } of listed) {
    if (parts.images === 'referenced' && !referenced.has(id)) continue;
    wanted.set(id, { id, detail: { source: source ?? '', type: type ?? '', direction: direction ?? '' } });
  }
  for (const id of referenced) if (!wanted.has(id)) wanted.set(id, { id, detail: {} });
  return [...wanted.values()];
}

/** The files of one project: where they lie, which are there, and how a new one gets its place. */
class Shelf {
  readonly #project: ProjectRecord;
  readonly #artifacts: readonly StoredArtifact[];
  readonly #parts: CollectParts;

  constructor(project: ProjectRecord, artifacts: readonly StoredArtifact[], parts: CollectParts) {
    this.#project = project;
    this.#artifacts = artifacts;
    this.#parts = parts;
  }

  /** Downloads a file unless this return's is here already. Returns the problems, none when it is safe. */
  async file(
    kind: ArtifactKind,
    id: string,
    type: string,
    detail: Readonly<Record<string, string>>,
    openFile: () => Promise<ReadOutcome<OpenFile>>,
  ): Promise<readonly string[]> {
    const latest = this.#latest(kind, id);
    if (latest !== undefined && latest.recordedAt >= this.#project.statusAt) return [];
    const version = (latest?.version ?? 0) + 1;
    const result: Download = await download(openFile, this.#target(kind, id, version), kind === 'report' ? 'report' : 'image', this.#parts);
    switch (result.kind) {
      case 'stored':
        if (latest?.sha256 === result.sha256) await rm(result.path);
        else await this.#record(kind, id, version, kind === 'image' ? result.mediaType : type, { ...detail, mediaType: result.mediaType }, result);
        return [];
      case 'missing':
        // The document: an image that does not exist is found out only behind its redirect.
        return kind === 'image' ? [] : [`The file of report ${id} is not available (404).`];
      case 'broken':
        return [`The file of ${kind} ${id} came broken: ${result.reason}.`];
    }
  }

  /** Keeps bytes that came whole in an answer, as a new version where they differ from the latest. */
  async bytes(kind: ArtifactKind, id: string, type: string, bytes: Buffer): Promise<void> {
    const latest = this.#latest(kind, id);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    if (latest?.sha256 === sha256) return;
    const version = (latest?.version ?? 0) + 1;
    const path = `${this.#target(kind, id, version)}.json`;
    await mkdir(dirname(path), { recursive: true });
    await writeFileDurably(path, bytes);
    await this.#record(kind, id, version, type, {}, { path, bytes: bytes.length, sha256 });
  }

  #latest(kind: ArtifactKind, id: string): StoredArtifact | undefined {
    return this.#artifacts.filter((artifact) => artifact.kind === kind && artifact.serviceId === id).toSorted((a, b) => b.version - a.version)[0];
  }

  #target(kind: ArtifactKind, id: string, version: number): string {
    return join(this.#parts.store, this.#project.id, `${safeFileName(`${kind}-${id}`)}-v${version}`);
  }

  async #record(
    kind: ArtifactKind,
    serviceId: string,
    version: number,
    type: string,
    detail: Readonly<Record<string, string>>,
    { path, bytes, sha256 }: { readonly path: string; readonly bytes: number; readonly sha256: string },
  ): Promise<void> {
    const stored = relative(this.#parts.root, path).replaceAll('\\', '/');
    await this.#parts.ledger.recordArtifact({ projectId: this.#project.id, kind, serviceId, version, type, detail, path: stored, bytes, sha256 });
  }
}
