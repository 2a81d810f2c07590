import type { Reading } from '../reading.ts';
import { builtInFormat, formatOfCode, GENERAL } from './number-formats.ts';
import type { NumberFormat } from './number-formats.ts';
import { isTrue } from './xml-events.ts';
import { readXmlPart } from './read-part.ts';

/** The number format of each cell style, by the style's index, and whether it strikes the cell through. */
export type CellFormats = readonly NumberFormat[];

/** Reads which number format each cell style has. */
export async function readCellFormats(chunks: AsyncIterable<Uint8Array>, partName: string, reading: Reading): Promise<CellFormats> {
  const custom = new Map<number, NumberFormat>();
  const cells: { readonly formatId: number; readonly fontId: number }[] = [];
  const struckFonts = new Set<number>();
  let fonts = 0;
  let list = '';
  await readXmlPart(
    chunks,
    {
      open(name, attributes, depth) {
        if (depth === 1) list = name;
        if (depth === 3 && list === 'fonts' && name === 'strike' && (attributes['val'] === undefined || isTrue(attributes['val']))) struckFonts.add(fonts - 1);
        if (depth !== 2) return;
        if (list === 'fonts' && name === 'font') fonts += 1;
        if (list === 'numFmts' && name === 'numFmt') custom.set(Number(attributes['numFmtId']), formatOfCode(attributes['formatCode'] ?? ''));
        if (list === 'cellXfs' && name === 'xf') cells.push({ formatId: Number(attributes['numFmtId'] ?? 0), fontId: Number(attributes['fontId'] ?? 0) });
      },
      close() {},
      text() {},
    },
    partName,
    reading,
  );
  const known = new Map<number, NumberFormat>();
  return cells.map(({ formatId: id, fontId }) => {
    const format = known.get(id) ?? custom.get(id) ?? (id === 0 ? GENERAL : builtInFormat(id));
    known.set(id, format);
    return struckFonts.has(fontId) ? { ...format, struck: true } : format;
  });
}
