import { setTimeout as pause } from 'node:timers/promises';

const WAIT_MS_MAX = 120_000;

/** Looks every 15 ms; throws after two minutes. `what`: completes "timed out waiting for". */
export async function waitUntil(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const began = performance.now();
  while (!(await holds())) {
    if (performance.now() - began > WAIT_MS_MAX) throw new Error(`timed out waiting for ${what}`);
    await pause(15);
  }
}
