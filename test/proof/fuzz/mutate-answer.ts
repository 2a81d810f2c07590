import { deflateRawSync, gzipSync } from 'node:zlib';
import type { SeededRandom } from './random.ts';

/** An answer as it goes over the wire. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** How it is sent: whole, a byte now and then without end, or cut in the middle. */
  readonly sent?: 'whole' | 'dripping' | 'cut';
}

interface Mutation {
  readonly name: string;
  readonly mutate: (answer: WireAnswer, random: SeededRandom) => WireAnswer;
}

const MiB = 1024 ** 2;
/** Made once: what it takes to make them is no matter of the night. */
const GREAT = Buffer.alloc(17 * MiB, ' ');
const ENDLESS = gzipSync(Buffer.alloc(40 * MiB, ' '));
/** As JSON has them: each stands where any value may stand. */
const MAKERS: readonly (() => string)[] = [
  ...[5_000, 100_000].flatMap((levels) => [
    () => `${'['.repeat(levels)}${']'.repeat(levels)}`,
    () => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`,
  ]),
  ...[
    'null',
    'true',
    '0',
    '-1',
    '1.5',
    '1e999',
    '-1e400',
    '1e-400',
    '9223372036854775807',
    '92233720368547758080',
    '1e18',
    '""',
    '[]',
    '{}',
    '[[]]',
    '[null]',
    '[{}]',
  ].map((value) => () => value),
  () => '9'.repeat(100_000),
  () => `[${'1,'.repeat(1_000_000)}1]`,
  () => `[${'{},'.repeat(4_000)}{}]`,
  () => `{${Array.from({ length: 20_000 }, (_, key) => `"k${key}":${key}`).join(',')}}`,
  () => `{${Array.from({ length: 100_000 }, (_, key) => `"k${key}":[]`).join(',')}}`,
  () => JSON.stringify('x'.repeat(3 * MiB)),
  () => JSON.stringify('word '.repeat(60_000)),
  () => JSON.stringify('\n'.repeat(50_000)),
  () => String.raw`"\ud800\udc00\ud800 \u0000\u0001\u001b[31m\u202e\ufffe"`,
  () => '{"__proto__":{"status":"polluted"},"constructor":{"prototype":1},"toString":2,"length":-1}',
  ...[
    '0000-00-00',
    '99999-12-31',
    '+275760-09-13T00:00:00Z',
    'Invalid Date',
    '2026-02-31',
    "$& $' $` $1",
    '</script><script>ran=1</script>',
    '=HYPERLINK("http://x")',
    '../../etc/passwd',
    '..',
    '.',
    '/',
    'CON',
    ' ',
    'a\u0000b',
    '%2e%2e%2f',
    'é'.repeat(300),
    '{{x}}',
    '1e999',
    'NaN',
    '[object Object]',
  ].map((text) => () => JSON.stringify(text)),
];

const VALUES = MAKERS.map((make) => {
  let made: string | undefined;
  return () => (made ??= make());
});

/** Another value, or more of them, somewhere in the JSON. */
function inside(
  answer: WireAnswer,
  change: (holder: Record<string, unknown>, key: string) => void,
  raw: string,
  random: SeededRandom,
): WireAnswer {
  let root: unknown;
  try {
    root = { all: JSON.parse(answer.body.toString('utf8')) as unknown };
  } catch {
    return { ...answer, body: Buffer.from(raw) };
  }
  const places: (readonly [Record<string, unknown>, string])[] = [];
  const walk = (held: unknown): void => {
    if (typeof held !== 'object' || held === null) return;
    for (const [key, value] of Object.entries(held)) {
      places.push([held as Record<string, unknown>, key]);
      walk(value);
    }
  };
  walk(root);
  change(...random.oneOf(places));
  const text = JSON.stringify((root as { all: unknown }).all) ?? '';
  return { ...answer, headers: json(answer), body: Buffer.from(text.replaceAll('"@@"', () => raw)) };
}

function json({ headers }: WireAnswer): Record<string, string> {
  return { ...headers, 'content-type': 'application/json' };
}

function another(answer: WireAnswer, body: string | Buffer, type = 'application/json'): WireAnswer {
  return { ...answer, headers: { 'content-type': type }, body: Buffer.from(body) };
}

/** A ZIP whose one entry claims almost 4 GiB. */
function greatZip(): Buffer {
  const packed = deflateRawSync(Buffer.alloc(MiB));
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(8, 4);
  fields.writeUInt32LE(packed.length, 14);
  fields.writeUInt32LE(0xfffffffe, 18);
  fields.writeUInt16LE(1, 22);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(1, 4);
  end.writeUInt16LE(1, 6);
  end.writeUInt32LE(47, 8);
  end.writeUInt32LE(31 + packed.length, 12);
  return Buffer.concat([
    Buffer.from('PK\u0003\u0004'),
    fields,
    Buffer.from('x'),
    packed,
    Buffer.from('PK\u0001\u0002\u0014\u0000', 'latin1'),
    fields,
    Buffer.alloc(14),
    Buffer.from('x'),
    Buffer.from('PK\u0005\u0006'),
    end,
  ]);
}

const STATUSES = [
  200, 201, 204, 206, 301, 307, 400, 401, 403, 404, 405, 408, 409, 410, 415, 418, 422, 425, 429, 500, 501, 502, 503,
  504, 599,
];
const RETRY_AFTER = [
  '0',
  '-1',
  '1',
  '3600',
  '99999999999999999999',
  'soon',
  'Sun, 31 Feb 2026 25:61:61 GMT',
  'Thu, 01 Jan 1970 00:00:00 GMT',
];
const WORDS = ['no', '', ' ', 'x'.repeat(200_000), '\u0000\u001b[2J\u202e', "$' $&", '=1+1', '</script>'];
const GARBAGE: readonly (readonly [string, string | Buffer])[] = [
  ['application/json', ''],
  ['application/json', 'null'],
  ['application/json', '"x"'],
  ['application/json', '[]'],
  ['application/json', '{'],
  ['application/json', '\uFEFF{}'],
  ['text/html', '<html>Sign in</html>'],
  ['application/json', Buffer.from([0xff, 0xfe, 0, 0x80, 0xc3])],
  ['text/plain', 'ok'],
  ['application/pdf', '%PDF-1.4\n%%EOF'],
  ['application/pdf', '%PDF-'],
  ['application/zip', greatZip()],
  ['application/zip', 'PK\u0003\u0004'],
  ['application/xml', '<a>'.repeat(100_000)],
  ['image/gif', Buffer.concat([Buffer.from('GIF89a'), Buffer.alloc(100_000, 0x21)])],
  ['image/jpeg', Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(200_000, 0xff)])],
  ['image/png', Buffer.from('89504e470d0a1a0affffffff', 'hex')],
];

