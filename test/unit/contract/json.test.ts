import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseExactJson, stringifyExactJson } from '../../../src/contract/json.ts';
import { anyCharacter } from '../../support/characters.ts';

describe('parseExactJson', () => {
  test('whole numbers beyond 2^53 are exact, all others are ordinary numbers', () => {
    expect(parseExactJson('{"a":9007199254740993,"b":[-9223372036854775808,9223372036854775807]}')).toEqual({
      a: 9007199254740993n,
      b: [-9223372036854775808n, 9223372036854775807n],
    });
    expect(parseExactJson('[9007199254740991,0,-1,1.5,1e3,1e300]')).toEqual([
      9007199254740991, 0, -1, 1.5, 1000, 1e300,
    ]);
  });

  test('digits inside a text are left alone', () => {
    expect(parseExactJson('["9007199254740993","02139"]')).toEqual(['9007199254740993', '02139']);
  });

  test('a key such as __proto__ is just a key', () => {
    const parsed = parseExactJson('{"__proto__":{"polluted":true},"constructor":1}');
    expect(Object.keys(parsed as object)).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test.each(['', '{', '{"a":1', 'undefined', "{'a':1}", '<html></html>', '[1,]', 'NaN'])('%j is no JSON', (text) => {
    expect(() => parseExactJson(text)).toThrow(SyntaxError);
  });

  test('what was written is read back: every int64, every text, every nesting', () => {
    const leaf = fc.oneof(
      fc.bigInt(2n ** 53n, 2n ** 63n),
      fc.bigInt(-(2n ** 63n), -(2n ** 53n)),
      fc.maxSafeInteger(),
      fc.string({ unit: anyCharacter }),
      fc.boolean(),
      fc.constant(null),
    );
    const value = fc.letrec((tie) => ({
      node: fc.oneof(
        { depthSize: 'small' },
        leaf,
        fc.array(tie('node'), { maxLength: 4 }),
        fc.dictionary(fc.string(), tie('node'), { maxKeys: 4, noNullPrototype: true }),
      ),
    })).node;
    fc.assert(
      fc.property(value, (held) => {
        expect(parseExactJson(stringifyExactJson(held))).toEqual(Object.is(held, -0) ? 0 : held);
      }),
    );
  });

  test('indented output is JSON like any other', () => {
    expect(stringifyExactJson({ id: 9007199254740993n }, 2)).toBe('{\n  "id": 9007199254740993\n}');
  });
});
