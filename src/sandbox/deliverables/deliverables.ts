import type { Project, ProjectStore } from '../project-store.ts';
import { SAMPLE_KEY, sampleOf, type Inspection } from './inspection.ts';
import { imagesOf, offersDeliverables, ownerOf, reportsOf, type ImageOffer, type ReportOffer } from './offer.ts';
import { Photos } from './photos.ts';
import { reportPdf } from './report-pdf.ts';
import { reportXml } from './report-xml.ts';
import { summaryOf, type Summary } from './summary.ts';

/** Reports, images and summaries, made when they are asked for: the same seed and project give the same bytes. */
export class Deliverables {
  readonly #seed: string;
  readonly #projects: ProjectStore;
  readonly #photos = new Photos();

  constructor(seed: string, projects: ProjectStore) {
    this.#seed = seed;
    this.#projects = projects;
  }

  /** The project's inspection where its status offers deliverables. */
  offered(project: Project): Inspection | undefined {
    return offersDeliverables(this.#projects.statusOf(project)) ? this.#inspectionOf(project) : undefined;
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
    return summaryOf(inspection, report, imagesOf(inspection));
  }

  async reportFile(inspection: Inspection, report: ReportOffer, compressed: boolean): Promise<Buffer> {
    const shown = inspection.key === SAMPLE_KEY ? sampleOf(inspection) : inspection;
    const summary = this.summary(shown, reportsOf(shown).find(({ format }) => format === report.format) ?? report);
    switch (report.format) {
      case 'xml':
        return reportXml(summary);
      case 'pdf': {
        const views = imagesOf(inspection).filter(({ view }) => view.format === 'jpeg');
        const photos = await Promise.all(views.slice(0, compressed ? 1 : 4).map(({ view }) => this.#photos.drawn(inspection, view)));
        return await reportPdf(shown, summary, photos, compressed);
      }
    }
  }

  async imageFile(inspection: Inspection, image: ImageOffer): Promise<Buffer> {
    return await this.#photos.photo(inspection, image);
  }

  #inspectionOf(project: Project): Inspection {
    const { closeout, sample } = this.#projects.planOf(project);
    return { seed: this.#seed, project, closeout, key: sample ? SAMPLE_KEY : String(project.id) };
  }
}
