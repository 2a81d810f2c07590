const END_RECORD = 0x06054b50;
const END_RECORD_BYTES = 22;
/** 1980-01-01 00:00: the first moment that a zip can tell. */
const FIRST_DAY = 0x21;

/** Sets the time of every entry of a zip to one and the same, so that the same contents are the same bytes. Changes the bytes in place. */
export function evenZipDates(zip: Buffer): void {
  let end = zip.length - END_RECORD_BYTES;
  while (end >= 0 && zip.readUInt32LE(end) !== END_RECORD) end -= 1;
  if (end < 0) throw new Error('the bytes are no zip');
  let entry = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    const local = zip.readUInt32LE(entry + 42);
    for (const at of [entry + 12, local + 10]) {
      zip.writeUInt16LE(0, at);
      zip.writeUInt16LE(FIRST_DAY, at + 2);
    }
    entry += 46 + zip.readUInt16LE(entry + 28) + zip.readUInt16LE(entry + 30) + zip.readUInt16LE(entry + 32);
  }
}
