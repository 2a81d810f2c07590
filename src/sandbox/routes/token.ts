import type { FastifyInstance } from 'fastify';
import type { NotShown } from '../not-shown.ts';
import { Refusal } from '../refusal.ts';
import { requiredField } from '../request-checks.ts';
import type { TokenAnswer, TokenStore } from '../token-store.ts';

/** POST /v1/oauth/token (document: Authentication). The only route without a bearer token, and the only one that takes a form. */
export function tokenRoute(app: FastifyInstance, tokens: TokenStore, { scopeParameter }: NotShown): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) => {
    done(null, fieldsOf(new URLSearchParams(String(body))));
  });
  app.addContentTypeParser('*', (request, _body, done) => {
    done(new Refusal(400, `Content-Type: must be application/x-www-form-urlencoded${inWords(request.headers['content-type'])}.`));
  });
  app.post('/v1/oauth/token', (request): TokenAnswer => {
    tokens.checkClient(request.headers.authorization);
    const form = request.body;
    if (scopeParameter === 'refused' && typeof form === 'object' && form !== null && 'scope' in form) throw new Refusal(400, 'scope: is not a field of this request.');
    const grantType = requiredField(form, 'grant_type');
    switch (grantType) {
      case 'password':
        return tokens.byPassword(requiredField(form, 'username'), requiredField(form, 'password'));
      case 'refresh_token':
        return tokens.byRefresh(requiredField(form, 'refresh_token'));
      default:
        throw new Refusal(400, 'grant_type: must be password or refresh_token.');
    }
  });
}

function inWords(contentType: string | undefined): string {
  return contentType === undefined ? '; there is none' : `, not ${contentType.slice(0, 100)}`;
}

/** A field given twice becomes a list, which the checks refuse. */
function fieldsOf(form: URLSearchParams): Record<string, string | string[]> {
  const names = [...new Set(form.keys())];
  return Object.fromEntries(
    names.map((name) => {
      const [first = '', ...more] = form.getAll(name);
      return [name, more.length === 0 ? first : [first, ...more]];
    }),
  );
}
