import type { ServiceAccount } from '../domain/service-account.ts';
import { silentLog } from '../domain/ports.ts';
import { loadConfig } from '../ops/config.ts';
import { loadEnvironment } from '../ops/environment.ts';
import { progressBar } from '../night/progress-bar.ts';
import { type Accent, commandResult } from './terminal.ts';
import { SYSTEM, systemClock } from '../ops/system.ts';
import { nothingOnRecord, type Workspace, workspaceAt } from '../ops/workspace.ts';
import { type LedgerCondition, ledgerCondition, ledgerError } from '../upkeep/guarded-ledger.ts';
import { openAt } from '../upkeep/ledger-place.ts';
import { accountNamed, createServiceClient } from '../service/client.ts';
import {
  type CensusContext,
  type CensusCounts,
  countMarks,
  describeCensusLine,
  censusLineFor,
} from '../upkeep/compare-with-service.ts';
import { takeCensus } from '../upkeep/take-census.ts';
import { throwAsWorkLeft } from './project-commands.ts';
import { EXIT, exitCodeOfCensus } from '../night/exit-codes.ts';
import { lockWorkspace } from '../night/workspace-lease.ts';
import { listenForStop } from '../night/stop-signal.ts';
import { sentence } from '../domain/sentences.ts';

/** Takes the run lock, so that no run changes the records meanwhile. Records no run. */
export async function verifyCommand(workspaceDir: string) {
  const workspace = workspaceAt(workspaceDir);
  await requireLedger(workspace, 'header');
  const environment = await loadEnvironment(workspace.root, await loadConfig(workspace.root));
  using stop = listenForStop();
  await using opened = new AsyncDisposableStack();
  const { host } = opened.use(await lockWorkspace(workspace, 'verify'));
  const standing = await requireLedger(workspace, 'whole', accountNamed(environment));
  const world = { ...SYSTEM, signal: stop.signal };
  const client = createServiceClient({ ...environment, ...world, log: silentLog });
  opened.defer(() => client.close());
  const ledger = opened.use(
    await openAt(standing.place, { clock: systemClock, account: standing.account ?? client.account }),
  );
  // Workers of a dead run may still send, which one side would miss.
  const atWork = ((await host?.living()) ?? []).filter(({ workingOn }) => workingOn !== null);
  const lines = [
    ofLedger(standing),
    ...(await census({ ...world, ledger, client, root: workspace.root, archive: workspace.archive })),
  ];
  const counts = countMarks(lines);
  const exitCode = exitCodeOfCensus(lines, stop.by);
  const stillAtWork = atWork.map((each) =>
    sentence('verify/at-work', { pid: each.pid, host: each.host, role: each.role }),
  );
  const text = [...lines.map(describeCensusLine), '', ...stillAtWork, verdictOn(counts)].join('\n');
  const json = { balanced: exitCode === EXIT.done, counts, lines, ...(host !== null && { atWork }) };
  return { ...commandResult(exitCode, text, json), accents: ACCENTS };
}

const ACCENTS: readonly Accent[] = [
  [/^=(?= )/gm, 'green'],
  [/^[-+*!] .*$/gm, 'red'],
  [/^Everything matches:/gm, ['bold', 'green']],
  [/^Not everything matches:/gm, ['bold', 'red']],
];

async function requireLedger(workspace: Workspace, depth: 'header' | 'whole', account?: ServiceAccount) {
  const standing = await ledgerCondition(workspace, depth, account);
  if (standing.question !== null) throw ledgerError(standing.question);
  if (standing.look.kind === 'there') return standing;
  if (standing.problem !== null) throw ledgerError(standing.problem);
  throw nothingOnRecord(workspace);
}

function ofLedger({ place, problem }: LedgerCondition) {
  const isFile = place.kind === 'sqlite';
  const id = isFile ? 'ledger.sqlite' : place.name;
  if (problem === null) return censusLineFor('ledger', id)('=', isFile ? 'ledger-agrees/file' : 'ledger-agrees');
  const { code, message, hint = '' } = ledgerError(problem);
  return { mark: '*', about: 'ledger', id, code, detail: `${message} ${hint}` } as const;
}

async function census(parts: CensusContext) {
  const lines = [];
  try {
    for await (const line of takeCensus(parts)) {
      lines.push(line);
      progressBar.update('counting', lines.length, 0);
    }
    return lines;
  } catch (failure) {
    throwAsWorkLeft(failure, 'census-unfinished', 'The comparison was not finished: ');
  } finally {
    progressBar.end();
  }
}

function verdictOn({ '=': same, '-': missing, '+': more, '*': different, '!': unknown }: CensusCounts) {
  if (missing + more + different + unknown === 0) return `Everything matches: ${same} entries agree.`;
  return sentence('verify/differs', { same, missing, more, different, unknown });
}
