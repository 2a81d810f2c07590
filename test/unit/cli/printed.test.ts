import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type Accent, accented, inIsoTimes, jsonPieces } from '../../../src/cli/terminal.ts';
import { escapeInvisible } from '../../../src/domain/text.ts';

const ACCENTS: readonly Accent[] = [[/^PROBLEM(?= )/gm, ['bold', 'red']]];
const TEXT = 'ok       disk\nPROBLEM  folders';

/** A stream as node's own terminals are: what it can show depends on the environment. */
function stream(isTTY: boolean): NodeJS.WriteStream {
  return Object.assign(new PassThrough(), { isTTY }) as unknown as NodeJS.WriteStream;
}

describe('accented', () => {
  afterEach(() => vi.unstubAllEnvs());

  test('adds color on a terminal and keeps the words', () => {
    vi.stubEnv('NO_COLOR', undefined);
    vi.stubEnv('FORCE_COLOR', '1');
    const styled = accented(TEXT, ACCENTS, stream(true));
    expect(styled).toContain('\u001B[31m');
    expect(stripVTControlCharacters(styled)).toBe(TEXT);
  });

  test('leaves the text for cron, a file, or a pipe unchanged', () => {
    vi.stubEnv('FORCE_COLOR', undefined);
    expect(accented(TEXT, ACCENTS, stream(false))).toBe(TEXT);
  });

  test('shows control codes from file content instead of obeying them', () => {
    vi.stubEnv('NO_COLOR', undefined);
    vi.stubEnv('FORCE_COLOR', '1');
    const hostile = 'PROBLEM  \u001B[2J\u001B]0;owned\u0007';
    const styled = accented(escapeInvisible(hostile), ACCENTS, stream(true));
    expect(stripVTControlCharacters(styled)).toBe(escapeInvisible(hostile));
    expect(styled).not.toContain('\u001B[2J');
  });
});

const AT = Date.UTC(2026, 10, 2, 7);
const ISO = '2026-11-02T07:00:00.000Z';

test('inIsoTimes writes every time in a record as ISO 8601', () => {
  const record = {
    id: 7,
    createdAt: AT,
    uncertainSince: null,
    steps: [{ at: AT, detail: { rows: [1, 2] } }],
    night: { since: AT },
    lastedMs: 90_000_000,
    format: 5,
    what: 'at',
  };
  expect(inIsoTimes(record)).toEqual({
    ...record,
    createdAt: ISO,
    steps: [{ at: ISO, detail: { rows: [1, 2] } }],
    night: { since: ISO },
  });
});

test('jsonPieces prints streamed lists like arrays, reading no further than it prints', async () => {
  let read = 0;
  async function* coming(count: number): AsyncGenerator<object> {
    for (; read < count; read += 1) yield { number: read, text: 'two\nlines', inside: { list: [1, 2], nothing: [] } };
  }
  const entries = await Array.fromAsync(coming(3000));
  const document = (list: unknown, none: unknown) => ({
    first: { at: 1 },
    list,
    none,
    missing: undefined,
    last: [null, 'x'],
  });
  read = 0;
  const pieces = jsonPieces(document(coming(3000), coming(0)));
  const begun = (await pieces.next()).value as string;
  expect(read).toBeLessThan(3000);
  expect(begun + (await Array.fromAsync(pieces)).join('')).toBe(`${JSON.stringify(document(entries, []), null, 2)}\n`);
});
