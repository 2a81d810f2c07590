import { describe, expect, test } from 'vitest';
import { createRedactor } from '../../../src/ops/redactor.ts';

describe('createRedactor', () => {
  test.each([
    ['Authorization: Bearer eyJh.bGci-OiJ_/+=', 'Authorization: Bearer [redacted]'],
    ['sent basic dXNlcjpwdw==, got 401', 'sent basic [redacted], got 401'],
    [
      'GET https://files.example/r/5.pdf?X-Amz-Signature=abc&x=%20 failed',
      'GET https://files.example/r/5.pdf?[redacted] failed',
    ],
    ['"https://files.example/r/5?sig"', '"https://files.example/r/5?[redacted]"'],
    ['https://files.example?sig=abc', 'https://files.example?[redacted]'],
    ['/v1/project?policyNumber=HO-1&limit=500 answered 500', '/v1/project?[redacted] answered 500'],
    ['https://app.example/cb#access_token=abc', 'https://app.example/cb?[redacted]'],
    ['https://user:pw@host.example/path', 'https://[redacted]@host.example/path'],
    ['{"refresh_token":"r-1","expires_in":600}', '{"refresh_token":"[redacted]","expires_in":600}'],
    ['grant_type=password&password=hunter2&scope=x', 'grant_type=password&password=[redacted]&scope=x'],
    ["mail to jane.o'doe+x@mail.example.com bounced", 'mail to [e-mail] bounced'],
    ['is row 7 wrong? yes, see C7', 'is row 7 wrong? yes, see C7'],
    ['GET /v1/project/9007199254740993/status 200', 'GET /v1/project/9007199254740993/status 200'],
  ])('%s becomes %s', (text, expected) => {
    expect(createRedactor().redact(text)).toBe(expected);
  });

  test('a registered secret is taken out in every form it may take', () => {
    const redactor = createRedactor();
    redactor.registerSecret('p$w"ä d');
    redactor.registerSecret('p$w"ä d-longer');
    redactor.registerSecret('');
    const forms = [
      'p$w"ä d',
      'p%24w%22%C3%A4%20d',
      JSON.stringify({ x: 'p$w"ä d' }),
      Buffer.from('p$w"ä d').toString('base64'),
      'xp$w"ä d-longerx',
    ];
    expect(redactor.redact(forms.join(' '))).toBe('[redacted] [redacted] {"x":"[redacted]"} [redacted] x[redacted]x');
  });

  test('a very short secret is removed only as a whole word', () => {
    const redactor = createRedactor();
    redactor.registerSecret('ab');
    expect(redactor.redact('ab: about "ab"')).toBe('[redacted]: about "[redacted]"');
  });

  test('a long text is cut, but never through a secret', () => {
    const redactor = createRedactor();
    redactor.registerSecret('S3CRET');
    const clean = redactor.redact(`${'-'.repeat(3997)}S3CRET${'-'.repeat(9000)}`);
    expect(clean).not.toContain('S3');
    expect(clean.length).toBe(4001);
  });
});
