const MS_PER_DAY = 86_400_000;
const SECONDS_PER_DAY = 86_400;
/** 9999-12-31, the last day that Excel knows. */
const LAST_SERIAL_1900 = 2_958_465;
const DAYS_BETWEEN_SYSTEMS = 1462;
/** How far below a whole second a serial number may be that means it. */
const FLOATING_ERROR_SECONDS = 0.001;

/**
 * The wall-clock moment of a serial number: `2026-03-05`, or `2026-03-05T14:30:00` where it has a time, cut to the second as in dates written as
 * text: the last half second before midnight belongs to its day.
 * Undefined where there is none: below the first day, beyond year 9999, and for 60, which Excel shows as 1900-02-29, a day that never was.
 * @param date1904 whether days count from 1904-01-01, as in workbooks from old Macs.
 */
export function isoOfSerial(serial: number, date1904: boolean): string | undefined {
  const seconds = Math.floor(serial * SECONDS_PER_DAY + FLOATING_ERROR_SECONDS);
  const day = Math.floor(seconds / SECONDS_PER_DAY) + (date1904 ? DAYS_BETWEEN_SYSTEMS : 0);
  if (!(serial >= 0) || day < 1 || day === 60 || day > LAST_SERIAL_1900) return undefined;
  // Excel takes 1900 for a leap year, so serials before its 29 February count from a day later.
  const dayMs = Date.UTC(1899, 11, day < 60 ? 31 : 30) + day * MS_PER_DAY;
  const secondOfDay = seconds - Math.floor(seconds / SECONDS_PER_DAY) * SECONDS_PER_DAY;
  const iso = new Date(dayMs + secondOfDay * 1000).toISOString();
  return secondOfDay === 0 ? iso.slice(0, 10) : iso.slice(0, 19);
}

/** The wall-clock moment of a `t="d"` cell, in the same form; undefined where its text is no such moment. */
export function isoOfDateText(text: string): string | undefined {
  const match = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?)?(?:Z|[+-]\d{2}:?\d{2})?$/.exec(text.trim());
  const [, date, hour = '00', minute = '00', second = '00'] = match ?? [];
  if (date === undefined) return undefined;
  const iso = `${date}T${hour}:${minute}:${second}`;
  const time = new Date(`${iso}Z`);
  // A day that is not in the calendar, such as 02-30, comes back as another one or as none.
  if (Number.isNaN(time.getTime()) || time.toISOString().slice(0, 19) !== iso) return undefined;
  return iso.endsWith('T00:00:00') ? date : iso;
}
