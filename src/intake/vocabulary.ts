import { existsSync, readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

/**
 * Returns a function that gives the words of templates/vocabulary/<name>.yaml, read once.
 *
 * @throws ZodError if the file, our own, does not have the shape of the schema
 */
export function vocabulary<Words>(name: string, schema: z.ZodType<Words>): () => Words {
  let words: Words | undefined;
  return () => (words ??= schema.parse(content(name)));
}

/** To parse YAML takes some 50 ms, so the build writes it as JSON next to the bundle. */
function content(name: string): unknown {
  const built = new URL(`vocabulary/${name}.json`, import.meta.url);
  return existsSync(built)
    ? JSON.parse(readFileSync(built, 'utf8'))
    : parse(readFileSync(join(FOLDER, `${name}.yaml`), 'utf8'));
}

const FOLDER = join(findPackageJSON(import.meta.url) ?? '', '../templates/vocabulary');

/** A list of words and phrases in small letters: nothing that means something else in a regular expression. */
export const phrases = z.array(z.string().regex(/^[a-z\d][a-z\d' :/-]*$/)).min(1);

/** The end of a word, in a regular expression with the flag `u`. */
export const WORD_END = '(?![\\p{L}\\p{N}])';

/** The source of a regular expression for any of the phrases; a blank in them stands for hyphens as well, and an apostrophe may be curly, or left out. */
export function oneOf(...lists: readonly (readonly string[])[]): string {
  const texts = lists.flat().map((phrase) => phrase.replaceAll(' ', '[\\s_-]+').replaceAll("'", "['’]?"));
  return `(?:${texts.join('|')})`;
}
