import * as fc from 'fast-check';

// For its own units `binary` and `grapheme`, fast-check makes all there are first: a second in each worker.

/** Any code point, often one of the first. */
export const anyCharacter = fc
  .oneof(fc.integer({ max: 0x10_ff_ff, min: 0 }), fc.integer({ max: 0x2_ff, min: 0 }))
  .filter((point) => point < 0xd8_00 || point > 0xdf_ff)
  .map((point) => String.fromCodePoint(point));

/** What a person sees as one character, of each kind. */
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
