import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import exceljs from 'exceljs';
import type { SeenMail } from '../support/mail-server.ts';

/** Takes out of a text what differs from one run of the test to the next: the workspace's path, ports, and the random end of a run's name. */
export function settled(text: string, workspace: string): string {
  return text
    .replaceAll(workspace, '<workspace>')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:<port>')
    .replaceAll(/(\d{4}-\d{2}-\d{2}T\d{6}Z)-[0-9a-f]{4,}/g, '$1-xxxx')
    .replaceAll(/data:image\/[a-z]+;base64,[\w+/=]+/g, '<picture>');
}

/** Every file below a folder with its size or, of files whose bytes are promised, their hash; the folder's own paths, in order. */
export function shownFolder(folder: string, promised: RegExp): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .toSorted()
    .map((name) => {
      const hash = createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex');
      return promised.test(name) ? `${relative('.', name)} ${hash}` : relative('.', name);
    })
    .join('\n');
}

/** A workbook as text: every sheet, and of each row its cells with what they hold, how they show it, and where they lead. */
export async function shownWorkbook(path: string): Promise<string> {
  const workbook = new exceljs.Workbook();
  await workbook.xlsx.readFile(path);
  return workbook.worksheets.map(shownSheet).join('\n');
}

function shownSheet(sheet: exceljs.Worksheet): string {
  const lines = [`== ${sheet.name}${sheet.state === 'visible' ? '' : ` (${sheet.state})`}`];
  sheet.eachRow((row) => {
    row.eachCell((cell) => {
      if (!cell.isMerged || cell.master === cell) lines.push(`${cell.address} ${shownCell(cell)}`);
    });
  });
  return `${lines.join('\n')}\n`;
}

function shownCell({ value, numFmt, note }: exceljs.Cell): string {
  const parts = [valueText(value)];
  if (numFmt !== undefined && numFmt !== 'General' && numFmt !== '@') parts.push(`{${numFmt}}`);
  if (note !== undefined)
    parts.push(
      `[note: ${JSON.stringify(typeof note === 'string' ? note : note.texts?.map(({ text }) => text).join(''))}]`,
    );
  return parts.join(' ');
}

function valueText(value: exceljs.CellValue): string {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'object' ? JSON.stringify(value) : JSON.stringify(value ?? null);
}

/** A mail as text: for whom, its subject, its text and the names of what is attached. */
export function shownMail({ to, subject, parts }: SeenMail): string {
  const bodies = [...parts].map(([name, bytes]) =>
    name.startsWith('text/') ? `-- ${name}\n${bytes.toString()}` : `-- ${name}`,
  );
  return [`To: ${to.toSorted().join(', ')}`, `Subject: ${subject}`, ...bodies].join('\n').replaceAll('\r\n', '\n');
}
