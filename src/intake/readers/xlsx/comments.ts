import { UnreadableFileError } from '../row-source.ts';
import type { Package } from './package.ts';
import type { XmlAttributes } from './xml-events.ts';
import { readXmlPart } from './xml-part.ts';

/** In front of the comments of a thread, for programs that know no threads. */
const THREAD = /^\[Threaded comment\][^]*?\n\s*(?:Comment:|Kommentar:)\s*/;
const COMMENTS_MAX = 1_000;

/** At most the first thousand; none if the part is damaged, because rows do not depend on it. */
export async function readComments(pack: Package, partName: string) {
  const comments: { cell: string; author: string; text: string }[] = [];
  const authors: string[] = [];
  let collects: 'author' | 'text' | undefined;
  const handler = {
    open(name: string, attributes: XmlAttributes) {
      if (name === 'comment' && comments.length < COMMENTS_MAX)
        comments.push({
          cell: attributes['ref'] ?? '',
          author: authors[Number(attributes['authorId'])] ?? '',
          text: '',
        });
      if (name === 'author') authors.push('');
      collects = name === 'author' ? 'author' : name === 't' ? 'text' : undefined;
    },
    close() {
      collects = undefined;
    },
    text(text: string) {
      const last = comments.at(-1);
      if (collects === 'author') authors.push((authors.pop() ?? '') + text);
      else if (collects === 'text' && last !== undefined) last.text += text;
    },
  };
  try {
    await readXmlPart(pack, partName, handler);
  } catch (failure) {
    if (!(failure instanceof UnreadableFileError)) throw failure;
    return [];
  }
  return comments.map(({ cell, author, text }) => {
    const said = text.startsWith(`${author}:`) ? text.slice(author.length + 1) : text;
    return { cell, text: said.replace(THREAD, '').replace(/\s+/g, ' ').trim() };
  });
}
