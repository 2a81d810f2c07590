import { DatabaseError } from 'pg';
import { describe, expect, test } from 'vitest';
import { failureOfQuery } from '../../../src/ledger/postgres-failures.ts';

describe('failureOfQuery', () => {
  test.each([
    ['28P01', 'database-login-refused'],
    ['3D000', 'database-login-refused'],
    ['0A000', 'database-login-refused'],
    ['53100', 'database-full'],
    ['53300', 'database-unavailable'],
    ['57P01', 'database-unavailable'],
    ['55P03', 'ledger-in-use'],
  ])('explains SQLSTATE %s as %s', (sqlState, code) => {
    const failure = Object.assign(new DatabaseError('no', 2, 'error'), { code: sqlState });
    expect(failureOfQuery(failure)).toMatchObject({ code });
  });

  test('returns a fault of the program as thrown', () => {
    const fault = Object.assign(new DatabaseError('syntax error', 12, 'error'), { code: '42601' });
    expect(failureOfQuery(fault)).toBe(fault);
  });
});
