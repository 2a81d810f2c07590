import { ExplainedError, usageError } from '../domain/errors.ts';
import { identityKind } from '../domain/identity.ts';
import { STATUS_NOT_SEEN } from '../domain/project.ts';
import type { OrderMove, OrderRecord } from '../ledger/orders.ts';
import { type CommandResult, done, EXIT } from './exit-codes.ts';
import { finishRun, inRunSession, type RunSession } from './run-session.ts';

/** What a person decided about an order: exactly one of these. */
export interface Decision {
  /** The id of the project that is this order's. */
  readonly adopt?: string | undefined;
  readonly resubmit?: boolean | undefined;
  readonly abandon?: boolean | undefined;
  /** Its project is not followed any more. */
  readonly giveUp?: boolean | undefined;
  /** It is followed again. */
  readonly follow?: boolean | undefined;
}

/** Frees an order that waits for a person. An unresolved one can be adopted or abandoned, but not sent again: its project may exist. */
export async function resolveCommand(orderId: string, decision: Decision, workspaceDir: string): Promise<CommandResult> {
  const given = [decision.adopt !== undefined, decision.resubmit === true, decision.abandon === true, decision.giveUp === true, decision.follow === true].filter(Boolean).length;
  if (given !== 1) throw usageError('Say what to do with the order: one of --adopt ID, --resubmit and --abandon; or, of its project, --give-up or --follow.');
  if (!/^\d{1,15}$/.test(orderId)) throw usageError(`"${orderId}" is no order number; \`inspection-batch status\` lists them.`);
  return inRunSession(workspaceDir, 'resolve', (session) => resolve(orderId, decision, session));
}

async function resolve(orderId: string, decision: Decision, session: RunSession): Promise<CommandResult> {
  const order = await session.ledger.order(Number(orderId));
  if (order === null) throw usageError(`There is no order ${orderId} on record.`);
  if (decision.giveUp === true || decision.follow === true) return await followOrNot(order, decision.follow === true, session);
  const move = await moveFor(order, decision, session);
  if (!(await session.ledger.moveOrder(order.id, order.state, move))) throw new Error(`order ${order.id} moved while it was being resolved`);
  await finishRun(session, EXIT.done, { order: order.id, to: move.to });
  const text = `Order ${order.id} was ${order.state}; it is now ${move.to}${'project' in move ? `, project ${move.project.projectId}` : ''}.`;
  return done(text, { order: order.id, from: order.state, to: move.to });
}

/** A project is followed until it is received or canceled, or until a person gives it up. */
async function followOrNot(order: OrderRecord, follow: boolean, session: RunSession): Promise<CommandResult> {
  const { ledger } = session;
  const project = order.projectId;
  if (project === null) throw usageError(`Order ${order.id} is ${order.state} and has no project.`);
  const took = follow ? await ledger.followAgain(project) : await ledger.giveUpProject(project, 'A person gave the project up.');
  if (!took) throw usageError(follow ? `Project ${project} was not given up.` : `Project ${project} is not followed: it is received, canceled or given up already.`);
  const to = follow ? 'followed' : 'given up';
  await finishRun(session, EXIT.done, { order: order.id, project, to });
  return done(`Project ${project} of order ${order.id} is ${to} now.`, { order: order.id, project, to });
}

async function moveFor(order: OrderRecord, decision: Decision, session: RunSession): Promise<OrderMove> {
  if (order.state !== 'held' && order.state !== 'unresolved') throw usageError(`Order ${order.id} is ${order.state}: nothing about it waits for a person.`);
  if (decision.adopt !== undefined) return adoption(order, decision.adopt, session);
  if (decision.abandon === true) return { to: 'abandoned', reason: 'A person gave the order up.' };
  if (order.state === 'unresolved') {
    throw usageError(`Order ${order.id} is unresolved: its project may exist. The next run searches for it and sends it again once that is safe; or use --adopt or --abandon.`);
  }
  const again = { to: 'ready', reason: 'A person decided to send it again.', attemptUsed: true } as const;
  // A service that compares nothing with nothing would answer 409 for ever (READING 4), and the person has just said that no project exists.
  return identityKind(order.payload) === 'address' ? { ...again, allowDuplication: true } : again;
}

async function adoption(order: OrderRecord, projectId: string, { client, ledger }: RunSession): Promise<OrderMove> {
  if (!/^\d{1,19}$/.test(projectId)) throw usageError(`"${projectId}" is no project id.`);
  const answer = await client.getProject(projectId);
  if (answer.kind === 'transient') throw new ExplainedError(`The service is away: ${answer.reason}.`, { kind: 'work-left', hint: 'Run it again later; nothing was changed.' });
  if (answer.kind !== 'ok') throw usageError(`The service does not give project ${projectId}: ${answer.message}`);
  if ((await ledger.projectsOfOtherOrders(order.id, [answer.value.id])).size > 0) throw usageError(`Project ${projectId} belongs to another order already.`);
  const { id, inspectionCode, inspectionLink } = answer.value;
  const project = { projectId: id, status: STATUS_NOT_SEEN, inspectionCode: inspectionCode || null, inspectionLink: inspectionLink || null };
  return { to: 'created', project, adopted: true };
}
