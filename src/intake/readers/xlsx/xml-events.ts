import { SaxesParser } from 'saxes';

/** The XML is not well-formed, or is of a kind that no spreadsheet program writes. The message is a clause for people. */
export class XmlFault extends Error {
  override readonly name = 'XmlFault';
}

export type XmlAttributes = Readonly<Record<string, string>>;

/** What an XML part is made of. Names come without their namespace prefix; `depth` is 0 for the root. */
export interface XmlHandler {
  open(name: string, attributes: XmlAttributes, depth: number): void;
  close(name: string, depth: number): void;
  /** Text or CDATA; one text may come in several calls. */
  text(text: string): void;
}

const DEPTH_MAX = 256;
/** Beyond the characters that a cell may hold: what a tag, a comment or an instruction may be long. */
const EVENT_SPARE_CHARACTERS = 1024 * 1024;

/**
 * A well-formedness-checking XML scanner that is fed piece by piece: any prefix, quote, comment or CDATA; no DOCTYPE.
 * Every method throws XmlFault where the XML is not well-formed.
 */
export class XmlEvents {
  readonly #parser = new SaxesParser({ xmlns: false, position: false });
  readonly #eventCharactersMax: number;
  #depth = 0;
  /** Goes up with every tag. */
  #tags = 0;
  #charactersSinceEvent = 0;

  constructor(handler: XmlHandler, textCharactersMax: number) {
    this.#eventCharactersMax = textCharactersMax + EVENT_SPARE_CHARACTERS;
    const parser = this.#parser;
    parser.on('error', (error) => {
      throw new XmlFault(error.message.replace(/^undefined:/, '').replace(/\.$/, ''));
    });
    parser.on('doctype', () => {
      throw new XmlFault('it holds a DOCTYPE, which no spreadsheet program writes');
    });
    parser.on('opentag', (tag) => {
      this.#event();
      this.#tags += 1;
      if (this.#depth > DEPTH_MAX) throw new XmlFault('its elements are nested too deep');
      handler.open(withoutPrefix(tag.name), tag.attributes, this.#depth);
      this.#depth += 1;
    });
    parser.on('closetag', (tag) => {
      this.#event();
      this.#tags += 1;
      this.#depth -= 1;
      handler.close(withoutPrefix(tag.name), this.#depth);
    });
    const text = (content: string) => {
      this.#event();
      handler.text(content);
    };
    parser.on('text', text);
    parser.on('cdata', text);
    parser.on('comment', () => this.#event());
    parser.on('processinginstruction', () => this.#event());
  }

  /** How many elements are open. */
  get depth(): number {
    return this.#depth;
  }

  write(text: string): void {
    this.#charactersSinceEvent += text.length;
    this.#parser.write(text);
    if (this.#charactersSinceEvent > this.#eventCharactersMax) {
      throw new XmlFault('a text in it is longer than a cell can be');
    }
  }

  /** Writes text that ends with `>`; says whether that `>` ended a tag, rather than stood in a comment or a CDATA section. */
  writeThroughTag(text: string): boolean {
    this.write(text.slice(0, -1));
    const tags = this.#tags;
    this.write('>');
    return this.#tags > tags;
  }

  /** Says that there is no more; throws where elements are still open. */
  end(): void {
    this.#parser.close();
  }

  #event(): void {
    this.#charactersSinceEvent = 0;
  }
}

function withoutPrefix(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** The value of an attribute that always has a prefix, such as `r:id`, whatever prefix the writer chose. */
export function prefixedAttribute(attributes: XmlAttributes, localName: string): string | undefined {
  const name = Object.keys(attributes).find((key) => key.endsWith(`:${localName}`) && !key.startsWith('xmlns:'));
  return name === undefined ? undefined : attributes[name];
}

/** Whether an attribute's value says yes, in any of the spellings that XML and Office allow. */
export function isTrue(value: string | undefined): boolean {
  return value !== undefined && /^\s*(1|true|on|t)\s*$/.test(value);
}
