import type { FastifyInstance, FastifyReply } from 'fastify';
import { imageReferenceOf, imagesOf, reportsOf, type ReportOffer } from '../deliverables/offer.ts';
import type { Deliverables } from '../deliverables/deliverables.ts';
import type { Inspection } from '../deliverables/inspection.ts';
import type { NotShown } from '../not-shown.ts';
import type { ProjectStore } from '../project-store.ts';
import { Refusal } from '../refusal.ts';
import { checkedFlag } from '../request-checks.ts';
import type { SignedUrls } from '../signed-urls.ts';
import { projectOf } from './projects.ts';

interface ProjectPath {
  readonly Params: { readonly projectId: string };
}
interface ReportPath {
  readonly Params: { readonly reportId: string };
}
interface ImagePath {
  readonly Params: { readonly imageId: string };
}

/** Document: Endpoints, Reports and Images. */
export function deliverableRoutes(app: FastifyInstance, projects: ProjectStore, deliverables: Deliverables, urls: SignedUrls, { imageValues }: NotShown): void {
  app.get<ProjectPath>('/v1/project/:projectId/report', (request) => {
    const project = projectOf(projects, request.params.projectId);
    const inspection = deliverables.offered(project);
    const report = inspection === undefined ? [] : reportsOf(inspection).map(({ id, type }) => ({ id, type }));
    return { project: [{ id: project.id, report }] };
  });

  app.get<ReportPath>('/v1/report/:reportId/file', (request, reply) => {
    const { report } = reportOf(deliverables, request.params.reportId);
    const compressed = checkedFlag(request.query, 'compressed', false);
    if (compressed && !report.compressed) throw new Refusal(404, `Report ${report.id} has no compressed file.`);
    return redirect(reply, urls.sign(filePath(report, compressed)), 'application/pdf');
  });

  app.get<ReportPath>('/v1/report/:reportId/url', (request) => {
    const { report } = reportOf(deliverables, request.params.reportId);
    return { url: urls.sign(filePath(report, false)) };
  });

  app.get<ReportPath>('/v1/report/:reportId/summary', (request) => {
    const { inspection, report } = reportOf(deliverables, request.params.reportId);
    return { report: [deliverables.summary(inspection, report)] };
  });

  app.get<ProjectPath>('/v1/project/:projectId/image', (request) => {
    const project = projectOf(projects, request.params.projectId);
    const inspection = deliverables.offered(project);
    const image = inspection === undefined ? [] : imagesOf(inspection).map((image) => imageReferenceOf(image, imageValues));
    return { project: [{ id: project.id, image }] };
  });

  app.get<ImagePath>('/v1/image/:imageId/file', (request, reply) => {
    const { imageId } = request.params;
    const inspection = deliverables.find('I', imageId, 'offered');
    const image = inspection && imagesOf(inspection).find(({ id }) => id === imageId);
    // Document: "If the image does not exist, the redirected URL answers 404." One that is no longer offered does not exist any more.
    if (inspection === undefined || image === undefined) return redirect(reply, urls.sign(`/files/missing-image/${encodeURIComponent(imageId)}`), 'image/jpeg');
    if (!image.inline) return redirect(reply, urls.sign(`/files/image/${imageId}`), `image/${image.view.format}`);
    return deliverables.imageFile(inspection, image).then((bytes) => reply.type(`image/${image.view.format}`).send(bytes));
  });
}

function reportOf(deliverables: Deliverables, reportId: string): { readonly inspection: Inspection; readonly report: ReportOffer } {
  const found = deliverables.findReport(reportId, 'offered');
  if (found === undefined) throw new Refusal(404, `There is no report ${reportId.slice(0, 100)}.`);
  return found;
}

function filePath(report: ReportOffer, compressed: boolean): string {
  return `/files/report/${report.id}${compressed ? '-compressed' : ''}.${report.format}`;
}

function redirect(reply: FastifyReply, location: string, contentType: string): FastifyReply {
  return reply.code(307).header('location', location).type(contentType).send('');
}
