import pLimit from 'p-limit';
import type { NamedProject, UpdateRequest, UpdateSource } from '../ledger/updates.ts';
import { readOrAway, ServiceAway } from '../service/read-or-away.ts';
import { whyFilesAreNotSafe } from './files-safe.ts';
import { findProject } from './find-project.ts';
import type { UpdateParts } from './parts.ts';
import { detailsInWords, heldBefore, planAmend, planStatus, type UpdatePlan } from './plan-update.ts';
import { sendUpdate, type Sent } from './send-update.ts';
import type { WantedUpdate } from './wanted-update.ts';

/**
 * What became of an update: `done`; `already` so before; `would-send`, were this no dry run; `rejected` here, before anything was sent;
 * `refused` by the service; `unresolved`, the next run settles it; `waiting`: not sent and not on record, ask again.
 */
export type UpdateOutcome = 'done' | 'already' | 'would-send' | 'rejected' | 'refused' | 'unresolved' | 'waiting';

export interface UpdateReport {
  readonly kind: UpdateRequest['kind'];
  readonly source: UpdateSource;
  /** What the project was named by. */
  readonly named: string;
  readonly project: string | null;
  readonly order: number | null;
  readonly property: string | null;
  /** The status, or the policy details, that the service showed before; null where it was not asked. */
  readonly before: string | null;
  readonly after: string | null;
  readonly outcome: UpdateOutcome;
  readonly reason: string | null;
}

/** A wanted update whose project is known. */
interface Meant {
  readonly wanted: WantedUpdate;
  readonly projectId: string;
  readonly named: NamedProject | null;
}

/** Does what a person asks for, each update on its own; the reports stand in the order of what was wanted. `dryRun` sends nothing and puts nothing on record. */
export async function runUpdates(wanted: readonly WantedUpdate[], parts: UpdateParts, { dryRun }: { readonly dryRun: boolean }): Promise<readonly UpdateReport[]> {
  const limit = pLimit(parts.maxConcurrency);
  const halt: Halt = { reason: null };
  const first = new Map<string, WantedUpdate>();
  const meant: (Meant | UpdateReport)[] = [];
  for (const one of wanted) meant.push(await meaning(one, first, parts));
  return Promise.all(meant.map(async (one) => ('outcome' in one ? one : limit(() => perform(one, parts, halt, dryRun)))));
}

/** Why nothing more is sent, once there is a reason. */
interface Halt {
  reason: string | null;
}

async function meaning(wanted: WantedUpdate, first: Map<string, WantedUpdate>, { ledger }: UpdateParts): Promise<Meant | UpdateReport> {
  if (wanted.problems.length > 0) return reportOf(wanted, null, { outcome: 'rejected', reason: wanted.problems.join(' ') });
  const found = await findProject(wanted.names, ledger);
  if (found.kind === 'not found') return reportOf(wanted, null, { outcome: 'rejected', reason: found.reason });
  const meant = { wanted, projectId: found.projectId, named: found.named };
  const before = first.get(found.projectId);
  if (before === undefined) {
    first.set(found.projectId, wanted);
    return meant;
  }
  const isSame = JSON.stringify(before.request) === JSON.stringify(wanted.request);
  return isSame
    ? reportOf(wanted, meant, { outcome: 'already', reason: `The same as ${placeInWords(before.source)}.` })
    : reportOf(wanted, meant, { outcome: 'rejected', reason: `${placeInWords(before.source)} asks something else of the same project; only the first was looked at.` });
}

function placeInWords(source: UpdateSource): string {
  return source === null ? 'what was named before' : `row ${source.rowNumber} of sheet ${source.sheet} in ${source.file}`;
}

async function perform(meant: Meant, parts: UpdateParts, halt: Halt, dryRun: boolean): Promise<UpdateReport> {
  const { wanted, projectId } = meant;
  const { request, source } = wanted;
  if (halt.reason !== null) return reportOf(wanted, meant, { outcome: 'waiting', reason: halt.reason });
  try {
    const looked = await lookBefore(projectId, request, parts, { dryRun, before: null });
    if (looked === null) return reportOf(wanted, meant, { outcome: 'rejected', reason: 'The service does not know the project.' });
    const { before, held, plan } = looked;
    if (plan.kind === 'already') return reportOf(wanted, meant, { outcome: 'already', before, after: before });
    if (plan.kind === 'forbidden') return reportOf(wanted, meant, { outcome: 'rejected', before, reason: plan.reason });
    if (dryRun) return reportOf(wanted, meant, { outcome: 'would-send', before });
    if (parts.signal.aborted) return reportOf(wanted, meant, { outcome: 'waiting', before, reason: 'The run was asked to stop.' });
    const id = await parts.ledger.beginUpdate({ projectId, request, before: held, source });
    if (id === null) return reportOf(wanted, meant, { outcome: 'waiting', before, reason: 'An earlier update of this project is not settled yet.' });
    const sent = await sendUpdate(projectId, request, parts);
    if (sent.kind === 'stop') halt.reason = sent.reason;
    await end(id, sent, parts);
    return reportOf(wanted, meant, { before, ...outcomeOf(sent, request) });
  } catch (failure) {
    if (!(failure instanceof ServiceAway)) throw failure;
    halt.reason ??= failure.message;
    return reportOf(wanted, meant, { outcome: 'waiting', reason: failure.message });
  }
}

