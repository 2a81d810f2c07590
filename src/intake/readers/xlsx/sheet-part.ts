import { columnIndex } from '../../../domain/cells.ts';
import type { SheetRow } from '../../../domain/row.ts';
import { type Reading, tooLarge } from '../row-source.ts';
import type { CellContext } from './cell-values.ts';
import { type AfterRows, MergedCells } from './merged-ranges.ts';
import { PlainFeed } from './plain-feed.ts';
import { plainRowReader, ROW_BOUNDARY } from './plain-rows.ts';
import { RowAssembler, SharedFormulas } from './row-assembler.ts';
import { readRunFont, type TextRun } from './text-runs.ts';
import { isXmlTrue, type XmlAttributes, XmlEvents, XmlFault, type XmlHandler } from './xml-events.ts';
import { feedPieces } from './xml-part.ts';

export interface SheetReading {
  readonly name: string;
  readonly partName: string;
  readonly context: CellContext;
  readonly reading: Reading;
  readonly merged: AfterRows['merged'];
  readonly mails?: ReadonlyMap<string, string> | undefined;
}

/** One batch per piece. Throws UnreadableFileError if the part is damaged or too large. */
export async function* sheetRowBatches(
  chunks: AsyncIterable<Uint8Array>,
  sheet: SheetReading,
): AsyncGenerator<readonly SheetRow[], void, undefined> {
  const { reading, merged, mails } = sheet;
  const assembler = new RowAssembler(sheet.name, reading, mails);
  const handler = new SheetHandler(assembler, sheet.context, reading);
  const events = new XmlEvents(handler, reading.limits.cellCharacters);
  const readItem = plainRowReader(assembler, sheet.context);
  const feed = new PlainFeed(events, { boundary: ROW_BOUNDARY, boundaries: () => handler.boundaries, readItem });
  const mergedCells = new MergedCells(merged);
  for await (const _ of feedPieces(chunks, feed, sheet.partName, reading)) yield mergedCells.remarkOn(assembler.take());
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
  readonly #assembler: RowAssembler;
  readonly #context: CellContext;
  readonly #reading: Reading;
  readonly #formulas: SharedFormulas;
  #known = 0;
  #type = '';
  #style = 0;
  #value: string | undefined;
  #inline: string | undefined;
  #runs: TextRun[] | undefined;
  #formula: string | undefined;
  #formulaAttributes: XmlAttributes = {};
  #collects: 'value' | 'formula' | 'inline' | 'nothing' = 'nothing';

  constructor(assembler: RowAssembler, context: CellContext, reading: Reading) {
    this.#assembler = assembler;
    this.#context = context;
    this.#reading = reading;
    this.#formulas = new SharedFormulas(reading);
  }

  open(name: string, attributes: XmlAttributes, depth: number): void {
    if (depth === 0 && name !== 'worksheet') throw new XmlFault(`it is not a worksheet but a "${name}"`);
    if (this.#known === RUN_DEPTH + 1) readRunFont(this.#runs?.at(-1), name, attributes, depth - RUN_DEPTH);
    if (depth !== this.#known || this.#leadsNowhere(name, depth)) return;
    this.#known = depth + 1;
    if (this.#known === ROW_DEPTH) this.boundaries += 1;
    if (depth === ROW_DEPTH) this.#assembler.startRow(rowNumberOf(attributes['r']), isXmlTrue(attributes['hidden']));
    else if (depth === CELL_DEPTH) this.#startCell(attributes);
    else if (depth > CELL_DEPTH) this.#startContent(name, attributes);
  }

  close(name: string, depth: number): void {
    if (this.#known !== depth + 1) return;
    this.#known = depth;
    this.#collects = 'nothing';
    if (depth === ROW_DEPTH) {
      this.boundaries += 1;
      this.#assembler.endRow();
    } else if (depth === CELL_DEPTH) this.#endCell();
    else if (name === 'f')
      this.#formula = this.#formulas.textOf(
        this.#formula ?? '',
        this.#formulaAttributes['t'],
        this.#formulaAttributes['si'],
      );
  }

  text(text: string): void {
    switch (this.#collects) {
      case 'nothing':
        return;
      case 'value':
        this.#value = this.#joined(this.#value, text);
        return;
      case 'formula':
        this.#formula = this.#joined(this.#formula, text);
        return;
      case 'inline': {
        this.#inline = this.#joined(this.#inline, text);
        const run = this.#runs?.at(-1);
        if (run !== undefined) run.text += text;
      }
    }
  }

  /** True for elements off the path, or at the wrong depth, such as a `<t>` in a `<v>`. */
  #leadsNowhere(name: string, depth: number) {
    if (PATH[depth]?.has(name) !== true) return true;
    return depth > CELL_DEPTH + 1 && (this.#inline === undefined || this.#collects !== 'nothing');
  }

  #startCell(attributes: XmlAttributes) {
    this.#assembler.startCell(columnOfReference(attributes['r'] ?? ''));
    this.#type = attributes['t'] ?? 'n';
    this.#style = Number(attributes['s'] ?? 0);
    this.#value = undefined;
    this.#inline = undefined;
    this.#runs = undefined;
    this.#formula = undefined;
  }

  #startContent(name: string, attributes: XmlAttributes) {
    if (name === 'v') {
      this.#value ??= '';
      this.#collects = 'value';
    } else if (name === 'f') {
      this.#formula ??= '';
      this.#formulaAttributes = attributes;
      this.#collects = 'formula';
    } else if (name === 'is') {
      this.#inline ??= '';
    } else if (name === 'r') {
      (this.#runs ??= []).push({ text: '', struck: undefined });
    } else if (name === 't') {
      this.#collects = 'inline';
    }
  }

  #endCell() {
    const raw = {
      type: this.#type,
      style: this.#style,
      value: this.#value,
      inline: this.#inline,
      runs: this.#runs,
      formula: this.#formula,
    };
    this.#assembler.putRaw(raw, this.#context);
  }

  #joined(before: string | undefined, text: string) {
    const joined = (before ?? '') + text;
    if (joined.length > this.#reading.limits.cellCharacters) throw tooLarge(this.#reading, 'cell-too-long');
    return joined;
  }
}

function rowNumberOf(attribute: string | undefined) {
  const number = attribute !== undefined && /^\s*\d{1,10}\s*$/.test(attribute) ? Number(attribute) : 0;
  return number === 0 ? undefined : number;
}

function columnOfReference(reference: string) {
  const letters = /^\s*\$?([A-Za-z]{1,7})\$?\d*\s*$/.exec(reference)?.[1];
  return letters === undefined ? undefined : columnIndex(letters);
}
