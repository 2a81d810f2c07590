import { InvalidArgumentError } from 'commander';

const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };

/** A day (`2026-11-01`: its beginning, local time), or so long before now (`36h`, `7d`, `2w`), as milliseconds since the epoch. */
export function sinceTime(text: string, now: number): number {
  const [, amount, unit] = /^(\d{1,5})([hdw])$/.exec(text) ?? [];
  if (amount !== undefined) return now - Number(amount) * (UNIT_MS[unit ?? ''] ?? 0);
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  const time = new Date(Number(year), Number(month) - 1, Number(day));
  if (year === undefined || time.getDate() !== Number(day) || time.getMonth() !== Number(month) - 1) {
    throw new InvalidArgumentError('A day such as 2026-11-01 is needed, or a time before now such as 36h, 7d or 2w.');
  }
  return time.getTime();
}
