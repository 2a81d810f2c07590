import type { template, TemplateParts } from '../../contract/template-data.ts';
import { markup } from '../../domain/markup.ts';
import { MARKUP_ESCAPES } from '../../domain/text.ts';

export const sheetXml = markup('workbook/sheet');

/** Escapes text for XML content and attributes; `legalText` must have made it legal. */
export function xmlText(text: string) {
  return /[&<>"]/.test(text) ? text.replaceAll(/[&<>"]/g, (character) => MARKUP_ESCAPES[character] ?? character) : text;
}

export function sheetReference(sheet: string) {
  return `'${sheet.replaceAll("'", "''")}'!`;
}

export const XML_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

export function fillPart(fill: ReturnType<typeof template>, parts: TemplateParts) {
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
  | 'image';

export class Relationships {
  readonly #targets = new TextNumbers();

  get isEmpty() {
    return this.#targets.all.length === 0;
  }

  /** A part's path, or an external address. The same target has one id. */
  idOf(kind: RelationshipKind, target: string) {
    const type = kind === 'core-properties' ? CORE_PROPERTIES : `${OFFICE}/${kind}`;
    const mode = kind === 'hyperlink' ? ' TargetMode="External"' : '';
    return `rId${this.#targets.indexOf(`Type="${type}" Target="${xmlText(target)}"${mode}`) + 1}`;
  }

  toXml() {
    const all = this.#targets.all.map((target, index) => `<Relationship Id="rId${index + 1}" ${target}/>`);
    return `${XML_HEAD}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${all.join('')}</Relationships>`;
  }
}

export class TextNumbers {
  readonly #numbers;

  constructor(...first: readonly string[]) {
    this.#numbers = new Map(first.map((text, index) => [text, index]));
  }

  get all() {
    return [...this.#numbers.keys()];
  }

  indexOf(text: string) {
    const number = this.#numbers.get(text) ?? this.#numbers.size;
    this.#numbers.set(text, number);
    return number;
  }
}
