const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const TOKEN = /"([^"]*)"?|\\([\s\S])|[_*][\s\S]|\[[^\]]*\]?|(am\/pm|a\/p)|(y+|m+|d+|h+|s+)|([\s\S])/gi;

/** How a spreadsheet shows a wall-clock moment (`2026-03-05` or `2026-03-05T14:30:00`) under a date format such as `m/d/yyyy`. */
export function shownDate(iso: string, format: string): string {
  const [, year = '', month = '', day = '', hour = '00', minute = '00', second = '00'] = /^(\d+)-(\d+)-(\d+)(?:T(\d+):(\d+)(?::(\d+))?)?/.exec(iso) ?? [];
  const twelve = /am\/pm|a\/p/i.test(format);
  const tokens = [...(format.split(';')[0] ?? '').matchAll(TOKEN)];
  const unit = (at: number): string => tokens[at]?.[4]?.[0]?.toLowerCase() ?? '';
  const besides = (at: number, step: number): string => {
    let next = at + step;
    while (tokens[next] !== undefined && unit(next) === '') next += step;
    return unit(next);
  };
  const padded = (held: string, length: number): string => (length > 1 ? held.padStart(2, '0') : String(Number(held)));
  const name = (names: readonly string[], index: number, length: number): string => (length > 3 ? (names[index] ?? '') : (names[index] ?? '').slice(0, 3));
  return tokens
    .map(([whole, quotedText, escaped, half, run, other], at) => {
      if (half !== undefined) return Number(hour) < 12 ? 'AM' : 'PM';
      if (run === undefined) return quotedText ?? escaped ?? (/^[_*[]/.test(whole) ? '' : (other ?? ''));
      switch (unit(at)) {
        case 'y':
          return run.length > 2 ? year : year.slice(-2);
        case 'd':
          return run.length > 2 ? name(DAYS, new Date(`${iso.slice(0, 10)}T00:00:00Z`).getUTCDay(), run.length) : padded(day, run.length);
        case 'h':
          return padded(twelve ? String(Number(hour) % 12 || 12) : hour, run.length);
        case 's':
          return padded(second, run.length);
        default:
          if (run.length < 3 && (besides(at, -1) === 'h' || besides(at, 1) === 's')) return padded(minute, run.length);
          return run.length > 2 ? name(MONTHS, Number(month) - 1, run.length) : padded(month, run.length);
      }
    })
    .join('')
    .trim();
}
