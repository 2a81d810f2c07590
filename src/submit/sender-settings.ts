import type { IntakeOptions } from '../intake/read-file.ts';
import type { Config } from '../ops/config.ts';
import { safeFileName } from '../ops/safe-file-name.ts';
import type { HoldLimits } from './hold-limits.ts';

/** How files are read, and when one waits for a person: the config's `intake`. */
export interface IntakeSettings extends Pick<IntakeOptions, 'headers' | 'values' | 'dateOrder'> {
  readonly hold: HoldLimits;
  /** What is different for one sender, by the name of its folder. */
  readonly senders?: Config['intake']['senders'];
}

/** The config's `intake`, as files are read with it. */
export function intakeSettings({ headers, values, dateOrder, hold, senders }: Config['intake']): IntakeSettings {
  return { headers: Object.fromEntries(headers), values: Object.fromEntries(values), dateOrder, hold, senders };
}

/** What holds for the files of one sender: its own settings over the general ones. */
export function settingsFor({ headers, values, dateOrder, hold, senders }: IntakeSettings, sender: string): Omit<IntakeSettings, 'senders'> {
  const general = { headers, values, dateOrder, hold };
  const own = sender === '' ? undefined : [...(senders ?? [])].find(([folder]) => sameFolder(folder, sender))?.[1];
  if (own === undefined) return general;
  const limits = Object.fromEntries(Object.entries(own.hold).filter(([, limit]) => limit !== undefined));
  return {
    headers: { ...headers, ...Object.fromEntries(own.headers) },
    values: { ...values, ...Object.fromEntries(own.values) },
    dateOrder: own.dateOrder ?? dateOrder,
    hold: { ...hold, ...limits },
  };
}

/** A folder is the same to people however its letters are written. */
function sameFolder(folder: string, sender: string): boolean {
  return safeFileName(folder).toLowerCase() === safeFileName(sender).toLowerCase();
}
