/**
 * `npx node scripts/soak-collect.ts [--reports 10000] [--bytes 200000] [--kills 20] [--seed 1]`: collects so many reports from a service that
 * gives a tenth of them broken in each of eight ways, with the built command, which is killed so many times. Exit code 1 where one was
 * torn, or is missing or another in the end, or where more than 64 handles were open.
 */
import { parseArgs } from 'node:util';
import { SeededRandom } from '../src/sandbox/seeded-random.ts';
import { collectSoak } from '../test/proof/collect/collect-soak.ts';

const text = { type: 'string' } as const;
const { values } = parseArgs({ options: { reports: text, bytes: text, kills: text, seed: text } });
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const random = new SeededRandom('collect soak', values.seed ?? '1');
const HANDLES_MAX = 64;

const before = performance.now();
const result = await collectSoak({
  reports: Number(values.reports ?? 10_000),
  bytes: Number(values.bytes ?? 200_000),
  kills: Number(values.kills ?? 20),
  faultShare: 0.1,
  random: () => random.next(),
  say: print,
});
const { kills, exitCodes, torn, missing, bites, requests, authorizationAtStore, handlesMax, peakMb } = result;
print(
  `${kills} kills, then runs that ended with ${exitCodes.join(', ')}; ${((performance.now() - before) / 1000).toFixed(0)} s`,
);
print(`torn: ${torn.length}, missing or different: ${missing.length}, tokens at the store: ${authorizationAtStore}`);
print(`bites: ${[...bites].map(([fault, times]) => `${fault} ${times}`).join(' · ')}`);
print(`requests: ${[...requests].map(([kind, times]) => `${kind} ${times}`).join(' · ')}`);
print(
  `handles open at most: ${handlesMax}; memory at most: ${peakMb.early.toFixed(0)} MB in the first third, ${peakMb.late.toFixed(0)} MB in the last`,
);
for (const what of [...torn, ...missing].slice(0, 20)) print(what);
process.exitCode =
  torn.length + missing.length + authorizationAtStore > 0 || exitCodes.at(-1) !== 0 || handlesMax > HANDLES_MAX ? 1 : 0;
