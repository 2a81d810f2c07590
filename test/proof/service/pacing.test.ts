import { describe, expect, test } from 'vitest';
import {
  fixedWindow,
  type LimitedServer,
  SERVER_KINDS,
  type ServerKind,
  tokenBucket,
  workers,
} from '../../support/limited-servers.ts';
import { runPaced, seededRandom } from '../../support/paced-run.ts';
import { inProof } from '../../support/proof-size.ts';

const isOutage = ({ name }: ServerKind): boolean => name.startsWith('outage');

describe('createPacer', () => {
  // An outage's 60,000 orders are for the soak; fewer go through one below.
  test.each(inProof({ share: SERVER_KINDS.filter((kind) => !isOutage(kind)), whole: SERVER_KINDS }))(
    '$name: wastes little and ends soon after the best possible',
    async (kind) => {
      const first = await runPaced(kind, { seed: 1 });
      expect(first.waste).toBeLessThan(0.12);
      expect(first.timesBest).toBeLessThan(1.12);
      expect(first.requests - first.wasted).toBeGreaterThanOrEqual(kind.orders);
      // The second night of the outage's 60,000 orders is in bench/pacing.ts.
      if (isOutage(kind)) return;
      const second = await runPaced(kind, { seed: 2, hint: first.learnt });
      expect(second.waste).toBeLessThanOrEqual(first.waste + 0.002);
      expect(second.timesBest).toBeLessThan(1.12);
    },
  );

  /** Has no limit, and answers so many with 429 all the same. */
  function atRandom(share: number): LimitedServer {
    return (clock) => {
      const random = seededRandom(5);
      return async () => {
        await clock.sleep(50);
        return random() < share ? { kind: 'throttled', retryAfterMs: null } : { kind: 'ok' };
      };
    };
  }

  const burstless = tokenBucket(() => 5, 1);

  test.each<{ kind: ServerKind; waste: number; timesBest: number }>([
    {
      kind: { name: '5 a second without any burst', orders: 1_000, bestMs: 200_000, server: burstless },
      waste: 0.13,
      timesBest: 1.3,
    },
    {
      kind: { name: '5 in each fixed second', orders: 1_000, bestMs: 200_000, server: fixedWindow(5, 1_000, 0) },
      waste: 0.14,
      timesBest: 1.2,
    },
    {
      kind: { name: '2 a second', orders: 500, bestMs: 250_000, server: tokenBucket(() => 2, 2) },
      waste: 0.2,
      timesBest: 1.2,
    },
    {
      kind: {
        name: '100 a second without any burst',
        orders: 5_000,
        bestMs: 50_000,
        server: tokenBucket(() => 100, 1),
      },
      waste: 0.05,
      timesBest: 1.3,
    },
    {
      kind: {
        name: '120 a minute that says when it ends',
        orders: 1_000,
        bestMs: 8 * 60_000,
        server: fixedWindow(120, 60_000, 0, true),
      },
      waste: 0.1,
      timesBest: 1.05,
    },
    {
      kind: {
        name: 'capacity 6 and a long queue',
        orders: 2_000,
        bestMs: (2_000 / 6) * 200,
        server: workers(6, 200, 30),
      },
      waste: 0.001,
      timesBest: 1.01,
    },
    {
      kind: {
        name: 'a third of all answers 429, whatever one does',
        orders: 200,
        bestMs: 200_000,
        server: atRandom(1 / 3),
      },
      waste: 0.45,
      timesBest: 2,
    },
  ])('$kind.name', async ({ kind, waste, timesBest }) => {
    const run = await runPaced(kind, { seed: 1 });
    expect(run.waste).toBeLessThan(waste);
    expect(run.timesBest).toBeLessThan(timesBest);
  });

  test('an outage leaves only orders in flight in doubt', async () => {
    const outage = SERVER_KINDS.find(isOutage);
    const run = await runPaced({ ...(outage as ServerKind), orders: 15_000 }, { seed: 3 });
    // 16 in flight, and about ten questions in two minutes.
    expect(run.wasted).toBeGreaterThan(20);
    expect(run.wasted).toBeLessThan(35);
  });
});
