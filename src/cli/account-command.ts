import { format } from 'date-fns/format';
import { loadConfig } from '../ops/config.ts';
import { inspectEnvironment, loadEnvironment } from '../ops/environment.ts';
import { systemClock } from '../ops/system.ts';
import { isWorkspace, nothingOnRecord, type Workspace, workspaceAt } from '../ops/workspace.ts';
import { type AccountAnswer, answerForAccount } from '../upkeep/answer-for-account.ts';
import { ledgerCondition, inspectLedger } from '../upkeep/guarded-ledger.ts';
import { describeAccount } from '../upkeep/whose-records.ts';
import { accountNamed } from '../service/client.ts';
import { success, tableOf } from './terminal.ts';
import { lockWorkspace } from '../night/workspace-lease.ts';
import { sentence } from '../domain/sentences.ts';

/** Sends nothing. */
export async function accountCommand(answer: AccountAnswer | null, workspaceDir: string) {
  const workspace = workspaceAt(workspaceDir);
  if (!isWorkspace(workspace) && (await accountsIn(workspace)).length === 0) throw nothingOnRecord(workspace);
  const said = answer === null ? [] : [await answered(answer, workspace)];
  const { question, own } = await standingOf(workspace);
  const accounts = await accountsIn(workspace);
  const list = tableOf(accounts, {
    '': ({ account }) => (account === own ? '*' : ''),
    account: ({ account, names }) => names.map(describeAccount).join('; or ') || `${account} (name not on record)`,
    files: 'files',
    orders: 'orders',
    projects: 'projects',
    'latest run': ({ lastRunAt }) => (lastRunAt === null ? 'never' : format(lastRunAt, 'yyyy-MM-dd HH:mm')),
  });
  const text = [
    ...said,
    accounts.length === 0 ? sentence('account/nothing') : list,
    ...(question === null ? [] : [question.message, question.hint]),
  ].join('\n');
  return success(text, {
    accounts: accounts.map(({ account, names, lastRunAt, ...counts }) => ({
      account,
      isWorkspaces: account === own,
      names: names.map(({ address, clientId, username }) => ({ address, clientId, username })),
      ...counts,
      latestRun: lastRunAt === null ? null : new Date(lastRunAt).toISOString(),
    })),
    question: question && { code: question.kind, message: question.message },
  });
}

async function answered(answer: AccountAnswer, workspace: Workspace) {
  const account = accountNamed(await loadEnvironment(workspace.root, await loadConfig(workspace.root)));
  await using _lock = await lockWorkspace(workspace, 'account');
  if (!(await answerForAccount(workspace, { clock: systemClock, account }, answer))) return sentence('account/named');
  return sentence(`account/${answer}`, { account: describeAccount(account) });
}

async function standingOf(workspace: Workspace) {
  const { environment } = await inspectEnvironment(workspace.root, await loadConfig(workspace.root));
  return ledgerCondition(workspace, 'header', environment === null ? undefined : accountNamed(environment));
}

async function accountsIn(workspace: Workspace) {
  await using ledger = (await inspectLedger(workspace)).ledger;
  return (await ledger?.accountsOnRecord()) ?? [];
}
