import pLimit from 'p-limit';
import { isOfKind, messageOf } from '../domain/errors.ts';
import { reasonFor } from '../domain/sentences.ts';
import type { RunContext } from '../domain/ports.ts';
import type {
  Ledger,
  NamedProject,
  DetailsBeforeUpdate,
  UpdateRecord,
  UpdateRequest,
  UpdateSource,
  UpdateReason,
} from '../ledger/ledger.ts';
import type { ServiceClient } from '../service/client.ts';
import type { ReadOutcome } from '../service/outcome.ts';
import { readOrThrow, type ApiAccess, ServiceUnavailable } from '../service/reads.ts';
import { repeatRead } from '../service/retry.ts';
import { type ShownPolicy, isNewerThanFirstAttempt, isSameOrder, resembles } from '../submit/order-and-project.ts';
import { unsafeFilesReason } from './files-safe.ts';
import { findNamedProject, unsettledOrder, type WantedUpdate } from './find-project.ts';
import {
  changesIn,
  describePolicyDetails,
  forbidden,
  planAmend,
  planStatus,
  policyBefore,
  wantedStatus,
  type UpdatePlan,
} from './plan-update.ts';
import type { ProjectDetail } from '../contract/document.ts';
import { ordersInState } from '../ledger/orders.ts';

export type UpdateContext = ApiAccess &
  RunContext &
  Readonly<{
    ledger: Ledger;
    root: string;
    maxConcurrency: number;
  }>;

/**
 * `already`: nothing to change; `would-send`: dry run; `rejected`: here, before sending; `refused`: by the service;
 * `unresolved`: the next run settles it; `waiting`: neither sent nor recorded, ask again.
 */
export type UpdateOutcome = 'done' | 'already' | 'would-send' | 'rejected' | 'refused' | 'unresolved' | 'waiting';

export type UpdateReport = Readonly<{
  kind: UpdateRequest['kind'];
  source: UpdateSource;
  named: string;
  project: string | null;
  order: number | null;
  property: string | null;
  /** Status or policy details; null if not asked. */
  before: string | null;
  after: string | null;
  outcome: UpdateOutcome;
  code: string | null;
  reason: string | null;
}>;

type ResolvedUpdate = Readonly<{
  wanted: WantedUpdate;
  projectId: string;
  named: NamedProject | null;
}>;

/** In the order of `wanted`. `dryRun` sends and records nothing. */
export async function runUpdates(
  wanted: readonly WantedUpdate[],
  context: UpdateContext,
  { dryRun }: { dryRun: boolean },
) {
  const limit = pLimit(context.maxConcurrency);
  const halt: Halt = { why: null };
  const first = new Map<string, WantedUpdate>();
  const meant = [];
  for (const one of wanted) meant.push(await resolveProject(one, first, context.ledger));
  return limit.map(meant, async (one) => ('outcome' in one ? one : perform(one, context, halt, dryRun)));
}

interface Halt {
  why: UpdateReason | null;
}

const UNKNOWN: UpdateReason = { code: 'project-unknown', reason: 'The service does not know the project.' };

async function resolveProject(
  wanted: WantedUpdate,
  first: Map<string, WantedUpdate>,
  ledger: Pick<Ledger, 'ordersLike' | 'projectsNamed'>,
) {
  const rejected = ({ code, reason }: UpdateReason, meant: ResolvedUpdate | null = null) =>
    reportOf(wanted, meant, 'rejected', { code, reason });
  if (wanted.problems.length > 0) return rejected({ code: 'row-wrong', reason: wanted.problems.join(' ') });
  const unsettled = await unsettledOrder(wanted.names, ledger);
  if (unsettled !== null) return rejected(unsettled);
  const found = await findNamedProject(wanted.names, ledger);
  if (found.kind === 'not found') return rejected(found);
  const meant = { wanted, projectId: found.projectId, named: found.named };
  const before = first.get(found.projectId);
  if (before === undefined) {
    first.set(found.projectId, wanted);
    return meant;
  }
  const place = formatSource(before.source);
  if (JSON.stringify(before.request) === JSON.stringify(wanted.request))
    return reportOf(wanted, meant, 'already', reasonFor('asked-before', { place }));
  return rejected(reasonFor('asked-otherwise', { place }), meant);
}

