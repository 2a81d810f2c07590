import { inflateRawSync } from 'node:zlib';
import type { MadeEntry } from '../../support/made-files.ts';

/** The entries of a well-formed zip that is held in memory. */
export function unzipped(bytes: Buffer): readonly MadeEntry[] {
  const end = bytes.lastIndexOf(Buffer.from('PK\x05\x06'));
  const count = bytes.readUInt16LE(end + 10);
  const entries: MadeEntry[] = [];
  let at = bytes.readUInt32LE(end + 16);
  for (let place = 0; place < count; place += 1) {
    const [method, packedLength] = [bytes.readUInt16LE(at + 10), bytes.readUInt32LE(at + 20)];
    const [nameLength, extraLength, commentLength] = [
      bytes.readUInt16LE(at + 28),
      bytes.readUInt16LE(at + 30),
      bytes.readUInt16LE(at + 32),
    ];
    const local = bytes.readUInt32LE(at + 42);
    const name = bytes.toString('utf8', at + 46, at + 46 + nameLength);
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const packed = bytes.subarray(start, start + packedLength);
    if (!name.endsWith('/')) entries.push({ name, content: method === 0 ? packed : inflateRawSync(packed) });
    at += 46 + nameLength + extraLength + commentLength;
  }
  return entries;
}
