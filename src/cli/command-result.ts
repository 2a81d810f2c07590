import { EXIT } from '../night/exit-codes.ts';
import type { Accent } from './terminal.ts';

export type CommandResult = Readonly<{
  exitCode: number;
  text: string;
  accents?: readonly Accent[];
  json: unknown;
  /** `json` in pieces, if it is too large for memory. */
  jsonText?: () => Iterable<string> | AsyncIterable<string>;
}>;

export function commandResult(exitCode: number, text: string, json: object): CommandResult {
  return { exitCode, text, json: { ...json, exitCode } };
}

export function done(text: string, json: object): CommandResult {
  return commandResult(EXIT.done, text, json);
}
