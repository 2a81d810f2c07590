import { buffer } from 'node:stream/consumers';
import { stringifyExactJson } from '../../contract/json.ts';
import type { SandboxSettings } from '../options.ts';
import { visitOf } from '../progress.ts';
import { comparableAddress } from '../duplicates.ts';
import type { Project, ProjectStore } from '../project-store.ts';
import {
  inventImages,
  type Inspection,
  offersDeliverables,
  projectOfFileId,
  type ReportOffer,
  maskSampleId,
  reportsOf,
  asStagingSample,
} from './inspection.ts';
import { photoOf } from './photos.ts';
import { reportPdf } from './report-pdf.ts';
import { applySummaryOptions, type GeneratedSummary, summaryOf } from './summary.ts';

type Access = 'offered' | 'signed';

export type Deliverables = ReturnType<typeof deliverablesOf>;

/** Equal seeds and projects give equal bytes. */
export function deliverablesOf({ seed, accountTemplate, notShown }: SandboxSettings, projects: ProjectStore) {
  const inspectionOf = (project: Project) => {
    const plan = projects.planOf(project);
    const { unlistedAttributes, laterReport } = notShown;
    const inspection = {
      seed,
      project,
      closeout: plan.closeout,
      visit: visitOf(plan, project, seed),
      accountTemplate,
      unlistedAttributes,
      laterReport,
      key: String(project.id),
      house: comparableAddress(project.request),
    };
    return plan.sample ? asStagingSample(inspection) : inspection;
  };
  const offered = (project: Project) =>
    offersDeliverables(projects.statusOf(project), notShown.afterReceived) ? inspectionOf(project) : undefined;
  const find = (kind: 'R' | 'I', id: string, access: Access) => {
    const owner = projectOfFileId(kind, id);
    const project = owner === undefined ? undefined : projects.find(owner);
    return project && (access === 'signed' ? inspectionOf(project) : offered(project));
  };
  const summary = (inspection: Inspection, report: ReportOffer) =>
    applySummaryOptions(summaryOf(inspection, report, inventImages(inspection)), notShown);

  return {
    offered,
    summary,

    findReport(id: string, access: Access) {
      const inspection = find('R', id, access);
      const report = inspection && reportsOf(inspection).find((offer) => offer.id === id);
      return inspection && report && { inspection, report };
    },

    findImage(id: string, access: Access) {
      const inspection = find('I', id, access);
      const image = inspection && inventImages(inspection).find((offer) => offer.id === id);
      return inspection && image && { inspection, image };
    },

    async reportFile(inspection: Inspection, report: ReportOffer, compressed: boolean) {
      const shown = maskSampleId(inspection);
      const index = reportsOf(inspection).findIndex(({ id }) => id === report.id);
      const found = summary(shown, reportsOf(shown)[index] ?? report);
      switch (report.format) {
        case 'xml':
          return reportXml(found);
        case 'pdf':
          return reportPdf(shown, found, compressed);
        case 'zip':
          return reportZip(inspection, reportPdf(shown, found, true), compressed);
      }
    },
  };
}

function reportXml(summary: GeneratedSummary) {
  const { id, type, project, summary: findings } = summary;
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n<report id="${escaped(id)}" type="${escaped(type)}">\n${element('project', project, 1)}${element('summary', findings, 1)}</report>\n`;
  return Buffer.from(text);
}

function element(name: string, value: unknown, depth: number): string {
  const indent = '  '.repeat(depth);
  if (value === null || value === undefined) return `${indent}<${name}/>\n`;
  if (typeof value !== 'object')
    return `${indent}<${name}>${escaped(typeof value === 'string' ? value : stringifyExactJson(value))}</${name}>\n`;
  const children: [string, unknown][] = Array.isArray(value)
    ? value.map((item: unknown) => ['item', item])
    : Object.entries(value);
  return `${indent}<${name}>\n${children.map(([child, held]) => element(child, held, depth + 1)).join('')}${indent}</${name}>\n`;
}

function escaped(text: string) {
  return text
    .toWellFormed()
    .replaceAll(/[^\t\n\r\u0020-\uFFFD\u{10000}-\u{10FFFF}]/gu, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

const DATE = new Date(Date.UTC(2026, 0, 5));

async function reportZip(inspection: Inspection, pdf: Buffer, compressed: boolean) {
  const { ZipArchive } = await import('archiver');
  const archive = new ZipArchive({ store: true });
  const whole = buffer(archive);
  archive.append(pdf, { name: 'report.pdf', date: DATE, mode: 0o644 });
  for (const [index, { view }] of inventImages(inspection).entries()) {
    const name = `photos/${String(index + 1).padStart(2, '0')} ${view.type} ${view.direction}.${view.format === 'jpeg' ? 'jpg' : 'png'}`;
    archive.append(await photoOf(inspection, view, compressed ? 'small' : 'full'), { name, date: DATE, mode: 0o644 });
  }
  await archive.finalize();
  return whole;
}
