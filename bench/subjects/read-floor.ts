/** The least that a reader of a workbook must do: inflate its parts, and look at every byte. */
import { createInflateRaw } from 'node:zlib';
import yauzl from 'yauzl';
import { argument, report } from '../measure/subject.ts';

const CHUNK_BYTES = 128 * 1024;
const LESS_THAN = 0x3c;

await report(async () => {
  const zip = await yauzl.openPromise(argument(0), { lazyEntries: true });
  let bytes = 0;
  let tags = 0;
  for await (const entry of zip.eachEntry()) {
    const packed = await zip.openReadStreamPromise(entry, { decodeFileData: false });
    for await (const chunk of packed.pipe(createInflateRaw({ chunkSize: CHUNK_BYTES }))) {
      const inflated = chunk as Buffer;
      bytes += inflated.length;
      for (let at = 0; at < inflated.length; at += 1) if (inflated[at] === LESS_THAN) tags += 1;
    }
  }
  return { bytes, tags };
});
