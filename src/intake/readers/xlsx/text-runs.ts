/* The runs of rich text, and which of them are struck through. */

import { unescapeCharacters } from './plain-xml.ts';
import { isTrue, type XmlAttributes } from './xml-events.ts';

/** A run of rich text. */
export interface TextRun {
  text: string;
  /** Undefined where the run has no font of its own, and so that of its cell. */
  struck: boolean | undefined;
}

/** Whether an element of a font strikes its text through. */
export function strikes(name: string, attributes: XmlAttributes): boolean {
  return name === 'strike' && (attributes['val'] === undefined || isTrue(attributes['val']));
}

/** Notes what an element inside a run, so many levels below it, says of its font. */
export function noteFont(run: TextRun | undefined, name: string, attributes: XmlAttributes, below: number): void {
  if (run === undefined) return;
  if (below === 1 && name === 'rPr') run.struck = false;
  else if (below === 2 && run.struck === false && strikes(name, attributes)) run.struck = true;
}

/** What of runs is struck through, and the rest, without the blanks that are left around them. */
export function textsOf(runs: readonly TextRun[], isStruck: boolean): readonly [struck: string, kept: string] {
  const joined = (wanted: boolean): string =>
    unescapeCharacters(
      runs
        .filter(({ struck = isStruck }) => struck === wanted)
        .map(({ text }) => text)
        .join(''),
    )
      .replace(/ {2,}/g, ' ')
      .trim();
  return [joined(true), joined(false)];
}
