import { cellText, isBlank } from '../../domain/cells.ts';
import type { RowOutcome, SheetRow } from '../../domain/row.ts';
import type { FieldName, OrderField } from '../fields.ts';
import { valueInTitles } from '../header/columns.ts';
import type { OrderTable, Section } from '../header/header-row.ts';
import { repeatsHeader } from '../row-kinds.ts';

// Rows below a title such as `EXTERIORS`, which says a value that has no column.

const LINES_MAX = 1000;

export function holdingNothing() {
  return { zipcode: new Set<string>(), houseType: new Set<string>(), policyNumber: new Set<string>() };
}

/** The texts alone in a row, which may be titles, each with the number of rows below it. The first is the header. */
export async function tableLines(rows: AsyncIterable<SheetRow> | readonly SheetRow[], table: OrderTable) {
  const { headerRow } = table.layout;
  const lines = [{ rowNumber: headerRow, text: '', rows: 0 }];
  const filled = new Set<number>();
  const held = holdingNothing();
  for await (const row of rows) {
    const { cells, rowNumber } = row;
    const indexes = cells.flatMap((cell, index) => (isBlank(cell) ? [] : index));
    for (const index of indexes) filled.add(index);
    const [only = 0, ...others] = indexes;
    const last = lines.at(-1);
    if (rowNumber <= headerRow || indexes.length === 0 || repeatsHeader(row, table)) continue;
    if (others.length > 0 && last !== undefined) {
      last.rows += 1;
      for (const [name, texts] of Object.entries(held)) {
        const text = cellText(cells[table.columns.get(name as keyof typeof held)?.[0]?.index ?? -1]).trim();
        texts.add(name === 'policyNumber' ? text.replace(/\P{L}.*/su, '') : text);
      }
    } else if (lines.length <= LINES_MAX)
      // The last one is a title for nothing: the rows below it are other rows.
      lines.push({ rowNumber, text: lines.length === LINES_MAX ? '' : cellText(cells[only]), rows: 0 });
  }
  return { lines, filled, held };
}

/** None if no line is a title for any of the fields. An outer title ends the inner ones, any other line all of them. */
export function sectionsOf(
  lines: Awaited<ReturnType<typeof tableLines>>['lines'],
  fields: readonly OrderField[],
): Section[] {
  const outerFirst: FieldName[] = [];
  let titles: Section['titles'] = new Map();
  // The last lines are about the whole table.
  const last = lines.findLastIndex(({ rows }) => rows > 0);
  const sections = lines.map(({ rowNumber, text, rows }, at) => {
    const said = fields.flatMap(({ name }) => {
      const value = valueInTitles([text], name)?.value;
      return value === undefined ? [] : [[name, { value, title: text }] as const];
    });
    outerFirst.push(...said.flatMap(([name]) => (outerFirst.includes(name) ? [] : name)));
    const ended = Math.min(...said.map(([name]) => outerFirst.indexOf(name)));
    const kept = said.length === 0 ? [] : [...titles].filter(([name]) => outerFirst.indexOf(name) < ended);
    titles = new Map(at > last ? [] : [...kept, ...said]);
    return { rowNumber, rows, titles, isTitle: said.length > 0, given: new Map(), added: [] };
  });
  return outerFirst.length === 0 ? [] : sections;
}

/** The rows must come in order. */
export function sectionFinder({ sections = [] }: OrderTable) {
  let at = -1;
  return ({ rowNumber }: SheetRow) => {
    while ((sections[at + 1]?.rowNumber ?? Infinity) <= rowNumber) at += 1;
    return sections[at];
  };
}

/** A row that comes back brings the value, or its title, along. */
export function withAddedCells(outcome: RowOutcome, { added }: Section): RowOutcome {
  const cells = [...outcome.record.cells];
  for (const [index, text] of added) cells[index] = { kind: 'text', text };
  return { ...outcome, record: { ...outcome.record, cells } };
}
