import { describe, expect, test } from 'vitest';
import { misspelledHeader } from '../../../../src/intake/header/misspelled-header.ts';

describe('misspelledHeader', () => {
  test.each([
    ['Polciy Nmber', 'policyNumber', 'polciy nmber'],
    ['Polcy No.', 'policyNumber', 'polcy'],
    ['POLCY_NBR', 'policyNumber', 'polcy'],
    ['Inspction Numbr', 'inspectionNumber', 'inspction numbr'],
    ['Efective Dte', 'policyEffectiveDate', 'efective'],
    ['Servise', 'serviceName', 'servise'],
    ['Policy Tpye', 'policyType', 'tpye'],
    ['Deadlin', 'dueDate', 'deadlin'],
    ['Insurence Company', 'insuredBy', 'insurence'],
    ['Completed by', 'dueDate', 'completed'],
  ])('%s means %s but for "%s"', (header, field, wrongWords) => {
    expect(misspelledHeader(header)).toMatchObject({ field, wrongWords });
  });

  test.each([
    'Policy Number',
    'Policy',
    'Phone',
    'Phone 2',
    'Insured 3',
    'Coverage L',
    'Policy Term',
    'Producer Code',
    'Report dates',
    'Number Policy',
    'Original Effective Date',
    '',
    'x'.repeat(400),
  ])('%s is no misspelled name', (header) => {
    expect(misspelledHeader(header)).toBeUndefined();
  });
});
