import { expect, test } from 'vitest';
import { enumerateWholeRun, wholeRun } from '../../simulation/whole-run.ts';
import { inTurn } from '../../support/proof-size.ts';

/** In a share, one effect of so many. */
const EVERY = 6;

const golden = await wholeRun(null);

test('a whole run without a kill relies on nothing unsynced', () => {
  expect(golden.violations).toEqual([]);
  const changes = golden.effects.map((effect) => effect.split(' ')[0] ?? '');
  expect([...new Set(changes)]).toEqual(
    expect.arrayContaining(['ledger', 'link', 'unlink', 'copy', 'rename', 'rm', 'open', 'GET', 'POST', 'PUT']),
  );
});

// Right before an effect the world is as it was right after the one before; `simulate --whole --kills` of the soak kills at both.
test('a whole run killed after an effect still orders once', { timeout: 900_000 }, async () => {
  // Every file is safe, and a project is received only after its delivery.
  const { kills, failing } = await enumerateWholeRun(['after'], (places) => inTurn(places, EVERY));
  expect(failing).toEqual([]);
  expect(kills).toBe(inTurn(golden.effects, EVERY).length);
});
