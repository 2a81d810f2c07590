import type { template, TemplateParts } from '../../contract/template-data.ts';

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes text for XML content and attributes; `legalText` must have made it legal. */
export function xmlText(text: string): string {
  return /[&<>"]/.test(text) ? text.replaceAll(/[&<>"]/g, (character) => ESCAPES[character] ?? character) : text;
}

export const XML_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** The text of a part of a workbook. */
export function fillPart(fill: ReturnType<typeof template>, parts: TemplateParts): string {
  return XML_HEAD + fill(parts).join('');
}

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const CORE_PROPERTIES = 'http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties';

type RelationshipKind =
  | 'officeDocument'
  | 'core-properties'
  | 'worksheet'
  | 'styles'
  | 'drawing'
  | 'comments'
  | 'vmlDrawing'
  | 'hyperlink'
  | 'image'
  | 'chart';

export class Relationships {
  readonly #all: string[] = [];
  readonly #ids = new Map<string, string>();

  get isEmpty(): boolean {
    return this.#all.length === 0;
  }

  /** A part's path, or an external address. The same target has one id. */
  idOf(kind: RelationshipKind, target: string): string {
    const key = `${kind} ${target}`;
    let id = this.#ids.get(key);
    if (id === undefined) {
      id = `rId${this.#all.length + 1}`;
      this.#ids.set(key, id);
      this.#all.push(
        `<Relationship Id="${id}" Type="${kind === 'core-properties' ? CORE_PROPERTIES : `${OFFICE}/${kind}`}" Target="${xmlText(target)}"${kind === 'hyperlink' ? ' TargetMode="External"' : ''}/>`,
      );
    }
    return id;
  }

  toXml(): string {
    return `${XML_HEAD}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${this.#all.join('')}</Relationships>`;
  }
}
