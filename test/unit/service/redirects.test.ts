import { describe, expect, test } from 'vitest';
import { nextHop } from '../../../src/service/redirects.ts';

const signed = 'https://files.example.com/r/1.pdf?signature=top-secret';

function hop(visited: readonly string[], location: string | undefined): string {
  const next = nextHop(
    visited.map((url) => new URL(url)),
    location,
  );
  return next.kind === 'go' ? next.url.href : next.reason;
}

describe('nextHop', () => {
  test('follows a redirect to https and a relative one', () => {
    expect(hop(['https://api.example.com/v1/report/1/file'], signed)).toBe(signed);
    expect(hop(['https://api.example.com/v1/report/1/file'], '/files/1#part')).toBe('https://api.example.com/files/1');
    expect(hop(['http://127.0.0.1:8080/v1/x'], 'http://localhost:9090/y')).toBe('http://localhost:9090/y');
  });

  test.each([
    ['nowhere', ['https://api.example.com/x'], undefined, 'names no address'],
    ['not a URL', ['https://api.example.com/x'], 'http://[', 'not a URL'],
    ['plain http', ['https://api.example.com/x'], 'http://files.example.com/?signature=top-secret', 'away from https'],
    [
      'a service elsewhere pointing at this machine',
      ['https://api.example.com/x'],
      'http://127.0.0.1/?signature=top-secret',
      'away from https',
    ],
    ['another scheme', ['https://api.example.com/x'], 'file:///etc/passwd?signature=top-secret', 'away from https'],
    ['a password in it', ['https://api.example.com/x'], 'https://me:top-secret@files.example.com/', 'credentials'],
    ['a circle', ['https://api.example.com/x', signed], 'https://api.example.com/x', 'redirect loop'],
    [
      'a fourth hop',
      ['https://a.example/x', 'https://b.example/x', 'https://c.example/x', signed],
      'https://d.example/?top-secret',
      'more than 3',
    ],
  ])('a redirect is refused without a word of its URL: %s', (_name, visited, location, why) => {
    const reason = hop(visited, location);
    expect(reason).toContain(why);
    expect(reason).not.toMatch(/top-secret|example\.com/);
  });
});
