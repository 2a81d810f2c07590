import { z } from 'zod';
import { parseExactJson } from './json.ts';
import { parseMended } from './parse-mended.ts';
import { projectId } from './project.ts';

/** Document: Report reference. The list may grow. */
export const REPORT_TYPES = ['Roof-only Underwriting Report', 'Full-scope Underwriting Report', 'Inspection Closeout Report', 'Premium Damage Assessment Report'] as const;

/** Far beyond any house's: what a list is longer by is nobody's report. */
const REPORTS_MAX = 200;
export const IMAGES_MAX = 5_000;
export const ID_LENGTH_MAX = 256;

/** Ids of reports and images are strings; a service that sends numbers is read all the same. */
const textId = z.union([z.string().min(1).max(ID_LENGTH_MAX), z.number(), z.bigint()]).transform(String);
const type = z.string().max(ID_LENGTH_MAX).nullish();

export const reportReference = z.looseObject({ id: textId, type });
export type ReportReference = z.infer<typeof reportReference>;

/** GET /v1/project/{projectId}/report. */
export const projectReportsResponse = z.looseObject({
  project: z.array(z.looseObject({ id: projectId, report: z.array(reportReference).max(REPORTS_MAX).nullish() })),
});

/** GET /v1/report/{reportId}/url. The url must not be stored. */
export const reportUrlResponse = z.looseObject({ url: z.string().min(1) });

export const imageReference = z.looseObject({
  id: textId,
  source: type,
  type,
  direction: type,
});
export type ImageReference = z.infer<typeof imageReference>;

/** GET /v1/project/{projectId}/image. */
export const projectImagesResponse = z.looseObject({
  project: z.array(z.looseObject({ id: projectId, image: z.array(imageReference).max(IMAGES_MAX).nullish() })),
});

/** GET /v1/report/{reportId}/summary. What stands inside is flattened by the catalogue, and unknown attributes are kept. */
export const reportSummary = z.looseObject({
  id: textId,
  type,
  project: z.record(z.string(), z.unknown()).nullish(),
  summary: z.record(z.string(), z.unknown()).nullish(),
});
export type ReportSummary = z.infer<typeof reportSummary>;
export const reportSummaryResponse = z.looseObject({ report: z.array(reportSummary) });

/** The reports that a summary, as it came or was stored, tells of; null where the text is none, or beyond what is read of a stranger. */
export function summariesIn(text: string): readonly ReportSummary[] | null {
  try {
    return parseMended(reportSummaryResponse, parseExactJson(text.replace(/^\uFEFF/, '')))?.report ?? null;
  } catch {
    return null;
  }
}
