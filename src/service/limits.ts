/** How often, and how long apart, something is tried again. */
export interface RetryLimits {
  /** Attempts in all, the first one included. */
  readonly attemptsMax: number;
  /** The longest wait after the first attempt; it doubles with each further one. */
  readonly firstWaitMs: number;
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

/** A JSON answer longer than this is no answer of this service. */
export const ANSWER_BYTES_MAX = 64 * 1024 * 1024;
/** Of an answer that refuses a file, no more than this is read. */
export const ERROR_BYTES_MAX = 64 * 1024;
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

export const READ_RETRIES: RetryLimits = { attemptsMax: 5, firstWaitMs: 500, waitMsMin: 0, waitMsMax: 30_000 };
export const TOKEN_RETRIES: RetryLimits = { attemptsMax: 4, firstWaitMs: 1_000, waitMsMin: 250, waitMsMax: 15_000 };
/** The gate never gives up: whoever runs it has a deadline. */
export const GATE_PAUSES: RetryLimits = { attemptsMax: Infinity, firstWaitMs: 2_000, waitMsMin: 500, waitMsMax: 5 * 60 * 1000 };

/** The gate forgets its earlier closings after this many good answers running. */
export const GATE_TRUST_AFTER = 20;
