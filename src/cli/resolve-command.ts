import { basename, resolve } from 'node:path';
import { houseLikeness, identityKind, propertyOf } from '../domain/identity.ts';
import type { Ledger, OrderMove, OrderRecord, StoredRow } from '../ledger/ledger.ts';
import { inboxProblem, type Workspace, workspaceAt } from '../ops/workspace.ts';
import { sha256OfFile } from '../ops/durable-files.ts';
import { linkToProject } from '../submit/after-answer.ts';
import { confirmCommandLine, NEW_LAYOUT } from '../submit/ask-layout.ts';
import { retireCorrections } from '../submit/corrections.ts';
import { pathIn, displayName } from '../submit/claimed-files.ts';
import { approveHeldFile, returnToInbox, type WaitingFile, waitingFiles } from '../submit/hold.ts';
import { isSameOrder, isOtherTerm } from '../submit/order-and-project.ts';
import { placeWords } from '../submit/known-rows.ts';
import { dismissLine, houseOf } from '../results/deliver/overview.ts';
import { andMore, success } from './terminal.ts';
import { ledgerToAnswer } from './confirm-command.ts';
import { EXIT } from '../night/exit-codes.ts';
import { finishRun, inRunSession, type RunSession } from '../night/run-session.ts';
import { sentence } from '../domain/sentences.ts';
import { usageErrorOf, workLeftErrorOf } from '../domain/errors.ts';

export type Resolution = Readonly<{
  adopt?: string;
  /** With `adopt`: even a project of another house or term. */
  anyway?: boolean;
  resubmit?: boolean;
  abandon?: boolean;
  giveUp?: boolean;
  follow?: boolean;
  dismiss?: boolean;
}>;

export async function resolveCommand(subject: string, decision: Resolution, workspaceDir: string) {
  const { adopt, anyway, resubmit, abandon, giveUp, follow, dismiss } = decision;
  const given = [adopt, resubmit, abandon, giveUp, follow, dismiss].filter((one) => one !== undefined && one !== false);
  if (given.length !== 1) throw usageErrorOf('decision-missing');
  if (anyway && adopt === undefined) throw usageErrorOf('flag-needs-adopt');
  if (dismiss !== true && !/^\d{1,15}$/.test(subject)) throw usageErrorOf('not-an-order-number', { subject });
  return inRunSession(workspaceDir, 'resolve', async (session) => {
    if (dismiss !== true) return decide(subject, decision, session);
    const result = await dismissNamed(subject, session);
    await finishRun(session, EXIT.done, result.json);
    return result;
  });
}

async function decide(orderId: string, decision: Resolution, session: RunSession) {
  const order = await session.ledger.order(Number(orderId));
  if (order === null) throw usageErrorOf('order-unknown', { orderId });
  if (decision.giveUp || decision.follow) return followOrNot(order, decision.follow === true, session);
  const move = await moveFor(order, decision, session);
  if (!(await session.ledger.moveOrder(order.id, order.state, move)))
    throw new Error(`order ${order.id} moved while it was being resolved`);
  await finishRun(session, EXIT.done, { order: order.id, to: move.to });
  const mayExist =
    move.to === 'abandoned' && (await session.ledger.hadUnknownAttempt(order.id)) ? sentence('resolve/may-exist') : '';
  const text = `Order ${order.id} was ${order.state}; it is now ${move.to}${'project' in move ? `, project ${move.project.projectId}` : ''}.${mayExist}`;
  return success(text, { order: order.id, from: order.state, to: move.to });
}

export async function dismissNamed(
  subject: string,
  { ledger, workspace, log }: Pick<RunSession, 'ledger' | 'workspace' | 'log'>,
) {
  const rows = await rowsNamed(subject, ledger);
  const dismissed = await ledger.dismissRows(rows);
  await retireCorrections({ ledger, workspace, log });
  const places = rows.map(({ fileName: file, record: { place } }) => {
    return { file, sheet: place.sheet, row: place.rowNumber };
  });
  const [some, they] = dismissed === 1 ? ['1 row is', 'it is'] : [`${dismissed} rows are`, 'they are'];
  const named = rows.slice(0, LISTED_MAX).map((row) => `  ${placeWords(row)}: ${houseOf(row.summary)}`);
  const text =
    dismissed === 0
      ? `"${subject}" has no open rows: nothing was changed.`
      : [sentence('resolve/dismissed', { some, they }), ...named, ...andMore(rows.length, LISTED_MAX)].join('\n');
  return success(text, { subject, dismissed: places });
}

