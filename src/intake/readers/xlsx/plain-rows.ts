import { columnIndex } from '../../../domain/cells.ts';
import type { CellContext } from './cell-values.ts';
import type { RowAssembler } from './row-assembler.ts';
import { isXmlTrue } from './xml-events.ts';

const ROW = /\s*<row((?: [\w:.-]+="[^"<&]*")*)(\/?)>/y;
const CELL =
  /<c r="([A-Z]{1,3})\d{1,7}"(?: s="(\d{1,9})")?(?: t="(\w+)")?(?:\/>|>(?:<v>([^<&\r]*)<\/v>|<is><t(?: xml:space="preserve")?>([^<&\r]*)<\/t><\/is>)?<\/c>)/y;
const ROW_END = '</row>';
export const ROW_BOUNDARY = /<\/row>|<sheetData>|<row [^<>]*\/>/g;

export function plainRowReader(assembler: RowAssembler, context: CellContext) {
  return (text: string, from: number) => {
    ROW.lastIndex = from;
    const [, attributes = '', slash = ''] = ROW.exec(text) ?? [];
    let at = ROW.lastIndex;
    if (at === 0) return undefined;
    const cells = [];
    if (slash === '') {
      for (;;) {
        CELL.lastIndex = at;
        const cell = CELL.exec(text);
        if (cell === null) break;
        const { 1: letters = '', 2: style, 3: type = 'n', 4: value, 5: inline } = cell;
        cells.push({ column: columnIndex(letters), type, style: Number(style ?? 0), value, inline });
        at = CELL.lastIndex;
      }
      if (!text.startsWith(ROW_END, at)) return undefined;
      at += ROW_END.length;
    }
    const number = / r="\s*(\d{1,10})\s*"/.exec(attributes)?.[1];
    assembler.startRow(Number(number ?? 0) || undefined, isXmlTrue(/ hidden="([^"]*)"/.exec(attributes)?.[1]));
    for (const cell of cells) {
      assembler.startCell(cell.column);
      assembler.putRaw(cell, context);
    }
    assembler.endRow();
    return at;
  };
}
