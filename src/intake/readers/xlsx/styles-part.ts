import type { Reading } from '../reading.ts';
import { builtInFormat, formatOfCode, GENERAL } from './number-formats.ts';
import type { NumberFormat } from './number-formats.ts';
import { readXmlPart } from './read-part.ts';

/** The number format of each cell style, by the style's index. */
export type CellFormats = readonly NumberFormat[];

/** Reads which number format each cell style has. */
export async function readCellFormats(chunks: AsyncIterable<Uint8Array>, partName: string, reading: Reading): Promise<CellFormats> {
  const custom = new Map<number, NumberFormat>();
  const formatIds: number[] = [];
  let list = '';
  await readXmlPart(
    chunks,
    {
      open(name, attributes, depth) {
        if (depth === 1) list = name;
        if (depth !== 2) return;
        if (list === 'numFmts' && name === 'numFmt') custom.set(Number(attributes['numFmtId']), formatOfCode(attributes['formatCode'] ?? ''));
        if (list === 'cellXfs' && name === 'xf') formatIds.push(Number(attributes['numFmtId'] ?? 0));
      },
      close() {},
      text() {},
    },
    partName,
    reading,
  );
  const known = new Map<number, NumberFormat>();
  return formatIds.map((id) => {
    const format = known.get(id) ?? custom.get(id) ?? (id === 0 ? GENERAL : builtInFormat(id));
    known.set(id, format);
    return format;
  });
}
