import { z } from 'zod';
import { templateData } from '../contract/template-data.ts';

/** Returns a function that gives the words of templates/vocabulary/<name>.yaml, read once. */
export function vocabulary<Words>(name: string, schema: z.ZodType<Words>): () => Words {
  return templateData(`vocabulary/${name}`, schema);
}

/** A list of words and phrases in small letters: nothing that means something else in a regular expression. */
export const phrases = z.array(z.string().regex(/^[a-z\d][a-z\d' :/-]*$/)).min(1);

/** The end of a word, in a regular expression with the flag `u`. */
export const WORD_END = '(?![\\p{L}\\p{N}])';

/** The source of a regular expression for any of the phrases; a blank in them stands for hyphens as well, and an apostrophe may be curly, or left out. */
export function oneOf(...lists: readonly (readonly string[])[]): string {
  const texts = lists.flat().map((phrase) => phrase.replaceAll(' ', '[\\s_-]+').replaceAll("'", "['’]?"));
  return `(?:${texts.join('|')})`;
}
