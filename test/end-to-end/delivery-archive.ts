import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import yauzl from 'yauzl';

/** What an archive holds, by name. */
export async function entriesOf(path: string): Promise<ReadonlyMap<string, Buffer>> {
  const zip = await yauzl.openPromise(path, { lazyEntries: true });
  const entries = new Map<string, Buffer>();
  for await (const entry of zip.eachEntry())
    entries.set(entry.fileName, await buffer(await zip.openReadStreamPromise(entry)));
  return entries;
}

/** What `sha256sum -c manifest` would complain of, and the files that no line of it names. */
export function manifestProblems(manifest: string, entries: ReadonlyMap<string, Buffer>): readonly string[] {
  const named = new Set<string>();
  const problems: string[] = [];
  for (const line of manifest.trimEnd().split('\n')) {
    const [, hash, name = ''] = /^([0-9a-f]{64}) [ *](.+)$/.exec(line) ?? [];
    const bytes = entries.get(name);
    if (hash === undefined) problems.push(`${line}: improperly formatted`);
    else if (bytes === undefined) problems.push(`${name}: no such file`);
    else if (createHash('sha256').update(bytes).digest('hex') !== hash) problems.push(`${name}: FAILED`);
    if (named.has(name)) problems.push(`${name}: named twice`);
    named.add(name);
  }
  return [
    ...problems,
    ...[...entries.keys()].filter((name) => !named.has(name)).map((name) => `${name}: not in the manifest`),
  ];
}

/** Whether bytes are what their name promises, from the first to the last. */
export function isWhole(name: string, bytes: Buffer): boolean {
  const extension = name.slice(name.lastIndexOf('.'));
  switch (extension) {
    case '.pdf':
      return (
        bytes.subarray(0, 5).toString('latin1') === '%PDF-' &&
        bytes.subarray(-16).toString('latin1').trimEnd().endsWith('%%EOF')
      );
    case '.jpg':
      return bytes.readUInt16BE(0) === 0xffd8 && bytes.readUInt16BE(bytes.length - 2) === 0xffd9;
    case '.png':
      return bytes.subarray(1, 4).toString('latin1') === 'PNG' && bytes.subarray(-8, -4).toString('latin1') === 'IEND';
    case '.xml':
      return bytes.subarray(0, 5).toString('latin1') === '<?xml' && bytes.toString('utf8').trimEnd().endsWith('>');
    case '.zip':
      return bytes.readUInt32BE(0) === 0x504b0304 && bytes.readUInt32BE(bytes.length - 22) === 0x504b0506;
    case '.json':
      return typeof JSON.parse(bytes.toString('utf8')) === 'object';
    default:
      return false;
  }
}
