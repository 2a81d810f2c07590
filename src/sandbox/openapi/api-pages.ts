import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { templateText } from '../../contract/template-data.ts';
import type { Unspecified } from '../unspecified.ts';
import { openApiDocument } from './openapi-document.ts';

const BUILT = join(import.meta.dirname, 'swagger-ui');

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export function documentRoutes(app: FastifyInstance, chosen: Unspecified) {
  let json: string | undefined;
  app.get('/openapi.json', (_request, reply) =>
    reply.type('application/json').send((json ??= JSON.stringify(openApiDocument(chosen), null, 2))),
  );
  const page = (path: string, type: string, read: () => string | Promise<Buffer>) =>
    app.get(path, async (_request, reply) => reply.type(`text/${type}; charset=utf-8`).send(await read()));
  app.get('/docs', (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', POLICY)
      .send(templateText('sandbox/docs.html')),
  );
  page('/docs/start.js', 'javascript', () => templateText('sandbox/docs-start.js'));
  page('/docs/swagger-ui-bundle.js', 'javascript', () => viewerFile('swagger-ui-bundle.js'));
  page('/docs/swagger-ui.css', 'css', () => viewerFile('swagger-ui.css'));
}

async function viewerFile(name: string) {
  const folder = existsSync(BUILT) ? BUILT : join(findPackageJSON('swagger-ui-dist', import.meta.url) ?? '', '..');
  return await readFile(join(folder, name));
}
