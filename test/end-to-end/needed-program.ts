import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A program that not every machine has. */
export interface NeededProgram {
  /** Where it lies; its bare name where it is missing. */
  readonly path: string;
  /** True where it is missing and nobody demands it: in CI no test may be skipped. */
  readonly mayBeSkipped: boolean;
  /** What begins the name of a test that is skipped for want of it; empty otherwise. */
  readonly note: string;
}

export function neededProgram(program: string): NeededProgram {
  const path = (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((dir) => join(dir, program))
    .find(isExecutable);
  const mayBeSkipped = path === undefined && !process.env['CI'];
  return { path: path ?? program, mayBeSkipped, note: mayBeSkipped ? `skipped: needs ${program}: ` : '' };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
