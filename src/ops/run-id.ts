import type { Clock, Random } from '../domain/ports.ts';

/**
 * The name of a run: its start in UTC and four hex digits, such as `2026-11-21T020000Z-4f2a`. Later runs sort after earlier ones;
 * it is safe as the name of a folder on any file system.
 */
export function newRunId(clock: Clock, random: Random): string {
  const start = new Date(clock.now()).toISOString().slice(0, 19).replaceAll(':', '');
  const suffix = Math.floor(random() * 0x1_0000).toString(16).padStart(4, '0');
  return `${start}Z-${suffix}`;
}
