import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readOrderFile } from '../../src/intake/read-orders.ts';

/** One order as agency and carrier systems export it, under the headers of their public documentation. */
const FOLDER = join(import.meta.dirname, 'systems');

const ORDER = {
  streetAddress: '118 Oak Ridge Ln',
  city: 'Tampa',
  state: 'FL',
  zipcode: '33609',
  serviceName: '4-Point',
  policyType: 'Homeowners Insurance',
  houseType: 'Residential Single Family',
  insuredName: 'Marisol Vega',
  insuredPhone: '813-555-0142',
  insuredEmail: 'm@example.com',
  policyNumber: 'HO-0048213',
  policyEffectiveDate: '2026-12-01',
  yearBuilt: 1987,
  carrierProvidedLivingArea: 1850,
  dwellingCoverage: 325_000,
  insuredBy: 'Bayline Mutual',
  agentName: 'Dana Whitlock',
  agentPhone: '813-555-0170',
};
/** The optional columns of each export. */
const OPTIONAL: Readonly<Record<string, readonly (keyof typeof ORDER)[]>> = {
  'acord-forms.csv': ['policyEffectiveDate'],
  'acord-names.csv': ['policyEffectiveDate', 'yearBuilt', 'insuredBy'],
  'airtable.csv': [],
  'ams360.csv': ['policyEffectiveDate', 'insuredBy'],
  'applied-epic.csv': ['policyEffectiveDate', 'insuredBy'],
  'as400-inspections.csv': ['policyEffectiveDate', 'yearBuilt', 'dwellingCoverage'],
  'as400-longer-names.csv': ['policyEffectiveDate', 'yearBuilt', 'dwellingCoverage'],
  'as400.csv': [
    'policyEffectiveDate',
    'yearBuilt',
    'carrierProvidedLivingArea',
    'dwellingCoverage',
    'agentName',
    'agentPhone',
  ],
  'ezlynx-applicants.csv': ['policyEffectiveDate'],
  'ezlynx.csv': ['policyEffectiveDate', 'yearBuilt', 'insuredBy', 'agentName'],
  'foxpro.csv': ['policyEffectiveDate', 'yearBuilt', 'dwellingCoverage'],
  'google-forms.csv': ['policyEffectiveDate', 'yearBuilt'],
  'guidewire.csv': ['policyEffectiveDate', 'yearBuilt', 'dwellingCoverage', 'insuredBy'],
  'hawksoft.csv': ['policyEffectiveDate', 'insuredBy'],
  'lloyds-bordereau.csv': ['policyEffectiveDate', 'dwellingCoverage'],
  'microsoft-forms.csv': [],
  'qqcatalyst.csv': ['policyEffectiveDate', 'insuredBy'],
  'salesforce-report.csv': ['policyEffectiveDate'],
  'salesforce.csv': ['policyEffectiveDate', 'yearBuilt'],
  'spanish.csv': [],
};
const ALWAYS = Object.keys(ORDER).slice(0, 11) as (keyof typeof ORDER)[];

test('every export has its expectation', async () => {
  expect((await readdir(FOLDER)).toSorted()).toEqual(Object.keys(OPTIONAL));
});

test.each(Object.entries(OPTIONAL))('readOrderFile reads each value of %s', async (file, optional) => {
  await using reading = await readOrderFile(join(FOLDER, file), file, { headers: {}, today: '2026-11-01' });
  const outcomes = await Array.fromAsync(reading.rows());
  const sent = Object.fromEntries([...ALWAYS, ...optional].map((field) => [field, ORDER[field]]));
  expect(outcomes.map((outcome) => (outcome.kind === 'order' ? outcome.payload : outcome.problems))).toEqual([sent]);
});
