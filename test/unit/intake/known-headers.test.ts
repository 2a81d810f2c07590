import { expect, test } from 'vitest';
import { headerDateOrder, knownHeaders } from '../../../src/intake/header/known-headers.ts';

test.each([
  ['Pol Eff Dt', 'policyEffectiveDate'],
  ['POL_EFF_DATE', 'policyEffectiveDate'],
  ['PolicyEffDt', 'policyEffectiveDate'],
  ['Policy\r\nNumber:', 'policyNumber'],
  ['Ｐｏｌｉｃｙ No', 'policyNumber'],
  ['Insured’s Name', 'insuredName'],
  ['Insd Ph #', 'insuredPhone'],
  ['Loc Addr 1', 'streetAddress'],
  ['Risk Zip Cd', 'zipcode'],
  ['CVG A LMT', 'dwellingCoverage'],
  ['Dwelling (Coverage A)', 'dwellingCoverage'],
  ['Cov A ($)', 'dwellingCoverage'],
  ['Living Area (SF)', 'carrierProvidedLivingArea'],
  ['Yr Blt (YYYY)', 'yearBuilt'],
  ['Renewal? (Y/N)', 'isRenewal'],
  ['State (2 letters) *', 'state'],
  ['Policy Number [required]', 'policyNumber'],
  ['Due Date (if any)', 'dueDate'],
  ['Policy number (if issued)', 'policyNumber'],
  ['Policy # (N/A if none)', 'policyNumber'],
  ['Year Built [if known]', 'yearBuilt'],
  ['HO6 Policy #', 'policyNumber'],
  ['DP-3 Policy Number', 'policyNumber'],
  ['Property: Year Built', 'yearBuilt'],
  ['Building.SquareFootage', 'carrierProvidedLivingArea'],
  ['Risk: Coverage A', 'dwellingCoverage'],
  ['InspectionOrder.DueDate', 'dueDate'],
  ['Inspection Request: Special Instructions', 'note'],
  ['INSD_PHN_NBR', 'insuredPhone'],
  ['LOC_ADDR_LN1', 'streetAddress'],
  ['LOC_ST_CD', 'state'],
  ['CNSTR_YR', 'yearBuilt'],
  ['TOT_LIV_AREA', 'carrierProvidedLivingArea'],
  ['AGT_PHN', 'agentPhone'],
  ['RQST_DUE_DT', 'dueDate'],
  ['Prem City', 'city'],
  ['DwlgType', 'houseType'],
  ['Dwg Limit', 'dwellingCoverage'],
  ['Oth Struct', 'otherStructureCoverage'],
  ['Ins. Co.', 'insuredBy'],
  ['N/R', 'isRenewal'],
  ['NB or Renewal', 'isRenewal'],
  ['Phone # (Insured)', 'insuredPhone'],
  ['1. Street Address', 'streetAddress'],
  ['Service Type (select one)', 'serviceName'],
  ['Policy Effective Date mm/dd/yyyy', 'policyEffectiveDate'],
  ['PNIPrimaryPhone', 'insuredPhone'],
  ['PNIEmailAddress1', 'insuredEmail'],
  ['INSRD_PH_NBR', 'insuredPhone'],
  ['INSRD_EMAIL_ADR', 'insuredEmail'],
  ['Garaging/Location Address', 'streetAddress'],
  ['LOCAD1', 'streetAddress'],
  ['911 Address', 'streetAddress'],
  ['Street address of the property to be inspected', 'streetAddress'],
  ['Insp Ref #', 'inspectionNumber'],
  ['WO #', 'inspectionNumber'],
  ['Work Order #', 'inspectionNumber'],
  ['WO #', 'inspectionNumber'],
  ['Req ID', 'inspectionNumber'],
  ['Farm Policy #', 'policyNumber'],
  ['Survey due by', 'dueDate'],
  ['By what date do you need the inspection completed?', 'dueDate'],
  ['LOBDSC', 'policyType'],
  ['What type of policy is this?', 'policyType'],
  ['What kind of home is it?', 'houseType'],
  ['Coverage_A__c', 'dwellingCoverage'],
  ['Buildings SI', 'dwellingCoverage'],
  ['Contents SI', 'contentCoverage'],
  ['NEW_RNWL_IND', 'isRenewal'],
  ['Directions', 'note'],
  ['Is there anything the inspector should know?', 'note'],
])('fieldOf takes %s as %s', (header, field) => {
  expect(knownHeaders({}).fieldOf(header)?.name).toBe(field);
});

test.each([
  'Living area (000s)',
  'Cov A (Y/N)',
  'Living area (m2)',
  'Mailing Address',
  'Mailing City',
  'Address 2',
  'Agency',
  'Company',
  'Policy',
  'Type',
  'Expiration Date',
  'Insured First Name',
  'Date',
  '()',
  '__proto__',
  'Nr',
  'Prem Amt',
  'St Name',
  'Phone (Agency)',
  'Ins #',
  'Control #',
  'Gate Code',
  'Policy number (prior)',
  'Policy number (if different carrier)',
  'HO6 Premium',
  'Flood Policy #',
  'Roof: Year',
  'Policy: Due Date',
  'Property: Owner',
  'Prior Inspection: Due Date',
  'Year',
  'Description',
])('fieldOf never takes %s as a field', (header) => {
  expect(knownHeaders({}).fieldOf(header)).toBeUndefined();
});

test('knownHeaders ignores a column that the config leaves out', () => {
  const known = knownHeaders({ Address: 'ignore' });
  expect([
    known.fieldOf('ADDRESS'),
    known.isIgnored('address'),
    known.fieldOf('Risk address')?.name,
    known.notes,
  ]).toEqual([undefined, true, 'streetAddress', []]);
});

test('headerDateOrder reads the order of day and month', () => {
  expect(['Eff Date (DD/MM/YYYY)', 'Due (mm-dd-yy)', 'Due date', 'Add mm'].map(headerDateOrder)).toEqual([
    'day first',
    'month first',
    undefined,
    undefined,
  ]);
});

test.each(['DOB', 'Owner', 'Contract Number', 'Gate Code', 'Order Date', 'Type', 'Product'])(
  'nearestTo gives no misleading hint for %s',
  (header) => {
    expect(knownHeaders({}).nearestTo(header)).toBeUndefined();
  },
);
