import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { describe, expect, test } from 'vitest';
import { HouseCounts } from '../../../src/results/house-counts.ts';
import { attentionTable } from '../../../src/results/tables/attention.ts';
import { CHANGES_TABLE } from '../../../src/results/tables/changes.ts';
import { DECIDED_TABLE } from '../../../src/results/tables/decisions.ts';
import { endedTable } from '../../../src/results/tables/ended.ts';
import { FIELDS_TABLE } from '../../../src/results/tables/fields-sheet.ts';
import { notOrderedTable } from '../../../src/results/tables/not-ordered.ts';
import { overdueTable } from '../../../src/results/tables/overdue.ts';
import { photosTable } from '../../../src/results/tables/photos.ts';
import { PORTFOLIO_TABLE } from '../../../src/results/tables/portfolio.ts';
import { PROJECT_COLUMNS } from '../../../src/results/tables/results-columns.ts';
import { reportsTable } from '../../../src/results/tables/reports.ts';
import { RoofsTable } from '../../../src/results/tables/roofs.ts';
import { SURPRISES_TABLE } from '../../../src/results/tables/surprises.ts';
import type { SheetOptions, WorkbookWriter } from '../../../src/results/workbook.ts';

const NOTES = parse(readFileSync('templates/workbook/notes.yaml', 'utf8')) as Record<string, Record<string, string>>;

describe('notesOf', () => {
  test('has no note without a column', () => {
    const tables: Pick<SheetOptions, 'name' | 'columns'>[] = [
      { name: 'Results', columns: PROJECT_COLUMNS },
      attentionTable({ High: 0, Medium: 0, Low: 0, below: 0 }),
      DECIDED_TABLE,
      overdueTable('2026-11-02', new HouseCounts()),
      endedTable(),
      CHANGES_TABLE,
      PORTFOLIO_TABLE,
      reportsTable({ columns: [], spilled: [], lists: [] }),
      notOrderedTable(0),
      SURPRISES_TABLE,
      FIELDS_TABLE,
      { name: 'Outcome of each row', columns: [{ title: 'Row', width: 8 }] },
    ];
    const workbook: WorkbookWriter = {
      sheet: (options) => {
        tables.push(options);
        return { row: async () => {}, picture: () => {}, bars: () => {}, endOfPrint: () => {} };
      },
    };
    photosTable(workbook, { perProject: 1, inAll: 1 });
    expect(new RoofsTable(workbook, true)).toBeDefined();
    const titles = tables.map(({ name, columns }) => [name, new Set(columns.map(({ title }) => title))] as const);
    const known = new Map(titles);
    const lost = Object.entries(NOTES).flatMap(([sheet, notes]) =>
      Object.keys(notes).filter((title) => known.get(sheet)?.has(title) !== true),
    );
    expect(lost).toEqual([]);
  });
});
