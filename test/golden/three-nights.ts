import { cp, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import exceljs from 'exceljs';
import type { RunSummary } from '../../src/night/run.ts';
import { runCommand } from '../../src/cli/run-command.ts';
import type { Clock } from '../../src/domain/ports.ts';
import type { TemporaryWorkspace } from '../support/temporary-workspace.ts';

/** When each night's run begins, in ms since the epoch. */
export const NIGHTS: readonly number[] = [
  Date.UTC(2026, 10, 2, 7),
  Date.UTC(2026, 10, 9, 7),
  Date.UTC(2026, 10, 16, 7),
];

const INBOX = join(import.meta.dirname, 'inbox');

export interface Night {
  /** From 1. */
  readonly number: number;
  readonly exitCode: number;
  readonly text: string;
  readonly json: RunSummary;
}

/** Settings of the three nights: one order after the other, received once delivered, every format. */
export const CONFIG = `submit:
  maxConcurrency: 1
collect:
  markReceived: true
results:
  formats: [xlsx, csv, jsonl]
`;

/**
 * Runs three nights in a workspace: files arrive and some rows go back; a week later one row comes back fixed, the list is dropped again and four
 * houses are ordered once more; a week later an underwriter has decided two houses.
 */
export async function runThreeNights(
  workspace: TemporaryWorkspace,
  clock: Clock,
  moveTo: (night: number) => Promise<void>,
  onNight: (night: Night) => Promise<void>,
): Promise<void> {
  for (const [index] of NIGHTS.entries()) {
    const number = index + 1;
    await moveTo(index);
    if (number === 2) await fixOneRow(workspace);
    if (number === 3) await decideTwoHouses(workspace);
    else await cp(join(INBOX, `night-${number}`), workspace.inbox, { recursive: true });
    const { exitCode, text, json } = await runCommand('run', { workspace: workspace.path, clock });
    await onNight({ number, exitCode, text, json });
  }
}

/** The row whose state and phone were wrong comes back with both. */
async function fixOneRow(workspace: TemporaryWorkspace): Promise<void> {
  const name = 'orders - to fix.xlsx';
  const { workbook, sheet, columnOf, rowWith } = await opened(workspace.at('corrections', name), 'streetAddress');
  const row = rowWith('194 Golden Gate Ln');
  sheet.getCell(row, columnOf('state')).value = 'VT';
  sheet.getCell(row, columnOf('insuredPhone')).value = '813-555-0117';
  await workbook.xlsx.writeFile(join(workspace.inbox, name), { zip: { compression: 'STORE' } });
}

async function decideTwoHouses(workspace: TemporaryWorkspace): Promise<void> {
  const runs = (await readdir(workspace.at('deliveries'))).toSorted();
  const delivery = workspace.at('deliveries', runs.findLast((name) => /^\d/.test(name)) ?? '');
  const { workbook, sheet, columnOf, firstRow } = await opened(join(delivery, 'results.xlsx'), 'Decision', 'Attention');
  sheet.getCell(firstRow, columnOf('Decision')).value = 'Accept';
  sheet.getCell(firstRow + 1, columnOf('Decision')).value = 'Non-renew';
  sheet.getCell(firstRow + 1, columnOf('By')).value = 'Ruth';
  const decisions = join(workspace.inbox, 'decisions');
  await mkdir(decisions, { recursive: true });
  await workbook.xlsx.writeFile(join(decisions, 'decided.xlsx'), { zip: { compression: 'STORE' } });
}

/** A workbook, and the sheet whose header row has a column of that title. */
async function opened(path: string, title: string, name?: string) {
  const workbook = new exceljs.Workbook();
  await workbook.xlsx.readFile(path);
  for (const sheet of workbook.worksheets.filter((candidate) => name === undefined || candidate.name === name)) {
    for (const header of [1, 2, 3, 4, 5]) {
      const titles = (sheet.getRow(header).values as readonly unknown[]).map(String);
      if (!titles.includes(title)) continue;
      const columnOf = (wanted: string): number => found(titles.indexOf(wanted), wanted);
      const rowWith = (text: string): number => {
        let at = -1;
        sheet.eachRow((row, number) => {
          if ((row.values as readonly unknown[]).includes(text)) at = number;
        });
        return found(at, text);
      };
      return { workbook, sheet, columnOf, rowWith, firstRow: header + 1 };
    }
  }
  throw new Error(`${path} has no column ${title}`);
}

function found(place: number, what: string): number {
  if (place < 0) throw new Error(`there is no ${what}`);
  return place;
}
