import { unescapeCharacters } from './plain-xml.ts';
import { isTrue, type XmlAttributes } from './xml-events.ts';

export interface TextRun {
  text: string;
  /** Undefined if the run has its cell's font. */
  struck: boolean | undefined;
}

export function strikes(name: string, attributes: XmlAttributes): boolean {
  return name === 'strike' && (attributes['val'] === undefined || isTrue(attributes['val']));
}

export function noteFont(run: TextRun | undefined, name: string, attributes: XmlAttributes, below: number): void {
  if (run === undefined) return;
  if (below === 1 && name === 'rPr') run.struck = false;
  else if (below === 2 && run.struck === false && strikes(name, attributes)) run.struck = true;
}

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
