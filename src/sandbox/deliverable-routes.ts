import { createHmac } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Deliverables } from './deliverables/deliverables.ts';
import { imageReferenceOf, inventImages, type ReportOffer, reportsOf } from './deliverables/inspection.ts';
import { photoOf } from './deliverables/photos.ts';
import { redirectTo } from './http-server.ts';
import type { Unspecified } from './unspecified.ts';
import type { ProjectStore } from './project-store.ts';
import { Refusal } from './refusal.ts';
import {
  isSameSecret,
  type PathOf,
  type ProjectPath,
  requestedProject,
  requiredField,
  wantsCompressed,
} from './request-checks.ts';
import type { VirtualClock } from './virtual-clock.ts';

type ReportPath = PathOf<'reportId'>;

export function deliverableRoutes(
  app: FastifyInstance,
  projects: ProjectStore,
  deliverables: Deliverables,
  urls: SignedUrls,
  { imageValues }: Unspecified,
) {
  const offered = ({ params }: { params: ProjectPath['Params'] }) => {
    const project = requestedProject(projects, params);
    return { id: project.id, inspection: deliverables.offered(project) };
  };
  app.get<ProjectPath>('/v1/project/:projectId/report', (request) => {
    const { id: project, inspection } = offered(request);
    const report = inspection === undefined ? [] : reportsOf(inspection).map(({ id, type }) => ({ id, type }));
    return { project: [{ id: project, report }] };
  });

  app.get<ReportPath>('/v1/report/:reportId/file', (request, reply) => {
    const { report } = reportOf(deliverables, request.params);
    const compressed = wantsCompressed(request.query);
    if (compressed && !report.compressed) throw new Refusal(404, `Report ${report.id} has no compressed file.`);
    return redirectTo(reply.type('application/pdf'), urls.sign(filePath(report, compressed)));
  });

  app.get<ReportPath>('/v1/report/:reportId/url', (request) => {
    const { report } = reportOf(deliverables, request.params);
    return { url: urls.sign(filePath(report, false)) };
  });

  app.get<ReportPath>('/v1/report/:reportId/summary', (request) => {
    const { inspection, report } = reportOf(deliverables, request.params);
    return { report: [deliverables.summary(inspection, report)] };
  });

  app.get<ProjectPath>('/v1/project/:projectId/image', (request) => {
    const { id, inspection } = offered(request);
    const image =
      inspection === undefined ? [] : inventImages(inspection).map((one) => imageReferenceOf(one, imageValues));
    return { project: [{ id, image }] };
  });

  app.get<PathOf<'imageId'>>('/v1/image/:imageId/file', (request, reply) => {
    const { imageId } = request.params;
    const found = deliverables.findImage(imageId, 'offered');
    // Document: "If the image does not exist, the redirected URL answers 404." So do images that are no longer offered.
    if (found === undefined)
      return redirectTo(reply.type('image/jpeg'), urls.sign(`/files/missing-image/${encodeURIComponent(imageId)}`));
    reply.type(`image/${found.image.view.format}`);
    if (!found.image.inline) return redirectTo(reply, urls.sign(`/files/image/${imageId}`));
    return photoOf(found.inspection, found.image.view);
  });
}

function reportOf(deliverables: Deliverables, { reportId }: ReportPath['Params']) {
  const found = deliverables.findReport(reportId, 'offered');
  if (found === undefined) throw new Refusal(404, `There is no report ${reportId.slice(0, 100)}.`);
  return found;
}

function filePath(report: ReportOffer, compressed: boolean) {
  return `/files/report/${report.id}${compressed ? '-compressed' : ''}.${report.format}`;
}

/** 403: forged or expired, as object stores do. `record`: requests with a bearer token, which must not reach this origin. */
export function filesRoutes(
  app: FastifyInstance,
  deliverables: Deliverables,
  urls: SignedUrls,
  record: { authorization: number },
) {
  app.addHook('onRequest', async (request) => {
    if (request.headers.authorization !== undefined) record.authorization += 1;
  });

  app.get<PathOf<'name'>>('/files/report/:name', (request, reply) => {
    checkSignature(request, urls);
    const { name } = request.params;
    const [, reportId = '', compressed] = /^(R[\d-]+?)(-compressed)?\.(pdf|xml|zip)$/.exec(name) ?? [];
    const found = deliverables.findReport(reportId, 'signed');
    if (found === undefined) throw new Refusal(404, 'There is no such file.');
    const file = deliverables.reportFile(found.inspection, found.report, compressed !== undefined);
    return send(reply, `application/${found.report.format}`, name, file);
  });

  app.get<PathOf<'imageId'>>('/files/image/:imageId', (request, reply) => {
    checkSignature(request, urls);
    const found = deliverables.findImage(request.params.imageId, 'signed');
    if (found === undefined) throw new Refusal(404, 'There is no such file.');
    const { id, view } = found.image;
    return send(reply, `image/${view.format}`, `${id}.${view.format}`, photoOf(found.inspection, view));
  });

  app.get('/files/missing-image/:imageId', (request) => {
    checkSignature(request, urls);
    throw new Refusal(404, 'There is no such image.');
  });
}

function checkSignature(request: FastifyRequest, urls: SignedUrls) {
  const [path = ''] = request.url.split('?');
  const verdict = urls.check(path, requiredField(request.query, 'expires'), requiredField(request.query, 'signature'));
  if (verdict !== 'valid') throw new Refusal(403, `The signed URL is ${verdict}.`);
}

async function send(reply: FastifyReply, contentType: string, fileName: string, making: Promise<Buffer>) {
  const bytes = await making;
  return reply.type(contentType).header('content-disposition', `attachment; filename="${fileName}"`).send(bytes);
}

type SignedUrls = ReturnType<typeof signUrls>;

export function signUrls(clock: VirtualClock, key: Buffer, lifetimeSeconds: number) {
  const signatureOf = (path: string, expires: string) =>
    createHmac('sha256', key).update(`${path}\n${expires}`).digest('base64url');
  return {
    origin: '',

    sign(path: string) {
      const expires = Math.floor((clock.now() + clock.lifeOf(lifetimeSeconds * 1000)) / 1000);
      return `${this.origin}${path}?expires=${expires}&signature=${signatureOf(path, String(expires))}`;
    },

    check(path: string, expires: string, signature: string) {
      if (!isSameSecret(signature, signatureOf(path, expires))) return 'forged';
      return Number(expires) * 1000 > clock.now() ? 'valid' : 'expired';
    },
  };
}