function formatSource(source: UpdateSource) {
  return source === null ? 'an earlier name' : `row ${source.rowNumber} of sheet ${source.sheet} in ${source.file}`;
}

async function perform(meant: ResolvedUpdate, context: UpdateContext, halt: Halt, dryRun: boolean) {
  const { wanted, projectId } = meant;
  const { request, source } = wanted;
  const report = (...end: Ended) => reportOf(wanted, meant, ...end);
  if (halt.why !== null) return report('waiting', halt.why);
  try {
    const looked = await lookBefore(projectId, request, context, dryRun);
    if (looked === null) return report('rejected', UNKNOWN);
    const { before, held, plan } = looked;
    if (plan.kind === 'already') {
      return report('already', { before, after: before, ...(before === '' && reasonFor('nothing-to-change')) });
    }
    if (plan.kind === 'forbidden') return report('rejected', { before, code: plan.code, reason: plan.reason });
    if (dryRun) return report('would-send', { before });
    if (context.signal.aborted) return report('waiting', { before, ...reasonFor('run-stopped') });
    const id = await context.ledger.beginUpdate({ projectId, request, before: held, source });
    if (id === null) return report('waiting', { before, ...reasonFor('earlier-update-open') });
    const sent = await sendUpdate(projectId, request, context);
    if (sent.kind === 'stop') halt.why = { code: sent.code, reason: sent.reason };
    await recordEnd(id, sent, context);
    return report(...outcomeOf(sent, request, before));
  } catch (failure) {
    if (!(failure instanceof ServiceUnavailable)) throw failure;
    const why = { code: 'service-unavailable', reason: failure.message };
    halt.why ??= why;
    return report('waiting', why);
  }
}

async function lookBefore(
  projectId: string,
  request: UpdateRequest,
  context: UpdateContext,
  dryRun: boolean,
  before: DetailsBeforeUpdate | null = null,
): Promise<Readonly<{ before: string; held: DetailsBeforeUpdate; plan: UpdatePlan }> | null> {
  const { client, ledger } = context;
  if (request.kind === 'amend') {
    const detail = await readOrThrow(() => client.getProject(projectId), context);
    if (detail === null) return null;
    const held = policyBefore(request, detail);
    const plan = planAmend(request, detail, before);
    // An open update may already be done.
    const why = plan.kind === 'send' && before === null ? await reasonNotToAmend(detail, ledger) : null;
    return { held, before: describePolicyDetails(held), plan: why === null ? plan : { kind: 'forbidden', ...why } };
  }
  const shown = await readOrThrow(() => client.getStatus(projectId), context);
  if (shown === null) return null;
  const { status } = shown;
  if (!dryRun) await ledger.recordStatuses([{ id: projectId, status }]);
  const plan = planStatus(request, status);
  const notSafe =
    plan.kind === 'send' && request.kind === 'receive' && !request.withoutFiles
      ? await unsafeFilesReason(projectId, context, dryRun)
      : null;
  return { before: status, held: { status }, plan: notSafe === null ? plan : { kind: 'forbidden', ...notSafe } };
}

async function recordEnd(id: number, sent: SendResult, { ledger, log }: UpdateContext) {
  const { kind, ...end } = sent;
  log.info('update sent', { update: id, outcome: kind });
  if ('status' in end)
    await ledger.endUpdate(id, 'settled' in end ? { to: 'done', ...end } : { to: 'refused', ...end });
}

type Ended = [outcome: UpdateOutcome, more: Partial<UpdateReport>];

function outcomeOf(sent: SendResult, request: UpdateRequest, before: string | null): Ended {
  switch (sent.kind) {
    case 'done': {
      const after = request.kind === 'amend' ? describePolicyDetails(request) : sent.status;
      return ['done', { before, after, ...(sent.settled && reasonFor('answer-lost')) }];
    }
    case 'refused':
    case 'stop':
      return ['refused', { before, after: sent.status, code: sent.code, reason: sent.reason }];
    case 'open': {
      const reason = `${sent.reason} It is on record; the next run settles it.`;
      return ['unresolved', { before, code: sent.code, reason }];
    }
  }
}

