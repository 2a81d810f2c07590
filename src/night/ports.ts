import type { WorkQueue } from '../fleet/work-queue.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { RunLock } from '../ops/run-lock.ts';
import type { Workspace } from '../ops/workspace.ts';
import type { ColumnChoice } from '../results/column-choice.ts';
import type { IsolatedFileWorker } from './isolated-file-worker.ts';
import type { PacedClient, pacedService } from './paced-client.ts';
import type { loadSettings } from './settings.ts';

export type OpenWorkspace = Readonly<{
  ledger: Ledger;
  workspace: Workspace;
  root: string;
  /** The folder of projects' verified files. */
  store: string;
  files: IsolatedFileWorker;
  lock: RunLock;
  /** Undefined with SQLite. */
  fleet: WorkQueue | undefined;
}>;

export type NightService = Omit<ReturnType<typeof pacedService>, 'signal'> &
  Readonly<{
    away: string | null;
    /** A worker's pages belong to runs with other end times. */
    openPace: (finishBy: number | null) => Promise<PacedClient>;
  }>;

export interface Settings extends Omit<Awaited<ReturnType<typeof loadSettings>>, 'environment' | 'level' | 'secrets'> {
  readonly columns: ColumnChoice | null;
}
