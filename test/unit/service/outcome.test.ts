import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { HttpResponse, Exchange } from '../../../src/service/exchange.ts';
import {
  createOutcomeOf,
  onlyItem,
  serviceMessage,
  paceOfCreate,
  paceOfRead,
  parseStrictly,
  readOutcomeOf,
  readRetryAfter,
} from '../../../src/service/outcome.ts';

const NOW = Date.UTC(2026, 2, 5, 8);

function answer(status: number, body: unknown = '', headers: Record<string, string> = {}): HttpResponse {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { kind: 'answer', status, headers: { 'content-type': 'text/html; x=1', ...headers }, body: Buffer.from(text) };
}
const own = (message = 'no'): object => ({ error: { message } });
const beyond = (inside = ''): string => `{${inside}"deep":${'['.repeat(100)}${']'.repeat(100)}}`;
const FAILED: Exchange = { kind: 'failed', sent: 'maybe', reason: 'cut' };

describe('createOutcomeOf', () => {
  const outcome = (exchange: Exchange) => createOutcomeOf(exchange, NOW);
  const kindOf = (status: number, body: unknown) => outcome(answer(status, body)).kind;

  test('createOutcomeOf separates unsent from unknown', () => {
    expect(outcome({ ...FAILED, sent: 'no' })).toEqual({ kind: 'not-sent', reason: 'cut' });
    expect(outcome(FAILED)).toEqual({ kind: 'unknown', reason: 'cut', status: null, retryAfterMs: null });
  });

  test.each([200, 201, 299])('%i with one project is created', (status) => {
    expect(outcome(answer(status, { project: [{ id: 7 }] }))).toMatchObject({ kind: 'created', project: { id: '7' } });
  });

  test.each([
    ['no project', { project: [] }],
    ['two projects', { project: [{ id: 7 }, { id: 8 }] }],
    ['no id', { project: [{}] }],
    ['zero as id', { project: [{ id: 0 }] }],
    ['no JSON', 'thanks'],
  ])('200 with %s is unknown', (_what, body) => {
    expect(outcome(answer(200, body, { 'retry-after': '7' }))).toMatchObject({
      kind: 'unknown',
      status: 200,
      retryAfterMs: 7000,
      reason: expect.stringMatching(/id$/),
    });
  });

  test('200 beyond the limits is unknown, and says which limit', () => {
    expect(outcome(answer(200, beyond()))).toMatchObject({
      kind: 'unknown',
      reason: expect.stringMatching(/id: .*deep/),
    });
  });

  test.each([199, 300, 302, 399, 408, 500, 503])('%i is unknown, also in own words', (status) => {
    expect(outcome(answer(status, own()))).toEqual({
      kind: 'unknown',
      reason: `HTTP ${status}`,
      status,
      retryAfterMs: null,
    });
  });

  test('a refusal beyond the limits is unknown', () => {
    expect(kindOf(400, beyond('"error":{"message":"no"},'))).toBe('unknown');
  });

  test.each([
    [400, 'refused'],
    [422, 'refused'],
    [429, 'throttled'],
  ])("%i is %s in the service's words and otherwise stops the run", (status, kind) => {
    expect(kindOf(status, own())).toBe(kind);
    expect(outcome(answer(status, '<html>'))).toMatchObject({
      kind: 'stop',
      status,
      notCreated: false,
      message: expect.stringContaining(`HTTP ${status} (text/html)`),
    });
  });

  test("409 is duplicate in the service's words and otherwise unknown", () => {
    expect(kindOf(409, own())).toBe('duplicate');
    for (const body of ['<html>', '']) expect(kindOf(409, body)).toBe('unknown');
  });

  test('a strange answer without a content type is reported as such', () => {
    const { headers: _none, ...rest } = answer(403);
    expect(outcome({ ...rest, headers: {} })).toMatchObject({ message: expect.stringContaining('(no content type)') });
  });

  test.each([
    [401, true],
    [403, true],
    [404, true],
    [405, true],
    [413, true],
    [415, true],
    [402, false],
    [418, false],
    [425, false],
  ])('%i in the service’s words stops the run (not created: %s)', (status, notCreated) => {
    expect(outcome(answer(status, own('why')))).toEqual({ kind: 'stop', status, message: 'why', notCreated });
  });

  test('a wait that 429 asks for is kept', () => {
    expect(outcome(answer(429, own(), { 'retry-after': '30' }))).toEqual({ kind: 'throttled', retryAfterMs: 30_000 });
  });
});

