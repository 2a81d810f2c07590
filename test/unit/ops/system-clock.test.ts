import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { systemClock, systemRandom, systemSleep } from '../../../src/ops/system.ts';

describe('systemSleep', () => {
  test('an aborted sleep rejects with the reason and leaves no timer', async () => {
    const timersBefore = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const stop = new AbortController();
    const reason = new Error('stopped by SIGTERM');
    const sleeping = systemSleep(3_600_000, stop.signal);
    stop.abort(reason);
    await expect(sleeping).rejects.toBe(reason);
    expect(process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length).toBe(timersBefore);
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  });

  test('an aborted signal ends even a sleep of 0 ms', async () => {
    await expect(systemSleep(0, AbortSignal.abort('too late'))).rejects.toBe('too late');
  });

  test('a sleep that nothing stops ends, and lets go of its signal', async () => {
    const { signal } = new AbortController();
    await systemSleep(0, signal);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test("a sleep longer than Node's longest timer does not end early", async () => {
    const stop = new AbortController();
    const outcome = systemSleep(2 ** 40, stop.signal).catch((thrown: unknown) => thrown);
    await systemSleep(5);
    stop.abort('still asleep');
    expect(await outcome).toBe('still asleep');
  });

  test('the clock counts milliseconds since 1970, randomness is in [0, 1)', () => {
    expect(systemClock.now()).toBeGreaterThan(Date.UTC(2020, 0));
    const numbers = Array.from({ length: 1000 }, systemRandom);
    expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
    expect(new Set(numbers).size).toBeGreaterThan(990);
  });
});
