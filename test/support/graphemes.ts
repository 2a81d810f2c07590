import * as fc from 'fast-check';

/** What a person sees as one character, of each kind. For its own unit `grapheme`, fast-check makes all there are first: a second. */
export const grapheme = fc.constantFrom(
  'a',
  'É',
  'e\u0301',
  '物',
  '각',
  'क्षि',
  '👩‍👧',
  '🏴‍☠️',
  '🇨🇭',
  '\n',
  ' ',
  '.',
  '-',
  '/',
);
