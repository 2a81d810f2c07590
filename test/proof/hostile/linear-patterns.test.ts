import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { expect, test, vi } from 'vitest';
import { PACKAGE_ROOT } from '../../support/command-line.ts';
import { inMemorySource } from '../../support/in-memory-source.ts';

/** The rooms whose patterns meet what strangers wrote: cells, headers, names of files and sheets. */
const ROOMS = ['intake', 'submit', 'update', 'domain', 'contract', 'ledger'];

interface Pattern {
  readonly where: string;
  readonly pattern: RegExp;
}

/** Every pattern that is written out in the sources. */
function writtenPatterns(): readonly Pattern[] {
  const found: Pattern[] = [];
  for (const room of ROOMS) {
    const folder = join(PACKAGE_ROOT, 'src', room);
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.ts') && !/\.test\.ts$|(?:^|\/)(?:testing|conformance)\//.test(name),
    );
    for (const name of names) {
      const source = readFileSync(join(folder, name), 'utf8');
      new Visitor({
        Literal(node) {
          if ('regex' in node)
            found.push({
              where: `${room}/${name}:${String(source.slice(0, node.start).split('\n').length)}`,
              pattern: new RegExp(node.regex.pattern, node.regex.flags),
            });
        },
      }).visit(parseSync(name, source).program);
    }
  }
  return found;
}

/** One character for each class that patterns name. */
const CLASSES: readonly (readonly [written: RegExp, stands: string])[] = [
  [/\\s|\\p\{Zs\}/g, ' '],
  [/\\d|\\p\{N\}/g, '1'],
  [/\\w|\\p\{L\}|\\p\{Lu\}/g, 'a'],
  [/\\p\{M\}/g, '\u0301'],
  [/\\p\{C[a-z]\}/g, '\u200b'],
  [/\\n/g, '\n'],
  [/\\r/g, '\r'],
  [/\\t/g, '\t'],
];

/** What a pattern is made of: its literal stretches, and one character for each of its letters and classes. */
function piecesOf({ source }: RegExp): readonly string[] {
  let plain = source;
  const pieces = new Set<string>([' ', 'a', '1']);
  for (const [written, stands] of CLASSES) {
    if (plain.search(written) !== -1) pieces.add(stands);
    plain = plain.replace(written, stands);
  }
  plain = plain
    .replace(/\(\?(?:<?[=!]|<\w+>|:)/g, '(')
    .replace(/\\[bB]/g, '')
    .replace(/\\u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  for (const stretch of plain.replace(/\\(.)/g, '$1').split(/[()|?*+{}^$]|\[\^?|\]/)) {
    if (stretch.length > 1) pieces.add(stretch);
    for (const letter of stretch.slice(0, 3)) pieces.add(letter);
  }
  for (const [, mark] of plain.matchAll(/\\([[\](){}"'.*+?|/\\$^])/g)) pieces.add(mark ?? '');
  return [...pieces].slice(0, 24);
}

/** Texts that a pattern which looks back or ahead again and again takes long for: what it is made of, over and over, and nothing that ends it. */
function* attacks(pieces: readonly string[], length: number): Generator<string> {
  for (const piece of pieces) {
    const body = piece.repeat(Math.ceil(length / piece.length));
    for (const before of ['', ...pieces]) yield `${before}${body}`;
    for (const other of pieces)
      if (other !== piece) yield (piece + other).repeat(Math.ceil(length / (piece.length + other.length)));
  }
}

/** First short ones, for patterns that would never end on a long one. */
const LENGTHS = [18, 26, 12_000];
/** A pattern without `*`, `+` or `{n,}` reads so many characters at each place, however long the text is. */
const REPEATS = /[*+]|\{\d+,\}/;
/** What a linear pattern takes for the longest is some hundredths of this, and a quadratic one several times as much. */
const MS_MAX = 2;
/** Ten times the text, at most fifteen times the time. */
const [LONGER, SLOWER_MAX] = [10, 15];

/** Of processor time: the machine may have other things to do. */
function msOf(pattern: RegExp, text: string): number {
  const began = process.cpuUsage();
  text.replace(pattern, '');
  return process.cpuUsage(began).user / 1000;
}

/** The best of several, the first of which may compile the pattern. */
function bestMsOf(pattern: RegExp, text: string): number {
  return Math.min(...Array.from({ length: 6 }, () => msOf(pattern, text)));
}

/** The text that a pattern takes far too long for, or undefined. */
function slowText(pattern: RegExp): string | undefined {
  const pieces = piecesOf(pattern);
  for (const length of LENGTHS) {
    for (const attack of attacks(pieces, length)) {
      for (const text of [`${attack}\u0001`, `${attack}a`]) {
        if (msOf(pattern, text) < MS_MAX) continue;
        const ms = bestMsOf(pattern, text);
        if (
          ms > MS_MAX &&
          ms > SLOWER_MAX * bestMsOf(pattern, `${text.slice(0, text.length / LONGER)}${text.at(-1) ?? ''}`)
        )
          return text;
      }
    }
  }
  return undefined;
}

/** Patterns that are put together when the rooms are loaded. */
async function builtPatterns(): Promise<readonly Pattern[]> {
  const found: Pattern[] = [];
  const Original = RegExp;
  vi.stubGlobal(
    'RegExp',
    new Proxy(Original, {
      construct(target, [pattern, flags]: [string | RegExp, string | undefined]) {
        const built = new target(pattern, flags);
        found.push({ where: 'built', pattern: built });
        return built;
      },
    }),
  );
  vi.resetModules();
  await import('../../../src/update/read-update-file.ts');
  const { readSource } = await import('../../../src/intake/read-orders.ts');
  await import('../../../src/submit/take-in.ts');
  // Vocabulary becomes patterns when it is first needed.
  const source = inMemorySource({
    Orders: [
      [
        'Insured name',
        'Street address',
        'City',
        'State',
        'ZIP code',
        'Phone',
        'Dwelling coverage',
        'Effective date',
        'Status',
      ],
      ['Ann Lee', '12 Oak St #3', 'Tampa', 'FL', '33609', '813-555-0142', '$250,000', '1/2/2027', 'new'],
      ['Total: 1'],
    ],
  });
  const reading = await readSource(source, 'orders.xlsx', { headers: {}, today: '2026-11-23' });
  await Array.fromAsync(reading.rows());
  vi.unstubAllGlobals();
  return found;
}

test('every pattern for untrusted text takes linear time', { timeout: 600_000 }, async () => {
  const patterns = [
    ...writtenPatterns(),
    ...(await builtPatterns()).filter(({ pattern }) => pattern.source.length > 1),
  ];
  expect(patterns.length).toBeGreaterThan(250);
  expect(
    patterns
      .filter(({ where }) => where === 'built')
      .map(({ pattern }) => pattern.source)
      .join(),
  ).toContain('grand');
  const repeating = new Map(
    patterns.filter(({ pattern }) => REPEATS.test(pattern.source)).map((each) => [String(each.pattern), each]),
  );
  expect(repeating.size).toBeGreaterThan(150);
  const slow = [...repeating.values()].flatMap(({ where, pattern }) => {
    const text = slowText(pattern);
    return text === undefined ? [] : [`${where} ${String(pattern)} on ${JSON.stringify(text.slice(0, 24))}…`];
  });
  expect(slow).toEqual([]);
});

test.each([/\s+$/, /<!--[\s\S]*?-->/g, /^(?:\d+,?)+x$/, /^\s*(general|standard)?\s*$/i])(
  'slowText finds the slow pattern %s',
  (pattern) => {
    expect(slowText(pattern)).toBeDefined();
  },
);