/** A refused order, a file, its corrections workbook, or one row of these (`file:4`, `file:Sheet1:4`). */
async function rowsNamed(subject: string, ledger: Ledger) {
  const order = /^\d{1,15}$/.test(subject) ? await ledger.order(Number(subject)) : null;
  if (order !== null) {
    if (order.state !== 'refused') throw usageErrorOf('not-a-rejected-row', { id: order.id, state: order.state });
    const own = (await ledger.storyOf(order.id)).rows.filter(({ outcome }) => outcome === 'order');
    return (await Promise.all(own.map(({ fileId }) => ledger.openRowsOf(fileId))))
      .flat()
      .filter(({ orderId }) => orderId === order.id);
  }
  const all = await openRowsOfNamed(subject, ledger);
  if (all !== null) return all;
  const [, name = '', sheet = null, rowNumber = ''] = /^(.+?)(?::([^:/]+))?:(\d+)$/s.exec(subject) ?? [];
  const isMeant = ({ record: { place } }: StoredRow) =>
    place.rowNumber === Number(rowNumber) && (sheet === null || place.sheet === sheet);
  const some = name === '' ? null : await openRowsOfNamed(name, ledger, isMeant, subject.slice(name.length));
  if (some === null) throw usageErrorOf('file-not-on-record', { subject });
  return some;
}

const LISTED_MAX = 20;

/** `place`: the end of the subject that names a row. */
async function openRowsOfNamed(name: string, ledger: Ledger, isMeant = (_row: StoredRow) => true, place = '') {
  const files = await ledger.findFiles(name);
  const isBook = (corrections: string | null) =>
    corrections !== null && (corrections === name || basename(corrections) === name);
  const meant = (await ledger.waitingRows()).filter(
    ({ fileId, corrections }) => isBook(corrections) || files.some(({ id }) => id === fileId),
  );
  if (meant.length === 0) return files.length > 0 || (await ledger.wasWorkbook(basename(name))) ? [] : null;
  const ids = [...new Set(meant.map(({ fileId }) => fileId))];
  const open = (await Promise.all(ids.map((id) => ledger.openRowsOf(id)))).flat();
  const ofBook = open.filter(({ corrections }) => isBook(corrections));
  const ofFile = open.filter(({ fileId }) => files.some(({ id }) => id === fileId));
  const rows = place === '' ? [...new Set([...ofFile, ...ofBook])] : ofFile.filter(isMeant);
  // Its rows have other numbers, and may be sorted or deleted.
  if (rows.length === 0 && ofBook.length > 0) {
    const listed = ofBook.slice(0, LISTED_MAX).map(({ summary, fileName, record: { place } }) => {
      return `  ${houseOf(summary)}:\n    ${dismissLine(`${fileName}:${place.sheet}:${place.rowNumber}`)}`;
    });
    throw usageErrorOf('row-of-corrections', { name, rows: listed.join('\n') });
  }
  const fileIds = new Set(rows.map(({ fileId }) => fileId));
  if (fileIds.size < 2) return rows;
  const archived = (await Promise.all(meant.map(({ file }) => ledger.findFiles(file)))).flat();
  const names = archived.flatMap(({ id, archivedAs, hash }) => (fileIds.has(id) ? [archivedAs ?? hash] : []));
  throw usageErrorOf('file-name-ambiguous', {
    name,
    commands: [...new Set(names)].map((one) => `  ${dismissLine(`${one}${place}`)}`).join('\n'),
  });
}

async function followOrNot(order: OrderRecord, follow: boolean, session: RunSession) {
  const project = order.projectId;
  if (project === null) throw usageErrorOf('order-without-project', { id: order.id, state: order.state });
  const took = follow
    ? await session.ledger.followAgain(project)
    : await session.ledger.giveUpProject(project, 'A person gave the project up.');
  if (!took) throw usageErrorOf(follow ? 'project-follow-unchanged/again' : 'project-follow-unchanged', { project });
  const to = follow ? 'followed' : 'given up';
  await finishRun(session, EXIT.done, { order: order.id, project, to });
  return success(`Project ${project} of order ${order.id} is ${to} now.`, { order: order.id, project, to });
}

