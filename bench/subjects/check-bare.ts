/** Checks a file as anybody would write it: one process, each row by the service's own schema, one insert a row. Arguments: file, folder. */
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parse } from 'csv-parse';
import exceljs from 'exceljs';
import { createProjectRequest } from '../../src/contract/document.ts';
import { ORDER_FIELDS } from '../../src/intake/fields.ts';
import { argument, report } from '../measure/subject.ts';

const path = argument(0);
const BOOLEANS = new Set(['isRenewal', 'allowDuplication']);
const NUMBERS = new Set([
  'yearBuilt',
  'dwellingCoverage',
  'otherStructureCoverage',
  'contentCoverage',
  'carrierProvidedLivingArea',
]);

await report(async () => {
  const database = new DatabaseSync(join(argument(1), 'bare.sqlite'));
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE row (number INTEGER PRIMARY KEY, request TEXT, problem TEXT)');
  const insert = database.prepare('INSERT INTO row (number, request, problem) VALUES (?, ?, ?)');
  database.exec('BEGIN');
  let names: readonly (string | undefined)[] = [];
  let rows = 0;
  for await (const cells of path.endsWith('.csv') ? csvRows() : workbookRows()) {
    if (names.length === 0) {
      names = cells.map((title) => ORDER_FIELDS.find((field) => field.title === title)?.name);
      continue;
    }
    const { success, data, error } = createProjectRequest.safeParse(requestOf(names, cells));
    insert.run(++rows, success ? JSON.stringify(data) : null, success ? null : error.message);
  }
  database.exec('COMMIT');
  const { accepted } = database.prepare('SELECT count(request) AS accepted FROM row').get() ?? {};
  database.close();
  return { rows, accepted: Number(accepted) };
});

async function* csvRows(): AsyncGenerator<readonly unknown[]> {
  yield* createReadStream(path).pipe(parse({ bom: true })) as AsyncIterable<string[]>;
}

async function* workbookRows(): AsyncGenerator<readonly unknown[]> {
  const reader = new exceljs.stream.xlsx.WorkbookReader(path, {
    worksheets: 'emit',
    sharedStrings: 'cache',
    styles: 'cache',
    hyperlinks: 'ignore',
    entries: 'ignore',
  });
  for await (const sheet of reader) for await (const row of sheet) yield (row.values as unknown[]).slice(1);
}

function requestOf(names: readonly (string | undefined)[], cells: readonly unknown[]): object {
  const request: Record<string, unknown> = {};
  for (const [column, name] of names.entries()) {
    const cell = cells[column];
    const text = typeof cell === 'number' ? String(cell) : typeof cell === 'string' ? cell.trim() : '';
    if (name === undefined || text === '') continue;
    if (name === 'supplementalServices') request[name] = text.split(/, */);
    else request[name] = BOOLEANS.has(name) ? text === 'Yes' : NUMBERS.has(name) ? Number(text) : text;
  }
  return request;
}
