import { subDays } from 'date-fns/subDays';
import { localDay } from '../domain/day.ts';
import { sentence } from '../domain/sentences.ts';
import type { FileArrival } from '../ledger/ledger.ts';
import { formatDay } from './render-mail.ts';

const WEEKS_MIN = 3;
const WEEKS = 4;
export const LOOKS_BACK_DAYS = WEEKS * 7;
const USUAL_SHARE = 0.9;
const SLACK_MINUTES = 15;

/**
 * docs/notifications.md: a sender is due on a weekday if it sent a file on it in three of the last four weeks, from the
 * time by which nine in ten of its first files had come. Local time.
 */
export function findSilentSenders(arrivals: readonly FileArrival[], now: number) {
  return [...Map.groupBy(arrivals, ({ sender }) => sender)].flatMap(([sender, ofSender]) => {
    const firstOfDay = new Map<string, number>();
    for (const { at } of ofSender.toSorted((a, b) => b.at - a.at)) firstOfDay.set(localDay(at), minuteOf(at));
    const sameWeekday = Array.from({ length: WEEKS }, (_, week) => localDay(subDays(now, (week + 1) * 7).getTime()));
    if (firstOfDay.has(localDay(now)) || sameWeekday.filter((day) => firstOfDay.has(day)).length < WEEKS_MIN) return [];
    const minutes = [...firstOfDay.values()].toSorted((a, b) => a - b);
    const usual = minutes[Math.ceil(minutes.length * USUAL_SHARE) - 1] ?? 0;
    if (minuteOf(now) < usual - SLACK_MINUTES) return [];
    return [{ sender, usuallyBy: timeOf(usual), lastAt: Math.max(...ofSender.map(({ at }) => at)) }];
  });
}

export function describeSilence({ sender, usuallyBy, lastAt }: ReturnType<typeof findSilentSenders>[number]) {
  return sentence('mail/silent', { sender, usuallyBy, day: formatDay(lastAt) });
}

function minuteOf(at: number) {
  const date = new Date(at);
  return date.getHours() * 60 + date.getMinutes();
}

function timeOf(minute: number) {
  const rounded = Math.min(Math.ceil(minute / SLACK_MINUTES) * SLACK_MINUTES, 24 * 60 - 1);
  return `${String(Math.floor(rounded / 60)).padStart(2, '0')}:${String(rounded % 60).padStart(2, '0')}`;
}
