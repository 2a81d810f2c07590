import { tokenResponse } from '../contract/document.ts';
import { type ExplainedError, usageErrorOf, workLeftErrorOf } from '../domain/errors.ts';
import { type RunContext, raceAbort } from '../domain/ports.ts';
import { type Exchange, type Transport, urlOf } from './exchange.ts';
import { type RetryLimits, decideRetry } from './retry.ts';
import { parseBody, isFirewallPage, isTemporary, serviceMessage, parseStrictly, readRetryAfter } from './outcome.ts';

const TOKEN_LIFE_MS_MAX = 10 * 60 * 1000;
const TOKEN_RENEW_AT = 0.8;
/** Larger values are milliseconds: the document gives no unit. */
const EXPIRES_IN_SECONDS_MAX = 86_400;
/** After a failed early renewal, until the next try. */
const TOKEN_RENEW_AGAIN_MS = 15_000;
/** Without a token for this long, the run ends. */
const TOKEN_PATIENCE_MS = 5 * 60 * 1000;
const TOKEN_RETRIES: RetryLimits = { attemptsMax: 4, firstWaitMs: 1_000, waitMsMin: 250, waitMsMax: 15_000 };
/** During a run: an outage of minutes must not end the night. */
const TOKEN_RENEWALS: RetryLimits = { attemptsMax: Infinity, firstWaitMs: 1_000, waitMsMin: 250, waitMsMax: 20_000 };

export interface TokenSource {
  /**
   * Concurrent calls share one request. Throws ExplainedError: `usage` if the credentials are refused (sent only once),
   * `work-left` if the service cannot be reached.
   */
  get(): Promise<string>;
  invalidate(token: string): void;
}

export type Credentials = Readonly<{
  clientId: string;
  clientSecret: string;
  username: string;
  password: string;
}>;

type TokenSourceOptions = Credentials &
  Omit<RunContext, 'signal'> &
  Readonly<{
    transport: Transport;
    baseUrl: URL;
    /** Throws its reason. */
    signal?: AbortSignal | undefined;
  }>;

type Tokens = Readonly<{
  access: string;
  refresh: string | null;
  /** The service may count from the request. */
  from: number;
  lifeMs: number;
  renewFrom: number;
}>;

type Grant = Readonly<
  | { kind: 'granted'; tokens: Tokens }
  | { kind: 'rejected'; status: number; words: string | null }
  | { kind: 'transient'; reason: string; retryAfterMs: number | null }
>;

/** At most, and by default, the document's ten minutes. */
export function tokenLifeMs(expiresIn: number | null | undefined) {
  if (expiresIn === null || expiresIn === undefined || !Number.isFinite(expiresIn) || expiresIn <= 0)
    return TOKEN_LIFE_MS_MAX;
  return Math.min(TOKEN_LIFE_MS_MAX, expiresIn > EXPIRES_IN_SECONDS_MAX ? expiresIn : expiresIn * 1000);
}

export function createTokenSource(options: TokenSourceOptions): TokenSource {
  const { clock, sleep, random, log } = options;
  let held: Tokens | null = null;
  let renewal: Promise<string> | null = null;
  /** Refused credentials are never sent again: that could lock the account. */
  let rejection: ExplainedError | null = null;
  /** Waits for an unreachable service only once. */
  let isGivenUp = false;

  const keep = (tokens: Tokens) => {
    isGivenUp = false;
    held = tokens;
    return tokens.access;
  };

  /** A refresh token that fails is forgotten: it rotates, and a lost answer may have used it. */
  const renew = async (old: Tokens | null) => {
    if (old?.refresh) {
      const grant = await requestGrant(options, { grant_type: 'refresh_token', refresh_token: old.refresh });
      if (grant.kind === 'granted') return keep(grant.tokens);
      log.info('token.refresh-failed', { why: grant.kind === 'rejected' ? `HTTP ${grant.status}` : grant.reason });
    }
    const deadline = clock.now() + (isGivenUp ? 0 : TOKEN_PATIENCE_MS);
    const limits = old === null ? TOKEN_RETRIES : TOKEN_RENEWALS;
    const { username, password } = options;
    for (let attempt = 1; ; attempt += 1) {
      const grant = await requestGrant(options, { grant_type: 'password', username, password });
      if (grant.kind === 'granted') return keep(grant.tokens);
      if (grant.kind === 'rejected') {
        rejection = notAccepted(grant.status, grant.words, options);
        throw rejection;
      }
      const now = clock.now();
      if (held !== null && isAlive(held, now)) {
        log.warn('token.renewal-postponed', { why: grant.reason });
        return keep({ ...held, refresh: null, renewFrom: now + TOKEN_RENEW_AGAIN_MS });
      }
      const decision = decideRetry({ attempt, outcome: grant, now, random, limits, deadline });
      if (decision.kind === 'stop') {
        isGivenUp = true;
        throw workLeftErrorOf('no-access-token', { reason: grant.reason, why: decision.reason });
      }
      log.warn('token.retry', { why: grant.reason, attempt, waitMs: decision.ms });
      await sleep(decision.ms, options.signal);
    }
  };

  return {
    async get() {
      if (rejection !== null) throw rejection;
      const now = clock.now();
      if (held !== null && isAlive(held, now) && now < held.renewFrom) return held.access;
      renewal ??= renew(held).finally(() => {
        renewal = null;
      });
      return renewal;
    },
    invalidate(token) {
      // Its refresh token may still work.
      if (held?.access === token) held = { ...held, lifeMs: 0 };
    },
  };
}

