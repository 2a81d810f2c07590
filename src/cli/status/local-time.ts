import { format } from 'date-fns/format';

/** A time (epoch ms) on the wall clock of this place, with its zone: `2026-11-21 02:13:05 +01:00`. */
export function localTime(at: number): string {
  return format(at, 'yyyy-MM-dd HH:mm:ss xxx');
}
