import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

/**
 * A list of words that comes with the program as templates/vocabulary/<name>.yaml: read when it is asked for first, and then kept.
 * @param schema what the file must hold. The file is our own, so one that does not fit is a fault of the program: it throws.
 */
export function vocabulary<Words>(name: string, schema: z.ZodType<Words>): () => Words {
  let words: Words | undefined;
  return () => (words ??= schema.parse(parse(readFileSync(join(FOLDER, `${name}.yaml`), 'utf8'))));
}

/** Beside the nearest package.json: from the sources and from dist/ alike. */
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
