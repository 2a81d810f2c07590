export interface RetryLimits {
  /** Including the first. */
  readonly attemptsMax: number;
  readonly firstWaitMs: number;
  readonly growth?: number;
  /** The random part of a wait, 0 to 1. Default: 1. */
  readonly jitter?: number;
  readonly waitMsMin: number;
  /** Retry-After may be longer. */
  readonly waitMsMax: number;
}

export const REQUEST_TIMEOUT_MS = 60_000;
export const CONNECT_TIMEOUT_MS = 10_000;

/** Before servers usually close a socket (5 s): a create on a closing one would be in doubt. */
export const IDLE_SOCKET_MS = 3_000;
export const SOCKETS_MAX = 16;

/** Decompressed. */
export const ANSWER_BYTES_MAX = 16 * 1024 * 1024;
export const ERROR_BYTES_MAX = 64 * 1024;
export const ERROR_BODY_MS_MAX = 30_000;
export const WORDS_LENGTH_MAX = 1_000;
export const SEARCH_PAGES_MAX = 400;
export const SEARCH_PAGES_OF_A_NUMBER_MAX = 40;
export const SEARCH_PAGES_OF_AN_ACCOUNT_MAX = 4_000;
export const REDIRECT_HOPS_MAX = 3;

export const TOKEN_LIFE_MS_MAX = 10 * 60 * 1000;
/** As a fraction of its life. */
export const TOKEN_RENEW_AT = 0.8;
/** Up to a day, `expires_in` counts as seconds, above as milliseconds: the document gives no unit. */
export const EXPIRES_IN_SECONDS_MAX = 86_400;
/** After a failed early renewal, until the next try. */
export const TOKEN_RENEW_AGAIN_MS = 15_000;
/** Without a token for this long, the run ends. */
export const TOKEN_PATIENCE_MS = 5 * 60 * 1000;

export const RETRY_AFTER_MS_MIN = 1_000;
export const RETRY_AFTER_MS_MAX = 60 * 60 * 1000;
export const RETRY_AFTER_JITTER_MS_MAX = 3_000;

export const READ_RETRIES: RetryLimits = { attemptsMax: 5, firstWaitMs: 500, waitMsMin: 0, waitMsMax: 30_000 };
export const TOKEN_RETRIES: RetryLimits = { attemptsMax: 4, firstWaitMs: 1_000, waitMsMin: 250, waitMsMax: 15_000 };
/** Shared by all repeats of reads: a repeat costs RETRY_COST, an answer gives one back. */
export const RETRY_BUDGET = 100;
export const RETRY_COST = 5;

/** During a run: an outage of minutes must not end the night. */
export const TOKEN_RENEWALS: RetryLimits = {
  attemptsMax: Infinity,
  firstWaitMs: 1_000,
  waitMsMin: 250,
  waitMsMax: 20_000,
};
/** A service away for this long ends the run, except for pauses that it asked for. */
export const AWAY_PATIENCE_MS = 15 * 60 * 1000;
/** A service that throttles and accepts nothing for this long ends the run: long enough for an hourly quota. */
export const THROTTLED_PATIENCE_MS = 2 * 60 * 60 * 1000;
/** They less than double each time, so as not to miss the end of an outage. */
export const AWAY_PAUSES: RetryLimits = {
  attemptsMax: Infinity,
  firstWaitMs: 1_000,
  growth: 1.5,
  jitter: 0.3,
  waitMsMin: 250,
  waitMsMax: 5 * 60 * 1000,
};
/** The first wait is the time of one request at the accepted rate. */
export const THROTTLED_PAUSES: RetryLimits = { ...AWAY_PAUSES, growth: 1.6, waitMsMin: 100 };
export const FIRST_PAUSE_MS_MIN = 200;
export const FIRST_PAUSE_MS_MAX = 30_000;
/** At least this part of the last closing: a quota that took long to recover will do so again. */
export const FIRST_PAUSE_PART = 1 / 8;

/** Good answers in a row, after which the gate forgets earlier closings. */
export const ANSWERS_TO_TRUST = 20;
/** 503s or refused connections in a row that close the gate. */
export const AWAY_IN_A_ROW = 3;
/** Failures of any kind in a row that close the gate. */
export const BAD_IN_A_ROW = 8;

/** As in the AWS SDKs' adaptive retry mode: the rate kept after a 429, and the cubic curve's slope. */
export const CUBIC_BETA = 0.7;
export const CUBIC_SCALE = 0.4;
/** Below this rate (requests per second) the curve's slope is proportional to it. */
export const CUBIC_SCALE_FROM = 5;
export const ACCEPTED_KEPT = 8;
export const RATE_MIN_PER_SECOND = 0.05;
/** After this many 429s the rate is near what the service accepts. */
export const ROUGH_THROTTLES = 5;
export const RATE_UNKNOWN_PER_SECOND = 10;
export const TIMER_LATENESS_MS = 5;

/** Latency has grown if it is this many times the best round's, and LATENCY_GROWTH_MS longer. */
export const LATENCY_GROWTH = 2;
export const LATENCY_GROWTH_MS = 200;