/** Sends an update again, under the same rules, unless the service shows it as done. */
export async function settleOpenUpdates(context: UpdateContext) {
  const reports = [];
  for (const update of await context.ledger.openUpdates()) {
    const { id, projectId, request, before, source } = update;
    const wanted: WantedUpdate = { names: [{ key: 'projectId', text: projectId }], request, source, problems: [] };
    const meant = { wanted, projectId, named: (await context.ledger.projectsNamed('projectId', projectId))[0] ?? null };
    try {
      const closed = await whyNoLonger(update, context);
      const looked = closed === null ? await lookBefore(projectId, request, context, false, before) : null;
      const sent = await resumeUpdate(projectId, request, closed ?? looked?.plan, context);
      await Promise.all([
        recordEnd(id, sent, context),
        (sent.kind === 'refused' || sent.kind === 'stop') && context.ledger.addNews('update-refused', projectId),
      ]);
      reports.push(reportOf(wanted, meant, ...outcomeOf(sent, request, looked?.before ?? null)));
    } catch (failure) {
      if (!(failure instanceof ServiceUnavailable)) throw failure;
      reports.push(reportOf(wanted, meant, 'unresolved', { code: 'service-unavailable', reason: failure.message }));
    }
  }
  return reports;
}

/** Afterwards it is given up, or every run would end with work left over. */
const SETTLED_WITHIN_DAYS = 3;
const DAY_MS = 24 * 60 * 60 * 1000;

/** If the service refuses to show its project. Throws ServiceUnavailable. */
async function whyNoLonger({ projectId, request, beganAt }: UpdateRecord, context: UpdateContext) {
  const { client, clock } = context;
  if (clock.now() - beganAt < SETTLED_WITHIN_DAYS * DAY_MS) return null;
  return readOrThrow(async () => {
    const answer = request.kind === 'amend' ? await client.getProject(projectId) : await client.getStatus(projectId);
    if (answer.kind === 'transient') return answer;
    const isRefused = answer.kind === 'refused' || (answer.kind === 'stop' && answer.status === 403);
    // A service that refuses everything shows nothing about this project.
    if (!isRefused || (await client.searchProjects({ limit: 1 })).kind !== 'ok') return { kind: 'ok', value: null };
    return { kind: 'ok', value: forbidden('not-shown', { status: answer.status, message: answer.message }) };
  }, context);
}

async function resumeUpdate(
  projectId: string,
  request: UpdateRequest,
  plan: UpdatePlan | undefined,
  context: UpdateContext,
): Promise<SendResult> {
  switch (plan?.kind) {
    case 'send':
      return sendUpdate(projectId, request, context, { sentBefore: true });
    case 'already':
      return { kind: 'done', status: null, settled: true };
    case 'forbidden':
      return { kind: 'refused', code: plan.code, reason: plan.reason, status: null };
    case undefined:
      return { kind: 'refused', ...UNKNOWN, status: null };
  }
}

function reportOf(wanted: WantedUpdate, meant: ResolvedUpdate | null, ...[outcome, more]: Ended) {
  return {
    kind: wanted.request.kind,
    source: wanted.source,
    named: wanted.names.map(({ text }) => text).join(', '),
    project: meant?.projectId ?? null,
    order: meant?.named?.orderId ?? null,
    property: meant?.named?.property ?? null,
    before: null,
    after: null,
    outcome,
    code: null,
    reason: null,
    ...more,
  };
}

type SendResult =
  /** `settled`: shown by a GET, not by the answer. */
  Readonly<
    | { kind: 'done'; status: string | null; settled: boolean }
    /** `stop`: our fault, not the project's; nothing more is sent. */
    | ({ kind: 'refused' | 'stop'; status: string | null } & UpdateReason)
    | ({ kind: 'open' } & UpdateReason)
  >;

type ShownState = Readonly<{
  isDone: boolean;
  status: string | null;
}>;

