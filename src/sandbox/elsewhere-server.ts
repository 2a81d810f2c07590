import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { HTML_PAGE } from './faults/spoiled-bodies.ts';
import { Refusal } from './refusal.ts';

/** What the strange origin remembers for the audit. */
export interface ElsewhereRecord {
  requests: number;
  /** Requests that carried an Authorization header: a token that was given to a stranger. */
  authorization: number;
}

const detour = z.object({ to: z.url() });

/**
 * An origin that is nobody's: redirects that go astray lead here. A detour is sent on to where it should have gone; everything else gets
 * a web page with 404.
 */
export function elsewhereRoutes(app: FastifyInstance, record: ElsewhereRecord): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => done(null));
  app.addHook('onRequest', async (request) => {
    record.requests += 1;
    if (request.headers.authorization !== undefined) record.authorization += 1;
  });
  app.get('/detour', (request, reply) => {
    const { data } = detour.safeParse(request.query);
    if (data === undefined) throw new Refusal(400, 'to: must be a URL.');
    return reply.code(307).header('location', data.to).send('');
  });
  app.all('*', (_request, reply) => reply.code(404).type('text/html').send(HTML_PAGE));
}
