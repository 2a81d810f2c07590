import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { callHere, startSandboxHere } from '../../support/command-in-this-process.ts';
import { orderCsv } from '../../support/order-csv.ts';
import { parseChoices } from '../../../src/sandbox/unspecified.ts';
import { temporaryWorkspace } from '../../support/temporary-workspace.ts';
import { summaryOf } from '../../end-to-end/summary.ts';
import { cellText, readTables } from '../../end-to-end/workbook-cells.ts';

type Values = Readonly<Record<string, unknown>>;

interface Line {
  readonly projectId: string;
  readonly reports: readonly { readonly id: string; readonly values: Values }[];
  readonly values: Values;
}

test('run shows both reports of a project, the later one first', async () => {
  await using sandbox = await startSandboxHere({
    notShown: parseChoices(['laterReport=present']),
    environment: 'production',
  });
  await using workspace = await temporaryWorkspace({
    env: sandbox.lines,
    config: 'results:\n  formats: [xlsx, jsonl]\n',
    inbox: { 'orders.csv': orderCsv(3) },
  });
  const run = async () => summaryOf(await callHere(['run', '--json', '--workspace', workspace.path]));
  await run();
  await sandbox.advance(6 * 24 * 60 * 60);
  const { delivery } = await run();
  const folder = delivery?.folder ?? '';

  const lines = (await readFile(workspace.at(folder, 'results.jsonl'), 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  const several = lines.filter(({ reports }) => reports.length === 2);
  expect(several.length).toBeGreaterThan(0);
  for (const { projectId, reports, values } of several) {
    const [later, first] = reports;
    expect([later?.id, first?.id]).toEqual([`R${projectId}-2`, `R${projectId}-1`]);
    const assessed = Object.entries(later?.values ?? {}).filter(([, value]) => value !== null && value !== '');
    expect(values).toMatchObject(Object.fromEntries(assessed));
    expect(values['summary.bldg.construction']).toEqual(first?.values['summary.bldg.construction']);
  }

  const { projects } = JSON.parse(await readFile(workspace.at(folder, 'index.json'), 'utf8')) as {
    projects: { projectId: string; files: { kind: string; id: string }[] }[];
  };
  const tables = await readTables(workspace.at(delivery?.workbook ?? ''));
  const rowsOf = (sheet: string, id: string) =>
    (tables.get(sheet)?.rows ?? []).filter((row) => cellText(row.get('Project ID')) === id);
  for (const { projectId } of several) {
    const files = projects.find((project) => project.projectId === projectId)?.files ?? [];
    for (const kind of ['report', 'summary'])
      expect(files.filter((file) => file.kind === kind).map(({ id }) => id)).toEqual([
        `R${projectId}-1`,
        `R${projectId}-2`,
      ]);
    expect(rowsOf('Reports', projectId).map((row) => cellText(row.get('Report ID')))).toEqual([
      `R${projectId}-2`,
      `R${projectId}-1`,
    ]);
    const [shown] = rowsOf('Results', projectId);
    expect(cellText(shown?.get('Reports disagree on'))).toMatch(/^Roof: .+ \(another report: .+\)$/m);
  }
});
