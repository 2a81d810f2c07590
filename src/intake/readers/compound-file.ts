const SAVE_AS_XLSX = 'Open it in Excel and save it as "Excel Workbook (.xlsx)".';

/** Names of streams in OLE compound files, and what a file with such a stream is. The first that occurs decides. */
const STREAMS: readonly (readonly [name: string, sentence: string])[] = [
  ['EncryptedPackage', 'is protected by a password. Open it in Excel, remove the password (File > Info > Protect Workbook), and save it as .xlsx.'],
  ['Workbook', `is an Excel 97-2003 workbook (.xls), which is not read here. ${SAVE_AS_XLSX}`],
  ['Book', `is an Excel 5.0 or 95 workbook (.xls), which is not read here. ${SAVE_AS_XLSX}`],
  ['WordDocument', 'is an old Word document. Put the rows into a workbook and save it as .xlsx.'],
];

/** Names stand in the directory as UTF-16 in 64 bytes, filled up with zeros; a longer overlap than that misses none. */
const OVERLAP_BYTES = 128;

/** What a compound file (.xls, a workbook with a password, ...) is: a sentence that goes on from the file's name. */
export async function describeCompoundFile(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const found = new Set<string>();
  let tail: Uint8Array = new Uint8Array(0);
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([tail, chunk]);
    for (const [name] of STREAMS) if (bytes.includes(Buffer.from(`\0${name}\0`, 'utf16le').subarray(1))) found.add(name);
    tail = bytes.subarray(-OVERLAP_BYTES);
  }
  const known = STREAMS.find(([name]) => found.has(name));
  return known?.[1] ?? `is an old Office file, which is not read here. ${SAVE_AS_XLSX}`;
}
