import type { CatalogueIndex } from './catalogue-index.ts';

/** `CompositeShingles` → `composite shingles`, `hasATV` → `has ATV`. */
export function wordsOf(name: string): string {
  return name
    .replaceAll(String.raw`\.`, '.')
    .replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, ' ')
    .replaceAll(/(?<=[A-Z])(?=[A-Z][a-z])/g, ' ')
    .replaceAll(/[_\s\p{Cc}]+/gu, ' ')
    .trim()
    .split(' ')
    .map((word) => (/^[A-Z][a-z]/.test(word) ? word.toLowerCase() : word))
    .join(' ');
}

export function capitalised(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** A service's code as words: `STAIRS_WITHOUT_HANDRAIL` is `Stairs without handrail`. Other text is left as it is. */
export function codeInWords(text: string): string {
  const isCode = /^[A-Z\d]+(?:_[A-Z\d]+)*$/i.test(text) && (text.includes('_') || text === text.toUpperCase());
  return isCode ? capitalised(text.replaceAll('_', ' ').toLowerCase()) : text;
}

/** The group and the name of an attribute that the catalogue does not know, from the company it keeps. */
export function unknownName(path: string, index: CatalogueIndex): { readonly group: string; readonly name: string } {
  const parts = stepsOf(path);
  for (let kept = parts.length - 1; kept > 0; kept -= 1) {
    const group = index.groups.get(parts.slice(0, kept).join('.'));
    const rest = parts.slice(kept);
    if (group === undefined || rest.length === 0) continue;
    // Right below `summary` stand sections: an unknown one is a group of its own.
    if (kept === 1 && rest.length > 1) return { group: capitalised(wordsOf(rest[0] ?? '')), name: rest.slice(1).map(wordsOf).join(', ') };
    return { group, name: rest.map(wordsOf).join(', ') };
  }
  return { group: 'Report', name: parts.map(wordsOf).join(', ') || 'value' };
}

/** The steps of a path; a dot inside a name is written `\.`. */
export function stepsOf(path: string): string[] {
  return path.split(/(?<!\\)\./);
}

/** Hands out titles that differ, whatever the case of their letters. */
export class UniqueTitles {
  readonly #taken: Set<string>;

  constructor(taken: readonly string[] = []) {
    this.#taken = new Set(taken.map((title) => title.toLowerCase()));
  }

  /** The title itself, or with the path behind it, or with a number. */
  take(title: string, path: string): string {
    const named = this.#taken.has(title.toLowerCase()) ? `${title} (${path})` : title;
    let unique = named;
    for (let number = 2; this.#taken.has(unique.toLowerCase()); number += 1) unique = `${named} ${number}`;
    this.#taken.add(unique.toLowerCase());
    return unique;
  }
}
