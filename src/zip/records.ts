/** The records of the ZIP format (APPNOTE 6.3), byte by byte. */

export type Method = 'stored' | 'deflated';

/** What the records say of an entry. Sizes and places are bytes. */
export interface EntryFacts {
  readonly name: Buffer;
  readonly method: Method;
  readonly crc: number;
  readonly size: number;
  readonly packedSize: number;
  /** Where its local header begins. */
  readonly offset: number;
  /** Whether its header leaves room for sizes of 64 bits; it is decided before the sizes are known. */
  readonly large: boolean;
}

const UINT32_MAX = 0xffff_ffff;
const UINT16_MAX = 0xffff;

/** Sizes from here on need 64 bits. */
export const LARGE_FROM = UINT32_MAX;

/** Names are UTF-8. */
const FLAGS = 0x0800;
const VERSION = 20;
const VERSION_ZIP64 = 45;
const MADE_ON_UNIX = 3 << 8;
/** A plain file, read by all, written by its owner. */
const MODE = 0o100644 * 0x1_0000;
/** Noon of 1 January 1980, the first day the format knows. */
const TIME = 12 << 11;
const DATE = (1 << 5) | 1;
const ZIP64_EXTRA = 0x0001;

const METHODS: Readonly<Record<Method, number>> = { stored: 0, deflated: 8 };

export function localHeader({ name, method, crc, size, packedSize, large }: Omit<EntryFacts, 'offset'>): Buffer {
  const extra = large ? zip64Extra([size, packedSize]) : Buffer.alloc(0);
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x0403_4b50, 0);
  header.writeUInt16LE(large ? VERSION_ZIP64 : VERSION, 4);
  header.writeUInt16LE(FLAGS, 6);
  header.writeUInt16LE(METHODS[method], 8);
  header.writeUInt16LE(TIME, 10);
  header.writeUInt16LE(DATE, 12);
  header.writeUInt32LE(crc, 14);
  header.writeUInt32LE(large ? UINT32_MAX : packedSize, 18);
  header.writeUInt32LE(large ? UINT32_MAX : size, 22);
  header.writeUInt16LE(name.length, 26);
  header.writeUInt16LE(extra.length, 28);
  return Buffer.concat([header, name, extra]);
}

export function centralHeader({ name, method, crc, size, packedSize, offset, large }: EntryFacts): Buffer {
  const far = offset >= UINT32_MAX;
  const extra = large || far ? zip64Extra([...(large ? [size, packedSize] : []), ...(far ? [offset] : [])]) : Buffer.alloc(0);
  const version = large || far ? VERSION_ZIP64 : VERSION;
  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x0201_4b50, 0);
  header.writeUInt16LE(MADE_ON_UNIX | version, 4);
  header.writeUInt16LE(version, 6);
  header.writeUInt16LE(FLAGS, 8);
  header.writeUInt16LE(METHODS[method], 10);
  header.writeUInt16LE(TIME, 12);
  header.writeUInt16LE(DATE, 14);
  header.writeUInt32LE(crc, 16);
  header.writeUInt32LE(large ? UINT32_MAX : packedSize, 20);
  header.writeUInt32LE(large ? UINT32_MAX : size, 24);
  header.writeUInt16LE(name.length, 28);
  header.writeUInt16LE(extra.length, 30);
  header.writeUInt32LE(MODE, 38);
  header.writeUInt32LE(far ? UINT32_MAX : offset, 42);
  return Buffer.concat([header, name, extra]);
}

/** What stands at a ZIP file's end: where the list of its entries is. */
export function endOfDirectory(entries: number, directory: { readonly offset: number; readonly size: number }): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x0605_4b50, 0);
  end.writeUInt16LE(Math.min(entries, UINT16_MAX), 8);
  end.writeUInt16LE(Math.min(entries, UINT16_MAX), 10);
  end.writeUInt32LE(Math.min(directory.size, UINT32_MAX), 12);
  end.writeUInt32LE(Math.min(directory.offset, UINT32_MAX), 16);
  const fits = entries < UINT16_MAX && directory.size < UINT32_MAX && directory.offset < UINT32_MAX;
  return fits ? end : Buffer.concat([zip64End(entries, directory), end]);
}

function zip64End(entries: number, { offset, size }: { readonly offset: number; readonly size: number }): Buffer {
  const record = Buffer.alloc(56);
  record.writeUInt32LE(0x0606_4b50, 0);
  record.writeBigUInt64LE(44n, 4);
  record.writeUInt16LE(MADE_ON_UNIX | VERSION_ZIP64, 12);
  record.writeUInt16LE(VERSION_ZIP64, 14);
  record.writeBigUInt64LE(BigInt(entries), 24);
  record.writeBigUInt64LE(BigInt(entries), 32);
  record.writeBigUInt64LE(BigInt(size), 40);
  record.writeBigUInt64LE(BigInt(offset), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x0706_4b50, 0);
  locator.writeBigUInt64LE(BigInt(offset + size), 8);
  locator.writeUInt32LE(1, 16);
  return Buffer.concat([record, locator]);
}

function zip64Extra(values: readonly number[]): Buffer {
  const extra = Buffer.alloc(4 + 8 * values.length);
  extra.writeUInt16LE(ZIP64_EXTRA, 0);
  extra.writeUInt16LE(8 * values.length, 2);
  for (const [index, value] of values.entries()) extra.writeBigUInt64LE(BigInt(value), 4 + 8 * index);
  return extra;
}
