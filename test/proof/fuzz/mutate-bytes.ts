import type { SeededRandom } from './random.ts';

const STRANGE_BYTES = [
  0x00, 0x01, 0x0a, 0x0d, 0x22, 0x26, 0x2c, 0x3b, 0x3c, 0x3e, 0x7f, 0x80, 0xc3, 0xed, 0xf4, 0xfe, 0xff,
];
const STRANGE_NUMBERS = [0, 1, 0x7f, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0xffffffff];

type ByteMutation = (bytes: Buffer, random: SeededRandom) => Buffer;

const BYTE_MUTATIONS: readonly ByteMutation[] = [
  function flipBit(bytes, random) {
    const at = random.below(bytes.length);
    return replaced(bytes, at, 1, Buffer.from([(bytes[at] ?? 0) ^ (1 << random.below(8))]));
  },
  function setByte(bytes, random) {
    return replaced(bytes, random.below(bytes.length), 1, Buffer.from([random.oneOf(STRANGE_BYTES)]));
  },
  function insertBytes(bytes, random) {
    return replaced(bytes, random.below(bytes.length), 0, Buffer.alloc(random.size(200), random.oneOf(STRANGE_BYTES)));
  },
  function deleteBytes(bytes, random) {
    return replaced(bytes, random.below(bytes.length), random.size(bytes.length), Buffer.alloc(0));
  },
  function truncate(bytes, random) {
    return bytes.subarray(0, random.below(bytes.length));
  },
  function cutFront(bytes, random) {
    return bytes.subarray(random.size(bytes.length));
  },
  function copyOver(bytes, random) {
    const from = random.below(bytes.length);
    const piece = bytes.subarray(from, from + random.size(bytes.length));
    return replaced(bytes, random.below(bytes.length), random.oneOf([0, piece.length]), piece);
  },
  function setNumber(bytes, random) {
    const length = random.oneOf([2, 4]);
    const number = Buffer.alloc(4);
    number.writeUInt32LE(random.oneOf(STRANGE_NUMBERS));
    return replaced(bytes, random.below(bytes.length), length, number.subarray(0, length));
  },
  /** Sizes, offsets and flags stand right after a zip's marks. */
  function breakZipRecord(bytes, random) {
    const marks = [...positionsOf(bytes, Buffer.from('PK'))];
    if (marks.length === 0) return bytes;
    const number = Buffer.alloc(4);
    number.writeUInt32LE(random.oneOf([...STRANGE_NUMBERS, random.below(bytes.length)]));
    return replaced(bytes, random.oneOf(marks) + 4 + random.below(42), 4, number);
  },
];

/** Changes some bytes, one to four times over. */
export function mutatedBytes(bytes: Buffer, random: SeededRandom): Buffer {
  let mutated = bytes;
  for (let times = random.size(5); times > 0 && mutated.length > 0; times -= 1)
    mutated = random.oneOf(BYTE_MUTATIONS)(mutated, random);
  return mutated;
}

function replaced(bytes: Buffer, at: number, length: number, by: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, at), by, bytes.subarray(at + length)]);
}

function* positionsOf(bytes: Buffer, mark: Buffer): Generator<number> {
  for (let at = bytes.indexOf(mark); at !== -1; at = bytes.indexOf(mark, at + 1)) yield at;
}
