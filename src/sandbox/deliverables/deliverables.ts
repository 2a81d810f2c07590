import type { NotShown } from '../not-shown.ts';
import { visitOf } from '../progress.ts';
import type { Project, ProjectStore } from '../project-store.ts';
import { SAMPLE_KEY, sampleOf, type AccountTemplate, type Inspection } from './inspection.ts';
import { imagesOf, offersDeliverables, ownerOf, reportsOf, type ImageOffer, type ImageView, type ReportOffer } from './offer.ts';
import { drawnJpeg, photoOf, type PhotoSize } from './photos.ts';
import { reportPdf } from './report-pdf.ts';
import { reportXml } from './report-xml.ts';
import { reportZip, type ZippedFile } from './report-zip.ts';
import { asChosen } from './summary-choices.ts';
import { summaryOf, type Summary } from './summary.ts';

/** Reports, images and summaries, made when they are asked for: the same seed and project give the same bytes. */
export class Deliverables {
  readonly #seed: string;
  readonly #projects: ProjectStore;

  readonly #notShown: NotShown;
  readonly #accountTemplate: AccountTemplate;

  constructor(seed: string, projects: ProjectStore, notShown: NotShown, accountTemplate: AccountTemplate) {
    this.#seed = seed;
    this.#projects = projects;
    this.#notShown = notShown;
    this.#accountTemplate = accountTemplate;
  }

  /** The project's inspection where its status offers deliverables. */
  offered(project: Project): Inspection | undefined {
    return offersDeliverables(this.#projects.statusOf(project), this.#notShown.afterReceived) ? this.#inspectionOf(project) : undefined;
  }

  /**
   * The inspection that the id of a report (`R…`) or of an image (`I…`) belongs to. `offered`: while the project's status offers it;
   * `signed`: always, because a signed URL serves its file until it expires.
   */
  find(kind: 'R' | 'I', id: string, access: 'offered' | 'signed'): Inspection | undefined {
    const owner = ownerOf(kind, id);
    const project = owner === undefined ? undefined : this.#projects.find(owner);
    if (project === undefined) return undefined;
    return access === 'signed' ? this.#inspectionOf(project) : this.offered(project);
  }

  findReport(id: string, access: 'offered' | 'signed'): { readonly inspection: Inspection; readonly report: ReportOffer } | undefined {
    const inspection = this.find('R', id, access);
    const report = inspection && reportsOf(inspection).find((offer) => offer.id === id);
    return inspection && report && { inspection, report };
  }

  summary(inspection: Inspection, report: ReportOffer): Summary {
    return asChosen(summaryOf(inspection, report, imagesOf(inspection)), this.#notShown);
  }

  async reportFile(inspection: Inspection, report: ReportOffer, compressed: boolean): Promise<Buffer> {
    const shown = inspection.key === SAMPLE_KEY ? sampleOf(inspection) : inspection;
    const summary = this.summary(shown, reportsOf(shown).find(({ format }) => format === report.format) ?? report);
    switch (report.format) {
      case 'xml':
        return reportXml(summary);
      case 'pdf':
        return await this.#pdf(inspection, shown, summary, compressed ? 'small' : 'report');
      case 'zip':
        return await reportZip(await this.#pdf(inspection, shown, summary, 'small'), await this.#photoFiles(inspection, compressed ? 'report' : 'full'));
    }
  }

  async imageFile(inspection: Inspection, image: ImageOffer): Promise<Buffer> {
    return await photoOf(inspection, image.view);
  }

  /** `shown` is what the report tells of: another's order where staging gives every project the sample. */
  async #pdf(inspection: Inspection, shown: Inspection, summary: Summary, size: PhotoSize): Promise<Buffer> {
    const photos = imagesOf(inspection).map(async ({ view }) => ({ jpeg: await drawnJpeg(inspection, view.shows, size), caption: captionOf(view) }));
    return await reportPdf(shown, summary, await Promise.all(photos));
  }

  async #photoFiles(inspection: Inspection, size: PhotoSize): Promise<ZippedFile[]> {
    const files = imagesOf(inspection).map(async ({ view }, index) => ({
      name: `photos/${String(index + 1).padStart(2, '0')} ${view.type} ${view.direction}.${view.format === 'jpeg' ? 'jpg' : 'png'}`,
      bytes: await photoOf(inspection, view, size),
    }));
    return await Promise.all(files);
  }

  #inspectionOf(project: Project): Inspection {
    const plan = this.#projects.planOf(project);
    const { closeout, sample } = plan;
    return { seed: this.#seed, project, closeout, visit: visitOf(plan, project, this.#seed), accountTemplate: this.#accountTemplate, key: sample ? SAMPLE_KEY : String(project.id) };
  }
}

function captionOf({ type, direction }: ImageView): string {
  return type === direction ? type : `${type}, ${direction.toLowerCase()}`;
}
