import { describe, expect, test } from 'vitest';
import { serviceAccount } from '../../../src/domain/service-account.ts';
import { isPathPart, readBaseUrl } from '../../../src/service/client.ts';
import { urlOf } from '../../../src/service/exchange.ts';

describe('readBaseUrl', () => {
  test.each([
    'http://api.example.com',
    'http://127.0.0.1.evil.example',
    'ftp://api.example.com',
    'api.example.com',
    '',
    'https://me:pass-word@api.example.com',
    'https://api.example.com?x=1',
  ])('readBaseUrl refuses %s without its password', (text) => {
    expect(() => readBaseUrl(text)).toThrow(
      expect.objectContaining({
        name: 'ExplainedError',
        kind: 'usage',
        message: expect.not.stringContaining('pass-word') as string,
      }),
    );
  });

  test.each(['https://api.example.com', 'http://localhost:8080', 'http://127.0.0.1:8080/', 'http://[::1]:8080'])(
    'accepted as a base URL: %s',
    (text) => {
      expect(readBaseUrl(text).origin).toBe(text.replace(/\/$/, ''));
    },
  );

  test('environment and code both omit /v1', () => {
    expect(readBaseUrl('https://api.example.com/v1/').href).toBe('https://api.example.com/');
  });

  test('urlOf encodes IDs, keeps a base path and omits absent parameters', () => {
    const url = urlOf(readBaseUrl('https://api.example.com/inspections/'), ['v1', 'report', 'a/b?c#d é', 'file'], {
      compressed: undefined,
      policyNumber: 'A&B=1',
    });
    expect(url.href).toBe(
      'https://api.example.com/inspections/v1/report/a%2Fb%3Fc%23d%20%C3%A9/file?policyNumber=A%26B%3D1',
    );
    expect(['', '.', '..', '\uD800'].map(isPathPart)).toEqual([false, false, false, false]);
  });

  test('accountNamed distinguishes place, client and user, not spellings of the URL', () => {
    const key = (base: string, client: string, user: string): string =>
      serviceAccount(readBaseUrl(base), client, user).key;
    const keys = [
      key('https://a.example', 'c', 'u'),
      key('https://b.example', 'c', 'u'),
      key('https://a.example', 'cu', ''),
      key('https://a.example', 'c', 'v'),
    ];
    expect(new Set(keys).size).toBe(4);
    expect(key('https://A.example:443/', 'c', 'u')).toBe(keys[0]);
  });
});
