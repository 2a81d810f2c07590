import type { RequestError } from 'got';
import { describe, expect, test } from 'vitest';
import { canHaveBeenSent } from '../../../src/service/exchange.ts';

/** A request that failed, as the HTTP library tells of it. */
function failed(
  url: string,
  request: { readonly reusedSocket?: boolean } | undefined,
  timings: { readonly connect?: number; readonly secureConnect?: number } | undefined,
): RequestError {
  return { request, timings, options: { url: new URL(url) } } as unknown as RequestError;
}

describe('canHaveBeenSent', () => {
  test.each([
    ['http://a.example', {}, false],
    ['http://a.example', { connect: 1 }, true],
    ['https://a.example', {}, false],
    ['https://a.example', { connect: 1 }, false],
    ['https://a.example', { connect: 1, secureConnect: 2 }, true],
  ] as const)('a fresh connection to %s with the timings %j: %s', (url, timings, expected) => {
    expect(canHaveBeenSent(failed(url, {}, timings))).toBe(expected);
  });

  test.each(['http://a.example', 'https://a.example'])('a socket to %s that was used before proves nothing', (url) => {
    expect(canHaveBeenSent(failed(url, { reusedSocket: true }, {}))).toBe(true);
  });

  test('is true if nothing is known about the connection', () => {
    expect(canHaveBeenSent(failed('http://a.example', undefined, {}))).toBe(true);
    expect(canHaveBeenSent(failed('http://a.example', {}, undefined))).toBe(true);
  });
});
