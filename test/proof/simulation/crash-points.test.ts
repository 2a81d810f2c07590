import { expect, test } from 'vitest';
import { enumerateCrashes, GOLDEN, sampleCrashPairs } from '../../simulation/crash-points.ts';
import { inProof } from '../../support/proof-size.ts';

// Right before an effect the world is as it was right after the one before; the soak kills at both.
const WHEN = inProof<readonly ('before' | 'after')[]>({ share: ['after'], whole: ['before', 'after'] });

test.each(Object.entries(GOLDEN))(
  'enumerateCrashes finds no loss or double at any effect: %s',
  async (_name, schedule) => {
    const { effects, failing } = await enumerateCrashes(schedule, WHEN);
    expect(failing).toEqual([]);
    expect(effects).toBeGreaterThan(15);
  },
);

test.each(Object.entries(GOLDEN))(
  'sampleCrashPairs finds no loss or double after two crashes: %s',
  async (_name, schedule) => {
    const { failing } = await sampleCrashPairs(schedule, inProof({ share: 20, whole: 60 }), '1');
    expect(failing).toEqual([]);
  },
);
