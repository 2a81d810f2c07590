/**
 * Checks every relative link and image in the pages: the file exists, the heading exists, and a page that is published links only to
 * published files. `npx node scripts/check-links.ts` ends with 1 if a link is broken.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const { files: published } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly files: readonly string[];
};
/** npm always publishes these. */
const ALWAYS = ['README.md', 'LICENSE', 'package.json'];
/** For people who have a checkout anyway. */
const FOR_CHECKOUTS = new Set(['CONTRIBUTING.md']);

function isPublished(path: string): boolean {
  const isIn = (entry: string): boolean => path === entry || path.startsWith(`${entry}/`);
  if (published.some((entry) => entry.startsWith('!') && isIn(entry.slice(1)))) return false;
  return [...ALWAYS, ...published].some(isIn);
}

/** As GitHub makes them: lower case, without punctuation, hyphens for blanks. */
export function anchorsOf(page: string): ReadonlySet<string> {
  const prose = page.replaceAll(/^```[\s\S]*?^```$/gm, '');
  return new Set(
    [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, (_, text: string) => text)
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replaceAll(' ', '-'),
    ),
  );
}

/** The targets of all links and images outside of code. */
export function linksOf(page: string): readonly string[] {
  const prose = page.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '').replaceAll(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
}

function problemOf(file: string, target: string): string | undefined {
  if (/^[a-z]+:/.test(target)) return undefined;
  const [path = '', anchor] = target.split('#');
  const to = path === '' ? join(ROOT, file) : resolve(ROOT, dirname(file), decodeURI(path));
  const inside = relative(ROOT, to).replaceAll('\\', '/');
  if (!existsSync(to)) return 'does not exist';
  if (anchor !== undefined && statSync(to).isFile() && !anchorsOf(readFileSync(to, 'utf8')).has(anchor))
    return 'has no such heading';
  const isMissing = isPublished(file) && !isPublished(inside) && !FOR_CHECKOUTS.has(inside);
  return isMissing ? 'is not in the package' : undefined;
}

/** Each broken link as a line. */
export function brokenLinks(): readonly string[] {
  const pages = [
    ...readdirSync(ROOT),
    ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => `docs/${name}`),
    ...readdirSync(join(ROOT, 'src')).map((room) => `src/${room}/README.md`),
  ]
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.md') && existsSync(join(ROOT, file)));
  return pages.flatMap((file) =>
    linksOf(readFileSync(join(ROOT, file), 'utf8')).flatMap((target) => {
      const problem = problemOf(file, target);
      return problem === undefined ? [] : [`${file}: ${target} ${problem}`];
    }),
  );
}

if (import.meta.main) {
  const broken = brokenLinks();
  for (const line of broken) process.stderr.write(`${line}\n`);
  process.exitCode = broken.length === 0 ? 0 : 1;
}
