/**
 * Reads plain UTF-8 XML for the fast scans. If a scan meets anything unexpected, it gives up and the tolerant scanner
 * continues.
 */

const SPACE = 0x20;
const QUOTE = 0x22;
const AMPERSAND = 0x26;
const SLASH = 0x2f;
const LESS = 0x3c;
const EQUALS = 0x3d;
const GREATER = 0x3e;
const CR = 0x0d;
const NOTHING = 0xff;

const ENTITIES = ['&amp;', '&lt;', '&gt;', '&quot;', '&apos;'].map((written, place) => ({
  written,
  bytes: Buffer.from(written),
  code: '&<>"\''.charCodeAt(place),
}));

/** By character code: how many bytes longer the entity is than its character. */
export const ENTITY_BYTES: Readonly<Record<number, number>> = Object.fromEntries(
  ENTITIES.map(({ bytes, code }) => [code, bytes.length - 1]),
);

/** 0 if none. */
export function entityAt(bytes: Uint8Array, position: number): number {
  for (const { bytes: written, code } of ENTITIES) if (startsAt(bytes, position, written)) return code;
  return 0;
}

/** A position in plain XML. After a method returns false, it is undefined. */
export class PlainCursor {
  bytes: Buffer = Buffer.alloc(0);
  position = 0;
  /** Set by `attribute`: the code of a one-letter name, otherwise 0. */
  attributeLetter = 0;
  attributeNameStart = 0;
  attributeStart = 0;
  attributeEnd = 0;
  selfClosed = false;
  /** Set by `content`: the raw content, and whether it is plain. */
  contentStart = 0;
  contentEnd = 0;
  contentIsLiteral = true;

  literal(literal: Uint8Array): boolean {
    if (!startsAt(this.bytes, this.position, literal)) return false;
    this.position += literal.length;
    return true;
  }

  attribute(): boolean {
    const { bytes } = this;
    if (bytes[this.position] !== SPACE) return false;
    const nameStart = this.position + 1;
    let nameEnd = nameStart + 1;
    while (isNameCode(bytes[nameEnd] ?? NOTHING)) nameEnd += 1;
    if (bytes[nameEnd] !== EQUALS || bytes[nameEnd + 1] !== QUOTE) return false;
    let end = nameEnd + 2;
    while (bytes[end] !== QUOTE) {
      if (end >= bytes.length || bytes[end] === LESS) return false;
      end += 1;
    }
    this.attributeLetter = nameEnd === nameStart + 1 ? (bytes[nameStart] ?? 0) : 0;
    this.attributeNameStart = nameStart;
    this.attributeStart = nameEnd + 2;
    this.attributeEnd = end;
    this.position = end + 1;
    return true;
  }

  attributeName(): string {
    return this.bytes.toString('latin1', this.attributeNameStart, this.attributeStart - 2);
  }

  attributeValue(): string {
    return this.bytes.toString('utf8', this.attributeStart, this.attributeEnd);
  }

  tagEnd(): boolean {
    const code = this.bytes[this.position];
    if (code === GREATER) {
      this.selfClosed = false;
      this.position += 1;
      return true;
    }
    if (code !== SLASH || this.bytes[this.position + 1] !== GREATER) return false;
    this.selfClosed = true;
    this.position += 2;
    return true;
  }

  content(closingTag: Uint8Array): boolean {
    const { bytes } = this;
    let end = this.position;
    let literal = true;
    for (;;) {
      const code = bytes[end] ?? NOTHING;
      if (code === LESS) break;
      if (code === NOTHING) return false;
      if (code === AMPERSAND || code === CR) literal = false;
      end += 1;
    }
    if (!startsAt(bytes, end, closingTag)) return false;
    this.contentStart = this.position;
    this.contentEnd = end;
    this.contentIsLiteral = literal;
    this.position = end + closingTag.length;
    return true;
  }

  /** The decoded content; undefined if the tolerant scanner must judge it. */
  contentText(): string | undefined {
    const text = this.bytes.toString('utf8', this.contentStart, this.contentEnd);
    return this.contentIsLiteral ? text : meaning(text);
  }

  skipWhitespace(): void {
    while (isWhitespace(this.bytes[this.position] ?? NOTHING)) this.position += 1;
  }
}

function meaning(raw: string): string | undefined {
  const [first = '', ...others] = (raw.includes('\r') ? raw.replace(/\r\n?/g, '\n') : raw).split('&');
  let text = first;
  for (const other of others) {
    const entity = ENTITIES.find(({ written }) => other.startsWith(written.slice(1)));
    if (entity === undefined) return undefined;
    text += String.fromCharCode(entity.code) + other.slice(entity.written.length - 1);
  }
  return text;
}

export function startsAt(bytes: Uint8Array, position: number, literal: Uint8Array): boolean {
  for (let at = 0; at < literal.length; at += 1) if (bytes[position + at] !== literal[at]) return false;
  return true;
}

export function isWhitespace(code: number): boolean {
  if (code > SPACE) return false;
  return code === SPACE || code === 0x0a || code === CR || code === 0x09;
}

function isNameCode(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x3a);
}

/** The number that 1 to 9 digits make; otherwise -1. */
export function digitsBetween(bytes: Uint8Array, start: number, end: number): number {
  if (end <= start || end - start > 9) return -1;
  let number = 0;
  for (let position = start; position < end; position += 1) {
    const digit = (bytes[position] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    number = number * 10 + digit;
  }
  return number;
}

/** `_x000D_` is a character that XML cannot hold; `_x005F_x000D_` is a literal `_x000D_`. */
export function unescapeCharacters(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
