import { z } from 'zod';
import { quoted, type DateCell, type NumberCell } from '../../domain/cells.ts';
import { type CoercionContext, type DateOrder, type DateReading, value, wrong } from './coercion.ts';
import { ruleAndMessage, sentence } from '../../domain/sentences.ts';
import { isoOfSerial } from '../readers/xlsx/cell-values.ts';
import { pattern, vocabulary } from '../vocabulary.ts';

const forms = vocabulary(
  'dates',
  z.record(z.enum(['inFront', 'behind', 'period', 'time', 'weekday', 'monthFirst', 'dayFirst']), pattern),
);

type DateContext = Pick<CoercionContext, 'evidence' | 'corrected' | 'today'>;

const MONTH_NAMES = 'January February March April May June July August September October November December'.split(' ');
const DAY_NAMES = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

function withoutWeekday(text: string) {
  const found = forms().weekday.exec(text);
  const weekday = DAY_NAMES.findIndex((name) => name.toLowerCase().startsWith((found?.[1] ?? text).toLowerCase()));
  return found === null || weekday === -1
    ? { bare: text, weekday: undefined }
    : { bare: text.slice(found[0].length), weekday };
}

function weekdayOf(iso: string) {
  return new Date(`${iso}T00:00:00Z`).getUTCDay();
}