/** `sentBefore`: an earlier run may have sent it, which does no harm. */
async function sendUpdate(
  projectId: string,
  request: UpdateRequest,
  service: ApiAccess,
  { sentBefore = false } = {},
): Promise<SendResult> {
  const exchange = exchangeFor(projectId, request, service.client);
  const doubt: Doubt = { inDoubt: sentBefore, settled: false, status: null };
  try {
    return resultOf(await repeatRead(() => putAndLook(exchange, doubt), service), doubt);
  } catch (failure) {
    if (service.signal.aborted || isOfKind(failure, 'work-left'))
      return { kind: 'open', code: 'run-stopped', reason: messageOf(failure) };
    throw failure;
  }
}

interface Doubt {
  inDoubt: boolean;
  settled: boolean;
  status: string | null;
}

/** A 504, a cut connection or a refusal may follow finished work. */
async function putAndLook(exchange: ReturnType<typeof exchangeFor>, doubt: Doubt): Promise<ReadOutcome<ShownState>> {
  const answer = await exchange.put();
  if ((answer.kind === 'ok' && answer.value.isDone) || answer.kind === 'not-found') return answer;
  const seen = await exchange.look();
  if (seen.kind === 'ok') doubt.status = seen.value.status;
  if (seen.kind === 'ok' && seen.value.isDone) {
    doubt.settled = true;
    return seen;
  }
  if ((answer.kind === 'refused' || answer.kind === 'stop') && seen.kind !== 'ok' && doubt.inDoubt) {
    const reason = `${answer.message}; it is unclear whether an earlier request did it`;
    return { kind: 'transient', reason, status: answer.status, retryAfterMs: null };
  }
  doubt.inDoubt ||= answer.kind === 'transient';
  if (answer.kind !== 'ok') return answer;
  return seen.kind === 'ok'
    ? { kind: 'refused', status: 200, message: 'it answered as if it were done, and shows that it is not' }
    : seen;
}

function resultOf(outcome: ReadOutcome<ShownState>, { settled, status }: Doubt): SendResult {
  switch (outcome.kind) {
    case 'ok':
      return { kind: 'done', status: outcome.value.status, settled };
    case 'refused':
      return { kind: 'refused', ...reasonFor('service-refused', outcome), status };
    case 'not-found':
      return { kind: 'refused', ...reasonFor('project-unknown/update', outcome), status: null };
    case 'stop':
      return { kind: 'stop', ...reasonFor('access-refused', outcome), status };
    case 'transient':
      return { kind: 'open', ...reasonFor('outcome-unknown', { reason: outcome.reason }) };
  }
}

function exchangeFor(projectId: string, request: UpdateRequest, client: ServiceClient) {
  if (request.kind === 'amend') {
    const { kind: _kind, ...body } = request;
    const shown = (detail: ShownPolicy) => ({
      isDone: Object.keys(changesIn(request, detail)).length === 0,
      status: null,
    });
    return {
      put: async () => mapValue(await client.updateProject(projectId, body), shown),
      look: async () => mapValue(await client.getProject(projectId), shown),
    };
  }
  const value = wantedStatus(request);
  const body = request.comment === undefined ? { value } : { value, comment: request.comment };
  const shown = ({ status }: { status: string }) => ({ isDone: status === value, status });
  return {
    put: async () => mapValue(await client.putStatus(projectId, body), shown),
    look: async () => mapValue(await client.getStatus(projectId), shown),
  };
}

function mapValue<From, To>(outcome: ReadOutcome<From>, map: (value: From) => To): ReadOutcome<To> {
  return outcome.kind === 'ok' ? { kind: 'ok', value: map(outcome.value) } : outcome;
}

/**
 * An order in doubt compares a project with its request: after an amendment it would not find it and would be sent
 * again.
 */
async function reasonNotToAmend(project: ProjectDetail, ledger: Pick<Ledger, 'projectsOfOtherOrders' | 'ordersIn'>) {
  if ((await ledger.projectsOfOtherOrders(0, [project.id])).size > 0) return null;
  for (const state of ['submitting', 'unresolved', 'held'] as const) {
    for await (const order of ordersInState(state, ledger)) {
      // An order held without an attempt may have been sent by a lost ledger.
      if (!isNewerThanFirstAttempt(order, project) || !(resembles(order, project) || isSameOrder(order, project)))
        continue;
      return reasonFor('maybe-of-an-order', { order: order.id, state, project: project.id });
    }
  }
  return null;
}
