import { ExplainedError } from '../domain/errors.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { OrderRecord } from '../ledger/orders.ts';
import { loadConfig } from '../ops/config.ts';
import { systemClock } from '../ops/system-clock.ts';
import { workspaceAt } from '../ops/workspace.ts';
import { lookIntoLedger, refusal } from '../recover/guarded-ledger.ts';
import { type CommandResult, EXIT } from './result.ts';
import { tellFile } from './status/file-story.ts';
import { tellOrder } from './status/order-story.ts';
import { overview } from './status/overview.ts';

/** Without a question: what is outstanding, unresolved, held, overdue. With one: the whole story of the orders or files it may mean. */
export async function statusCommand(question: string | undefined, workspaceDir: string): Promise<CommandResult> {
  const workspace = workspaceAt(workspaceDir);
  const looked = await lookIntoLedger(workspace, systemClock);
  if (looked.ledger === null) {
    if (looked.problem !== null) throw refusal(looked.problem);
    throw new ExplainedError('Nothing is on record here yet.', { exitCode: 2, hint: 'Name the workspace with --workspace, or run `inspection-batch run` first.' });
  }
  await using ledger = looked.ledger;
  const { submit } = await loadConfig(workspace.root);
  const quarantineMs = submit.quarantineSeconds * 1000;
  return question === undefined ? await overview(ledger, workspace, { quarantineMs, problem: looked.problem }) : await stories(question.trim(), ledger, quarantineMs);
}

/** The stories of a file's orders follow the list of its rows where they are no more than these. */
const ORDERS_OF_A_FILE_MAX = 3;

async function stories(question: string, ledger: Ledger, quarantineMs: number): Promise<CommandResult> {
  const files = await Promise.all((await ledger.findFiles(question)).map((file) => tellFile(file, ledger)));
  const orderIds = new Set(files.flatMap((file) => (file.orderIds.length <= ORDERS_OF_A_FILE_MAX ? file.orderIds : [])));
  const asked = files.length > 0 ? await ordersOf(orderIds, ledger) : await ledger.findOrders(question);
  if (files.length === 0 && asked.length === 0) {
    throw new ExplainedError(`Nothing on record answers to "${question}".`, {
      exitCode: 2,
      hint: 'Ask for a policy number, an inspection number, a project id, an order number, the name of a file, or a part of the insured’s name or of the street.',
    });
  }
  const told = await Promise.all(asked.map((order) => tellOrder(order, ledger, quarantineMs)));
  const text = [...files, ...told].map((story) => story.text).join('\n\n');
  return { exitCode: EXIT.done, text, json: { files: files.map(({ json }) => json), orders: told.map(({ json }) => json), exitCode: EXIT.done } };
}

async function ordersOf(ids: ReadonlySet<number>, ledger: Ledger): Promise<readonly OrderRecord[]> {
  const orders = await Promise.all([...ids].map((id) => ledger.order(id)));
  return orders.filter((order) => order !== null);
}
