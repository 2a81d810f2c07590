import { cp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunSummary } from '../../src/night/run.ts';
import { type Ended, runToEnd, SAMPLES } from '../support/command-line.ts';
import { type SandboxProcess, startSandboxProcess } from '../support/sandbox-process.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { SETTLED } from '../support/temporary-workspace.ts';
import { entriesOf, isWhole, manifestProblems } from './delivery-archive.ts';
import { expectedText, itemsAt, valueAt } from './expected-cell.ts';
import { sum, summaryOf } from './summary.ts';
import { cellText, readTables, type SheetTable } from './workbook-cells.ts';

// One story: the built command, called as a person calls it, against the sandbox over HTTP. The first night is over before any test begins, and
// each part does first what its tests look at: any of them can be run by itself.

const SHEETS = [
  'Overview',
  'Results',
  'Attention',
  'Roofs',
  'Ended',
  'Portfolio',
  'Changes',
  'Photos',
  'Reports',
  'Factors',
  'Recommendations',
  'Appliances',
  'Recalls',
  'Class actions',
  'Roof comparison',
  'Exterior comparison',
  'Pools',
  'Inspection history',
  '3D model',
  'Floors',
  'Not ordered',
  'Surprises',
  'Fields',
];
const FIFTEEN_DAYS_S = 15 * 24 * 60 * 60;

