import { describe, expect, test } from 'vitest';
import {
  inNarrowCharacters,
  inPlainCharacters,
  cleanText,
  joinReasons,
  trimmed,
  withoutEntities,
  withoutTextFormula,
} from '../../../../src/intake/values/plain-text.ts';

/** The text, with `~` before it if a reason says that it changed. */
const inShort = ({ text, why }: { readonly text: string; readonly why?: string }) =>
  `${why === undefined ? '' : '~'}${text}`;
/** How many reasons say that a text changed. */
const countReasons = ({ why }: { readonly why?: string }) => (why === undefined ? 0 : why.split('; ').length);

describe('reasons', () => {
  test.each([
    [[undefined, undefined], undefined],
    [['a', undefined], 'a'],
    [['a', 'b'], 'a; b'],
  ])('joins %j as %s', (whys, expected) => {
    expect(joinReasons(...whys)).toBe(expected);
  });
});

describe('trimmed', () => {
  test.each([
    ['a', 'a'],
    ['a b', 'a b'],
    [' a b ', 'a b'],
    ['\u00a0a\u200b', 'a'],
    ['\ufeff a\u200d', 'a'],
    ['a\u200db', 'a\u200db'],
    [' \n ', ''],
    ['é ', 'é'],
  ])('trims %j to %j', (text, expected) => {
    expect(trimmed(text)).toBe(expected);
  });
});

describe('cleanText', () => {
  test.each([
    ['a b', 'a b', 0],
    [' a', 'a', 1],
    ['\u200ba', 'a', 1],
    ['a\u200c', 'a', 1],
    [' \u200ba', 'a', 2],
    ['a\u200bb', 'ab', 1],
    ['a\u0007b', 'ab', 1],
    ['a\u200db', 'a\u200db', 0],
    ['a\nb', 'a b', 1],
    ['a \t\n b', 'a b', 1],
    ['a\u00a0b', 'a b', 1],
    ['a\u0085b', 'a b', 1],
    ['a  b', 'a  b', 0],
    ['é é', 'é é', 0],
    ['a\ud800b', 'a\ufffdb', 1],
    [' a\u200bb\nc', 'ab c', 3],
  ])('makes one line of %j: %j, for %i reasons', (text, line, count) => {
    const made = cleanText(text);
    expect([made.text, countReasons(made)]).toEqual([line, count]);
  });

  test('keeps the breaks of a text that people read', () => {
    expect(inShort(cleanText('é\nb', true))).toBe('é\nb');
  });
});

describe('withoutEntities', () => {
  test.each([
    ['a & b', 'a & b'],
    ['a &amp; b', '~a & b'],
    ['a &AMP; b', '~a & b'],
    ['&lt;a&gt;', '~<a>'],
    ['&quot;a&apos;', `~"a'`],
    ['a&nbsp;b', '~a\u00a0b'],
    ['&#65;&#x42;', '~AB'],
    ['&#32;', '~ '],
    ['&#31;', '&#31;'],
    ['&#x10FFFF;', '~\u{10ffff}'],
    ['&#x110000;', '&#x110000;'],
    ['&#xD7FF;', '~\ud7ff'],
    ['&#xD800;', '&#xD800;'],
    ['&#xDFFF;', '&#xDFFF;'],
    ['&#xE000;', '~\ue000'],
    ['&amp;amp;amp;', '~&'],
    ['&amp;amp;amp;amp;', '~&amp;'],
    ['&other;', '&other;'],
  ])('reads %s as %s', (text, expected) => {
    expect(inShort(withoutEntities(text))).toBe(expected);
  });
});

describe('withoutTextFormula', () => {
  test.each([
    ['="a"', '~a'],
    ['= "a"', '~a'],
    ['="a ""b"" "', '~a "b"'],
    ['="a"b"', '="a"b"'],
    ['="a"&"b"', '="a"&"b"'],
    ['=a', '=a'],
    ['"a"', '"a"'],
    ['x="a"', 'x="a"'],
  ])('reads %s as %s', (text, expected) => {
    expect(inShort(withoutTextFormula(text))).toBe(expected);
  });
});

describe('inNarrowCharacters', () => {
  test.each([
    ['１００ Ｍain', '~100 Main'],
    ['！～', '~!~'],
    ['Ａ', '~A'],
    ['｟', '｟'],
    ['100', '100'],
  ])('writes %s as %s', (text, expected) => {
    expect(inShort(inNarrowCharacters(text))).toBe(expected);
  });
});

describe('inPlainCharacters', () => {
  test.each([
    ['4-Point', '4-Point'],
    ['4–Point', '~4-Point'],
    ['４', '~4'],
    ['O’Brien', "~O'Brien"],
    ["'33609", '~33609'],
    ["'", "'"],
    ["3'3", "3'3"],
    ['"a b"', '~a b'],
    ['“a”', '~a'],
    ['"a"b"', '"a"b"'],
    ['""', '""'],
    ['x"a"', 'x"a"'],
  ])('writes %s as %s', (text, expected) => {
    expect(inShort(inPlainCharacters(text))).toBe(expected);
  });
});
