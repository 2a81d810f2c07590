import { expect, test } from 'vitest';
import { enumerateWholeRun, wholeRun } from '../../simulation/whole-run.ts';

const golden = await wholeRun(null);

test('the run that nobody kills: every effect is seen, and nothing it relies on would be taken by a power cut', () => {
  expect(golden.violations).toEqual([]);
  const changes = golden.effects.map((effect) => effect.split(' ')[0] ?? '');
  expect([...new Set(changes)]).toEqual(
    expect.arrayContaining(['ledger', 'link', 'unlink', 'copy', 'rename', 'rm', 'open', 'GET', 'POST', 'PUT']),
  );
});

// Right before an effect the world is as it was right after the one before; the soak kills at both.
test(
  'killed after every effect of the whole run, in turn: one project a row, every file safe, received only after its delivery',
  { timeout: 900_000 },
  async () => {
    const { kills, failing } = await enumerateWholeRun(['after']);
    expect(failing).toEqual([]);
    expect(kills).toBe(golden.effects.length);
  },
);