function isoDay(year: number, month: number, day: number) {
  const at = new Date(Date.UTC(year, month - 1, day));
  if (year < 1000 || at.getUTCFullYear() !== year || at.getUTCMonth() !== month - 1 || at.getUTCDate() !== day)
    return undefined;
  return `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

/** A two-digit year is from 80 years ago to 20 years ahead. */
function fullYear(text: string, today: string) {
  const year = Number(text);
  if (text.length === 4) return year;
  const thisYear = Number(today.slice(0, 4));
  const candidate = Math.floor(thisYear / 100) * 100 + year;
  if (candidate > thisYear + 20) return candidate - 100;
  return candidate <= thisYear - 80 ? candidate + 100 : candidate;
}

const YEARS_AWAY_MAX = 10;

export function yearsAway(iso: string, today: string) {
  return Math.abs(Number(iso.slice(0, 4)) - Number(today.slice(0, 4)));
}

/** `27-01-15` with its year first, if that gives another day than day first, and a plausible one. */
function yearFirstDay([first = '', month = '', last = '']: readonly string[], today: string) {
  if (first.length !== 2 || last.length !== 2 || Number(first) <= 12) return undefined;
  const iso = isoDay(fullYear(first, today), Number(month), Number(last));
  const dayFirst = isoDay(fullYear(last, today), Number(month), Number(first));
  return iso === undefined || dayFirst === undefined || iso === dayFirst || yearsAway(iso, today) > YEARS_AWAY_MAX
    ? undefined
    : iso;
}

function dateWithName(bare: string, timeNote: string, today: string, weekday: number | undefined) {
  const { name, day, year } = (forms().monthFirst.exec(bare) ?? forms().dayFirst.exec(bare))?.groups ?? {};
  if (name === undefined || day === undefined || year === undefined) return undefined;
  const bareName = name.toLowerCase().replace('.', '');
  const month = MONTH_NAMES.findIndex((one) => one.toLowerCase().startsWith(bareName)) + 1;
  if (month === 0) return undefined;
  return {
    kind: 'plain' as const,
    year: fullYear(year, today),
    month,
    day: Number(day),
    form: `the month is spelled out${timeNote}`,
    changed: true,
    weekday,
  };
}

const DATE_LENGTH_MAX = 100;

function readDateText(given: string, today: string) {
  if (given.length > DATE_LENGTH_MAX) return undefined;
  const { inFront, behind, period, time: timeBehind } = forms();
  const text = given
    .replace(inFront, '')
    .replace(behind, '')
    .replace(period, (_, first?: string, _day?: string, second = '') => first ?? second);
  const time = text.includes(':') ? timeBehind.exec(text) : null;
  const midnight =
    time !== null &&
    Number(time[2]) === 0 &&
    Number(time[3] ?? 0) === 0 &&
    (Number(time[1]) === 0 || (time[1] === '12' && /^a/i.test(time[4] ?? '')));
  const { bare: spaced, weekday } = withoutWeekday(time === null ? text : text.slice(0, time.index));
  const bare = /^[\d\s/.-]+$/.test(spaced) ? spaced.replace(/(?<!\s)\s+(?=[/.-])|(?<=[/.-])\s+/g, '') : spaced;
  const timeNote = time === null || midnight ? '' : '; the time of day was dropped';
  const compact = /^((?:19|20)\d{2})()(\d{2})(\d{2})$/.exec(bare);
  const [, year, mark, month = '', day = ''] =
    /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})$/.exec(bare) ??
    (compact !== null && isoDay(Number(compact[1]), Number(compact[3]), Number(compact[4])) !== undefined
      ? compact
      : []);
  if (year !== undefined)
    return {
      kind: 'plain' as const,
      year: Number(year),
      month: Number(month),
      day: Number(day),
      form: `read as year, month, day${timeNote}`,
      changed: bare !== given || mark !== '-' || month.length + day.length < 4,
      weekday,
    };
  const parts = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})$/.exec(bare) ?? digitsAlone(bare);
  if (parts !== null) {
    const [, first = '', mark = '', second = '', year = ''] = parts;
    return {
      kind: 'parts' as const,
      first: Number(first),
      second: Number(second),
      year: fullYear(year, today),
      timeNote,
      yearFirst: yearFirstDay([first, second, year], today),
      dotted: mark === '.',
      weekday,
    };
  }
  return dateWithName(bare, timeNote, today, weekday);
}

/** `11052026`, or `5112026` without its zero if its second part must have two digits. */
function digitsAlone(text: string) {
  const eight = /^(\d{2})()(\d{2})((?:19|20)\d{2})$/.exec(text);
  if (eight !== null) return eight;
  const seven = /^(\d)()(\d{2})((?:19|20)\d{2})$/.exec(text);
  return seven !== null && Number(text.slice(0, 2)) > 31 ? seven : null;
}

/** `a/b/year`, `a-b-year` or `a.b.year`: the order is open. */
type DateParts = Extract<ReturnType<typeof readDateText>, { kind: 'parts' }>;

/** A day of the week leaves only one. */
function readings({ first, second, year, weekday }: DateParts) {
  const possible = [isoDay(year, first, second), isoDay(year, second, first)];
  const agree = possible.map((iso) => (weekday === undefined || weekdayOf(iso ?? '') === weekday ? iso : undefined));
  const weekdayLies = !agree.some(Boolean) && possible.some(Boolean);
  const [monthFirst, dayFirst] = weekdayLies ? possible : agree;
  return { monthFirst, dayFirst, weekdayLies };
}

/** True for texts such as 03/05/2026 or 27-01-15, which need the rest of the column. */
export function isAmbiguousDate(text: string, today: string) {
  const read = readDateText(text, today);
  if (read?.kind !== 'parts') return false;
  const { monthFirst, dayFirst } = readings(read);
  return (
    read.yearFirst !== undefined || (monthFirst !== undefined && dayFirst !== undefined && monthFirst !== dayFirst)
  );
}

export function dateEvidence(text: string, today: string): DateOrder | undefined {
  const read = readDateText(text, today);
  if (read?.kind !== 'parts' || read.yearFirst !== undefined) return undefined;
  const { monthFirst, dayFirst, weekdayLies } = readings(read);
  if (weekdayLies || (monthFirst === undefined) === (dayFirst === undefined)) return undefined;
  return monthFirst === undefined ? 'day first' : 'month first';
}

function formatLongDate(iso: string) {
  const [year = '', month, day] = iso.split('-');
  return `${MONTH_NAMES[Number(month) - 1] ?? ''} ${Number(day)}, ${year}`;
}

const PARTS = {
  'month first': 'month, day, year',
  'day first': 'day, month, year',
};
const OTHER = { 'month first': 'day first', 'day first': 'month first' } as const;

function coerceParts(text: string, read: DateParts, { evidence: { dates }, corrected }: DateContext) {
  const { monthFirst, dayFirst, weekdayLies } = readings(read);
  if (weekdayLies) return wrongWeekday(text, read.weekday, [monthFirst, dayFirst]);
  if (read.yearFirst !== undefined && dayFirst !== undefined)
    // Columns can only show that the day is first.
    return dates.reading === 'day first'
      ? value(dayFirst, `read as day, month, year, as its other dates show${read.timeNote}`)
      : wrong('date-ambiguous/year', {
          text,
          yearFirst: formatLongDate(read.yearFirst),
          dayFirst: formatLongDate(dayFirst),
          iso: read.yearFirst,
          otherIso: dayFirst,
        });
  if (monthFirst === undefined || dayFirst === undefined || monthFirst === dayFirst) {
    const iso = monthFirst ?? dayFirst;
    if (iso === undefined) return wrong('date-no-such-day', { text });
    const shown = monthFirst === undefined ? 'day first' : 'month first';
    if (
      monthFirst !== dayFirst &&
      (dates.reading === OTHER[shown] || (corrected && shown === 'day first' && dates.reading === undefined))
    )
      return againstColumn(text, iso, shown, dates);
    const why = monthFirst === dayFirst ? 'both readings are the same day' : 'no other reading is possible';
    return value(iso, `read as ${PARTS[shown]}; ${why}${read.timeNote}`);
  }
  const reading = dates.by === 'usage' && read.dotted ? undefined : dates.reading;
  if (reading === undefined)
    return wrong('date-ambiguous', {
      text,
      monthFirst: formatLongDate(monthFirst),
      dayFirst: formatLongDate(dayFirst),
      why: whyOpen(dates),
      iso: monthFirst,
      otherIso: dayFirst,
    });
  const iso = reading === 'month first' ? monthFirst : dayFirst;
  const sent = value(iso, `read as ${PARTS[reading]}, ${HOW[dates.by]}${read.timeNote}`);
  const against = dates.witnesses[OTHER[reading]];
  if (!dates.contradicted || sent.kind !== 'value') return sent;
  const speaks =
    against === undefined
      ? 'Its header asks for another order'
      : `Row ${against.rowNumber} of this column holds ${quoted(against.text)}, ${OTHER[reading]}`;
  return {
    ...sent,
    warning: ruleAndMessage('date-order-contradicted', {
      text,
      reading,
      how: HOW[dates.by],
      day: formatLongDate(iso),
      speaks,
      other: formatLongDate(reading === 'month first' ? dayFirst : monthFirst),
    }),
  };
}

const HOW = {
  column: 'as its other dates show',
  header: 'as its header asks',
  config: 'as intake.dateOrder says',
  usage: 'as is usual in the United States',
};

function whyOpen({ witnesses }: DateReading) {
  const monthFirst = witnesses['month first'];
  const dayFirst = witnesses['day first'];
  if (monthFirst !== undefined && dayFirst !== undefined)
    return sentence('dates-contradict', {
      first: monthFirst.text,
      firstRow: monthFirst.rowNumber,
      second: dayFirst.text,
      secondRow: dayFirst.rowNumber,
    });
  return monthFirst === undefined && dayFirst === undefined
    ? 'no other date in this column shows which'
    : 'too few other dates in this column show which';
}

function againstColumn(text: string, iso: string, shown: DateOrder, { by, reading }: DateReading) {
  const others = reading === undefined ? '' : `, but this column is read ${reading}, ${HOW[by]}`;
  return wrong('date-against-column', { text, shown, day: formatLongDate(iso), others, iso });
}

function wrongWeekday(text: string, weekday: number | undefined, days: readonly (string | undefined)[]) {
  const day = days.find((iso) => iso !== undefined) ?? '';
  return wrong('date-weekday', {
    text,
    said: DAY_NAMES[weekday ?? 0] ?? '',
    day: formatLongDate(day),
    right: DAY_NAMES[weekdayOf(day)] ?? '',
  });
}

export function coerceDateText(text: string, context: DateContext) {
  const whole = /^(\d{5}|\d{8})\.0+$/.exec(text)?.[1] ?? text;
  if (/^\d{5}$/.test(whole)) return serialDate(Number(whole), text);
  const read = readDateText(whole, context.today);
  if (read === undefined) {
    const lacksYear = [' ', '/'].some((mark) => readDateText(`${whole}${mark}2026`, context.today) !== undefined);
    return wrong(lacksYear ? 'date-format/year' : 'date-format', { text });
  }
  if (read.kind === 'parts') return coerceParts(text, read, context);
  const iso = isoDay(read.year, read.month, read.day);
  if (iso === undefined) return wrong('date-no-such-day', { text });
  if (read.weekday !== undefined && weekdayOf(iso) !== read.weekday) return wrongWeekday(text, read.weekday, [iso]);
  return value(iso, read.changed ? read.form : undefined);
}

/** Serial numbers that count as dates: 1954 to 2119, or four years later if counted from 1904. */
const SERIAL_MIN = 20_000;
const SERIAL_MAX = 80_000;

function serialDate(serial: number, held: string, date1904 = false) {
  if (serial > 0 && serial < 1) return wrong('date-format/time');
  if (serial < SERIAL_MIN || serial > SERIAL_MAX) return wrong('date-format', { text: held });
  const iso = isoOfSerial(Math.floor(serial), date1904) ?? '';
  const system = date1904 ? ' from 1904, as its workbook counts them' : '';
  const time = Number.isInteger(serial) ? '' : '; the time of day was dropped';
  return value(iso, sentence('date-serial', { system, time }));
}

export function coerceDateNumber(cell: NumberCell, context: DateContext) {
  const digits = cell.raw.replace(/\.0+$/, '');
  return /^\d{7,8}$/.test(digits) ? coerceDateText(digits, context) : serialDate(cell.value, cell.raw, cell.date1904);
}

export function isSwappableDate({ iso }: DateCell) {
  return Number(iso.slice(8, 10)) <= 12 && iso.slice(8, 10) !== iso.slice(5, 7);
}

/**
 * Next to day-first texts a real date is doubtful: Excel with US settings turns 03/05/2026 into March 5 and
 * leaves 25/05/2026 as text. If all real dates of the column have a day up to 12, this has happened, and neither
 * reading is certain.
 */
export function coerceDateCell(cell: DateCell, { evidence, corrected }: Omit<DateContext, 'today'>) {
  const [day = '', time = ''] = cell.iso.split('T');
  const [year = 0, month = 0, dayOfMonth = 0] = day.split('-').map(Number);
  if (isoDay(year, month, dayOfMonth) !== day) return wrong('date-no-such-day', { text: cell.iso });
  const read = value(day, /^[0:.]*$/.test(time) ? undefined : 'the time of day was dropped');
  const { realDates, dates } = evidence;
  const dayFirst = dates.witnesses['day first'];
  if (realDates === 'sure' || dayFirst === undefined || corrected || !isSwappableDate(cell) || read.kind !== 'value')
    return read;
  const swapped = isoDay(year, dayOfMonth, month) ?? '';
  const doubt = sentence('date-perhaps-swapped', {
    ...dayFirst,
    date: formatLongDate(day),
    other: formatLongDate(swapped),
  });
  if (realDates === 'doubtful') return wrong('date-ambiguous/cell', { doubt, day, swapped });
  return { ...read, warning: { rule: 'date-perhaps-swapped', message: `${doubt} It is sent as ${day}.` } };
}
