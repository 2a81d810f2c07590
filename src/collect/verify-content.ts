import { open } from 'node:fs/promises';
import yauzl from 'yauzl';

/** What a downloaded file turned out to be. */
export type Verified =
  | { readonly kind: 'whole'; readonly extension: string; readonly mediaType: string }
  | { readonly kind: 'broken'; readonly reason: string };

/** What is expected, and so what counts as broken. */
export type Expected = 'report' | 'image';

const TAIL_BYTES = 2048;

/** Checks a file on disk: is it what it should be, and does it have its end? Content-Type is not asked: content is. */
export async function verifyContent(path: string, bytes: number, expected: Expected): Promise<Verified> {
  if (bytes === 0) return { kind: 'broken', reason: 'it is empty' };
  const { head, tail } = await readEnds(path, bytes);
  const known = expected === 'report' ? reportKind(head, tail) : imageKind(head, tail);
  if (known.kind === 'whole' && known.extension === 'zip') return verifyZip(path, known);
  return known;
}

async function readEnds(path: string, bytes: number): Promise<{ head: Buffer; tail: Buffer }> {
  await using handle = await open(path, 'r');
  const head = Buffer.alloc(Math.min(bytes, TAIL_BYTES));
  const tail = Buffer.alloc(Math.min(bytes, TAIL_BYTES));
  await handle.read(head, 0, head.length, 0);
  await handle.read(tail, 0, tail.length, bytes - tail.length);
  return { head, tail };
}

function reportKind(head: Buffer, tail: Buffer): Verified {
  if (head.subarray(0, 5).equals(Buffer.from('%PDF-'))) {
    const whole = tail.includes('%%EOF') && tail.includes('startxref');
    return whole ? { kind: 'whole', extension: 'pdf', mediaType: 'application/pdf' } : broken('the PDF has no end');
  }
  if (head.subarray(0, 4).equals(Buffer.from('PK\u0003\u0004'))) return { kind: 'whole', extension: 'zip', mediaType: 'application/zip' };
  const text = head.toString('utf8').replace(/^\uFEFF/, '').trimStart();
  if (/^<(!doctype\s+)?html/i.test(text)) return broken('it is a web page, not a report');
  if (text.startsWith('<')) {
    const whole = tail.toString('utf8').trimEnd().endsWith('>');
    return whole ? { kind: 'whole', extension: 'xml', mediaType: 'application/xml' } : broken('the XML has no end');
  }
  return broken('it is neither PDF, ZIP nor XML');
}

function imageKind(head: Buffer, tail: Buffer): Verified {
  if (head.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))) {
    const whole = tail.includes(Buffer.from([0xff, 0xd9]));
    return whole ? { kind: 'whole', extension: 'jpg', mediaType: 'image/jpeg' } : broken('the JPEG has no end');
  }
  if (head.subarray(0, 8).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))) {
    return tail.includes('IEND') ? { kind: 'whole', extension: 'png', mediaType: 'image/png' } : broken('the PNG has no end');
  }
  if (/^GIF8[79]a/.test(head.toString('latin1', 0, 6))) return { kind: 'whole', extension: 'gif', mediaType: 'image/gif' };
  if (head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WEBP') {
    return { kind: 'whole', extension: 'webp', mediaType: 'image/webp' };
  }
  if (/^ftyp(heic|heix|mif1|avif)/.test(head.toString('latin1', 4, 12))) return { kind: 'whole', extension: 'heic', mediaType: 'image/heic' };
  return broken('it is not an image of a known kind');
}

function broken(reason: string): Verified {
  return { kind: 'broken', reason };
}

/** A ZIP is whole when its central directory can be read to its end, with a name for every entry. */
async function verifyZip(path: string, whole: Verified): Promise<Verified> {
  try {
    await new Promise<void>((resolve, reject) => {
      yauzl.open(path, { lazyEntries: true, autoClose: true }, (failure, zip) => {
        if (failure !== null) {
          reject(failure);
          return;
        }
        zip.on('entry', () => zip.readEntry());
        zip.on('end', resolve);
        zip.on('error', reject);
        zip.readEntry();
      });
    });
    return whole;
  } catch {
    return broken('the ZIP has no readable directory');
  }
}