/** What the service shows before an update, and what that means for it. Null where it does not know the project. */
async function lookBefore(
  projectId: string,
  request: UpdateRequest,
  parts: UpdateParts,
  { dryRun, before }: { readonly dryRun: boolean; readonly before: Readonly<Record<string, string>> | null },
): Promise<{ readonly before: string; readonly held: Readonly<Record<string, string>>; readonly plan: UpdatePlan } | null> {
  const { client, ledger } = parts;
  if (request.kind === 'amend') {
    const detail = await readOrAway(() => client.getProject(projectId), parts);
    if (detail === null) return null;
    const held = heldBefore(request, detail);
    return { held, before: detailsInWords(held), plan: planAmend(request, detail, before) };
  }
  const shown = await readOrAway(() => client.getStatus(projectId), parts);
  if (shown === null) return null;
  const { status } = shown;
  if (!dryRun) await ledger.recordStatuses([{ id: projectId, status }]);
  const plan = planStatus(request, status);
  const notSafe = plan.kind === 'send' && request.kind === 'receive' && !request.withoutFiles ? await whyFilesAreNotSafe(projectId, parts) : null;
  return { before: status, held: { status }, plan: notSafe === null ? plan : { kind: 'forbidden', reason: notSafe } };
}

async function end(id: number, sent: Sent, { ledger, log }: UpdateParts): Promise<void> {
  log.info('update sent', { update: id, outcome: sent.kind });
  switch (sent.kind) {
    case 'done':
      await ledger.endUpdate(id, { to: 'done', status: sent.status, settled: sent.settled });
      return;
    case 'refused':
    case 'stop':
      await ledger.endUpdate(id, { to: 'refused', reason: sent.reason, status: sent.status });
      return;
    case 'open':
      return;
  }
}

function outcomeOf(sent: Sent, request: UpdateRequest): Pick<UpdateReport, 'outcome' | 'reason' | 'after'> {
  switch (sent.kind) {
    case 'done':
      return { outcome: 'done', after: request.kind === 'amend' ? detailsInWords(request) : sent.status, reason: sent.settled ? 'The answer was lost; a look showed that it was done.' : null };
    case 'refused':
    case 'stop':
      return { outcome: 'refused', after: sent.status, reason: sent.reason };
    case 'open':
      return { outcome: 'unresolved', after: null, reason: `${sent.reason} It is on record; the next run settles it.` };
  }
}

/**
 * Settles what an earlier run left open: the service may have handled it, or never have seen it. What it shows decides; what it does not
 * show as done is sent again, under the same rules. Returns what became of each.
 */
export async function settleOpenUpdates(parts: UpdateParts): Promise<readonly UpdateReport[]> {
  const reports: UpdateReport[] = [];
  for (const { id, projectId, request, before, source } of await parts.ledger.openUpdates()) {
    const wanted: WantedUpdate = { names: [{ key: 'projectId', text: projectId }], request, source, problems: [] };
    const meant = { wanted, projectId, named: (await parts.ledger.projectsNamed('projectId', projectId))[0] ?? null };
    try {
      const looked = await lookBefore(projectId, request, parts, { dryRun: false, before });
      const sent = await resumed(projectId, request, looked?.plan ?? null, parts);
      // Nobody sits before it.
      await Promise.all([end(id, sent, parts), (sent.kind === 'refused' || sent.kind === 'stop') && parts.ledger.addNews('update-refused', projectId)]);
      reports.push(reportOf(wanted, meant, { before: looked?.before ?? null, ...outcomeOf(sent, request) }));
    } catch (failure) {
      if (!(failure instanceof ServiceAway)) throw failure;
      reports.push(reportOf(wanted, meant, { outcome: 'unresolved', reason: failure.message }));
    }
  }
  return reports;
}

async function resumed(projectId: string, request: UpdateRequest, plan: UpdatePlan | null, parts: UpdateParts): Promise<Sent> {
  switch (plan?.kind) {
    case 'send':
      return sendUpdate(projectId, request, parts, { sentBefore: true });
    case 'already':
      return { kind: 'done', status: null, settled: true };
    case 'forbidden':
      return { kind: 'refused', reason: plan.reason, status: null };
    case undefined:
      return { kind: 'refused', reason: 'The service does not know the project.', status: null };
  }
}

function reportOf(wanted: WantedUpdate, meant: Meant | null, came: Pick<UpdateReport, 'outcome'> & Partial<UpdateReport>): UpdateReport {
  return {
    kind: wanted.request.kind,
    source: wanted.source,
    named: wanted.names.map(({ text }) => text).join(', '),
    project: meant?.projectId ?? null,
    order: meant?.named?.orderId ?? null,
    property: meant?.named?.property ?? null,
    before: null,
    after: null,
    reason: null,
    ...came,
  };
}
