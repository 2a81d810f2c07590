import { expect, test } from 'vitest';
import { SeededRandom } from '../../../src/sandbox/seeded-random.ts';
import { REPORT_FAULTS, SIGNATURE } from '../../support/report-service.ts';
import { summaryOf } from '../../end-to-end/summary.ts';
import { collectSoak } from './collect-soak.ts';
import { findInFiles } from './find-in-files.ts';

const REPORTS = 60;

test('collect stores each of 60 reports whole, despite faults and three kills', async () => {
  // Most reports are broken at first, in one of eight ways.
  const random = new SeededRandom('collect soak', 1);
  const found: string[] = [];
  const result = await collectSoak(
    { reports: REPORTS, bytes: 200_000, faultShare: 0.1, kills: 3, random: () => random.next() },
    async (workspace, { credentials }) => {
      const secrets = [SIGNATURE, 'a-token', credentials.clientSecret, credentials.password];
      found.push(...(await findInFiles(workspace.path, secrets, (name) => name === '.env')));
    },
  );
  expect({ torn: result.torn, missing: result.missing, found }).toEqual({ torn: [], missing: [], found: [] });
  expect(result.kills).toBe(3);
  expect(result.exitCodes.slice(0, -1).every((code) => code === 4) && result.exitCodes.at(-1) === 0).toBe(true);
  expect(summaryOf(result.last).projects).toMatchObject({ collected: REPORTS, returned: 0 });
  // Each fault has bitten.
  expect(new Set(result.bites.keys())).toEqual(new Set(REPORT_FAULTS));
  expect(result.authorizationAtStore).toBe(0);
  expect(result.handlesMax).toBeLessThanOrEqual(64);
});