describe('readOutcomeOf', () => {
  const outcome = (exchange: Exchange) =>
    readOutcomeOf(exchange, (json) => (typeof json === 'string' ? json : undefined), NOW);

  test('a missing answer is transient; one about an item is final', () => {
    const transient = { kind: 'transient', reason: 'cut', status: null, retryAfterMs: null };
    expect(outcome(FAILED)).toEqual(transient);
    expect(outcome({ kind: 'failed', sent: 'maybe', reason: 'cut', aboutItem: true })).toEqual({
      ...transient,
      aboutItem: true,
      isFinal: true,
    });
  });

  test("403 is a refusal only in the service's words", () => {
    expect(outcome(answer(403, own('why')))).toEqual({ kind: 'stop', status: 403, message: 'why' });
    for (const body of ['<html>', ''])
      expect(outcome(answer(403, body))).toMatchObject({ kind: 'transient', status: 403 });
    expect(outcome(answer(404, '<html>'))).toMatchObject({ kind: 'stop', status: 404 });
  });

  test.each([200, 299])('%i with what was asked for is ok', (status) => {
    expect(outcome(answer(status, '"x"'))).toEqual({ kind: 'ok', value: 'x' });
  });

  test.each([
    ['something else', '7'],
    ['no JSON', 'x'],
  ])('200 with %s is transient, about this one thing', (_what, body) => {
    const found = outcome(answer(200, body));
    expect(found).toMatchObject({ kind: 'transient', status: 200, aboutItem: true });
    expect(found).not.toHaveProperty('isFinal');
  });

  test('200 beyond the limits is final', () => {
    expect(outcome(answer(200, beyond()))).toMatchObject({ kind: 'transient', aboutItem: true, isFinal: true });
  });

  test.each([199, 300, 399, 408, 425, 429, 500, 503])('%i is transient, also in own words', (status) => {
    expect(outcome(answer(status, own(), { 'retry-after': '2' }))).toEqual({
      kind: 'transient',
      reason: `HTTP ${status}`,
      status,
      retryAfterMs: 2000,
    });
  });

  test.each([
    [404, 'not-found'],
    [400, 'refused'],
    [409, 'refused'],
    [422, 'refused'],
    [401, 'stop'],
    [418, 'stop'],
  ])('%i is %s in own words, and stops in those of others', (status, kind) => {
    expect(outcome(answer(status, own('why')))).toMatchObject({ kind, message: 'why' });
    expect(outcome(answer(status, 'x'))).toMatchObject({ kind: 'stop', status });
  });
});

describe('serviceMessage', () => {
  const words = (message: string) => serviceMessage(answer(400, own(message)));

  test('control characters and runs of blanks become one blank', () => {
    expect(words(' a\u0000\n\t b ')).toBe('a b');
  });

  test('words at the limit are kept, longer ones are cut', () => {
    expect(words('x'.repeat(1000))).toBe('x'.repeat(1000));
    expect(words('x'.repeat(1001))).toBe(`${'x'.repeat(1000)}…`);
  });

  test('a byte order mark does not make them another’s', () => {
    expect(serviceMessage(answer(400, `\uFEFF${JSON.stringify(own('a'))}`))).toBe('a');
  });

  test.each(['', '{}', '{"error":{}}', '{"message":"a"}'])('%j is not in own words', (body) => {
    expect(serviceMessage(answer(400, body))).toBeNull();
  });
});

test('parseStrictly corrects nothing', () => {
  const schema = z.object({ id: z.string() });
  expect(parseStrictly(schema, { id: '7' })).toEqual({ id: '7' });
  expect(parseStrictly(schema, { id: 7 })).toBeUndefined();
});

test.each([
  ['2.25', 2250],
  ['5 Mar 2026 08:00:30 GMT', null],
  ['1 Thu, 05 Mar 2026 08:00:30 GMT', null],
])('readRetryAfter of %j is %s', (header, ms) => {
  expect(readRetryAfter(header, NOW)).toBe(ms);
});

test('onlyItem is the one that was asked for', () => {
  const item = { id: '7' };
  expect(onlyItem([item], '7')).toBe(item);
  for (const items of [undefined, [], [{ id: '8' }], [item, item]]) expect(onlyItem(items, '7')).toBeUndefined();
});

describe('what an outcome means for the pace', () => {
  const unknown = { kind: 'unknown', reason: '', retryAfterMs: 5 } as const;
  const transient = { kind: 'transient', reason: '', retryAfterMs: 5 } as const;

  test.each([
    [{ kind: 'duplicate', message: '' }, { kind: 'ok' }],
    [{ kind: 'refused', status: 400, message: '' }, { kind: 'ok' }],
    [{ kind: 'stop', status: 403, message: '', notCreated: true }, { kind: 'ok' }],
    [
      { kind: 'throttled', retryAfterMs: 5 },
      { kind: 'throttled', retryAfterMs: 5 },
    ],
    [
      { kind: 'not-sent', reason: '' },
      { kind: 'away', retryAfterMs: null },
    ],
    [
      { ...unknown, status: 503 },
      { kind: 'away', retryAfterMs: 5 },
    ],
    [{ ...unknown, status: 500 }, { kind: 'overloaded' }],
    [{ ...unknown, status: null }, { kind: 'overloaded' }],
  ] as const)('paceOfCreate of %j', (outcome, sign) => {
    expect(paceOfCreate(outcome)).toEqual(sign);
  });

  test.each([
    [{ kind: 'ok', value: 1 }, { kind: 'ok' }],
    [{ kind: 'not-found', message: '' }, { kind: 'ok' }],
    [{ kind: 'refused', status: 400, message: '' }, { kind: 'ok' }],
    [{ kind: 'stop', status: 403, message: '' }, { kind: 'ok' }],
    [{ ...transient, status: 503, aboutItem: true }, { kind: 'ok' }],
    [
      { ...transient, status: 429 },
      { kind: 'throttled', retryAfterMs: 5 },
    ],
    [
      { ...transient, status: 503 },
      { kind: 'away', retryAfterMs: 5 },
    ],
    [{ ...transient, status: 500 }, { kind: 'overloaded' }],
    [{ ...transient, status: null }, { kind: 'overloaded' }],
  ] as const)('paceOfRead of %j', (outcome, sign) => {
    expect(paceOfRead(outcome)).toEqual(sign);
  });
});
