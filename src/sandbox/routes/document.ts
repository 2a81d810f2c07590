import type { FastifyInstance } from 'fastify';
import { docsPage } from '../openapi/docs-page.ts';
import { openApiDocument } from '../openapi/openapi-document.ts';

/** `/openapi.json` and `/docs`: the service describing itself (document: Versioning, 6), to anybody. Made when first asked for. */
export function documentRoutes(app: FastifyInstance): void {
  let made: { readonly json: string; readonly page: string } | undefined;
  const served = (): { readonly json: string; readonly page: string } => {
    const document = openApiDocument();
    made ??= { json: JSON.stringify(document, null, 2), page: docsPage(document) };
    return made;
  };
  app.get('/openapi.json', (_request, reply) => reply.type('application/json').send(served().json));
  app.get('/docs', (_request, reply) => reply.type('text/html; charset=utf-8').send(served().page));
}