async function moveFor(order: OrderRecord, decision: Resolution, session: RunSession): Promise<OrderMove> {
  if (order.state === 'ready' && !decision.abandon) throw usageErrorOf('order-not-waiting', { id: order.id });
  if (!['held', 'unresolved', 'ready'].includes(order.state))
    throw usageErrorOf('order-not-waiting/over', { id: order.id, state: order.state });
  if (decision.adopt !== undefined) return adoption(order, decision.adopt, decision.anyway === true, session);
  if (decision.abandon)
    return { to: 'abandoned', code: 'abandoned-by-person', reason: 'A person abandoned the order.' };
  if (order.state === 'unresolved') throw usageErrorOf('order-still-unresolved', { id: order.id });
  const reason = 'A person decided to send it again.';
  const again = { to: 'ready', code: 'resent-by-person', reason, attemptUsed: true } as const;
  // The service may compare empty numbers and answer 409 forever; the person just said that no project exists.
  return identityKind(order.payload) === 'address' ? { ...again, allowDuplication: true } : again;
}

async function adoption(
  order: OrderRecord,
  projectId: string,
  anyway: boolean,
  { client, ledger }: RunSession,
): Promise<OrderMove> {
  if (!/^\d{1,19}$/.test(projectId)) throw usageErrorOf('not-a-project-id/adopt', { projectId });
  const answer = await client.getProject(projectId);
  if (answer.kind === 'transient') throw workLeftErrorOf('service-unavailable/adopt', { reason: answer.reason });
  if (answer.kind !== 'ok') throw usageErrorOf('project-not-readable', { projectId, answer: answer.message });
  if ((await ledger.projectsOfOtherOrders(order.id, [answer.value.id])).size > 0)
    throw usageErrorOf('project-of-another-order', { projectId });
  if (!anyway && houseLikeness(order.payload, answer.value) === 'other' && !isSameOrder(order, answer.value))
    throw usageErrorOf('project-of-another-house', {
      projectId,
      house: propertyOf(answer.value) || '(no address)',
      id: order.id,
      ordered: propertyOf(order.payload),
    });
  if (!anyway && isOtherTerm(order.payload, answer.value))
    throw usageErrorOf('project-of-another-term', { projectId, id: order.id });
  return { to: 'created', project: linkToProject(answer.value), adopted: true };
}

/** Works during a run. Throws ExplainedError (2) unless exactly one file matches. */
export async function approveFileCommand(file: string, workspaceDir: string) {
  const workspace = workspaceAt(workspaceDir);
  const held = await heldFileNamed(file, workspace);
  await using ledger = await ledgerToAnswer(workspace);
  if ((await ledger.findHeld(await sha256OfFile(held.path)))?.limits.includes(NEW_LAYOUT))
    throw usageErrorOf('file-waits-for-answer', {
      name: displayName(held),
      command: confirmCommandLine(displayName(held), workspace.root),
    });
  await approveHeldFile(held, ledger);
  const away = await inboxProblem(workspace);
  const moved = away === null ? await returnToInbox(held, workspace) : held.path;
  const movedTo = pathIn(workspace, moved);
  const where = away === null ? `It is back in ${movedTo}` : sentence('resolve/inbox-away');
  const text = sentence('resolve/approved', { displayName: displayName(held), where });
  return success(text, { file: displayName(held), movedTo });
}

async function heldFileNamed(text: string, workspace: Workspace) {
  const waiting = await waitingFiles(workspace).catch(() => []);
  const byPath = waiting.filter(({ path }) => path === resolve(text) || path === resolve(workspace.root, text));
  const byName = waiting.filter((file) => displayName(file) === text || file.name === text);
  const found = byPath.length > 0 ? byPath : byName;
  const namesOf = (files: readonly WaitingFile[]) => files.map(({ heldAs }) => heldAs).join(', ');
  if (found.length > 1) throw usageErrorOf('file-name-ambiguous/held', { text, files: namesOf(found) });
  if (found[0] !== undefined) return found[0];
  const others = waiting.length === 0 ? 'No file is held.' : `Held files: ${namesOf(waiting)}.`;
  throw usageErrorOf('file-not-held', { text, others });
}
