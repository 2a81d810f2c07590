// Each command declares its own in `templates/cli/commands.yaml`.
import { styleText } from 'node:util';
import { type Command, InvalidArgumentError } from 'commander';
import { systemClock } from '../ops/system.ts';
import type { CommandResult } from './terminal.ts';

/** Prints the result before the work's last step. */
export type Print = ((result: CommandResult) => Promise<void>) | undefined;

/** Runs a command's work: only `main.ts` prints or exits. */
export type Perform = (work: (print?: Print) => Promise<CommandResult>, json: boolean) => Promise<void>;

export type CommonFlags = Readonly<{
  workspace: string;
  json?: boolean;
}>;

export function withCommonFlags(command: Command, workspace: string) {
  command
    .option('--workspace <dir>', 'the workspace', workspace)
    .option('--json', 'print exactly one JSON document on stdout');
}

export function examplesText(examples: readonly string[]) {
  return `\n${bold('Examples:')}\n${examples.map((example) => `  ${example}`).join('\n')}`;
}

/** The codes do not appear if the output is not a terminal: Commander removes them. */
export function bold(text: string) {
  return styleText('bold', text, { validateStream: false });
}

function wholeNumber(least: 0 | 1, pattern: RegExp) {
  return (text: string) => {
    if (!pattern.test(text)) throw new InvalidArgumentError(`It must be a whole number, ${least} or more.`);
    return Number(text);
  };
}

export const FLAG_PARSERS = {
  'whole number from 1': wholeNumber(1, /^[1-9]\d{0,6}$/),
  'whole number': wholeNumber(0, /^\d{1,9}$/),
  'number above 0': (text: string) => {
    const value = Number(text);
    if (!Number.isFinite(value) || value <= 0) throw new InvalidArgumentError('It must be a number above 0.');
    return value;
  },
  list: (text: string, before: unknown) => [...((before as readonly string[] | undefined) ?? []), text],
  time: (text: string) => parseSince(text, systemClock.now()),
};

const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };

/** Returns the epoch ms of a day (local time), or of a time before now (`36h`, `7d`, `2w`). */
export function parseSince(text: string, now: number) {
  const [, amount, unit] = /^(\d{1,5})([hdw])$/.exec(text) ?? [];
  if (amount !== undefined) return now - Number(amount) * (UNIT_MS[unit ?? ''] ?? 0);
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  const time = new Date(Number(year), Number(month) - 1, Number(day));
  if (year === undefined || time.getDate() !== Number(day) || time.getMonth() !== Number(month) - 1)
    throw new InvalidArgumentError('It must be a day such as 2026-11-01, or a period such as 36h, 7d or 2w.');
  return time.getTime();
}