/** The heavy ones are few: each of them takes the machine a while, whoever reads it. */
const HEAVY: readonly Mutation[] = [
  { name: 'longer than any', mutate: (answer) => ({ ...answer, headers: json(answer), body: GREAT }) },
  {
    name: 'endless unpacked',
    mutate: (answer) => ({
      ...answer,
      body: ENDLESS,
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    }),
  },
  { name: 'dripping', mutate: (answer) => ({ ...answer, sent: 'dripping' }) },
];
const LIGHT: readonly Mutation[] = [
  {
    name: 'another value',
    mutate: (answer, random) =>
      inside(answer, (holder, key) => void (holder[key] = '@@'), random.oneOf(VALUES)(), random),
  },
  {
    name: 'another value',
    mutate: (answer, random) =>
      inside(answer, (holder, key) => void (holder[key] = '@@'), random.oneOf(VALUES)(), random),
  },
  {
    name: 'one value more',
    mutate: (answer, random) =>
      inside(
        answer,
        (holder) =>
          void (Array.isArray(holder)
            ? holder.push('@@')
            : (holder[random.oneOf(['__proto__x', 'status', 'image', 'k'.repeat(3_000), 'a.b', "$'", ''])] = '@@')),
        random.oneOf(VALUES)(),
        random,
      ),
  },
  {
    name: 'one value less',
    mutate: (answer, random) => inside(answer, (holder, key) => void Reflect.deleteProperty(holder, key), '', random),
  },
  {
    name: 'the same key twice',
    mutate: (answer, random) =>
      another(
        answer,
        answer.body
          .toString('utf8')
          .replace('{', () => `{"id":${random.oneOf(VALUES)().slice(0, 1_000_000)},"project":7,`),
      ),
  },
  {
    name: 'other bytes',
    mutate: (answer, random) => {
      const body = Buffer.from(answer.body);
      for (let time = random.size(40); time > 0 && body.length > 0; time -= 1)
        body[random.below(body.length)] = random.below(256);
      return { ...answer, body };
    },
  },
  {
    name: 'garbage',
    mutate: (answer, random) => {
      const [type, body] = random.oneOf(GARBAGE);
      return another(answer, body, type);
    },
  },
  {
    name: 'another type',
    mutate: (answer, random) => ({
      ...answer,
      headers: {
        'content-type': random.oneOf([
          '',
          'text/html',
          'application/xml; charset=utf-16',
          'multipart/form-data',
          'image/png',
          'x'.repeat(2_000),
        ]),
      },
    }),
  },
  { name: 'cut short', mutate: (answer) => ({ ...answer, sent: 'cut' }) },
  {
    name: 'half of it',
    mutate: (answer, random) => ({ ...answer, body: answer.body.subarray(0, random.below(answer.body.length + 1)) }),
  },
  {
    name: 'another status',
    mutate: (answer, random) => ({
      ...answer,
      status: random.oneOf(STATUSES),
      headers: {
        ...answer.headers,
        location: random.oneOf(['/', '//', 'javascript:1', 'http://[', 'file:///etc/passwd']),
        'retry-after': random.oneOf(RETRY_AFTER),
      },
    }),
  },
  {
    name: 'a refusal',
    mutate: (answer, random) => ({
      ...another(answer, JSON.stringify({ error: { message: random.oneOf(WORDS) } })),
      status: random.oneOf([400, 409, 422, 404, 429]),
    }),
  },
];

/** Another answer than the honest one, and what was done to it. */
export function mutateAnswer(
  honest: WireAnswer,
  random: SeededRandom,
): { readonly name: string; readonly answer: WireAnswer } {
  const { name, mutate } = random.below(60) === 0 ? random.oneOf(HEAVY) : random.oneOf(LIGHT);
  return { name, answer: mutate(honest, random) };
}
