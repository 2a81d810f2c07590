import { randomBytes } from 'node:crypto';
import { parse } from 'node:querystring';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isRecord } from '../contract/json.ts';
import { ACCESS_TOKEN_SECONDS, REFRESH_TOKEN_SECONDS } from '../contract/document.ts';
import type { StateDatabase } from './data-file.ts';
import type { Unspecified } from './unspecified.ts';
import type { Role, SandboxSettings, SandboxUser } from './options.ts';
import { Refusal, sentence, wrongContentType } from './refusal.ts';
import { isSameSecret, requiredField } from './request-checks.ts';
import type { VirtualClock } from './virtual-clock.ts';

export function addTokenRoute(
  app: FastifyInstance,
  tokens: ReturnType<typeof issueTokens>,
  { scopeParameter }: Unspecified,
) {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) => {
    done(null, parse(String(body)));
  });
  app.addContentTypeParser('*', (request, _body, done) => {
    done(wrongContentType('application/x-www-form-urlencoded', request.headers['content-type']));
  });
  app.addHook('onRequest', async (request) => tokens.checkClient(request.headers.authorization));
  app.post('/v1/oauth/token', ({ body: form }) => {
    if (scopeParameter === 'refused' && isRecord(form) && 'scope' in form)
      throw new Refusal(400, 'scope: is not a field of this request.');
    switch (requiredField(form, 'grant_type')) {
      case 'password':
        return tokens.byPassword(requiredField(form, 'username'), requiredField(form, 'password'));
      case 'refresh_token':
        return tokens.byRefresh(requiredField(form, 'refresh_token'));
      default:
        throw new Refusal(400, 'grant_type: must be password or refresh_token.');
    }
  });
}

/** The document shows no roles; these can cause a 403 everywhere. */
const MAY: Readonly<Record<Role, (method: string, route: string) => boolean>> = {
  full: () => true,
  'read-only': (method) => method === 'GET',
  'no-search': (method, route) => !(method === 'GET' && route === '/v1/project'),
  none: () => false,
};

export function checkRole(
  { username, role = 'full' }: Pick<SandboxUser, 'username' | 'role'>,
  request: FastifyRequest,
) {
  if (MAY[role](request.method, request.routeOptions.url ?? '')) return;
  throw new Refusal(403, `Permission denied: the role of ${username} is ${role}.`);
}

export function issueTokens(settings: SandboxSettings, clock: VirtualClock, database: StateDatabase) {
  const users = [settings.credentials, ...settings.otherUsers];
  const issued = { password: 0, refresh_token: 0, refused: 0 };
  Object.assign(issued, database.value('tokens issued'));
  database.keep('tokens issued', () => issued);

  const refused = (message: string) => {
    issued.refused += 1;
    return new Refusal(401, message);
  };
  const put = (kind: 'access' | 'refresh', actor: string, expiresAt: number) => {
    const token = randomBytes(24).toString('base64url');
    database.insert('token', { token, kind, actor, expiresAt });
    return token;
  };
  const issue = (actor: string) => {
    const now = clock.now();
    const lifeMs = clock.lifeOf(ACCESS_TOKEN_SECONDS * 1000);
    database.run('DELETE FROM token WHERE expiresAt <= ?', [now]);
    return {
      access_token: put('access', actor, now + lifeMs),
      token_type: 'bearer',
      refresh_token: put('refresh', actor, now + clock.lifeOf(REFRESH_TOKEN_SECONDS * 1000)),
      ...expiresIn(settings.notShown.expiresIn, lifeMs / Math.max(1, clock.scale)),
      scope: 'read write',
      user_id: 1 + [...users.map(({ username }) => username), actor].indexOf(actor),
      jti: randomBytes(9).toString('base64url'),
    };
  };
  const actorWith = (token: string, kind: 'access' | 'refresh') => {
    const valid = 'SELECT actor FROM token WHERE token = ? AND kind = ? AND expiresAt > ?';
    const row = database.get(valid, [token, kind, clock.now()]);
    return row && String(row['actor']);
  };
  const holderOf = (authorization: string | undefined) => {
    const token = bearerIn(authorization);
    return token && actorWith(token, 'access');
  };
  const actorOf = (authorization: string | undefined) => {
    if (bearerIn(authorization) === undefined)
      throw new Refusal(401, 'Send the header Authorization: Bearer <access token>.');
    const holder = holderOf(authorization);
    if (holder === undefined) throw new Refusal(401, 'The access token is invalid or expired.');
    return holder;
  };

  return {
    issued,
    holderOf,
    actorOf,

    checkClient(authorization: string | undefined) {
      const encoded = /^Basic +([\w+/=-]+)$/i.exec(authorization ?? '')?.[1];
      if (encoded === undefined) throw refused(sentence('basic-missing'));
      const { clientId, clientSecret } = settings.credentials;
      if (!isSameSecret(Buffer.from(encoded, 'base64').toString(), `${clientId}:${clientSecret}`))
        throw refused(sentence('client-wrong', settings));
    },

    byPassword(username: string, password: string) {
      const user = users.find((known) => known.username === username);
      if (user === undefined || !isSameSecret(password, user.password)) throw refused('Invalid user credentials.');
      issued.password += 1;
      return issue(username);
    },

    byRefresh(refreshToken: string) {
      const actor = actorWith(refreshToken, 'refresh');
      if (actor === undefined) throw refused('The refresh token is invalid, used or expired.');
      database.run('DELETE FROM token WHERE token = ?', [refreshToken]);
      issued.refresh_token += 1;
      return issue(actor);
    },

    /** A user whom a restart removed may do everything. */
    userOf(authorization: string | undefined) {
      const username = actorOf(authorization);
      return users.find((user) => user.username === username) ?? { username };
    },
  };
}

function bearerIn(authorization: string | undefined) {
  return /^Bearer +(.+)$/i.exec(authorization ?? '')?.[1];
}

/** The document shows no unit. As many servers do: one second less, in the client's time. */
function expiresIn(unit: Unspecified['expiresIn'], lifeMs: number) {
  const seconds = Math.floor(lifeMs / 1000) - 1;
  return unit === 'absent' ? {} : { expires_in: unit === 'seconds' ? seconds : seconds * 1000 };
}
