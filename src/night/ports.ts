import type { OnProgress, RunContext } from '../domain/ports.ts';
import type { WorkQueue } from '../fleet/work-queue.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { RunLock } from '../ops/run-lock.ts';
import type { Workspace } from '../ops/workspace.ts';
import type { ColumnChoice } from '../results/column-choice.ts';
import type { FilesApart } from './files-apart.ts';
import type { RunPace, servicePaced } from './pace.ts';
import type { loadSettings } from './settings.ts';

/** Clock, sleep, randomness, log, the signal to stop, and who is shown how far a long step has come. */
export interface World extends RunContext {
  readonly onProgress: OnProgress;
}

/** What is kept: the ledger, and the files next to it. */
export interface Records {
  readonly ledger: Ledger;
  readonly workspace: Workspace;
  /** Paths in the ledger are relative to it. */
  readonly root: string;
  /** Verified files of projects. */
  readonly store: string;
  readonly files: FilesApart;
  readonly lock: RunLock;
  /** Undefined with SQLite. */
  readonly fleet: WorkQueue | undefined;
}

/** The service, at the pace that it can take. */
export interface Service extends Omit<ReturnType<typeof servicePaced>, 'signal'> {
  /** Why it cannot be asked, or null. */
  readonly away: string | null;
  /** For a worker's pages, whose run ends at another time. */
  readonly openPace: (finishBy: number | null) => Promise<RunPace>;
}

/** `config.yaml` and the environment, as the steps of a run take them. */
export interface Settings extends Omit<Awaited<ReturnType<typeof loadSettings>>, 'environment' | 'level' | 'secrets'> {
  readonly columns: ColumnChoice | null;
}
