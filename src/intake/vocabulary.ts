import { z } from 'zod';
import { templateData } from '../contract/template-data.ts';

/** Reads templates/vocabulary/<name>.yaml at the first call. */
export function vocabulary<Words>(name: string, schema: z.ZodType<Words>) {
  return templateData(`vocabulary/${name}`, schema);
}

/** Safe in a regular expression. */
export const phrases = z.array(z.string().regex(/^[a-z\d][a-z\d' :/-]*$/)).min(1);

/** `avenue: [ave, av]` gives `avenue` for `ave` and `av`. */
export const wordsByForm = z
  .record(z.string(), z.array(z.string()))
  .transform(
    (lists) => new Map(Object.entries(lists).flatMap(([word, forms]) => forms.map((form) => [form, word] as const))),
  );

export const WORD_END = '(?![\\p{L}\\p{N}])';

/** A blank matches hyphens as well; an apostrophe may be curly, or left out. */
export function oneOf(...lists: readonly (readonly string[])[]) {
  const texts = lists.flat().map((phrase) => phrase.replaceAll(' ', '[\\s_-]+').replaceAll("'", "['’]?"));
  return `(?:${texts.join('|')})`;
}

export const pattern = z.string().transform((text) => new RegExp(text, 'iu'));
