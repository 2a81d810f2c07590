import { z } from 'zod';
import type { OrderPayload } from './row.ts';

// The files of a delivery that programs read. New fields may appear: readers drop those that they do not know.

const time = z.iso.datetime();
const timeOrNull = time.nullable();
const path = z.string().min(1);
const textOrNull = z.string().nullable();
const texts = z.array(z.string()).readonly();

const indexedFile = z.object({
  kind: z.enum(['report', 'summary', 'image']),
  /** Of the report (also for its summary) or image. */
  id: z.string(),
  /** From 1; a changed file is a new version. */
  version: z.int().min(1),
  /** The report's type, or an image's media type. */
  type: z.string(),
  path,
  bytes: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

const project = z.object({
  /** As text: it may exceed JSON's safe numbers. */
  projectId: z.string().regex(/^\d+$/),
  policyNumber: textOrNull,
  inspectionNumber: textOrNull,
  status: z.string(),
  statusAt: timeOrNull,
  orderedAt: timeOrNull,
  returnedAt: timeOrNull,
  collectedAt: timeOrNull,
});

/** To compare nights. `high`: new reports rated High; `decided`: houses since the delivery before. */
const nightFigures = z.object({ newReports: z.int(), high: z.int(), decided: z.int(), overdue: z.int() });

export type NightFigures = z.output<typeof nightFigures>;

/** `index.json` in every delivery (docs/deliveries.md). */
export const deliveryIndex = z.object({
  version: z.literal(1),
  run: z.string(),
  writtenAt: time,
  workbook: path.nullable(),
  report: path.nullable(),
  orders: path.nullable(),
  archives: z.array(path).readonly(),
  /** Null without results, absent in deliveries of earlier versions. */
  night: nightFigures.nullish(),
  /** By id; files by path. */
  projects: z
    .array(
      project.extend({
        statusAt: time,
        orderedAt: time,
        /** Null for a project made elsewhere. */
        orderId: z.int().min(1).nullable(),
        problem: textOrNull,
        files: z.array(indexedFile).readonly(),
      }),
    )
    .readonly(),
});

export type DeliveryIndex = z.output<typeof deliveryIndex>;

const values = z.record(z.string(), z.unknown());

const finding = z.object({
  category: z.string(),
  weight: z.number(),
  points: z.number(),
  action: textOrNull,
  reason: z.string(),
  paths: texts,
});

/** `path`: null without a file. */
const report = z.object({ id: z.string(), type: z.string(), path: textOrNull });

/** In the webhook's message about a project (docs/notifications.md). */
export const finishedProject = project.extend({
  problems: texts,
  attentionPoints: z.number(),
  /** High, Medium, Low; null if not flagged. */
  attentionLevel: textOrNull,
  suggestedAction: textOrNull,
  suggestedFor: textOrNull,
  /** Why it was closed out, or null; absent in deliveries of earlier versions. */
  closedOut: texts.nullish(),
  findings: z.array(finding).readonly(),
  /** The newest first. */
  reports: z.array(report).readonly(),
});

export type FinishedProject = z.output<typeof finishedProject>;

/** A line of `results.jsonl`: a project (docs/results.md). */
export const resultLine = finishedProject.extend({
  linked: z.boolean(),
  source: z.object({ file: z.string(), sheet: z.string(), rowNumber: z.int() }).nullable(),
  order: z.custom<OrderPayload>((order) => typeof order === 'object' && order !== null),
  replacedBy: textOrNull,
  /** The newest first; with `values` if there are several. */
  reports: z.array(report.extend({ values: values.optional() })).readonly(),
  disagreements: z
    .array(z.object({ path: z.string(), shown: z.unknown().optional(), others: z.array(z.unknown()).readonly() }))
    .readonly(),
  photos: z.array(z.object({ id: z.string(), path, description: z.string().optional() })).readonly(),
  earlier: z
    .object({
      projectId: z.string(),
      at: time,
      known: z.enum(['address', 'policy', 'version']),
      changes: z
        .array(z.object({ path: z.string(), before: z.unknown().optional(), now: z.unknown().optional() }))
        .readonly(),
    })
    .nullable(),
  /** By source path, as the service gave them; a whole number beyond 2^53 is a bigint. */
  values,
});

export type ResultLine = z.output<typeof resultLine>;
