import { expect, test } from 'vitest';
import { PACKAGE_ROOT, runToEnd } from '../../support/command-line.ts';

/** Runs Node in the checkout, where `inspection-batch` is this package, as built. */
const node = (...args: readonly string[]) => runToEnd(args, { file: process.execPath, cwd: PACKAGE_ROOT });

test.concurrent.each([
  {
    name: 'first-inspection',
    tells: [
      /^Project 100001 is on its way\.$/m,
      /^Status: Returned to Client$/m,
      /^ {2}summary\.roof\.overallCondition = \w/m,
    ],
  },
  { name: 'lost-answer', tells: [/^The create ended as: unknown$/m, /^It stands at the service as project 100001\./m] },
  {
    name: 'read-spreadsheet',
    tells: [
      /^Oct-Nov orders, row 5: Roof Only, /m,
      /"ma" is sent as "MA"/,
      /^Oct-Nov orders, row \d+ cannot be ordered:$/m,
    ],
  },
])('the example $name runs unchanged and prints its documented lines', async ({ name, tells }) => {
  const ended = await node(`docs/examples/${name}.ts`);
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  for (const line of tells) expect(ended.stdout).toMatch(line);
});

test.concurrent('the example read-spreadsheet explains a file that cannot be read', async () => {
  expect(await node('docs/examples/read-spreadsheet.ts', 'package.json')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^"package\.json" .*\.\n$/),
  });
});
