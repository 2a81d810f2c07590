import { EXIT } from '../night/exit-codes.ts';
import type { Accent } from './terminal.ts';

export interface CommandResult {
  readonly exitCode: number;
  readonly text: string;
  readonly accents?: readonly Accent[];
  readonly json: unknown;
  /** The JSON document in pieces, if it is too large for memory. */
  readonly jsonText?: () => Iterable<string> | AsyncIterable<string>;
}

export function commandResult(exitCode: number, text: string, json: object): CommandResult {
  return { exitCode, text, json: { ...json, exitCode } };
}

export function done(text: string, json: object): CommandResult {
  return commandResult(EXIT.done, text, json);
}
