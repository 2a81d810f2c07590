import { expect, test } from 'vitest';
import { createPseudonyms, maskJson, maskText, wordsOf } from '../../../src/support/masking.ts';

const pseudonyms = createPseudonyms(Buffer.alloc(32, 7));

test.each<[string, RegExp]>([
  ['Ann Lee', /ann|lee/i],
  ['118 Oak Ridge Ln', /oak|ridge|ln/i],
  ['813-555-0142', /555|0142/],
  ['marisol.vega@example.com', /vega|example/],
  ['HO-4471902', /HO|4471902/],
  ['T-10003', /T-|10003/],
  ['O’Brien', /brien/i],
  ['33609-1204', /33609|1204/],
  ['ÅSA', /ÅSA/],
  ['"two dogs, gate code 44"', /dogs|gate/],
])('%s does not come through', (detail, parts) => {
  const masked = maskText(`The service refused it: ${detail} is on record.`, pseudonyms);
  expect(masked).toMatch(/^The service refused it: .* is on record\.$/);
  expect(masked).not.toMatch(parts);
});

test('our own sentences do, with their numbers of few digits and the service’s words', () => {
  for (const sentence of [
    'The service answered 504 after 3 attempts.',
    'Searched for and not found after the quarantine: it was not created.',
    'Returned to Client',
  ])
    expect(maskText(sentence, pseudonyms)).toBe(sentence);
});

test('words of the order’s own details do not come through even in lower case', () => {
  expect(maskText('the roof at oak ridge is new', pseudonyms, wordsOf(['118 Oak Ridge Ln']))).toMatch(
    /^the roof at \[text-\w+\] \[text-\w+\] is new$/,
  );
});

test('the same detail has the same stand-in, whatever its case, and another under another key', () => {
  const of = (text: string) => pseudonyms.of('insured', text);
  expect([of('Ann  Lee') === of('ann lee'), of('Ann Lee') === of('Ann Leo')]).toEqual([true, false]);
  expect(createPseudonyms(Buffer.alloc(32, 8)).of('insured', 'Ann Lee')).not.toBe(of('Ann Lee'));
});

test('in JSON, runs, times, hashes and words of ours stay, and all else is masked', () => {
  const line = {
    at: '2026-11-21T15:12:36.052Z',
    event: 'run started',
    run: '2026-11-21T151236Z-766d',
    route: 'GET /v1/project/{projectId}',
    ms: 12,
    reason: 'Ann Lee is away',
    name: 'smith-agency/Orders.xlsx',
  };
  const { reason, name, ...kept } = maskJson(line, pseudonyms) as typeof line;
  expect(kept).toEqual({ at: line.at, event: line.event, run: line.run, route: line.route, ms: 12 });
  expect(`${reason}${name}`).not.toMatch(/Ann|Lee|smith|Orders/);
});
