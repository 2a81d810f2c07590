import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type ReadDepth, inspectLedgerFile } from '../ledger/ledger-file.ts';
import {
  inspectPostgresLedger,
  type OpenOptions,
  openPostgresLedger,
  openSqliteLedger,
} from '../ledger/open-ledger.ts';
import type { PostgresTarget } from '../ledger/postgres-driver.ts';
import { loadLedgerUrl } from '../ops/environment.ts';
import type { LedgerMark } from '../ops/ledger-mark.ts';
import { systemClock } from '../ops/system.ts';
import type { Workspace } from '../ops/workspace.ts';

/** `name`: without password. */
export type LedgerPlace = Readonly<
  | { kind: 'sqlite'; name: string; path: string }
  | { kind: 'postgres'; name: string; target: PostgresTarget; workspace: string }
>;

export function ledgerPathOf({ state }: Workspace) {
  return join(state, 'ledger.sqlite');
}

/**
 * The database of `INSPECTION_LEDGER_URL`, else `state/ledger.sqlite`. Each workspace has its own schema: the URL's
 * `?schema=`, else `inspection_` and the start of the workspace's ID. Throws ExplainedError (`usage`).
 */
export async function ledgerPlaceOf(workspace: Workspace, mark: LedgerMark | null): Promise<LedgerPlace> {
  const given = await loadLedgerUrl(workspace.root);
  return given === null
    ? { kind: 'sqlite', name: ledgerPathOf(workspace), path: ledgerPathOf(workspace) }
    : placeInDatabase(given, mark?.workspace ?? randomUUID());
}

export function placeInDatabase(given: string, workspace: string): Extract<LedgerPlace, { kind: 'postgres' }> {
  const url = new URL(given);
  const schema =
    url.searchParams.get('schema') ??
    `inspection_${workspace
      .replaceAll(/[^0-9a-f]/gi, '')
      .slice(0, 12)
      .toLowerCase()}`;
  url.searchParams.delete('schema');
  // `pg` treats these as verify-full, with a warning on stderr each time.
  if (
    /^(?:prefer|require|verify-ca)$/.test(url.searchParams.get('sslmode') ?? '') &&
    !url.searchParams.has('uselibpqcompat')
  )
    url.searchParams.set('sslmode', 'verify-full');
  return {
    kind: 'postgres',
    name: `${schema} in ${url.host}${url.pathname}`,
    target: { url: url.href, schema },
    workspace,
  };
}

/** Without an address that may change. */
export function placeOnMark(place: LedgerPlace) {
  return place.kind === 'sqlite' ? 'sqlite' : `postgres ${place.target.schema}`;
}

/** Throws ExplainedError (`usage`; `work-left` if the database cannot be reached). */
export async function inspectLedgerPlace(place: LedgerPlace, depth: ReadDepth) {
  return place.kind === 'sqlite' ? inspectLedgerFile(place.path, depth) : inspectPostgresLedger(place.target);
}

/** Hosts that share a database use its clock. */
export async function openAt(place: LedgerPlace, options: OpenOptions & { readonly openedFor?: 'record' | 'look' }) {
  if (place.kind === 'sqlite') return openSqliteLedger(place.path, options);
  return openPostgresLedger(place.target, { ...options, clock: options.clock === systemClock ? null : options.clock });
}
