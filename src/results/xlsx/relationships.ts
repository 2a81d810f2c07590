import { XML_HEAD, xmlText } from './xml-text.ts';

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

export type RelationshipKind = 'worksheet' | 'styles' | 'theme' | 'drawing' | 'comments' | 'vmlDrawing' | 'hyperlink' | 'image' | 'chart';

/** The relationships of one part of a workbook: what it names by an id. */
export class Relationships {
  readonly #all: string[] = [];
  readonly #ids = new Map<string, string>();

  get isEmpty(): boolean {
    return this.#all.length === 0;
  }

  /** The id of a target: a part's path, or, for a hyperlink, an address outside the workbook. The same target has one id. */
  idOf(kind: RelationshipKind, target: string): string {
    const key = `${kind} ${target}`;
    let id = this.#ids.get(key);
    if (id === undefined) {
      id = `rId${this.#all.length + 1}`;
      this.#ids.set(key, id);
      this.#all.push(`<Relationship Id="${id}" Type="${OFFICE}/${kind}" Target="${xmlText(target)}"${kind === 'hyperlink' ? ' TargetMode="External"' : ''}/>`);
    }
    return id;
  }

  toXml(): string {
    return `${XML_HEAD}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${this.#all.join('')}</Relationships>`;
  }
}
