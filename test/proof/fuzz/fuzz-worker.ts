// Judges the files whose paths its parent sends, one at a time. See scripts/fuzz.ts.
import { judge } from './judge.ts';
import type { Verdict } from './judge.ts';

/** A file to be judged, made by the parent, lest its making count for the memory of the reading. */
export interface CaseOrder {
  readonly path: string;
  readonly name: string;
}

/** What a worker says of a case. */
export interface CaseReport {
  readonly verdict: Verdict;
  /** Milliseconds of processor time: the machine may have other things to do. A file that hangs without using any is noticed by its silence. */
  readonly ms: number;
  /** The most memory that the process has held so far, in bytes. */
  readonly rss: number;
}

async function judged({ path, name }: CaseOrder): Promise<CaseReport> {
  const began = process.cpuUsage();
  const verdict = await judge(path, name);
  const { user, system } = process.cpuUsage(began);
  return { verdict, ms: (user + system) / 1000, rss: process.resourceUsage().maxRSS * 1024 };
}

process.on('message', (order: CaseOrder) => {
  // A parent that is gone wants no answer.
  void judged(order).then((report) => process.connected && process.send?.(report));
});
