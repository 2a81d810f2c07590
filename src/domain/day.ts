import { format } from 'date-fns/format';

/** `YYYY-MM-DD`, local. `at`: epoch ms. */
export function localDay(at: number) {
  return format(at, 'yyyy-MM-dd');
}

/** `Dec 2, 2026`, local. */
export function dayInWords(at: number) {
  return format(at, 'MMM d, yyyy');
}
