import { columnIndex } from '../../../domain/cells.ts';
import { type Reading, tooLarge } from '../row-source.ts';
import type { CellContext, RawCell } from './cell-values.ts';
import { type MergesAndLinks, mergedCells } from './merged-ranges.ts';
import { plainFeed } from './plain-feed.ts';
import { plainRowReader, ROW_BOUNDARY } from './plain-rows.ts';
import { RowAssembler, sharedFormulas } from './row-assembler.ts';
import { readRunFont } from './text-runs.ts';
import { isXmlTrue, type XmlAttributes, xmlEvents, XmlFault, type XmlHandler } from './xml-events.ts';
import { feedPieces } from './xml-part.ts';

type SheetReading = Readonly<{
  name: string;
  partName: string;
  context: CellContext;
  reading: Reading;
  merged: MergesAndLinks['merged'];
  mails?: ReadonlyMap<string, string>;
}>;

/** One batch per piece. */
export async function* sheetRowBatches(chunks: AsyncIterable<Uint8Array>, sheet: SheetReading) {
  const { reading, merged, mails } = sheet;
  const assembler = new RowAssembler(sheet.name, reading, mails);
  const handler = new SheetHandler(assembler, sheet.context, reading);
  const feed = plainFeed(xmlEvents(handler, reading.limits.cellCharacters), {
    boundary: ROW_BOUNDARY,
    get boundaries() {
      return handler.boundaries;
    },
    readItem: plainRowReader(assembler, sheet.context),
  });
  const remarkOn = mergedCells(merged);
  for await (const _ of feedPieces(chunks, feed, sheet.partName, reading)) yield remarkOn(assembler.take());
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

class SheetHandler implements XmlHandler {
  boundaries = 0;
  readonly #assembler;
  readonly #context;
  readonly #reading;
  readonly #formulaOf;
  #known = 0;
  #cell = cellWith({});
  #formulaAttributes: XmlAttributes = {};
  #collects: 'value' | 'formula' | 'inline' | undefined;

  constructor(assembler: RowAssembler, context: CellContext, reading: Reading) {
    this.#assembler = assembler;
    this.#context = context;
    this.#reading = reading;
    this.#formulaOf = sharedFormulas(reading);
  }

  open(name: string, attributes: XmlAttributes, depth: number) {
    if (depth === 0 && name !== 'worksheet') throw new XmlFault(`it is not a worksheet but a "${name}"`);
    if (this.#known === RUN_DEPTH + 1) readRunFont(this.#cell.runs?.at(-1), name, attributes, depth - RUN_DEPTH);
    if (depth !== this.#known || this.#leadsNowhere(name, depth)) return;
    this.#known = depth + 1;
    if (this.#known === ROW_DEPTH) this.boundaries += 1;
    if (depth === ROW_DEPTH) this.#assembler.startRow(rowNumberOf(attributes['r']), isXmlTrue(attributes['hidden']));
    else if (depth === CELL_DEPTH) {
      this.#assembler.startCell(columnOfReference(attributes['r'] ?? ''));
      this.#cell = cellWith(attributes);
    } else if (depth > CELL_DEPTH) this.#startContent(name, attributes);
  }

  close(name: string, depth: number) {
    if (this.#known !== depth + 1) return;
    this.#known = depth;
    this.#collects = undefined;
    if (depth === ROW_DEPTH) {
      this.boundaries += 1;
      this.#assembler.endRow();
    } else if (depth === CELL_DEPTH) this.#assembler.putRaw(this.#cell, this.#context);
    else if (name === 'f')
      this.#cell.formula = this.#formulaOf(
        this.#cell.formula ?? '',
        this.#formulaAttributes['t'],
        this.#formulaAttributes['si'],
      );
  }

  text(text: string) {
    const collects = this.#collects;
    if (collects === undefined) return;
    const joined = (this.#cell[collects] ?? '') + text;
    if (joined.length > this.#reading.limits.cellCharacters) throw tooLarge(this.#reading, 'cell-too-long');
    this.#cell[collects] = joined;
    const run = collects === 'inline' ? this.#cell.runs?.at(-1) : undefined;
    if (run !== undefined) run.text += text;
  }

  /** True for elements off the path, or at the wrong depth, such as a `<t>` in a `<v>`. */
  #leadsNowhere(name: string, depth: number) {
    if (PATH[depth]?.has(name) !== true) return true;
    return depth > CELL_DEPTH + 1 && (this.#cell.inline === undefined || this.#collects !== undefined);
  }

  #startContent(name: string, attributes: XmlAttributes) {
    if (name === 'v') {
      this.#cell.value ??= '';
      this.#collects = 'value';
    } else if (name === 'f') {
      this.#cell.formula ??= '';
      this.#formulaAttributes = attributes;
      this.#collects = 'formula';
    } else if (name === 'is') this.#cell.inline ??= '';
    else if (name === 'r') (this.#cell.runs ??= []).push({ text: '', struck: undefined });
    else if (name === 't') this.#collects = 'inline';
  }
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
