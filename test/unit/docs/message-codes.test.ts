import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const source = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(join(ROOT, 'src', name), 'utf8'))
  .join('\n');
const page = readFileSync(join(ROOT, 'docs/messages.md'), 'utf8');
/** The codes of the table whose heading begins so. */
const listed = (heading: string): readonly string[] =>
  [...(page.split(`\n## ${heading}`)[1]?.split('\n## ')[0] ?? '').matchAll(/^\| `([^`]+)`/gm)].map(
    ([, code = '']) => code,
  );

describe('docs/messages.md', () => {
  test('lists the code of every explained error, in order', () => {
    const used = [
      ...source.matchAll(
        /(?:(?:new ExplainedError|(?:usage|workLeft)Error(?:Of)?|notReadable|ending|throwAsWorkLeft)\((?:failure, |follow \? )?|errorOf\((?:'[\w-]+'|kind),)\s*'([^'/]*)/g,
      ),
    ].map(([, code = '']) => code);
    const kinds = /\bkind:([^;]*);/.exec(source.slice(source.search(/type LedgerProblem =/)))?.[1] ?? '';
    const ledger = [...kinds.matchAll(/'([^']+)'/g)].map(([, kind = '']) =>
      kind === 'another-account' ? kind : `ledger-${kind}`,
    );
    const wanted = new Set([...used, ...ledger, 'command-line-wrong', 'fault']);
    expect(listed('Errors')).toEqual([...wanted].toSorted());
  });

  test('lists every code of an order, in order', () => {
    const type = source.split('export type OrderCode =')[1]?.split(';')[0] ?? '';
    expect(listed('States')).toEqual([...type.matchAll(/'([^']+)'/g)].map(([, code]) => code));
  });

  test('lists the code of every problem of a row', () => {
    const makers = new Set([
      'rejectedRow',
      'wrong',
      'warning',
      'error',
      'fault',
      'asked',
      'warned',
      'problemFor',
      'said',
    ]);
    const used = [...source.matchAll(/'([a-z]+(?:-[a-z0-9]+)+)'/g)].flatMap(({ 1: code = '', index }) => {
      const before = source.slice(Math.max(0, index - 200), index);
      const maker = /(\w+)\((?:[^()]|\([^()]*\))*$/.exec(before)?.[1] ?? '';
      return /\brule: $/.test(before) || makers.has(maker) ? [code] : [];
    });
    // Doctor has a function of its own that is named warning.
    const documented = new Set([...listed('Problems'), ...listed('Findings')]);
    expect([...new Set(used)].filter((code) => !documented.has(code)).toSorted()).toEqual([]);
  });

  test('lists no code of a row that the program does not know', () => {
    expect(listed('Problems').filter((code) => code !== 'repeat-…' && !source.includes(`'${code}'`))).toEqual([]);
  });

  test('lists every kind of news, in order', () => {
    const type = /export type NewsKind =([^;]*);/.exec(source)?.[1] ?? '';
    expect(listed('News')).toEqual(
      [...type.matchAll(/'([^']+)'/g)].map(([, code = '']) => code).toSorted((a, b) => a.localeCompare(b)),
    );
  });

  test('lists every limit that holds a file', () => {
    const limits = /\bhold: group\(\{([^}]*)\}/.exec(source)?.[1] ?? '';
    expect(listed('Why')).toEqual(
      [...limits.matchAll(/(\w+): \w+/g)].map(([, code = '']) => code).toSorted((a, b) => a.localeCompare(b)),
    );
  });

  test('lists every code of a file', () => {
    const maker =
      /(?<!\.)\b(?:noteFor|note|on|add|unreadable|damaged|tooMuch|#tooMuch|UnreadableFileError)\(\s*(?:[\w.#]*reading,\s*)?(?:\w[^'\n]*\? )?'([a-z]+(?:-[a-z0-9]+)*)'(?: : '([^']+)')?/g;
    const used = [...source.matchAll(maker)].flatMap(([, code = '', other]) =>
      other === undefined ? [code] : [code, other],
    );
    const documented = new Set([...listed('Files that'), ...listed('Notes')]);
    expect([...new Set(used)].filter((code) => !documented.has(code))).toEqual([]);
  });

  test('lists every code of an update', () => {
    const update = readdirSync(join(ROOT, 'src/update'))
      .filter((name) => name.endsWith('.ts') && name !== 'read-update-file.ts')
      .map((name) => readFileSync(join(ROOT, 'src/update', name), 'utf8'))
      .join('\n');
    const used = [...update.matchAll(/(?:\bcode: |\b(?:forbidden|notFound|reasonFor|unsafe)\(\s*)'([^'/]+)/g)].map(
      ([, code = '']) => code,
    );
    expect(listed('Outcomes')).toEqual([...new Set(used)].toSorted());
  });

  test('lists every code that doctor alone finds, in order', () => {
    const doctor = readFileSync(join(ROOT, 'src/cli/doctor-command.ts'), 'utf8');
    const used = [...doctor.matchAll(/\b(?:warning|problem|failed)\((?:[^()'`]|'[^']*')*?'([a-z]+(?:-[a-z]+)+)'/g)].map(
      ([, code = '']) => code,
    );
    const errors = new Set(listed('Errors'));
    expect(listed('Findings')).toEqual([...new Set(used)].filter((code) => !errors.has(code)).toSorted());
  });

  test('lists every code of a line of verify, in order', () => {
    const census = ['upkeep/compare-with-service.ts', 'upkeep/take-census.ts', 'cli/verify-command.ts']
      .map((name) => readFileSync(join(ROOT, 'src', name), 'utf8'))
      .join('\n');
    const used = [...census.matchAll(/'[-=*+!]',\s*(?:isFile \? )?'([^'/]+)/g)].map(([, code = '']) => code);
    const states = /const WITHOUT_PROJECT = \{\n(.*?)\n\}/s.exec(census)?.[1];
    const ofStates = [...(states ?? '').matchAll(/^  (\w+): '/gm)].map(([, state = '']) => `order-${state}`);
    const wanted = new Set([...used, ...ofStates, 'file-missing', 'file-different', 'file-unreadable']);
    expect(listed('Lines')).toEqual([...wanted].toSorted());
  });

  test('lists every code of a project without its files, in order', () => {
    const type = source.split('export type ProblemCode =')[1]?.split(';')[0] ?? '';
    expect(listed('Missing')).toEqual([...type.matchAll(/'([^']+)'/g)].map(([, code]) => code));
  });

  test('lists every code of an SFTP file left, in order', () => {
    const sftp = readFileSync(join(ROOT, 'src/collect/sftp/sftp-run.ts'), 'utf8');
    const used = [...sftp.matchAll(/(?:new NotTaken\(|\bcode: |\bleftAlone\(file, )'([^'/]+)/g)].map(
      ([, code = '']) => code,
    );
    expect(listed('Files left')).toEqual([...new Set(used)].toSorted());
  });

  test('lists no code of a file that the program does not know', () => {
    const documented = [...listed('Files that'), ...listed('Notes')];
    expect(documented.filter((code) => !source.includes(`'${code}'`))).toEqual([]);
  });

  test('has codes in kebab-case alone', () => {
    expect(
      [...page.matchAll(/^\| `([^`]+)`/gm)].filter(
        ([, code = '']) => !/^([a-z0-9]+(-[a-z0-9]+)*(-…)?|max\w+|changedLayout)$/.test(code),
      ),
    ).toEqual([]);
  });
});
