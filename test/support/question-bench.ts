import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import exceljs from 'exceljs';
import { ensureWorkspace, workspaceAt } from '../../src/ops/workspace.ts';
import { takeInInbox, type TakeInContext } from '../../src/submit/take-in.ts';
import { openLedgerBench, takeInContext } from './run-bench.ts';

/** A ledger and a workspace in which questions are asked and answered. */
export async function openQuestionBench() {
  const bench = await openLedgerBench();
  const workspace = workspaceAt(bench.folder);
  await ensureWorkspace(workspace);
  const at = (name: string): string => join(workspace.root, name);
  return {
    ...bench,
    workspace,
    at,
    async drop(name: string, content: string) {
      await mkdir(dirname(at(`inbox/${name}`)), { recursive: true });
      await writeFile(at(`inbox/${name}`), content);
    },
    /** Each file's outcome, with the rows accepted. */
    async run(changes: Partial<TakeInContext> = {}) {
      const { files } = await takeInInbox(takeInContext(bench, workspace, changes));
      return files.map(({ name, outcome, rows }) => `${name}: ${outcome} ${String(rows.accepted)}`);
    },
    /** Moves a workbook from `corrections/` into the inbox, answered. */
    async answer(from: string, to: string, choose: (sheet: exceljs.Worksheet) => void = () => {}) {
      const book = new exceljs.Workbook();
      await book.xlsx.readFile(at(from));
      for (const sheet of book.worksheets) choose(sheet);
      await book.xlsx.writeFile(at(from), { zip: { compression: 'STORE' } });
      await mkdir(dirname(at(`inbox/${to}`)), { recursive: true });
      await rename(at(from), at(`inbox/${to}`));
    },
    [Symbol.asyncDispose]: () => bench[Symbol.asyncDispose](),
  };
}
