import { join } from 'node:path';
import type { Clock } from '../domain/ports.ts';
import type { ServiceAccount } from '../domain/service-account.ts';
import { openLedgerReadOnly } from '../ledger/ledger-file.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { openSqliteLedger } from '../ledger/open-ledger.ts';
import { systemClock } from '../ops/system.ts';
import type { Workspace } from '../ops/workspace.ts';
import { ledgerCondition, ledgerError } from '../upkeep/guarded-ledger.ts';
import { ledgerPathOf, openAt } from '../upkeep/ledger-place.ts';

/**
 * `own`: null if unknown; throws ExplainedError (2) if the ledger is another's. `original`: if `workspace` is a copy.
 */
export async function openReadOnly(
  workspace: Workspace,
  scratch: string,
  own: ServiceAccount | null = null,
  original = workspace,
) {
  const { place, look, problem, question, ...condition } = await ledgerCondition(workspace, 'header', own ?? undefined);
  if (question !== null) throw ledgerError(question);
  const words = problem === null ? '' : `${problem.message} Earlier orders may not be known here.\n${problem.hint}\n`;
  process.stderr.write(words.replaceAll(ledgerPathOf(workspace), () => ledgerPathOf(original)));
  const account = look.kind === 'there' ? condition.account : null;
  if (account === null) return null;
  const options = { clock: systemClock, account };
  return place.kind === 'sqlite'
    ? openLedgerReadOnly(place.path, options, join(scratch, 'copied.sqlite'))
    : openAt(place, { ...options, openedFor: 'look' });
}

export function openDryLedger(
  scratch: string,
  onRecord: Ledger | null,
  openedFor: 'scratch' | 'rehearsal',
  clock: Clock,
) {
  return openSqliteLedger(join(scratch, 'ledger.sqlite'), { clock, account: onRecord?.account ?? 'nobody', openedFor });
}
