import { isUtf8 } from 'node:buffer';
import { unfinishedUtf8Bytes } from '../file-bytes.ts';
import { countUtf8 } from './utf8-characters.ts';

/** How the bytes of a text file are to be read. */
export interface TextEncoding {
  /**
   * As TextDecoder names it. `utf-8 with strays` is UTF-8 with single bytes in it that are not, which are read as windows-1252; `windows-1252 with
   * utf-8` has characters in it that are surely meant as UTF-8, and are read as such.
   */
  readonly label: 'utf-8' | 'utf-8 with strays' | 'utf-16le' | 'utf-16be' | 'windows-1252' | 'windows-1252 with utf-8';
  /** As people know it. */
  readonly title: string;
  /** Bytes of the byte order mark, to be passed over. */
  readonly markBytes: number;
}

const UTF_8 = { label: 'utf-8', title: 'UTF-8' } as const;
const UTF_8_WITH_STRAYS = { label: 'utf-8 with strays', title: 'UTF-8' } as const;
const UTF_16LE = { label: 'utf-16le', title: 'UTF-16' } as const;
const UTF_16BE = { label: 'utf-16be', title: 'UTF-16 (big-endian)' } as const;
const WINDOWS_1252_WITH_UTF_8 = { label: 'windows-1252 with utf-8', title: 'windows-1252' } as const;
const WINDOWS_1252 = { label: 'windows-1252', title: 'windows-1252' } as const;

/**
 * Tells the encoding by the byte order mark, else by the pattern of NULs, else by whether the whole file is UTF-8. Where it is not, the evidence
 * decides: bytes that look like UTF-8 characters do so by chance hardly ever, so a file with as many of them as of other bytes is UTF-8 into
 * which somebody pasted; any other is windows-1252, where every byte means something, though some of them may have come from a UTF-8 file.
 * @param chunks gives the file's bytes from the beginning, each time it is called.
 */
export async function detectEncoding(chunks: () => AsyncIterable<Uint8Array>): Promise<TextEncoding> {
  let start: Uint8Array | undefined;
  let heldBack: Uint8Array = new Uint8Array(0);
  for await (const chunk of chunks()) {
    if (start === undefined) {
      start = chunk;
      const wide = wideEncoding(chunk);
      if (wide !== undefined) return wide;
    }
    const bytes = heldBack.length === 0 ? chunk : Buffer.concat([heldBack, chunk]);
    const cut = bytes.length - unfinishedUtf8Bytes(bytes);
    if (!isUtf8(bytes.subarray(0, cut))) return byEvidence(chunks(), utf8MarkBytes(start));
    heldBack = bytes.subarray(cut);
  }
  const markBytes = utf8MarkBytes(start ?? heldBack);
  return isUtf8(heldBack) ? { ...UTF_8, markBytes } : byEvidence(chunks(), markBytes);
}

async function byEvidence(chunks: AsyncIterable<Uint8Array>, markBytes: number): Promise<TextEncoding> {
  // A byte order mark was written by a program that meant UTF-8.
  if (markBytes > 0) return { ...UTF_8_WITH_STRAYS, markBytes };
  const { characters, telling, strays } = await countUtf8(chunks);
  if (characters >= strays) return { ...UTF_8_WITH_STRAYS, markBytes };
  return { ...(telling > 0 ? WINDOWS_1252_WITH_UTF_8 : WINDOWS_1252), markBytes };
}

function utf8MarkBytes(start: Uint8Array): number {
  return start[0] === 0xef && start[1] === 0xbb && start[2] === 0xbf ? 3 : 0;
}

function wideEncoding(start: Uint8Array): TextEncoding | undefined {
  if (start[0] === 0xff && start[1] === 0xfe) return { ...UTF_16LE, markBytes: 2 };
  if (start[0] === 0xfe && start[1] === 0xff) return { ...UTF_16BE, markBytes: 2 };
  const nulls = [0, 0];
  const pairs = Math.min(start.length >> 1, 2048);
  for (let at = 0; at < pairs * 2; at += 1) if (start[at] === 0) nulls[at & 1] = (nulls[at & 1] ?? 0) + 1;
  const [even = 0, odd = 0] = nulls;
  if (odd > pairs / 3 && even < odd / 8) return { ...UTF_16LE, markBytes: 0 };
  if (even > pairs / 3 && odd < even / 8) return { ...UTF_16BE, markBytes: 0 };
  return undefined;
}
