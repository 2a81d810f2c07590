import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const source = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(join(ROOT, 'src', name), 'utf8'))
  .join('\n');
const page = readFileSync(join(ROOT, 'docs/messages.md'), 'utf8');
const listed = (heading: string): readonly string[] =>
  [...(page.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '').matchAll(/^\| `([^`]+)`/gm)].map(
    ([, code = '']) => code,
  );

describe('docs/messages.md', () => {
  test('lists the code of every explained error, in order', () => {
    const used = [...source.matchAll(/(?:new ExplainedError|usageError)\(\s*'([^']*)'/g)].map(([, code = '']) => code);
    const kinds = /readonly kind:([^;]*);/.exec(source.slice(source.indexOf('interface LedgerProblem')))?.[1] ?? '';
    const ledger = [...kinds.matchAll(/'([^']+)'/g)].map(([, kind = '']) =>
      kind === 'another-account' ? kind : `ledger-${kind}`,
    );
    const wanted = new Set([...used, ...ledger, 'command-line-wrong', 'fault']);
    expect(listed('Errors that stop a command')).toEqual([...wanted].toSorted());
  });

  test('lists every code of an order, in order', () => {
    const type = source.split('export type OrderCode =')[1]?.split(';')[0] ?? '';
    expect(listed('Why an order is where it is')).toEqual([...type.matchAll(/'([^']+)'/g)].map(([, code]) => code));
  });

  test('has codes in kebab-case alone', () => {
    expect(
      [...page.matchAll(/^\| `([^`]+)`/gm)].filter(([, code = '']) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(code)),
    ).toEqual([]);
  });
});
