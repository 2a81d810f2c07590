import { expect, test } from 'vitest';
import { houseKey, houseLikeness, type HouseAddress, type HouseLikeness } from '../../../src/domain/identity.ts';

const at = (streetAddress: string, more: Partial<HouseAddress> = {}): HouseAddress => ({
  streetAddress,
  city: 'Tampa',
  state: 'FL',
  zipcode: '33609',
  ...more,
});

test.each<[HouseLikeness, string, string]>([
  ['same', '12 Oak Street', '12  OAK ST.'],
  ['same', '12 Oak Street Apt 4', '12 oak st #4'],
  ['same', 'Unit 4, 12 Oak Street', '12 Oak St Unit 4'],
  ['same', '12 Oak St, 4B', '12 Oak Street Ste 4b'],
  ['same', '1200 North West Shore Boulevard', '1200 N W Shore Blvd'],
  ['same', '9 Saint Charles Avenue', '9 St. Charles Ave'],
  ['same', '7 O’Brien Court', "7 O'Brien Ct"],
  ['same', '40 First Avenue', '40 1st Ave'],
  ['same', '123 Calle Sol', '123 CALLE SOL'],
  ['same', '12 Constructor Street', '12 Constructor St'],
  ['unclear', '12 Oak Street', '12 Oak'],
  ['unclear', '12 Oak Street', '12 Oak Street Unit 2'],
  ['unclear', '12 N Oak Street', '12 Oak Street'],
  ['unclear', '12 Oak Street', '12 Oak Apt 3'],
  ['other', '12 Oak Street Apt 3', '12 Oak Apt 4'],
  ['other', '12 N Oak Street', '12 S Oak'],
  ['other', '12 Oak Street', '14 Oak Street'],
  ['other', '12 Oak Street', '120 Oak Street'],
  ['other', '12 Oak Street', '12 Elm Street'],
  ['other', '12 Oak Street', '12 Oak Avenue'],
  ['other', '12 N Oak Street', '12 S Oak Street'],
  ['other', '12 Oak Street Apt 4', '12 Oak Street Apt 5'],
  ['other', '12A Oak Street', '12 Oak Street'],
  ['other', '12 Oak Street', ''],
])('houseLikeness is %s: %s and %s', (expected, one, other) => {
  expect([houseLikeness(at(one), at(other)), houseLikeness(at(other), at(one))]).toEqual([expected, expected]);
  expect(houseKey(at(one)) === houseKey(at(other))).toBe(expected === 'same');
});

test.each<[HouseLikeness, Partial<HouseAddress>]>([
  ['same', { city: 'W Tampa' }],
  ['same', { zipcode: '33609-1234' }],
  ['other', { zipcode: '33610' }],
  ['other', { state: 'GA' }],
  ['other', { zipcode: null }],
])('houseLikeness is %s with %j', (expected, more) => {
  expect(houseLikeness(at('12 Oak Street'), at('12 Oak St', more))).toBe(expected);
});

test('houseLikeness is unclear for two empty addresses', () => {
  expect(houseLikeness(at(''), at(''))).toBe('unclear');
});
