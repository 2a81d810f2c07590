import { InvalidArgumentError } from 'commander';
import { expect, test } from 'vitest';
import { FLAG_PARSERS, parseSince } from '../../../src/cli/flags.ts';

const NOW = new Date(2026, 10, 21, 12).getTime();

test.each([
  ['36h', new Date(NOW - 36 * 3_600_000)],
  ['7d', new Date(NOW - 7 * 86_400_000)],
  ['2w', new Date(NOW - 14 * 86_400_000)],
  ['2026-11-01', new Date(2026, 10, 1)],
  ['2028-02-29', new Date(2028, 1, 29)],
])('reads %s', (text, time) => {
  expect(new Date(parseSince(text, NOW))).toEqual(time);
});

test.each([
  '',
  '7',
  'd',
  '7 d',
  '-7d',
  '7m',
  'yesterday',
  '2026-02-29',
  '2026-13-01',
  '2026-11-00',
  '11/01/2026',
  '2026-11-01T00:00',
])('refuses %j', (text) => {
  expect(() => parseSince(text, NOW)).toThrow('2026-11-01');
});

test.each([
  ['whole number from 1', '0'],
  ['whole number from 1', '01'],
  ['whole number', '-1'],
  ['number above 0', '0'],
] as const)('the parser of a %s refuses %s', (name, text) => {
  expect(() => FLAG_PARSERS[name](text)).toThrow(InvalidArgumentError);
});
