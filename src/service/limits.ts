/** How often, and how long apart, something is tried again. */
export interface RetryLimits {
  /** Attempts in all, the first one included. */
  readonly attemptsMax: number;
  /** The longest wait after the first attempt; it grows with each further one. */
  readonly firstWaitMs: number;
  /** What it grows by. Default: 2. */
  readonly growth?: number;
  /** How much of a wait is left to chance, 0 … 1. Default: all of it. */
  readonly jitter?: number;
  /** No wait that we choose ourselves is shorter than this. */
  readonly waitMsMin: number;
  /** No wait that we choose ourselves is longer than this; the service's own Retry-After may be. */
  readonly waitMsMax: number;
}

/** Every limit of the client of the service, in one place. */
export const REQUEST_TIMEOUT_MS = 60_000;
export const CONNECT_TIMEOUT_MS = 10_000;

/** An idle socket is dropped before the service drops it (servers commonly wait 5 s): a create on a dying socket is in doubt. */
export const IDLE_SOCKET_MS = 3_000;
export const SOCKETS_MAX = 16;

/** A JSON answer longer than this, decompressed, does not come from this service. Its other limits stand in `contract/json.ts`. */
export const ANSWER_BYTES_MAX = 16 * 1024 * 1024;
/** How much of an answer that refuses a file is read, and for how long. */
export const ERROR_BYTES_MAX = 64 * 1024;
export const ERROR_BODY_MS_MAX = 30_000;
/** How many characters of the service's own words are passed on. */
export const WORDS_LENGTH_MAX = 1_000;
/** A search ends after this many pages: for one order, for one number, and through a whole account. */
export const SEARCH_PAGES_MAX = 400;
export const SEARCH_PAGES_OF_A_NUMBER_MAX = 40;
export const SEARCH_PAGES_OF_AN_ACCOUNT_MAX = 4_000;
export const REDIRECT_HOPS_MAX = 3;

/** Document: Authentication. An access token is never trusted for longer. */
export const TOKEN_LIFE_MS_MAX = 10 * 60 * 1000;
/** A token is renewed when this part of its life is over. */
export const TOKEN_RENEW_AT = 0.8;
/** `expires_in` is read as seconds up to a day; anything larger must be milliseconds (its unit is not shown). */
export const EXPIRES_IN_SECONDS_MAX = 86_400;
/** When a renewal ahead of time has failed, how long the token that still lives is used before the next try. */
export const TOKEN_RENEW_AGAIN_MS = 15_000;
/** No token after this long: the run ends with what it has, and the next one goes on. */
export const TOKEN_PATIENCE_MS = 5 * 60 * 1000;

export const RETRY_AFTER_MS_MIN = 1_000;
export const RETRY_AFTER_MS_MAX = 60 * 60 * 1000;
export const RETRY_AFTER_JITTER_MS_MAX = 3_000;

export const READ_RETRIES: RetryLimits = { attemptsMax: 5, firstWaitMs: 500, waitMsMin: 0, waitMsMax: 30_000 };
export const TOKEN_RETRIES: RetryLimits = { attemptsMax: 4, firstWaitMs: 1_000, waitMsMin: 250, waitMsMax: 15_000 };
/** All repeats of reads draw on one budget: a repeat costs RETRY_COST, an answer gives one back. So repeats never multiply an outage. */
export const RETRY_BUDGET = 100;
export const RETRY_COST = 5;

/** In the middle of a run a token is waited for as long as TOKEN_PATIENCE_MS: an outage of minutes must not end the night. */
export const TOKEN_RENEWALS: RetryLimits = {
  attemptsMax: Infinity,
  firstWaitMs: 1_000,
  waitMsMin: 250,
  waitMsMax: 20_000,
};
/** A service that has been away for so long ends the run: the next one goes on. A pause that it asks for is waited for all the same. */
export const AWAY_PATIENCE_MS = 15 * 60 * 1000;
/** So does one that has asked for a slower pace for so long and taken nothing at all: an hourly quota is waited for, a closed account is not. */
export const THROTTLED_PATIENCE_MS = 2 * 60 * 60 * 1000;
/** The gate's own pauses. It grows by less than double, so as not to oversleep the end of an outage by much. */
export const AWAY_PAUSES: RetryLimits = {
  attemptsMax: Infinity,
  firstWaitMs: 1_000,
  growth: 1.5,
  jitter: 0.3,
  waitMsMin: 250,
  waitMsMax: 5 * 60 * 1000,
};
/** The first wait is that for one request at the rate the service takes. */
export const THROTTLED_PAUSES: RetryLimits = { ...AWAY_PAUSES, growth: 1.6, waitMsMin: 100 };
export const FIRST_PAUSE_MS_MIN = 200;
export const FIRST_PAUSE_MS_MAX = 30_000;
/** A quota that was exhausted for long will be so again: the first pause is at least this part of the last closing. */
export const FIRST_PAUSE_PART = 1 / 8;

/** The gate forgets its earlier closings after this many good answers in a row. */
export const ANSWERS_TO_TRUST = 20;
/** This many 503s or refused connections in a row close the gate. */
export const AWAY_IN_A_ROW = 3;
/** So do this many failures of any kind in a row. */
export const BAD_IN_A_ROW = 8;

/** As in the AWS SDKs' adaptive retry mode: what is left of the rate after a 429, and how fast the cubic curve climbs. */
export const CUBIC_BETA = 0.7;
export const CUBIC_SCALE = 0.4;
/** Below this rate, in requests a second, the curve climbs in proportion. */
export const CUBIC_SCALE_FROM = 5;
/** The rate that the service takes is measured over this many requests. */
export const ACCEPTED_KEPT = 8;
export const RATE_MIN_PER_SECOND = 0.05;
/** After this many 429s the rate is close to what the service bears. */
export const ROUGH_THROTTLES = 5;
/** Where the first answer of all was a 429. */
export const RATE_UNKNOWN_PER_SECOND = 10;
export const TIMER_LATENESS_MS = 5;

/** Latency counts as grown from this many times the best round's … */
export const LATENCY_GROWTH = 2;
/** … if it is this much longer as well. */
export const LATENCY_GROWTH_MS = 200;
