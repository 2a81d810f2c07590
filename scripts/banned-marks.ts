/**
 * Counts the words that docs/style.md advises against, in pages, messages, comments and test names.
 *
 *   node scripts/banned-marks.ts [--list docs|messages|comments|tests]
 *
 * It only warns: test/unit/docs/banned-marks.test.ts keeps the pages at none.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';

const ROOT = join(import.meta.dirname, '..');

/** Written by commands, or a record of the past. */
const NOT_OURS =
  /^docs\/(?:style|conformance|performance|commands|settings)\.md$|^docs\/(?:decisions|measured|examples)\//;

export interface Mark {
  readonly word: string;
  readonly pattern: RegExp;
  /** Pages must not have it. Otherwise it is counted, since it is English as well. */
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

/** A text without its code and quotations, which may say anything; lines keep their numbers. */
function proseOf(page: string): string {
  return page.replaceAll(/^```[\s\S]*?^```$|<!--[\s\S]*?-->|`[^`\n]*`|“[^”\n]*”|\]\([^)\n]*\)/gm, (text) =>
    text.replaceAll(/[^\n]/g, ' '),
  );
}

export function marksIn(file: string, text: string, marks: readonly Mark[]): readonly Found[] {
  const prose = proseOf(text);
  return marks.flatMap((mark) =>
    [...prose.matchAll(mark.pattern)].map(({ index }) => ({
      file,
      line: prose.slice(0, index).split('\n').length,
      mark,
    })),
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

/** The marks of all pages. */
export function marksOfPages(): readonly Found[] {
  const marks = marksOf(read('docs/style.md'));
  return pages().flatMap((file) => marksIn(file, read(file), marks));
}

/** Comments, or string literals with a blank in them, each at its own line. */
function marksOfCode(file: string, marks: readonly Mark[], part: 'comments' | 'messages' | 'tests'): readonly Found[] {
  const source = read(file);
  const { program, comments } = parseSync(file, source);
  const texts: { readonly start: number; readonly text: string }[] = [];
  if (part === 'comments') texts.push(...comments.map(({ start, value }) => ({ start, text: value })));
  else if (part === 'messages') {
    new Visitor({
      Literal: ({ start, value }) => void (typeof value === 'string' && texts.push({ start, text: value })),
      TemplateElement: ({ start, value }) => void texts.push({ start, text: value.cooked ?? '' }),
    }).visit(program);
  } else {
    new Visitor({
      CallExpression: ({ callee, arguments: [name] }) => {
        if (!/^(?:test|describe|it)\b/.test(source.slice(callee.start, callee.end)) || name === undefined) return;
        texts.push({ start: name.start, text: source.slice(name.start + 1, name.end - 1) });
      },
    }).visit(program);
  }
  return texts
    .filter(({ text }) => text.includes(' '))
    .flatMap(({ start, text }) =>
      marksIn(file, text, marks).map((found) => ({
        ...found,
        line: found.line + source.slice(0, start).split('\n').length - 1,
      })),
    );
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function main(list: string | undefined): void {
  const marks = marksOf(read('docs/style.md'));
  const found = {
    docs: marksOfPages(),
    messages: filesUnder('src', '.ts').flatMap((file) => marksOfCode(file, marks, 'messages')),
    comments: filesUnder('src', '.ts').flatMap((file) => marksOfCode(file, marks, 'comments')),
    tests: filesUnder('test', '.test.ts').flatMap((file) => marksOfCode(file, marks, 'tests')),
  };
  for (const [area, all] of Object.entries(found)) {
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
