import { columnIndex } from '../../../domain/cells.ts';
import { type Reading, tooLarge } from '../row-source.ts';
import type { CellContext, RawCell } from './cell-values.ts';
import { type MergedRange, mergedCells } from './merged-ranges.ts';
import { plainSink } from './plain-sink.ts';
import { plainRowReader, ROW_BOUNDARY } from './plain-rows.ts';
import { rowAssembler, type RowAssembler, sharedFormulas } from './row-assembler.ts';
import { readRunFont } from './text-runs.ts';
import { isXmlTrue, type XmlAttributes, xmlEvents, XmlFault } from './xml-events.ts';
import { feedPieces } from './xml-part.ts';

type SheetReading = Readonly<{
  name: string;
  partName: string;
  context: CellContext;
  reading: Reading;
  merged: readonly MergedRange[];
}>;

/** One batch per piece. */
export async function* sheetRowBatches(chunks: AsyncIterable<Uint8Array>, sheet: SheetReading) {
  const { reading, merged } = sheet;
  const assembler = rowAssembler(sheet.name, reading);
  const handler = sheetHandler(assembler, sheet.context, reading);
  const sink = plainSink(xmlEvents(handler, reading.limits.cellCharacters), {
    boundary: ROW_BOUNDARY,
    get boundaries() {
      return handler.boundaries;
    },
    readItem: plainRowReader(assembler, sheet.context),
  });
  const remarkOn = mergedCells(merged);
  for await (const _ of feedPieces(chunks, sink, sheet.partName, reading)) yield remarkOn(assembler.take());
}

const PATH: readonly ReadonlySet<string>[] = [
  new Set(['worksheet']),
  new Set(['sheetData']),
  new Set(['row']),
  new Set(['c']),
  new Set(['v', 'f', 'is']),
  new Set(['t', 'r']),
  new Set(['t']),
];

const ROW_DEPTH = 2;
const CELL_DEPTH = 3;
const RUN_DEPTH = 5;

function sheetHandler(assembler: RowAssembler, context: CellContext, reading: Reading) {
  let boundaries = 0;
  let known = 0;
  let cell = cellWith({});
  let formulaAttributes: XmlAttributes = {};
  let collected: 'value' | 'formula' | 'inline' | undefined;
  const formulaOf = sharedFormulas(reading);

  /** True for elements off the path, or at the wrong depth, such as a `<t>` in a `<v>`. */
  function leadsNowhere(name: string, depth: number) {
    if (PATH[depth]?.has(name) !== true) return true;
    return depth > CELL_DEPTH + 1 && (cell.inline === undefined || collected !== undefined);
  }

  function startContent(name: string, attributes: XmlAttributes) {
    if (name === 'v') {
      cell.value ??= '';
      collected = 'value';
    } else if (name === 'f') {
      cell.formula ??= '';
      formulaAttributes = attributes;
      collected = 'formula';
    } else if (name === 'is') cell.inline ??= '';
    else if (name === 'r') (cell.runs ??= []).push({ text: '', struck: undefined });
    else if (name === 't') collected = 'inline';
  }

  return {
    get boundaries() {
      return boundaries;
    },
    open(name: string, attributes: XmlAttributes, depth: number) {
      if (depth === 0 && name !== 'worksheet') throw new XmlFault(`it is not a worksheet but a "${name}"`);
      if (known === RUN_DEPTH + 1) readRunFont(cell.runs?.at(-1), name, attributes, depth - RUN_DEPTH);
      if (depth !== known || leadsNowhere(name, depth)) return;
      known = depth + 1;
      if (known === ROW_DEPTH) boundaries += 1;
      if (depth === ROW_DEPTH) assembler.startRow(rowNumberOf(attributes['r']), isXmlTrue(attributes['hidden']));
      else if (depth === CELL_DEPTH) {
        assembler.startCell(columnOfReference(attributes['r'] ?? ''));
        cell = cellWith(attributes);
      } else if (depth > CELL_DEPTH) startContent(name, attributes);
    },
    close(name: string, depth: number) {
      if (known !== depth + 1) return;
      known = depth;
      collected = undefined;
      if (depth === ROW_DEPTH) {
        boundaries += 1;
        assembler.endRow();
      } else if (depth === CELL_DEPTH) assembler.putRaw(cell, context);
      else if (name === 'f')
        cell.formula = formulaOf(cell.formula ?? '', formulaAttributes['t'], formulaAttributes['si']);
    },
    text(text: string) {
      const collects = collected;
      if (collects === undefined) return;
      const joined = (cell[collects] ?? '') + text;
      if (joined.length > reading.limits.cellCharacters) throw tooLarge(reading, 'cell-too-long');
      cell[collects] = joined;
      const run = collects === 'inline' ? cell.runs?.at(-1) : undefined;
      if (run !== undefined) run.text += text;
    },
  };
}

type OpenCell = { -readonly [Key in keyof RawCell]: RawCell[Key] };

function cellWith({ t: type = 'n', s: style = '0' }: XmlAttributes): OpenCell {
  return { type, style: Number(style) };
}

function rowNumberOf(attribute: string | undefined) {
  const number = attribute !== undefined && /^\s*\d{1,10}\s*$/.test(attribute) ? Number(attribute) : 0;
  return number === 0 ? undefined : number;
}

function columnOfReference(reference: string) {
  const letters = /^\s*\$?([A-Za-z]{1,7})\$?\d*\s*$/.exec(reference)?.[1];
  return letters === undefined ? undefined : columnIndex(letters);
}
