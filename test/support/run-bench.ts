import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CollectContext } from '../../src/collect/collect-plan.ts';
import { silentLog } from '../../src/domain/ports.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { openSqliteLedger } from '../../src/ledger/open-ledger.ts';
import type { SandboxOptions } from '../../src/sandbox/options.ts';
import { TestClient } from './sandbox/test-client.ts';
import { createServiceClient, type ServiceClient } from '../../src/service/client.ts';
import { createPacer } from '../../src/service/pacer.ts';
import type { Workspace } from '../../src/ops/workspace.ts';
import type { HoldLimits } from '../../src/submit/hold.ts';
import type { SubmitContext } from '../../src/submit/submit-run.ts';
import type { TakeInContext } from '../../src/submit/take-in.ts';
import { deskInThisProcess } from './desk-in-this-process.ts';
import { createVirtualClock, VIRTUAL_START_MS, type VirtualClock } from './virtual-clock.ts';

/** A ledger in a folder of its own and a clock that stands still. */
export interface LedgerBench extends AsyncDisposable {
  readonly folder: string;
  readonly clock: VirtualClock;
  readonly ledger: Ledger;
}

/** The same with a sandbox and a client of it. */
export interface RunBench extends LedgerBench {
  /** Another client of the same platform user, and the sandbox's controls. */
  readonly service: TestClient;
  readonly client: ServiceClient;
}

/** A ledger without a row, as a file holds it: to write one takes a tenth of all its migrations. */
let empty: Promise<Buffer> | undefined;

async function emptyLedger(): Promise<Buffer> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'bench-'));
  const path = join(folder.path, 'ledger.sqlite');
  await openSqliteLedger(path, { clock: createVirtualClock(), account: 'an account' })[Symbol.asyncDispose]();
  return await readFile(path);
}

export async function openLedgerBench(): Promise<LedgerBench> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await mkdtempDisposable(join(tmpdir(), 'bench-')));
  const clock = createVirtualClock();
  const path = join(folder.path, 'ledger.sqlite');
  await writeFile(path, await (empty ??= emptyLedger()));
  const ledger = opened.use(openSqliteLedger(path, { clock, account: 'an account' }));
  const resources = opened.move();
  return { folder: folder.path, clock, ledger, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

/** The sandbox begins at the instant of the virtual clock; its projects stay where they are until a test moves them. */
export async function openRunBench(options: SandboxOptions = {}): Promise<RunBench> {
  await using opened = new AsyncDisposableStack();
  const bench = opened.use(await openLedgerBench());
  const service = opened.use(await TestClient.start({ startAt: VIRTUAL_START_MS, autoProgress: false, ...options }));
  const { baseUrl, credentials } = service.sandbox;
  const { clock } = bench;
  const client = createServiceClient({
    baseUrl,
    ...credentials,
    clock,
    sleep: clock.sleep,
    random: () => 0.5,
    log: silentLog,
  });
  opened.defer(() => client.close());
  const resources = opened.move();
  return { ...bench, service, client, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

/** What a submission run is given in a test: one order at a time, unless `changes` says otherwise. */
export function submitContext(
  bench: LedgerBench & { readonly client: ServiceClient },
  changes: Partial<SubmitContext> = {},
): SubmitContext {
  const { ledger, client, clock } = bench;
  const world = {
    clock,
    sleep: clock.sleep,
    random: () => 0.5,
    log: silentLog,
    signal: changes.signal ?? new AbortController().signal,
  };
  return {
    ...world,
    ledger,
    client,
    pacer: createPacer({ ...world, maxConcurrency: changes.maxConcurrency ?? 1 }),
    rules: { onDuplicate: 'link', whenNoKey: 'mark', renewalAfterDays: 300 },
    quarantineMs: 300_000,
    maxConcurrency: 1,
    actor: 'analyst@staging.example',
    finishBy: null,
    onProgress: () => {},
    ...changes,
  };
}

/** Nothing is held. */
export const NO_LIMITS: HoldLimits = {
  maxWrongPercent: null,
  maxDuplicatePercent: null,
  maxTimesUsualRows: null,
};

/** What taking in files is given in a test: files are read in this process and need not settle, unless `changes` says otherwise. */
export function takeInContext(
  { ledger, clock }: LedgerBench,
  workspace: Workspace,
  changes: Partial<TakeInContext> = {},
): TakeInContext {
  return {
    ledger,
    workspace,
    files: deskInThisProcess,
    clock,
    sleep: clock.sleep,
    log: silentLog,
    signal: new AbortController().signal,
    rules: { onDuplicate: 'link', whenNoKey: 'mark', renewalAfterDays: 300 },
    hold: NO_LIMITS,
    headers: {},
    settleMs: 0,
    ...changes,
  };
}

/** What a follow-up run is given in a test. */
export function collectContext(
  bench: LedgerBench & { readonly client: ServiceClient },
  changes: Partial<CollectContext> = {},
): CollectContext {
  const { ledger, client, clock, folder } = bench;
  return {
    ledger,
    client,
    clock,
    sleep: clock.sleep,
    random: () => 0.5,
    log: silentLog,
    signal: new AbortController().signal,
    root: folder,
    store: join(folder, 'state', 'downloads'),
    images: 'all',
    retryNights: 5,
    maxConcurrency: 4,
    onProgress: () => {},
    ...changes,
  };
}

/** A client that can do only what a test says: everything else is a mistake of the test. */
export function clientThat(does: Partial<ServiceClient>): ServiceClient {
  const unexpected = (): Promise<never> => Promise.reject(new Error('the test did not expect this request'));
  return {
    account: 'an account',
    createProject: unexpected,
    getProject: unexpected,
    updateProject: unexpected,
    getStatus: unexpected,
    putStatus: unexpected,
    searchProjects: unexpected,
    listReports: unexpected,
    getReportUrl: unexpected,
    getReportSummary: unexpected,
    listImages: unexpected,
    openReportFile: unexpected,
    openImageFile: unexpected,
    close() {},
    ...does,
  };
}