/** The tests of the story, told with these samples in the inbox. */
export function mainJob(samples: readonly string[]): void {
  let folder: TemporaryFolder;
  let sandbox: SandboxProcess;
  /** Of the first night. */
  let summary: RunSummary;
  const inWorkspace = (...parts: readonly string[]): string => join(folder.path, 'w', ...parts);
  const command = (...args: readonly string[]): Promise<Ended> => runToEnd(args, { cwd: folder.path });

  beforeAll(async () => {
    folder = await temporaryFolder();
    // What the document does not list is carried through to the sheet `Surprises`.
    sandbox = await startSandboxProcess(['--option', 'unlistedAttributes=present']);
    await command('init', 'w');
    for (const name of samples) await cp(join(SAMPLES, name), inWorkspace('inbox', name));
    await writeFile(inWorkspace('.env'), sandbox.lines, { mode: 0o600 });
    // A third of the photos: those that the summaries name.
    await writeFile(inWorkspace('config.yaml'), `${SETTLED}collect:\n  images: referenced\n`);
    summary = summaryOf(await command('run', '--workspace', 'w', '--json'));
  });

  afterAll(async () => {
    await sandbox[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  describe('run, on the first night', () => {
    test('ends with 3 for the rows to fix', () => {
      expect(summary).toMatchObject({ command: 'run', exitCode: 3 });
    });

    test('takes in every file of the inbox', async () => {
      expect(await readdir(inWorkspace('inbox'))).toEqual([]);
      expect(await readdir(inWorkspace('processing'))).toEqual([]);
    });

    test("counts each file's rows as documented, one order for each accepted", async () => {
      const readme = await readFile(join(SAMPLES, '../docs/samples.md'), 'utf8');
      const told = [...readme.matchAll(/^\| `(.+?)` \| (\d+) \| (\d+) \| (\d+) \|/gm)].map(([, name, ...counts]) => [
        name,
        ...counts.map(Number),
      ]);
      expect(summary.files.map(({ name, rows }) => [name, rows.read, rows.accepted, rows.rejected])).toEqual(
        told.filter(([name]) => samples.includes(String(name))),
      );
      expect(new Set(summary.files.map(({ outcome }) => outcome))).toEqual(new Set(['processed']));
      const { orders } = summary;
      expect(orders).toMatchObject({ refused: 0, unresolved: 0, waiting: 0 });
      expect(sum(Object.values(orders))).toBe(sum(summary.files.map(({ rows }) => rows.accepted)));
    });

    test("creates each order's project once", async () => {
      const audit = await sandbox.audit();
      expect(audit).toMatchObject({ projects: summary.orders.created, doubles: [], internalErrors: [] });
      expect(sum(Object.values(summary.projects))).toBe(audit.projects);
    });

    test('puts each rejected row into a corrections workbook with its problem', async () => {
      expect(summary.files.filter(({ corrections, rows }) => (corrections === null) !== (rows.rejected === 0))).toEqual(
        [],
      );
      for (const { corrections, rows } of summary.files.filter(({ rows }) => rows.rejected > 0)) {
        const tables = await readTables(inWorkspace(corrections ?? ''));
        const sent = [...tables.values()]
          .filter((table) => table.titles.includes('_row'))
          .flatMap((table) => table.rows.map((row) => cellText(row.get('_row'))));
        expect(sent).toHaveLength(rows.rejected);
        expect(new Set(sent).size).toBe(rows.rejected);
        for (const key of sent) expect(key).toMatch(/^\d\d-.+\.(xlsx|csv)#.+#\d+#[0-9a-f]{12}$/);
        expect(tables.get('Problems')?.rows.length).toBeGreaterThanOrEqual(rows.rejected);
      }
    });

    test('archives the originals unchanged', async () => {
      const archived = await readdir(inWorkspace('archive'), { recursive: true });
      for (const { name } of summary.files) {
        const path = archived.find((candidate) => basename(candidate) === name) ?? '';
        expect(path).toMatch(/^\d{4}\/\d\d\/\d\d\//);
        expect(await readFile(inWorkspace('archive', path))).toEqual(await readFile(join(SAMPLES, name)));
      }
    });

    test('lists each order in orders.xlsx, with links for self-inspections', async () => {
      const tables = await readTables(inWorkspace(summary.delivery?.orders ?? ''));
      const projects = await sandbox.projects();
      expect(idsIn(tables.get('Orders'))).toEqual(new Set(projects.map(({ id }) => String(id))));
      const self = projects.filter(({ request }) => textOf(request['serviceName']).startsWith('Self '));
      expect(self.length).toBeGreaterThan(0);
      expect(idsIn(tables.get('Send to insured'))).toEqual(new Set(self.map(({ id }) => String(id))));
      for (const row of tables.get('Send to insured')?.rows ?? []) {
        expect(cellText(row.get('Code'))).toMatch(/^\w{6}$/);
        expect(cellText(row.get('Link'))).toMatch(/^https:/);
      }
    });

    test('lists open rejections and all repeats in “Not ordered”', async () => {
      const tables = await readTables(inWorkspace(summary.delivery?.workbook ?? ''));
      const kinds = tables.get('Not ordered')?.rows.map((row) => cellText(row.get('Kind')));
      expect(kinds?.filter((kind) => kind === 'Rejection')).toHaveLength(
        sum(
          summary.files.map(({ name, rows }) =>
            name === '04-corrections.xlsx' ? rows.rejected - rows.read : rows.rejected,
          ),
        ),
      );
      expect(kinds?.filter((kind) => kind === 'Duplicate')).toHaveLength(
        summary.orders.skipped + summary.orders.linked,
      );
    });
  });

  describe('collect, two weeks later', () => {
    let summary: RunSummary;
    let tables: ReadonlyMap<string, SheetTable>;
    /** What the service said of each project, read from the files in the delivery. */
    let summaries: ReadonlyMap<string, readonly unknown[]>;
    const delivered = (...parts: readonly string[]): string => inWorkspace(summary.delivery?.folder ?? '', ...parts);
    const table = (name: string): SheetTable => tables.get(name) ?? { name, titles: [], rows: [], links: [] };

    beforeAll(async () => {
      await sandbox.advance(FIFTEEN_DAYS_S);
      summary = summaryOf(await command('collect', '--workspace', 'w', '--json'));
      tables = await readTables(inWorkspace(summary.delivery?.workbook ?? ''));
      summaries = await summariesIn(delivered('reports'));
    });

    test('collects every returned project and leaves none outstanding', async () => {
      const projects = await sandbox.projects();
      const canceled = projects.filter(({ status }) => status === 'Project Canceled').length;
      expect(summary).toMatchObject({
        exitCode: 3,
        files: [],
        projects: { outstanding: 0, returned: 0, collected: projects.length - canceled, canceled, failed: 0 },
      });
      expect(summaries.size).toBe(projects.length - canceled);
    });

    test('writes every sheet, with a row for each project in “Results”', async () => {
      expect([...tables.keys()]).toEqual(SHEETS);
      const projects = await sandbox.projects();
      expect(table('Results').rows).toHaveLength(projects.length);
      const byId = new Map(table('Results').rows.map((row) => [cellText(row.get('Project ID')), row]));
      for (const { id, status, request } of projects) {
        const row = byId.get(String(id));
        const held = [
          'Status',
          'Policy number',
          'Inspection number',
          'Insured',
          'Street',
          'ZIP',
          'Service',
          'House type',
        ].map((title) => cellText(row?.get(title)));
        const sent = [
          'policyNumber',
          'inspectionNumber',
          'insuredName',
          'streetAddress',
          'zipcode',
          'serviceName',
          'houseType',
        ].map((field) => textOf(request[field]));
        expect(held).toEqual([status, ...sent]);
      }
    });

    test("shows the summary's values in “Results”, and blanks for missing ones", () => {
      const columns = table('Fields').rows.filter(
        (row) => cellText(row.get('Sheet')) === 'Results' && cellText(row.get('Source')) !== 'order and ledger',
      );
      expect(columns.length).toBeGreaterThan(150);
      const wrong: string[] = [];
      let compared = 0;
      for (const row of table('Results').rows) {
        const id = cellText(row.get('Project ID'));
        for (const column of columns) {
          const title = cellText(column.get('Column'));
          const shown = cellText(row.get(title));
          const type = cellText(column.get('Type'));
          const said = (summaries.get(id) ?? []).map((held) =>
            expectedText(valueAt(held, cellText(column.get('Source'))), type),
          );
          // Where two reports of a project disagree, one of them is shown. Shares of a whole are taken from one report, all of them.
          const mayBeEmpty = type === 'percentage' ? said.includes('') : said.every((text) => text === '');
          const isRight = shown === '' ? mayBeEmpty || said.length === 0 : said.includes(shown);
          if (!isRight)
            wrong.push(`project ${id}, ${title}: shows ${shown}, the summaries say ${JSON.stringify(said)}`);
          if (shown !== '') compared += 1;
        }
      }
      expect(wrong).toEqual([]);
      expect(compared).toBeGreaterThan(30 * table('Results').rows.length);
    });

    test("writes a row for each object on each list's sheet", () => {
      const lists = new Map(
        table('Fields').rows.flatMap((row) => {
          const list = /^(.+)\[\]\.[^[]+$/.exec(cellText(row.get('Source')))?.[1];
          return list === undefined ? [] : [[cellText(row.get('Sheet')), list] as const];
        }),
      );
      expect([...lists.keys()]).toEqual(SHEETS.slice(SHEETS.indexOf('Factors'), SHEETS.indexOf('Not ordered')));
      for (const [sheet, path] of lists) {
        const rowsOf = Map.groupBy(table(sheet).rows, (row) => cellText(row.get('Project ID')));
        const shown = [...summaries.keys()].map((id) => [id, rowsOf.get(id)?.length ?? 0]);
        const said = [...summaries].map(([id, held]) => [id, sum(held.map((one) => itemsAt(one, path).length))]);
        expect([sheet, shown]).toEqual([sheet, said]);
      }
    });

    test('writes a row for each of several reports in “Reports”', () => {
      const several = [...summaries].filter(([, held]) => held.length > 1);
      expect(several.length).toBeGreaterThan(0);
      expect(table('Reports').rows.map((row) => cellText(row.get('Project ID')))).toEqual(
        several.flatMap(([id, held]) => held.map(() => id)).toSorted(),
      );
    });

    test('links only to files that the delivery holds', async () => {
      const links = [...new Set([...tables.values()].flatMap((sheet) => sheet.links))].filter(
        (link) => !link.startsWith('https:') && !link.startsWith('#'),
      );
      expect(links.length).toBeGreaterThan(summaries.size);
      for (const link of links) expect((await stat(delivered(decodeURIComponent(link)))).size).toBeGreaterThan(0);
    });

    test('sorts “Attention” by points, the most serious first', () => {
      const points = table('Attention').rows.map((row) => Number(row.get('Points')));
      expect(points.length).toBeGreaterThan(0);
      expect(points).toEqual(points.toSorted((a, b) => b - a));
    });

    test('archives every file whole, with a manifest that verifies', async () => {
      const entries = new Map(await entriesOf(inWorkspace(summary.delivery?.archive ?? '')));
      const manifest = entries.get('manifest.sha256')?.toString('utf8') ?? '';
      entries.delete('manifest.sha256');
      expect(manifestProblems(manifest, entries)).toEqual([]);
      expect([...entries].filter(([name, bytes]) => !isWhole(name, bytes)).map(([name]) => name)).toEqual([]);
      const files = (await readdir(delivered(), { recursive: true, withFileTypes: true })).filter(
        (entry) =>
          entry.isFile() && !/^(results\.xlsx|decisions\.csv|reports\.zip|report\.html|index\.json)$/.test(entry.name),
      );
      expect(entries.size).toBe(files.length);
      const withPdf = new Set(
        [...entries.keys()].filter((name) => name.endsWith('.pdf')).map((name) => /_(\d+)_\d{8}/.exec(name)?.[1]),
      );
      expect(withPdf).toEqual(new Set(summaries.keys()));
    });

    test('sends no bearer token to signed URLs', async () => {
      expect(await sandbox.audit()).toMatchObject({
        authorizationAtFilesOrigin: 0,
        tokens: { refused: 0 },
        internalErrors: [],
      });
    });

    test('writes no secret, signed URL or personal detail to the logs', async () => {
      const logs = await Promise.all(
        (await readdir(inWorkspace('logs'))).map((name) => readFile(inWorkspace('logs', name), 'utf8')),
      );
      const text = logs.join('');
      expect(logs.length).toBeGreaterThan(1);
      const people = (await sandbox.projects()).flatMap(({ request }) =>
        ['insuredName', 'insuredPhone', 'insuredEmail', 'streetAddress'].map((field) => textOf(request[field])),
      );
      const secrets = [...sandbox.lines.matchAll(/_(?:SECRET|PASSWORD)=(.*)$/gm)].map(([, secret = '']) => secret);
      expect(secrets).toHaveLength(2);
      expect([...secrets, ...people, 'signature=', 'Bearer '].filter((held) => text.includes(held))).toEqual([]);
      const ledger = await readFile(inWorkspace('state/ledger.sqlite'), 'latin1');
      expect([...secrets, 'signature='].filter((held) => ledger.includes(held))).toEqual([]);
    });
  });
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function idsIn(sheet: SheetTable | undefined): ReadonlySet<string> {
  return new Set(sheet?.rows.map((row) => cellText(row.get('Project ID'))));
}

/** The summaries of each project, by its id, as the files named after the document's form hold them. */
async function summariesIn(reports: string): Promise<ReadonlyMap<string, readonly unknown[]>> {
  const summaries = new Map<string, unknown[]>();
  for (const name of (await readdir(reports, { recursive: true })).toSorted()) {
    const id = /_(\d+)_\d{8}(?:_\d+)?\.json$/.exec(name)?.[1];
    if (id === undefined) continue;
    const { report } = JSON.parse(await readFile(join(reports, name), 'utf8')) as { report: unknown[] };
    summaries.set(id, [...(summaries.get(id) ?? []), ...report]);
  }
  return summaries;
}
