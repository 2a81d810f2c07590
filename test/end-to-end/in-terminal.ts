import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { CRON_ENVIRONMENT } from '../support/command-line.ts';

export const SCRIPT = '/usr/bin/script';
export const RED = '\u001B[31m';

/** What a person sees who calls this in a terminal: util-linux's `script` lends one. */
export async function inTerminal(
  command: string,
  environment: Readonly<Record<string, string>>,
  cwd: string,
): Promise<string> {
  const { stdout } = await promisify(execFile)(SCRIPT, ['-qc', command, '/dev/null'], {
    cwd,
    env: { ...CRON_ENVIRONMENT, TERM: 'xterm-256color', ...environment },
  });
  return stdout.replaceAll('\r\n', '\n');
}
