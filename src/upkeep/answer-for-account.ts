import type { Clock } from '../domain/ports.ts';
import type { ServiceAccount } from '../domain/service-account.ts';
import { OpenLedgerMark, withAccount } from '../ops/ledger-mark.ts';
import type { Workspace } from '../ops/workspace.ts';
import { ledgerCondition, openMarked, ledgerError } from './guarded-ledger.ts';
import { isDeclaredAlias, type LedgerProblem } from './whose-records.ts';
import { usageErrorOf } from '../domain/errors.ts';

export type AccountAnswer = 'same' | 'new';

/** Until `recover` updates these, only the workspace remembers the answer. */
const TO_BE_RECOVERED: ReadonlySet<LedgerProblem['kind']> = new Set(['missing', 'empty', 'damaged', 'older', 'mixed']);

/**
 * Changes no record. False if the account already is the workspace's. Throws ExplainedError (`usage`) if both accounts
 * have records, and as `openGuardedLedger`.
 */
export async function answerForAccount(
  workspace: Workspace,
  options: Readonly<{ clock: Clock; account: ServiceAccount }>,
  answer: AccountAnswer,
) {
  const { clock, account: name } = options;
  const condition = await ledgerCondition(workspace, 'quick unless closed', name);
  const { own, look, mark, problem: found, question } = condition;
  const isOld = found !== null && TO_BE_RECOVERED.has(found.kind);
  if (found !== null && found !== question && !isOld) throw ledgerError(found);
  if (own === null || (question === null && (answer === 'same' || !isDeclaredAlias(look, name)))) return false;
  const account = answer === 'same' ? own : question === null ? name.key : (condition.account ?? name.key);
  if (isOld) {
    if (mark === null) throw ledgerError(found);
    const answered = { ...mark, ...withAccount(mark, account, clock.now(), name.key) };
    (await OpenLedgerMark.open(workspace, answered)).close(mark.closed);
    return true;
  }
  await using _ = await openMarked(workspace, { ...condition, account }, options, async (ledger) => {
    const found = (await ledger.accountsOnRecord()).find((one) => one.account === condition.account);
    if (answer === 'same' && found !== undefined && found.files + found.orders + found.projects > 0)
      throw usageErrorOf('account-has-records', { orders: found.orders });
    const since = question === null ? found?.names.find(({ key }) => key === name.key)?.since : undefined;
    if (since !== undefined && (found?.lastRunAt ?? 0) >= since) throw usageErrorOf('account-in-use');
  });
  return true;
}
