import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { callHere } from '../support/command-in-this-process.ts';
import { oneDocument } from '../support/command-line.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { expectations, expectedRows, FILES } from './expectations.ts';

/** The part of `check --json` that is compared. */
interface CheckedFile {
  readonly outcome: string;
  readonly reason: string | null;
  readonly rows: { readonly read: number; readonly accepted: number; readonly rejected: number };
  readonly problems: readonly {
    readonly sheet: string;
    readonly row: number;
    readonly problems: readonly { readonly severity: string; readonly rule: string; readonly cell: string | null }[];
  }[];
  readonly repairs: readonly {
    readonly sheet: string;
    readonly row: number;
    readonly field: string;
    readonly held: string;
    readonly sent: string;
  }[];
}

const CHOSEN = new Set([
  'openpyxl-numbers.xlsx',
  'openpyxl-ids.xlsx',
  'xlsxwriter-money.xlsx',
  'libreoffice-from-csv.xlsx',
  'sheetjs-formulas.xlsx',
  'csv-semicolon-1252.csv',
  'csv-ragged.csv',
  'optional-year-built.csv',
  'exceljs-sheets-of-others.xlsx',
  'not-this-one.csv',
  'truncated.xlsx',
  'libreoffice.ods',
]);
const chosen = (await expectations()).filter(({ file }) => CHOSEN.has(file));

/** One command over all of them, as a person checks the night's files. */
let checkedFiles: ReadonlyMap<string, CheckedFile>;

beforeAll(async () => {
  await using folder = await temporaryFolder();
  const files = chosen.map(({ file }) => join(FILES, file));
  const ended = await callHere(['check', ...files, '--workspace', folder.path, '--json']);
  if (ended.code !== 3) throw new Error(`check ended with ${String(ended.code)}: ${ended.stderr}`);
  const { files: checked } = oneDocument(ended) as { readonly files: readonly CheckedFile[] };
  checkedFiles = new Map(checked.map((file, index) => [chosen[index]?.file ?? '', file]));
});

function checkedNamed(name: string): CheckedFile {
  const file = checkedFiles.get(name);
  if (file === undefined) throw new Error(`check said nothing of ${name}`);
  return file;
}

test.for(chosen.filter(({ unreadable }) => unreadable === undefined))(
  'check --json reports $file as a person expects',
  (expectation) => {
    const rows = expectedRows(expectation);
    const rejected = rows.filter((row) => 'problems' in row);
    const file = checkedNamed(expectation.file);
    expect(file).toMatchObject({
      outcome: 'checked',
      rows: { read: rows.length, accepted: rows.length - rejected.length, rejected: rejected.length },
    });
    const at = ({ sheet, row }: { readonly sheet: string; readonly row: number }): string =>
      sheet === expectation.file ? String(row) : `${sheet} ${String(row)}`;
    const errors = file.problems.map((row) => ({
      at: at(row),
      problems: row.problems
        .filter(({ severity }) => severity === 'error')
        .map(({ rule, cell }) => `${rule} in ${cell ?? ''}`),
    }));
    expect(errors.filter(({ problems }) => problems.length > 0)).toEqual(rejected);
    const ordered = rows.filter((row) => 'repairs' in row);
    const repairs = Object.groupBy(file.repairs, at);
    const shown = ordered.map((row) =>
      Object.fromEntries((repairs[row.at] ?? []).map(({ field, held, sent }) => [field, `${held} -> ${sent}`])),
    );
    expect(shown).toEqual(ordered.map((row) => row.repairs));
  },
);

test.for(chosen.flatMap(({ file, unreadable }) => (unreadable === undefined ? [] : [{ file, unreadable }])))(
  'check --json says that $file $unreadable',
  ({ file, unreadable }) => {
    expect(checkedNamed(file)).toMatchObject({ outcome: 'unreadable', rows: { read: 0 } });
    expect(checkedNamed(file).reason).toContain(unreadable);
  },
);

test('check rejects an unreadable optional cell if config.yaml says so', async () => {
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, 'config.yaml'), 'intake: { unreadableOptional: reject }\n');
  const file = join(FILES, 'optional-year-built.csv');
  const ended = await callHere(['check', file, '--workspace', folder.path, '--json']);
  expect(oneDocument(ended)).toMatchObject({ files: [{ rows: { read: 4, accepted: 2, rejected: 2 } }], exitCode: 3 });
});
