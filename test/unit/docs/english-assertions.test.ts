import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { describe, expect, test } from 'vitest';

/** Lower it with each one that goes. */
const ALLOWED = 107;

const TESTS = join(import.meta.dirname, '../..');
/** Four words in a row, of which the second or third has no capital: no address, no name, no SQL. */
const SENTENCE =
  /(?<!\w)[A-Z]?[a-z’']*[,;:]? (?:[a-z’']+[,;:]? [A-Z]?[a-z’']+|[A-Z]?[a-z’']+[,;:]? [a-z’']+)[,;:]? [A-Z]?[a-z’']+\b/;

/** From `expect` to the end of its statement, by its indentation: where none holds a sentence, nothing need be parsed. */
const ASSERTION = /^( *).*\bexpect\b(?:.*\n\1 )*.*/gm;

/** The lines of a test's assertions that hold an English sentence: they break when it is mended. */
function englishAssertions(source: string): readonly number[] {
  const pinned = new Set<number>();
  let [start, end] = [0, 0];
  const look = (node: { readonly start: number }, text: string): void => {
    if (node.start < end && SENTENCE.test(text)) pinned.add(start);
  };
  new Visitor({
    ExpressionStatement: (node) => {
      if (/^(?:await )?expect\b/.test(source.slice(node.start, node.end))) ({ start, end } = node);
    },
    Literal: (node) =>
      look(node, 'regex' in node ? node.regex.pattern.replaceAll(/\\s|[\\()^]/g, '') : String(node.value)),
    TemplateLiteral: (node) => look(node, node.quasis.map(({ value }) => value.cooked).join('7')),
  }).visit(parseSync('a.test.ts', source).program);
  return [...pinned].map((at) => source.slice(0, at).split('\n').length);
}

describe('assertions', () => {
  test('hold no more English sentences than before', () => {
    const found = readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => [name, readFileSync(join(TESTS, name), 'utf8')] as const)
      .filter(([, source]) => (source.match(ASSERTION) ?? []).some((text) => SENTENCE.test(text)))
      .flatMap(([name, source]) => englishAssertions(source).map((line) => `${name}:${line}`));
    // Assert codes and facts: a snapshot holds the sentences.
    expect(found.length > ALLOWED ? found : []).toEqual([]);
  });
});
