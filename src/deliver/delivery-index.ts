import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import type { FollowedProject } from '../ledger/deliveries.ts';
import { visible } from '../domain/text.ts';
import { placedHere, problemsOf } from './deliverable-names.ts';

const time = z.iso.datetime();
const timeOrNull = time.nullable();
/** Relative to the delivery folder, forward slashes. */
const path = z.string().min(1);

/** A file of a project in the delivery. */
const indexedFile = z.strictObject({
  kind: z.enum(['report', 'summary', 'image']),
  /** The id of the report (also of its summary) or of the image, as the service gave it. */
  id: z.string(),
  /** From 1; a file that the service changed is a further version. */
  version: z.int().min(1),
  /** The report's type, or the media type of an image. */
  type: z.string(),
  path,
  bytes: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

const indexedProject = z.strictObject({
  /** Text: it can be larger than a JSON number holds exactly. */
  projectId: z.string().regex(/^\d+$/),
  /** The number of the order that it is shown with, as `inspection-batch status` knows it; null for a project that was made elsewhere. */
  orderId: z.int().min(1).nullable(),
  policyNumber: z.string().nullable(),
  inspectionNumber: z.string().nullable(),
  /** The service's word, listed in its document or not. */
  status: z.string(),
  statusAt: time,
  orderedAt: time,
  returnedAt: timeOrNull,
  collectedAt: timeOrNull,
  /** Why its files are not all here, or null. */
  problem: z.string().nullable(),
  files: z.array(indexedFile),
});

/** `index.json` in every delivery (docs/deliveries.md). */
export const deliveryIndex = z.strictObject({
  version: z.literal(1),
  run: z.string(),
  writtenAt: time,
  workbook: path.nullable(),
  report: path.nullable(),
  orders: path.nullable(),
  archives: z.array(path),
  /** In order of their ids; files in order of their paths. */
  projects: z.array(indexedProject),
});

export type DeliveryIndex = z.output<typeof deliveryIndex>;

/** Writes the index, a project a line, so that it takes no memory however many there are. `projects` are in order of their ids; null: it shows none. */
export async function writeDeliveryIndex(path: string, head: Omit<DeliveryIndex, 'version' | 'projects'>, projects: AsyncIterable<FollowedProject> | null): Promise<void> {
  await pipeline(indexText(head, projects), createWriteStream(path));
}

async function* indexText(head: Omit<DeliveryIndex, 'version' | 'projects'>, projects: AsyncIterable<FollowedProject> | null): AsyncIterable<string> {
  const { run, writtenAt, workbook, report, orders, archives } = head;
  yield `${visible(JSON.stringify({ version: 1, run, writtenAt, workbook, report, orders, archives })).slice(0, -1)},\n"projects":[`;
  let separator = '\n';
  for await (const followed of projects ?? []) {
    yield `${separator}${visible(JSON.stringify(indexed(followed)))}`;
    separator = ',\n';
  }
  yield '\n]}\n';
}

function indexed(followed: FollowedProject): z.output<typeof indexedProject> {
  const { project, order, payload } = followed;
  const files = placedHere(followed).map(({ artifact: { kind, serviceId: id, version, type, bytes, sha256 }, path: at }) => ({ kind, id, version, type, path: at, bytes, sha256 }));
  return {
    projectId: project.id,
    orderId: order?.id ?? null,
    policyNumber: payload.policyNumber ?? null,
    inspectionNumber: payload.inspectionNumber ?? null,
    status: project.status,
    statusAt: isoTime(project.statusAt),
    orderedAt: isoTime(order?.createdAt ?? project.firstSeenAt),
    returnedAt: project.returnedAt === null ? null : isoTime(project.returnedAt),
    collectedAt: project.collectedAt === null ? null : isoTime(project.collectedAt),
    problem: problemsOf(followed).join(' ') || null,
    files: files.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
  };
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
