import { describe, expect, test } from 'vitest';
import {
  coerceCountry,
  coerceState,
  coerceZipNumber,
  coerceZipText,
  isStateName,
  stateCode,
  statesOfZip,
} from '../../../../src/intake/values/place.ts';
import { coercionInShort, numberCell } from '../../../support/coercions.ts';

describe('isStateName', () => {
  test.each([
    ['Nevada', true],
    ['new york.', true],
    ['NV', false],
    ['Tampa', false],
  ])('says of %s: %s', (text, expected) => {
    expect(isStateName(text)).toBe(expected);
  });
});

describe('stateCode', () => {
  test.each([
    ['FL', 'FL'],
    ['f.l.', 'FL'],
    ['Florida', 'FL'],
    ['Fla.', 'FL'],
    ['XX', undefined],
    ['', undefined],
  ])('reads %j as %s', (text, code) => {
    expect(stateCode(text)).toBe(code);
  });
});

describe('coerceState', () => {
  test.each([
    ['FL', '=FL'],
    ['Fl', '~FL'],
    ['XX', '!state-unknown'],
    ['FLA', '~FL'],
    ['xFL', '!state-unknown'],
  ])('reads %s as %s', (text, expected) => {
    expect(coercionInShort(coerceState(text))).toBe(expected);
  });

  test('proposes the nearest name', () => {
    expect(coerceState('Florda')).toMatchObject({ message: expect.stringContaining('"FL (Florida)"') as string });
  });
});

describe('coerceCountry', () => {
  test.each([
    ['US', '=US'],
    ['us', '~US'],
    ['U.S.A.', '~US'],
    ['United States', '~US'],
    ['United States of America', '~US'],
    ['The United States', '~US'],
    ['America', '~US'],
    ['UK', '!country-us-only'],
    ['', '!country-us-only'],
  ])('reads %j as %s', (text, expected) => {
    expect(coercionInShort(coerceCountry(text))).toBe(expected);
  });
});

describe('coerceZipText', () => {
  test.each([
    ['33609', 'FL', '=33609'],
    ['33609-0000', 'FL', '~33609'],
    ['336090000', 'FL', '~33609'],
    ['21390000', 'MA', '~02139'],
    ['x33609', 'FL', '!zipcode-format'],
    ['33609x', 'FL', '!zipcode-format'],
    ['33609.00', 'FL', '~33609'],
    ['33609.01', 'FL', '!zipcode-format'],
    ['213.09', 'MA', '!zipcode-format'],
    ['12', 'NY', '!zipcode-format'],
    ['501', 'NY', '~00501'],
    ['501', undefined, '?'],
    ['501', 'FL', '!zipcode-lost-zero'],
    ['336091', 'FL', '!zipcode-format'],
    ['5011204', 'NY', '~00501-1204'],
    ['21390001', 'MA', '~02139-0001'],
    ['2139.0', 'MA', '~02139'],
    ['2139 - 0001', 'MA', '~02139-0001'],
    ['501-0001', 'NY', '~00501-0001'],
    ['501-001', 'NY', '!zipcode-format'],
    ['x2139-0001', 'MA', '!zipcode-format'],
    ['2139-0001x', 'MA', '!zipcode-format'],
    ['33609--1204', 'FL', '~33609-1204'],
    ['33609 - 1204', 'FL', '~33609-1204'],
    ['336091204', 'FL', '~33609-1204'],
    ['3360912045', 'FL', '!zipcode-format'],
    ['33609 -', 'FL', '~33609'],
    ['33609 - 00', 'FL', '~33609'],
    ['33609-00000', 'FL', '!zipcode-format'],
    ['33609-12', 'FL', '!zipcode-format'],
    ['33609 ', 'FL', '!zipcode-format'],
  ])('reads %s in %s as %s', (text, state, expected) => {
    expect(coercionInShort(coerceZipText(text, state))).toBe(expected);
  });
});

describe('coerceZipText, a lost zero', () => {
  test.each(['MA', 'FL'])('names the state %s in words', (state) => {
    const name = { MA: 'Massachusetts', FL: 'Florida' }[state] ?? '';
    expect(JSON.stringify(coerceZipText('2139', state))).toContain(name);
  });
});

describe('coerceZipNumber', () => {
  test.each([
    ['33609', undefined, '=33609'],
    ['33609', '00000', '=33609'],
    ['33609', '#,##0', '~33609'],
    ['33609', '"ZIP "00000', '~33609'],
    ['33609.0', undefined, '~33609'],
    ['2139', '00000', '~02139'],
    ['2139', '#,##0', '~02139'],
    ['336091204', '00000-0000', '~33609-1204'],
    ['-33609', undefined, '!zipcode-format'],
    ['33609.5', undefined, '!zipcode-format'],
    ['336091.0', undefined, '!zipcode-format'],
    ['2148', '#,##0', '~02148'],
    ['3360', '#,##0', '!zipcode-lost-zero'],
  ])('reads %s under %s as %s', (raw, format, expected) => {
    expect(coercionInShort(coerceZipNumber(numberCell(raw, format), 'MA'))).toBe(expected);
  });
});

describe('coerceZipNumber, its repairs', () => {
  const repair = (raw: string, format?: string) => JSON.stringify(coerceZipNumber(numberCell(raw, format), 'MA'));

  test('names the format that shows the zero', () => {
    expect(repair('2139', '00000')).toContain('00000,');
  });

  test('names the state before the form of the number', () => {
    expect(repair('2139.0')).toContain('Massachusetts');
  });
});

describe('coerceZipNumber, without a state', () => {
  test.each([
    ['2139', '00000', '~02139'],
    ['2139', '#,##0', '?'],
    ['2139', undefined, '?'],
  ])('believes what the cell shows: %s under %s as %s', (raw, format, expected) => {
    expect(coercionInShort(coerceZipNumber(numberCell(raw, format), undefined))).toBe(expected);
  });
});

describe('statesOfZip', () => {
  test.each([
    ['35000', ['AL']],
    ['36999', ['AL']],
    ['37000', ['TN']],
    ['34900', ['FL']],
    ['00000', []],
  ])('finds the states of %s: %j', (zip, states) => {
    expect(statesOfZip(zip)).toEqual(states);
  });
});
