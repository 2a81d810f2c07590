export type RetryLimits = Readonly<{
  attemptsMax: number;
  firstWaitMs: number;
  growth?: number;
  /** The random part of a wait, 0 to 1. */
  jitter?: number;
  waitMsMin: number;
  waitMsMax: number;
}>;

export const SEARCH_PAGES_MAX = 400;
export const NUMBER_SEARCH_PAGES_MAX = 40;
export const ACCOUNT_SEARCH_PAGES_MAX = 4_000;

export const RETRY_AFTER_MS_MAX = 60 * 60 * 1000;
