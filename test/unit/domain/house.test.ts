import { expect, test } from 'vitest';
import {
  houseKey,
  houseLikeness,
  type HouseAddress,
  type HouseLikeness,
  subjectKey,
} from '../../../src/domain/identity.ts';
import { orderPayload } from '../../support/order-factory.ts';

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
  ['same', '40 Twelfth Avenue', '40 12th Ave'],
  ['same', '123 Calle Sol', '123 CALLE SOL'],
  ['same', '5 State Road 9', '5 SR 9'],
  ['same', '5 State Rte 9', '5 S.R. 9'],
  ['same', '5 State Highway 9 Unit 3', '5 SR-9 #3'],
  ['same', '5 County Road 12', '5 CR 12'],
  ['same', '5 Co. Rd. 12', '5 County Rd 12'],
  ['same', '5 US Highway 41', '5 US-41'],
  ['same', '5 U.S. Hwy 41', '5 U S Route 41'],
  ['same', '5 Farm to Market Road 5', '5 FM 5'],
  ['same', '5 Interstate 10', '5 I-10'],
  ['same', '217½ Oak Street', '217 1/2 Oak St'],
  ['same', '12-A Oak Street', '12A Oak St'],
  ['same', '6 Elm St Unit 4-B', '6 Elm St 4B'],
  ['same', '6 Elm St Apt 4B', '6 Elm St # 4 B'],
  ['same', '6 Elm St Apt 4-E', '6 Elm St Apt 4E'],
  ['same', '6 Elm St Unit B-4', '6 Elm St Unit B4'],
  ['same', '6 Elm St Fl 2', '6 Elm St, 2nd Floor'],
  ['same', '6 Elm St Penthouse', '6 Elm St PH'],
  ['same', '12 Oak Ridge Lane', '12 Oakridge Ln'],
  ['same', '12 Oak Rdg Lane', '12 Oak Ridge Ln'],
  ['same', '9 Mountain Rd Extension', '9 Mtn Rd Ext'],
  ['same', '12 Constructor Street', '12 Constructor St'],
  ['unclear', '12 Oak Street', '12 Oak'],
  ['unclear', '12 Oak Street', '12 Oak Street Unit 2'],
  ['unclear', '12 N Oak Street', '12 Oak Street'],
  ['unclear', '12 Oak Street', '12 Oak Apt 3'],
  ['unclear', '5 State Road 9', '5 State Road 9 Unit 9'],
  ['other', '12 Oak Street Apt 3', '12 Oak Apt 4'],
  ['other', '12 N Oak Street', '12 S Oak'],
  ['other', '12 Oak Street', '14 Oak Street'],
  ['other', '12 Oak Street', '120 Oak Street'],
  ['other', '12 Oak Street', '12 Elm Street'],
  ['other', '12 Oak Street', '12 Oak Avenue'],
  ['other', '12 N Oak Street', '12 S Oak Street'],
  ['other', '12 Oak Street Apt 4', '12 Oak Street Apt 5'],
  ['other', '12A Oak Street', '12 Oak Street'],
  ['other', '5 State Road 9', '5 County Road 9'],
  ['other', '6 Elm St Unit 1-11', '6 Elm St Unit 11-1'],
  ['other', '6 Elm St Bldg 2 Unit 4', '6 Elm St Unit 24'],
  ['other', '6 Elm St Bldg 4', '6 Elm St Unit 4'],
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

test.each([
  ['5 State Road 9', '5 SR 9'],
  ['5 US Hwy 41', '5 US-41'],
  ['217½ Oak Street', '217 1/2 Oak St'],
  ['6 Elm St Unit 4-B', '6 Elm St #4 B'],
  ['6 Elm St Unit 4B', '6 Elm St 4B'],
  ['Apt 4, 249 Elm St', '249 Elm St Unit 4'],
  ['9 Saint Charles Ave', '9 St Charles Ave'],
  ['12 Oak Ridge Ln', '12 Oakridge Lane'],
])('subjectKey is the same for %s and %s', (one, other) => {
  const keyOf = (streetAddress: string) => subjectKey(orderPayload({ streetAddress }));
  expect(keyOf(one)).toBe(keyOf(other));
});

test('subjectKey differs for other units', () => {
  const units = ['', 'Unit 4', 'Unit 24', 'Unit 2-4', 'Bldg 2 Unit 4', 'Bldg 4', 'Fl 4', 'Unit 1-11', 'Unit 11-1'];
  const keys = units.map((unit) => subjectKey(orderPayload({ streetAddress: `6 Elm St ${unit}` })));
  expect(new Set(keys).size).toBe(units.length);
});

test('houseLikeness is unclear for two empty addresses', () => {
  expect(houseLikeness(at(''), at(''))).toBe('unclear');
});
