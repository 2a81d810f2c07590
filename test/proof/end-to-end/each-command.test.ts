import { describe, expect, test } from 'vitest';
import { eachCommand } from '../../end-to-end/each-command.ts';
import { runToEnd } from '../../support/command-line.ts';
import { startSandboxProcess } from '../../support/sandbox-process.ts';

eachCommand({ call: runToEnd, startSandbox: startSandboxProcess, meanwhile: describe.concurrent });

test('--help and --version go to stdout and end with 0', async () => {
  const help = await runToEnd(['run', '--help']);
  expect(help).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('crontab') });
  expect(await runToEnd(['--version'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  });
});
