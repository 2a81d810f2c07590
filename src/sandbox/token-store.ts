import { randomBytes, timingSafeEqual } from 'node:crypto';
import { ACCESS_TOKEN_SECONDS, REFRESH_TOKEN_SECONDS } from '../contract/token.ts';
import type { SandboxSettings } from './options.ts';
import { Refusal } from './refusal.ts';

/** Document: Token response. */
export interface TokenAnswer {
  readonly access_token: string;
  readonly token_type: 'bearer';
  readonly refresh_token: string;
  /** Seconds. The document shows neither unit nor exact relation to the ten minutes; like many servers, one second less. */
  readonly expires_in: number;
  readonly scope: string;
  readonly user_id: number;
  readonly jti: string;
}

interface Grant {
  readonly actor: string;
  /** Milliseconds since the UNIX epoch, in sandbox time. */
  readonly expiresAt: number;
}

/** Tokens and whom they stand for (document: Authentication). All refusals are 401. */
export class TokenStore {
  readonly #access = new Map<string, Grant>();
  readonly #refresh = new Map<string, Grant>();
  readonly #settings: SandboxSettings;
  readonly #clock: { now(): number };
  readonly #issued = { password: 0, refresh_token: 0, refused: 0 };

  constructor(settings: SandboxSettings, clock: { now(): number }) {
    this.#settings = settings;
    this.#clock = clock;
  }

  /** How many tokens were issued by each grant, and how many requests for one were refused. */
  get issued(): { readonly password: number; readonly refresh_token: number; readonly refused: number } {
    return this.#issued;
  }

  /** Checks the client's id and secret, from the header of HTTP Basic. */
  checkClient(authorization: string | undefined): void {
    const encoded = /^Basic +([\w+/=-]+)$/i.exec(authorization ?? '')?.[1];
    if (encoded === undefined) throw this.#refused('Authenticate with HTTP Basic: client id and client secret.');
    const { clientId, clientSecret } = this.#settings.credentials;
    if (!same(Buffer.from(encoded, 'base64').toString(), `${clientId}:${clientSecret}`)) {
      throw this.#refused(`Invalid client credentials. This is the ${this.#settings.environment} environment; each environment has its own.`);
    }
  }

  byPassword(username: string, password: string): TokenAnswer {
    const { credentials, otherUsers } = this.#settings;
    const user = [credentials, ...otherUsers].find((known) => known.username === username);
    if (user === undefined || !same(password, user.password)) throw this.#refused('Invalid user credentials.');
    this.#issued.password += 1;
    return this.#issue(username);
  }

  /** The refresh token is used up by it. */
  byRefresh(refreshToken: string): TokenAnswer {
    const grant = this.#refresh.get(refreshToken);
    if (grant === undefined || grant.expiresAt <= this.#clock.now()) throw this.#refused('The refresh token is invalid, used or expired.');
    this.#refresh.delete(refreshToken);
    this.#issued.refresh_token += 1;
    return this.#issue(grant.actor);
  }

  /** The username behind `Authorization: Bearer …`. */
  actorOf(authorization: string | undefined): string {
    const token = authorization?.startsWith('Bearer ') ? authorization.slice(7) : undefined;
    if (token === undefined) throw new Refusal(401, 'Send the header Authorization: Bearer <access token>.');
    const grant = this.#access.get(token);
    if (grant === undefined || grant.expiresAt <= this.#clock.now()) throw new Refusal(401, 'The access token is invalid or expired.');
    return grant.actor;
  }

  #issue(actor: string): TokenAnswer {
    const now = this.#clock.now();
    forgetExpired(this.#access, now);
    forgetExpired(this.#refresh, now);
    const [access, refresh, jti] = [randomBytes(24), randomBytes(24), randomBytes(9)].map((bytes) => bytes.toString('base64url'));
    if (access === undefined || refresh === undefined || jti === undefined) throw new RangeError('three tokens');
    this.#access.set(access, { actor, expiresAt: now + ACCESS_TOKEN_SECONDS * 1000 });
    this.#refresh.set(refresh, { actor, expiresAt: now + REFRESH_TOKEN_SECONDS * 1000 });
    const users = [this.#settings.credentials, ...this.#settings.otherUsers];
    return {
      access_token: access,
      token_type: 'bearer',
      refresh_token: refresh,
      expires_in: ACCESS_TOKEN_SECONDS - 1,
      scope: 'read write',
      user_id: 1 + users.findIndex((user) => user.username === actor),
      jti,
    };
  }

  #refused(message: string): Refusal {
    this.#issued.refused += 1;
    return new Refusal(401, message);
  }
}

function forgetExpired(grants: Map<string, Grant>, now: number): void {
  for (const [token, grant] of grants) if (grant.expiresAt <= now) grants.delete(token);
}

function same(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