/**
 * Sends once more, with a new token, if the service refused the first. A 401 proves that nothing was handled only if
 * `refusedToken` recognizes the service's own words.
 */
export async function withToken<T>(
  tokens: TokenSource,
  attempt: (token: string) => Promise<T>,
  refusedToken: (result: T) => boolean,
  signal?: AbortSignal,
) {
  const token = await raceAbort(tokens.get(), signal);
  const result = await attempt(token);
  if (!refusedToken(result)) return result;
  tokens.invalidate(token);
  return attempt(await raceAbort(tokens.get(), signal));
}

/** If the clock was set back, the token counts as expired. */
function isAlive(tokens: Tokens, now: number) {
  return now >= tokens.from && now < tokens.from + tokens.lifeMs;
}

async function requestGrant(options: TokenSourceOptions, form: Record<string, string>) {
  const { clock, log, clientId, clientSecret, signal } = options;
  const from = clock.now();
  const exchange = await options.transport.exchange({
    method: 'POST',
    url: urlOf(options.baseUrl, ['v1', 'oauth', 'token']),
    headers: {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
    },
    body: new URLSearchParams(form).toString(),
    signal,
  });
  const fields = { route: 'POST /v1/oauth/token', ms: clock.now() - from };
  if (exchange.kind === 'failed') log.warn('service.failed', { ...fields, reason: exchange.reason });
  else log[exchange.status < 300 ? 'debug' : 'warn']('service.answered', { ...fields, status: exchange.status });
  return readGrant(exchange, from, clock.now());
}

function readGrant(exchange: Exchange, from: number, now: number): Grant {
  if (exchange.kind === 'failed') return { kind: 'transient', reason: exchange.reason, retryAfterMs: null };
  const { status } = exchange;
  if (status >= 200 && status < 300) {
    const answer = parseStrictly(tokenResponse, parseBody(exchange).json);
    if (answer === undefined) return { kind: 'transient', reason: `HTTP ${status}, but no token`, retryAfterMs: null };
    const { access_token: access, refresh_token: refresh } = answer;
    const lifeMs = tokenLifeMs(answer.expires_in);
    const renewFrom = from + lifeMs * TOKEN_RENEW_AT;
    return { kind: 'granted', tokens: { access, refresh: refresh || null, from, lifeMs, renewFrom } };
  }
  const words = serviceMessage(exchange);
  if (!isTemporary(status) && !isFirewallPage(status, words)) return { kind: 'rejected', status, words };
  const retryAfterMs = readRetryAfter(exchange.headers['retry-after'], now);
  return { kind: 'transient', reason: `HTTP ${status}`, retryAfterMs };
}

function notAccepted(status: number, words: string | null, secrets: TokenSourceOptions) {
  const said = words === null ? '' : `: ${withoutSecrets(words, [secrets.clientSecret, secrets.password])}`;
  if (status === 404 || status === 405) return usageErrorOf('token-endpoint-missing', { status, said });
  return usageErrorOf('credentials-refused', { status, said });
}

function withoutSecrets(words: string, secrets: readonly string[]) {
  return secrets
    .filter((secret) => secret !== '')
    .reduce((text, secret) => text.replaceAll(secret, '***'), words)
    .slice(0, 200);
}
