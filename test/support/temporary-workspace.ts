import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { openSqliteLedger } from '../../src/ledger/open-ledger.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { OrderRecord, OrderState } from '../../src/ledger/orders.ts';
import { SAMPLES } from './command-line.ts';
import { temporaryFolder, type TemporaryFolder } from './temporary-folder.ts';
import { createVirtualClock } from './virtual-clock.ts';
import { latestAccount } from './latest-account.ts';

/** A workspace of a test's own, as an engineer would have set it up. */
export interface TemporaryWorkspace extends TemporaryFolder {
  readonly inbox: string;
  /** The path of something in the workspace. */
  at(...parts: readonly string[]): string;
}

export interface WorkspaceContents {
  /** The lines of `.env`. */
  readonly env: string;
  /** The text of `config.yaml`. Files need not settle unless it says so: nobody is still writing a test's files. */
  readonly config?: string;
  /** What lies in the inbox: by name, its text. */
  readonly inbox?: Readonly<Record<string, string>>;
}

/** What nobody waits for in a test. */
export const SETTLED = 'intake:\n  settleSeconds: 0\n';

export async function temporaryWorkspace({
  env,
  config = '',
  inbox = {},
}: WorkspaceContents): Promise<TemporaryWorkspace> {
  const folder = await temporaryFolder();
  const { path } = folder;
  await mkdir(join(path, 'inbox'));
  await writeFile(join(path, '.env'), env, { mode: 0o600 });
  await writeFile(join(path, 'config.yaml'), `${SETTLED}${config}`);
  for (const [name, text] of Object.entries(inbox)) await writeFile(join(path, 'inbox', name), text);
  return { ...folder, inbox: join(path, 'inbox'), at: (...parts) => join(path, ...parts) };
}

/** The sample spreadsheets, by path. */
export async function sampleFiles(): Promise<readonly string[]> {
  const names = await readdir(SAMPLES);
  return names
    .filter((name) => /\.(xlsx|csv)$/.test(name))
    .toSorted()
    .map((name) => join(SAMPLES, name));
}

export async function dropSamples(inbox: string, most = Infinity): Promise<void> {
  for (const path of (await sampleFiles()).slice(0, most)) await cp(path, join(inbox, basename(path)));
}

/** An order with what became of it. */
export interface OrderOnRecord extends OrderRecord {
  /** True where a search found the project of an attempt whose answer was never seen. */
  readonly adopted: boolean;
}

const STATES: readonly OrderState[] = [
  'ready',
  'submitting',
  'created',
  'linked',
  'skipped',
  'refused',
  'unresolved',
  'held',
  'abandoned',
];

/** Every order in a workspace's ledger, by its id. No run may be going on. */
export async function ordersOnRecord(workspace: string): Promise<readonly OrderOnRecord[]> {
  const path = join(workspace, 'state/ledger.sqlite');
  const account = latestAccount(path);
  if (account === null) return [];
  await using ledger = openSqliteLedger(path, { clock: createVirtualClock(), account });
  const orders: OrderOnRecord[] = [];
  for (const state of STATES) {
    for (const order of await ledger.ordersIn(state, 0, 10_000))
      orders.push({ ...order, adopted: await wasAdopted(ledger, order.id) });
  }
  return orders.toSorted((a, b) => a.id - b.id);
}

async function wasAdopted(ledger: Ledger, orderId: number): Promise<boolean> {
  const { steps } = await ledger.storyOf(orderId);
  return steps.some(({ event, detail }) => event === 'created' && detail?.['adopted'] === true);
}
