import { TextDecoder } from 'node:util';
import { SaxesParser } from 'saxes';
import { wideEncoding } from '../csv/text.ts';

/** The message is a clause for people. */
export class XmlFault extends Error {
  override readonly name = 'XmlFault';
}

export type XmlAttributes = Readonly<Record<string, string>>;

/** Names have no prefix; the root's `depth` is 0. */
export interface XmlHandler {
  open(name: string, attributes: XmlAttributes, depth: number): void;
  close(name: string, depth: number): void;
  /** May come in several calls. */
  text(text: string): void;
}

export interface XmlSink {
  write(text: string): void;
  end(): void;
}

const DEPTH_MAX = 256;
/** The length of a tag, comment or instruction, beyond a cell's text. */
const EVENT_SPARE_CHARACTERS = 1024 * 1024;

/** Checks well-formedness; accepts any prefix, quote, comment or CDATA, but no DOCTYPE. Methods throw XmlFault. */
export function xmlEvents(handler: XmlHandler, textCharactersMax: number): XmlSink {
  const parser = new SaxesParser({ xmlns: false, position: false });
  let depth = 0;
  let charactersSinceEvent = 0;
  const startEvent = () => {
    charactersSinceEvent = 0;
  };
  parser.on('error', (error) => {
    throw new XmlFault(error.message.replace(/^undefined:/, '').replace(/\.$/, ''));
  });
  parser.on('doctype', () => {
    throw new XmlFault('it holds a DOCTYPE, which no spreadsheet program writes');
  });
  parser.on('opentag', (tag) => {
    startEvent();
    if (depth > DEPTH_MAX) throw new XmlFault('its elements are nested too deep');
    handler.open(withoutPrefix(tag.name), tag.attributes, depth);
    depth += 1;
  });
  parser.on('closetag', (tag) => {
    startEvent();
    depth -= 1;
    handler.close(withoutPrefix(tag.name), depth);
  });
  const text = (content: string) => {
    startEvent();
    handler.text(content);
  };
  parser.on('text', text);
  parser.on('cdata', text);
  parser.on('comment', startEvent);
  parser.on('processinginstruction', startEvent);
  return {
    write(piece) {
      charactersSinceEvent += piece.length;
      parser.write(piece);
      if (charactersSinceEvent > textCharactersMax + EVENT_SPARE_CHARACTERS)
        throw new XmlFault('a text in it is too long for a cell');
    },
    end() {
      parser.close();
    },
  };
}

function withoutPrefix(name: string) {
  return name.slice(name.indexOf(':') + 1);
}

/** With any prefix, such as `r:id`. */
export function relationshipIdOf(attributes: XmlAttributes) {
  const name = Object.keys(attributes).find((key) => key.endsWith(':id') && !key.startsWith('xmlns:'));
  return name === undefined ? undefined : attributes[name];
}

export function isXmlTrue(value: string | undefined) {
  return value !== undefined && /^\s*(1|true|on|t)\s*$/.test(value);
}

const PROLOGUE_BYTES = 160;

export async function* decodedXml(chunks: AsyncIterable<Uint8Array>) {
  let decode: Decode | undefined;
  let start: Uint8Array = new Uint8Array(0);
  for await (const chunk of chunks) {
    if (decode !== undefined) {
      yield decode(chunk, true);
      continue;
    }
    start = Buffer.concat([start, chunk]);
    if (start.length < PROLOGUE_BYTES) continue;
    decode = decoderFor(declaredEncoding(start));
    yield decode(start, true);
  }
  yield decode === undefined ? decoderFor(declaredEncoding(start))(start, false) : decode(new Uint8Array(0), false);
}

/** @param goesOn False for the last bytes. */
type Decode = (bytes: Uint8Array, goesOn: boolean) => string;

function decoderFor(declared: string): Decode {
  const encoding = declared === 'us-ascii' ? 'utf-8' : declared;
  const decoder = faulty(`its encoding "${encoding}" is not known`, () => new TextDecoder(encoding, { fatal: true }));
  const clause =
    decoder.encoding === 'utf-8'
      ? 'it holds bytes that are not UTF-8'
      : 'it holds bytes that its encoding does not have';
  return (bytes, goesOn) => faulty(clause, () => decoder.decode(bytes, { stream: goesOn }));
}

function faulty<Result>(clause: string, work: () => Result) {
  try {
    return work();
  } catch (error) {
    throw new XmlFault(clause, { cause: error });
  }
}

function declaredEncoding(start: Uint8Array) {
  const wide = wideEncoding(start);
  if (wide !== undefined) return wide.label;
  const declaration = Buffer.from(start.subarray(0, PROLOGUE_BYTES)).toString('latin1');
  return (
    /^(?:\xef\xbb\xbf)?<\?xml[^>]*?\sencoding\s*=\s*["']([^"']*)["']/.exec(declaration)?.[1]?.toLowerCase() ?? 'utf-8'
  );
}
