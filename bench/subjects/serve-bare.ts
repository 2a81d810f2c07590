/** A bare route that parses the body of a create and answers with an id. */
import fastify from 'fastify';
import { serveParent } from '../measure/server.ts';

const app = fastify();
let id = 0;
app.post('/v1/project', (request) => ({ project: [{ ...(request.body as object), id: (id += 1) }] }));
app.post('/v1/oauth/token', () => ({ access_token: 'none' }));
app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
  done(null, body),
);
const baseUrl = await app.listen({ host: '127.0.0.1', port: 0 });
serveParent({ baseUrl, credentials: { clientId: '', clientSecret: '', username: '', password: '' } });
