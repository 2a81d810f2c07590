import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { faultRule, type FaultRule } from '../../../../src/sandbox/faults/faults.ts';
import { SCENARIOS } from '../../../../src/sandbox/faults/scenarios.ts';

const page = readFileSync(new URL('../../../../docs/sandbox.md', import.meta.url), 'utf8');

/** A rule as docs/sandbox.md writes it. */
function inWords({
  kind,
  match,
  probability,
  fromSeconds,
  untilSeconds,
  times,
  retryAfter,
  lagSeconds,
  limit,
  perSeconds,
  ms,
}: FaultRule): string {
  const parts = [
    match === undefined ? 'any request' : [match.method, match.route].filter(Boolean).join(' '),
    probability === undefined ? 'always' : `${Math.round(probability * 100)}%`,
    lagSeconds === undefined ? '' : `${lagSeconds} s behind`,
    limit === undefined ? '' : `${limit} in ${perSeconds ?? 60} s`,
    ms === undefined ? '' : `${ms} ms`,
    retryAfter === undefined ? '' : `Retry-After ${retryAfter}`,
    fromSeconds === undefined ? '' : `from second ${fromSeconds}`,
    untilSeconds === undefined ? '' : `until second ${untilSeconds}`,
    times === undefined ? '' : `${times} times`,
  ];
  return `\`${kind}\` (${parts.filter((part) => part !== '').join(', ')})`;
}

describe('faultRule', () => {
  test('docs/sandbox.md names every kind of fault, and every scenario with its rules', () => {
    for (const kind of faultRule.shape.kind.options) expect(page).toContain(`| \`${kind}\` |`);
    for (const { name, summary, rules } of SCENARIOS)
      expect(page).toContain(`| \`${name}\` | ${summary} | ${rules.map(inWords).join('; ')} |\n`);
  });
});
