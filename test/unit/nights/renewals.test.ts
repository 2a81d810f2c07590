import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { callHere, startSandboxHere } from '../../support/command-in-this-process.ts';
import { orderCsv } from '../../support/order-csv.ts';
import { temporaryWorkspace } from '../../support/temporary-workspace.ts';
import { summaryOf } from '../../end-to-end/summary.ts';

/** Rows without numbers, dated for a year, in a file that differs from the others. */
const listOf = (years: readonly number[], more = ''): string => {
  const [header = '', ...rows] = orderCsv(2, { keys: ['none'] })
    .trimEnd()
    .split('\n');
  const dated = years.flatMap((year) => rows.map((row) => row.replace(/^,,,/, `,,${year}-11-01,`)));
  return `${[`${header},note`, ...dated.map((row) => `${row},${more}`)].join('\n')}\n`;
};

test('submit orders rows a year later as renewals, and skips repeats', async () => {
  // A repeat of a canceled order is reported once.
  await using sandbox = await startSandboxHere();
  await using workspace = await temporaryWorkspace({ env: sandbox.lines });
  const at = ['--workspace', workspace.path];
  const submit = async (name: string, content: string) => {
    await writeFile(workspace.at('inbox', name), content);
    return callHere(['submit', ...at, '--json']);
  };
  expect(summaryOf(await submit('first.csv', listOf([2026])))).toMatchObject({ exitCode: 0, orders: { created: 2 } });

  const both = listOf([2026, 2027]);
  await writeFile(workspace.at('second.csv'), both);
  const checked = await callHere(['check', workspace.at('second.csv'), ...at]);
  expect(checked.stdout).toContain('2 already ordered');
  const renewed = summaryOf(await submit('second.csv', both));
  expect(renewed).toMatchObject({ exitCode: 0, orders: { created: 2, skipped: 2, refused: 0 } });
  const shown = await callHere(['status', '3', ...at]);
  expect(shown.stdout).toMatch(/A renewal of project \d+: row 2 of sheet .* in first\.csv/);

  const [project = ''] = /(?<=A renewal of project )\d+/.exec(shown.stdout) ?? [];
  expect((await callHere(['cancel', project, ...at])).code).toBe(0);
  await writeFile(workspace.at('inbox', 'third.csv'), listOf([2026, 2027], 'third'));
  const third = await callHere(['submit', ...at]);
  expect([third.code, third.stdout]).toEqual([
    3,
    expect.stringMatching(
      new RegExp(`To do +Not ordered .*canceled.*: .*, 100 Oak Street, .*\\(project ${project}\\)`),
    ),
  ]);
  expect(summaryOf(await submit('fourth.csv', listOf([2027, 2026], 'fourth')))).toMatchObject({
    exitCode: 0,
    orders: { created: 0, skipped: 4 },
  });
});
