import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { collectProjects } from '../collect/collect-run.ts';
import { createProjectRequest, type ProjectDetail } from '../contract/document.ts';
import type { OrderPayload } from '../domain/row.ts';
import { formatCount } from '../domain/text.ts';
import type { Ledger, ProjectStory } from '../ledger/ledger.ts';
import { EXIT, exitCodeOf } from '../night/exit-codes.ts';
import { progressBar } from '../night/progress-bar.ts';
import { finishRun, inRunSession, requireService, type RunSession } from '../night/run-session.ts';
import { readOrThrow } from '../service/reads.ts';
import { success, commandResult, tableOf } from './terminal.ts';
import { propertyOf } from '../domain/identity.ts';
import { throwAsWorkLeft, parseProjectId } from './project-commands.ts';
import { sentence } from '../domain/sentences.ts';
import { usageErrorOf } from '../domain/errors.ts';

/** Follows none if the service does not know one of them. Throws ExplainedError (2, 4, 5). */
export async function followCommand(ids: readonly string[], workspaceDir: string, stop: boolean) {
  const wanted = [...new Set(ids.map(parseProjectId))];
  return inRunSession(workspaceDir, 'follow', async (session) => {
    const projects = stop ? await stopFollowing(wanted, session) : await follow(wanted, session);
    const hint = stop ? [] : ['', sentence('follow/next')];
    await finishRun(session, EXIT.done, { projects: projects.map(({ project, outcome }) => ({ project, outcome })) });
    const list = tableOf(projects, { Project: 'project', Outcome: 'outcome', Status: 'status', Property: 'property' });
    return success([list, ...hint].join('\n'), { projects });
  });
}

async function follow(ids: readonly string[], session: RunSession) {
  const { ledger, client } = session;
  requireService(session, 'Nothing was followed.');
  const found = [];
  const unknown = [];
  for (const id of ids) {
    const detail = await readOrThrow(() => client.getProject(id), session).catch(throwAsWorkLeft);
    const answer = detail && (await readOrThrow(() => client.getStatus(id), session).catch(throwAsWorkLeft));
    if (detail === null) unknown.push(id);
    else found.push({ id, detail, status: answer?.status });
  }
  if (unknown.length > 0)
    throw usageErrorOf('project-unknown/follow', {
      projects: `${unknown.length === 1 ? 'project' : 'projects'} ${unknown.join(', ')}`,
    });
  const followed = [];
  for (const { id, detail, status } of found) {
    const isNew = await ledger.followElsewhere({
      projectId: id,
      inspectionCode: detail.inspectionCode || null,
      inspectionLink: detail.inspectionLink || null,
      details: payloadOf(detail),
    });
    const outcome = isNew ? 'followed' : (await ledger.followAgain(id)) ? 'followed again' : 'already';
    if (status !== undefined) await ledger.recordStatuses([{ id, status }]);
    followed.push({ project: id, outcome, status: status ?? '', property: propertyOf(detail) });
  }
  return followed;
}

const NOT_SHOWN = {
  streetAddress: '(not shown)',
  city: '',
  state: '',
  zipcode: '',
  serviceName: '',
  policyType: '',
  houseType: '',
  insuredName: '',
  insuredPhone: '',
  insuredEmail: '',
};

/** Keeps unlisted names, and drops values of the wrong type. */
function payloadOf(detail: ProjectDetail) {
  const { allowDuplication: _none, ...fields } = createProjectRequest.shape;
  const shown = Object.entries(fields).flatMap(([field, schema]) => {
    const value = detail[field];
    const isUsable =
      value !== '' && (schema.safeParse(value).success || (field in NOT_SHOWN && typeof value === 'string'));
    return value == null || !isUsable ? [] : [[field, value]];
  });
  return { ...NOT_SHOWN, ...(Object.fromEntries(shown) as object) } as OrderPayload;
}

async function stopFollowing(ids: readonly string[], { ledger }: RunSession) {
  const stories = await storiesOf(ids, ledger);
  const stopped = [];
  for (const { project, details } of stories) {
    const { id, status } = project;
    const took = await ledger.giveUpProject(id, 'A person stopped following it.');
    const property = details === null ? '' : propertyOf(details);
    stopped.push({ project: id, outcome: took ? 'stopped' : 'not followed', status, property });
  }
  return stopped;
}

async function storiesOf(ids: readonly string[], ledger: Ledger) {
  const stories = await Promise.all(ids.map((id) => ledger.storyOfProject(id)));
  const missing = ids.filter((_id, index) => stories[index] === null);
  if (missing.length > 0)
    throw usageErrorOf('project-not-on-record/follow', { missing: missing.join(', '), ids: missing.join(' ') });
  return stories.filter((story) => story !== null);
}

/**
 * Fetches files, but writes no delivery, acknowledges nothing and reports no news: the next run does. Throws
 * ExplainedError (2, 4, 5).
 */
export async function collectProjectsNow(ids: readonly string[], workspaceDir: string) {
  const wanted = [...new Set(ids.map(parseProjectId))];
  return inRunSession(workspaceDir, 'collect', async (session, stop) => {
    await storiesOf(wanted, session.ledger);
    requireService(session, 'Nothing was collected.');
    const context = { ...session, onlyProjects: new Set(wanted), recheckSince: 0 };
    const report = await collectProjects(context).finally(() => progressBar.end());
    const projects = (await storiesOf(wanted, session.ledger)).map((story) => collectedNow(story, session.root));
    const exitCode = exitCodeOf({ stoppedBy: stop.by, workLeft: report.stopped !== null || report.left > 0 });
    await finishRun(session, exitCode, { projects: projects.map(({ project, status }) => ({ project, status })) });
    const { stopped } = report;
    const text = [
      ...projects.map(describeCollected),
      ...(stopped === null ? [] : [stopped]),
      ...(projects.some(({ files }) => files.length > 0) ? [sentence('follow/no-delivery')] : []),
    ].join('\n');
    return commandResult(exitCode, text, { run: session.run, projects, stopped });
  });
}

function collectedNow({ project, isGivenUp, artifacts }: ProjectStory, root: string) {
  const { id, status, collectedAt, problem, problemCode } = project;
  // `prune` removes files that were delivered.
  const intact = artifacts.filter(({ lost, path }) => lost === null && existsSync(join(root, path)));
  const latest = new Map(intact.map((artifact) => [`${artifact.kind} ${artifact.serviceId}`, artifact]));
  const files = [...latest.values()].map(({ kind, type, path, bytes }) => ({ kind, type, path, bytes }));
  return { project: id, status, isGivenUp, isCollected: collectedAt !== null, problem, problemCode, files };
}

function describeCollected({
  project,
  status,
  isGivenUp,
  isCollected,
  problem,
  files,
}: ReturnType<typeof collectedNow>) {
  const count = (kind: string, word: string) => formatCount(files.filter((file) => file.kind === kind).length, word);
  const standing = isGivenUp
    ? 'no longer followed'
    : isCollected && files.length === 0
      ? sentence('follow/removed')
      : isCollected
        ? `here are ${count('report', 'report')} and ${count('image', 'photo')}`
        : 'its files are not here yet';
  return [
    `Project ${project}: ${status}; ${standing}.${problem === null ? '' : ` ${problem}`}`,
    ...files.filter(({ kind }) => kind === 'report').map(({ type, path }) => `  ${type || 'report'}: ${path}`),
  ].join('\n');
}
