import type { PaceHint } from '../../domain/ports.ts';
import type { PaceKind } from '../settings.ts';
import type { Book } from '../store.ts';

/** After this long the service may have become another one. */
const HINT_MS_MAX = 7 * 24 * 60 * 60 * 1000;

export function paceHint({ connection, clock, account }: Book, kind: PaceKind): PaceHint | null {
  const row = connection.get(
    'SELECT rate_per_second, concurrency FROM pace_hints WHERE account = ? AND kind = ? AND learnt_at > ?',
    account,
    kind,
    clock.now() - HINT_MS_MAX,
  );
  if (row === undefined) return null;
  const { rate_per_second: rate, concurrency } = row;
  return { ratePerSecond: rate === null ? null : Number(rate), concurrency: concurrency === null ? null : Number(concurrency) };
}

export function keepPaceHint({ connection, clock, account, run }: Book, kind: PaceKind, hint: PaceHint): void {
  connection.run(
    `INSERT INTO pace_hints (account, kind, rate_per_second, concurrency, learnt_at, run) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (account, kind) DO UPDATE SET rate_per_second = excluded.rate_per_second, concurrency = excluded.concurrency,
       learnt_at = excluded.learnt_at, run = excluded.run`,
    account,
    kind,
    hint.ratePerSecond,
    hint.concurrency,
    clock.now(),
    run,
  );
}
