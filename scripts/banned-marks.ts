/**
 * Counts the words that docs/style.md advises against, in pages, messages, comments and test names.
 *
 *   npx node scripts/banned-marks.ts [--list docs|messages|comments|tests]
 *
 * test/unit/docs/banned-marks.test.ts keeps the banned ones at none.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseSync, Visitor, type ArrayExpressionElement } from 'oxc-parser';

const ROOT = join(import.meta.dirname, '..');

/** Written by commands, or about the words themselves. */
const NOT_OURS = /^docs\/(?:style|conformance|performance|commands|settings)\.md$|^docs\/(?:measured|examples)\//;

export interface Mark {
  readonly word: string;
  readonly pattern: RegExp;
  /** Nothing may have it. Otherwise it is only counted, since it is English as well. */
  readonly isBanned: boolean;
}

export interface Found {
  /** Relative to the root, with `/`. */
  readonly file: string;
  readonly line: number;
  readonly mark: Mark;
}

/** The marks of the table in a style page. */
export function marksOf(page: string): readonly Mark[] {
  return [...page.matchAll(/^\| ((?:`[^`]+`(?:, )?)+) \| [^|]+ \| (ban|count) \|$/gm)].flatMap(([, words = '', rule]) =>
    [...words.matchAll(/`([^`]+)`/g)].map(([, word = '']) => ({
      word,
      pattern: new RegExp(String.raw`\b${word}\b`, 'gi'),
      isBanned: rule === 'ban',
    })),
  );
}

/** A text without its code (also conditions of attention rules) and quotations; lines keep their numbers. */
function proseOf(page: string): string {
  return page.replaceAll(
    /^```[\s\S]*?^```$|^ *- when:.*$|<!--[\s\S]*?-->|`[^`\n]*`|“[^”\n]*”|\]\([^)\n]*\)/gm,
    (text) => text.replaceAll(/[^\n]/g, ' '),
  );
}

const unions = new WeakMap<readonly Mark[], RegExp>();

/** All of them in one: most files have none. */
function anyOf(marks: readonly Mark[]): RegExp {
  const held = unions.get(marks) ?? new RegExp(marks.map(({ pattern }) => pattern.source).join('|'), 'i');
  unions.set(marks, held);
  return held;
}

/** SQL is in capitals. */
export function marksIn(file: string, text: string, marks: readonly Mark[]): readonly Found[] {
  const prose = proseOf(text);
  return marks.flatMap((mark) =>
    [...prose.matchAll(mark.pattern)]
      .filter(([word]) => word !== word.toUpperCase())
      .map(({ index }) => ({ file, line: prose.slice(0, index).split('\n').length, mark })),
  );
}

function filesUnder(folder: string, ending: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name).replaceAll('\\', '/'))
    .toSorted();
}

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

export function pages(): readonly string[] {
  const own = readdirSync(ROOT).filter((name) => name.endsWith('.md'));
  return [...own, ...filesUnder('docs', '.md')].filter((file) => !NOT_OURS.test(file));
}

/** Values of `--json`, which never change. */
const FIXED_VALUES: ReadonlySet<string> = new Set(['going on']);

/** Templates of workspaces, of the page and of the workbooks. */
const TEMPLATES = /^templates\/(?:[^/]+|page\/[^/]+|vocabulary\/fields)\.(?:example|html|yaml)$/;

interface Text {
  readonly start: number;
  readonly text: string;
}

/** The name of a test, or those in a table; a name in a table that begins with a capital letter is sample data. */
function namesIn(node: ArrayExpressionElement | undefined, source: string): readonly Text[] {
  const nameOf = (name: ArrayExpressionElement | undefined): Text[] =>
    name?.type === 'Literal' || name?.type === 'TemplateLiteral'
      ? [{ start: name.start, text: source.slice(name.start + 1, name.end - 1) }]
      : [];
  if (node?.type === 'TSAsExpression') return namesIn(node.expression, source);
  if (node?.type !== 'ArrayExpression') return nameOf(node);
  return node.elements
    .flatMap((row) => nameOf(row?.type === 'ArrayExpression' ? row.elements[0] : row))
    .filter(({ text }) => !/^\p{Lu}/u.test(text));
}

function textsIn(file: string, source: string, area: 'messages' | 'comments' | 'tests'): readonly Text[] {
  const { program, comments } = parseSync(file, source);
  if (area === 'comments') return comments.map(({ start, value }) => ({ start, text: value }));
  const texts: Text[] = [];
  const visitor =
    area === 'messages'
      ? new Visitor({
          Literal: ({ start, value }) => void (typeof value === 'string' && texts.push({ start, text: value })),
          TemplateElement: ({ start, value }) => void texts.push({ start, text: value.cooked ?? '' }),
        })
      : new Visitor({
          CallExpression: ({ callee, arguments: [name] }) => {
            if (/^(?:test|describe|it)\b/.test(source.slice(callee.start, callee.end)))
              texts.push(...namesIn(name, source));
          },
        });
  visitor.visit(program);
  return texts.filter(({ text }) => text.includes(' ') && !FIXED_VALUES.has(text));
}

/** Each area with its marks. A message is a string literal with a space, or a line of a template that people read. */
export function allMarks(
  rule: 'ban' | 'all' = 'all',
): Readonly<Record<'docs' | 'messages' | 'comments' | 'tests', readonly Found[]>> {
  const marks = marksOf(read('docs/style.md')).filter(({ isBanned }) => isBanned || rule === 'all');
  const inPages = (files: readonly string[]): readonly Found[] =>
    files.flatMap((file) => marksIn(file, read(file), marks));
  const inCode = (folder: string, area: 'messages' | 'comments' | 'tests'): readonly Found[] =>
    filesUnder(folder, '.ts').flatMap((file) => {
      const source = read(file);
      // To parse it takes a hundred times as long.
      if (!anyOf(marks).test(source)) return [];
      return textsIn(file, source, area).flatMap(({ start, text }) =>
        marksIn(file, text, marks).map((found) => ({
          ...found,
          line: found.line + source.slice(0, start).split('\n').length - 1,
        })),
      );
    });
  return {
    docs: inPages(pages()),
    messages: [
      ...inCode('src', 'messages'),
      ...inPages(filesUnder('templates', '').filter((file) => TEMPLATES.test(file))),
    ],
    comments: inCode('src', 'comments'),
    tests: inCode('test', 'tests'),
  };
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function main(list: string | undefined): void {
  for (const [area, all] of Object.entries(allMarks())) {
    const counted = Object.entries(Object.groupBy(all, ({ mark }) => mark.word))
      .map(([word, each]) => [word, each?.length ?? 0] as const)
      .toSorted(([, a], [, b]) => b - a);
    const banned = all.filter(({ mark }) => mark.isBanned).length;
    print(
      `${area}: ${banned} banned, ${all.length - banned} counted (${counted.map((pair) => pair.join(' ')).join(', ')})`,
    );
    if (area === list)
      for (const { file, line, mark } of all)
        print(`  ${relative(process.cwd(), join(ROOT, file))}:${line} ${mark.word}`);
  }
}

if (import.meta.main) main(process.argv[process.argv.indexOf('--list') + 1]);
