import { format } from 'date-fns/format';
import { subDays } from 'date-fns/subDays';
import type { Arrival } from '../ledger/outbox.ts';
import { dayInWords } from './letters.ts';

/** A sender who usually has sent a file by now, and has not. */
export interface SilentSender {
  readonly sender: string;
  /** The local time, `HH:MM`, by which its first file of the day usually is on record. */
  readonly usuallyBy: string;
  /** When its last file went on record (ms since the epoch). */
  readonly lastAt: number;
}

/** A sender is expected on a weekday on which it sent in so many of the last WEEKS weeks: one week off does not change what is usual. */
const WEEKS_MIN = 3;
const WEEKS = 4;
/** How far back the arrivals must reach: `silentSenders` looks at no earlier ones. */
export const LOOKS_BACK_DAYS = WEEKS * 7;
/** So many of its days' first files had come by the usual time. */
const USUAL_SHARE = 0.9;
/** Nights do not all begin to the minute: what is due within this time is due. */
const SLACK_MINUTES = 15;

/**
 * The rule of docs/notifications.md, a pure function of the files on record: due today are those who sent on this weekday in at least three of the last
 * four weeks, from the time on by which nine in ten of their days' first files had come. Local days and times.
 */
export function silentSenders(arrivals: readonly Arrival[], now: number): readonly SilentSender[] {
  const bySender = Map.groupBy(arrivals.filter(({ at }) => at <= now), ({ sender }) => sender);
  return [...bySender].flatMap(([sender, ofSender]) => {
    const firstOfDay = new Map<string, number>();
    for (const { at } of ofSender.toSorted((a, b) => b.at - a.at)) firstOfDay.set(dayOf(at), minuteOf(at));
    const sameWeekday = Array.from({ length: WEEKS }, (_, week) => dayOf(subDays(now, (week + 1) * 7).getTime()));
    if (firstOfDay.has(dayOf(now)) || sameWeekday.filter((day) => firstOfDay.has(day)).length < WEEKS_MIN) return [];
    const minutes = [...firstOfDay.values()].toSorted((a, b) => a - b);
    const usual = minutes[Math.ceil(minutes.length * USUAL_SHARE) - 1] ?? 0;
    if (minuteOf(now) < usual - SLACK_MINUTES) return [];
    return [{ sender, usuallyBy: timeOf(usual), lastAt: Math.max(...ofSender.map(({ at }) => at)) }];
  });
}

export function silenceInWords({ sender, usuallyBy, lastAt }: SilentSender): string {
  return `${sender} usually sends by ${usuallyBy}, and has sent nothing since ${dayInWords(lastAt)}.`;
}

function dayOf(at: number): string {
  return format(at, 'yyyy-MM-dd');
}

function minuteOf(at: number): number {
  const date = new Date(at);
  return date.getHours() * 60 + date.getMinutes();
}

/** The next quarter of an hour: a usual time is no minute. */
function timeOf(minute: number): string {
  const rounded = Math.min(Math.ceil(minute / SLACK_MINUTES) * SLACK_MINUTES, 24 * 60 - 1);
  return `${String(Math.floor(rounded / 60)).padStart(2, '0')}:${String(rounded % 60).padStart(2, '0')}`;
}
