import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Deliverables } from './deliverables/deliverables.ts';
import { imagesOf } from './deliverables/offer.ts';
import { Refusal } from './refusal.ts';
import { requiredField } from './request-checks.ts';
import type { SignedUrls } from './signed-urls.ts';

/** What the files origin remembers for the audit: bearer tokens must not travel here (READING 12). */
export interface FilesOriginRecord {
  /** Requests that carried an Authorization header. */
  authorization: number;
}

/**
 * The origin that signed URLs lead to: another port, so another origin. The signature in the query is all it asks for.
 * 403: forged or expired, as object stores answer. 404: no such file.
 */
export function filesRoutes(app: FastifyInstance, deliverables: Deliverables, urls: SignedUrls, record: FilesOriginRecord): void {
  app.addHook('onRequest', async (request) => {
    if (request.headers.authorization !== undefined) record.authorization += 1;
  });

  app.get<{ Params: { name: string } }>('/files/report/:name', (request, reply) => {
    checkSignature(request, urls);
    const match = /^(R[\d-]+?)(-compressed)?\.(pdf|xml|zip)$/.exec(request.params.name);
    const [, reportId = '', compressed] = match ?? [];
    const found = deliverables.findReport(reportId, 'signed');
    if (found === undefined) throw new Refusal(404, 'There is no such file.');
    const contentType = `application/${found.report.format}`;
    return send(reply, contentType, request.params.name, deliverables.reportFile(found.inspection, found.report, compressed !== undefined));
  });

  app.get<{ Params: { imageId: string } }>('/files/image/:imageId', (request, reply) => {
    checkSignature(request, urls);
    const inspection = deliverables.find('I', request.params.imageId, 'signed');
    const image = inspection && imagesOf(inspection).find(({ id }) => id === request.params.imageId);
    if (inspection === undefined || image === undefined) throw new Refusal(404, 'There is no such file.');
    return send(reply, `image/${image.view.format}`, `${image.id}.${image.view.format}`, deliverables.imageFile(inspection, image));
  });

  app.get('/files/missing-image/:imageId', (request) => {
    checkSignature(request, urls);
    throw new Refusal(404, 'There is no such image.');
  });
}

function checkSignature(request: FastifyRequest, urls: SignedUrls): void {
  const [path = ''] = request.url.split('?');
  const verdict = urls.check(path, requiredField(request.query, 'expires'), requiredField(request.query, 'signature'));
  if (verdict !== 'valid') throw new Refusal(403, `The signed URL is ${verdict}.`);
}

async function send(reply: FastifyReply, contentType: string, fileName: string, making: Promise<Buffer>): Promise<FastifyReply> {
  const bytes = await making;
  return reply.type(contentType).header('content-disposition', `attachment; filename="${fileName}"`).send(bytes);
}
