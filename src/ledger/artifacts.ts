import { policyKeyRange } from './orders.ts';
import {
  insertIfAbsent,
  addStep,
  listOf,
  redeliverProject,
  type Store,
  AMONG_IDS,
  jsonOf,
  numberOrNull,
  rowReader,
  textOf,
  textOrNull,
  ofProject,
  type Job,
  type SqlValue,
} from './store.ts';

type EarlierSummaries = Readonly<{
  /** Another project, or the same one if its reports were replaced. */
  projectId: string;
  at: number;
  known: 'address' | 'policy' | 'version';
  /** Absent for the same project. */
  serviceName?: string;
  summaries: readonly StoredArtifact[];
}>;

export type ArtifactKind = 'report' | 'summary' | 'image';

type StoredFile = ReturnType<typeof artifactFrom>;

export type StoredArtifact = Omit<StoredFile, 'place'> & Partial<Pick<StoredFile, 'place'>>;

export type ArtifactRecord = Omit<StoredArtifact, 'recordedAt' | 'confirmedAt' | 'lost'>;

export const ARTIFACT_COLUMNS =
  'CAST(project_id AS TEXT) AS project_id, kind, service_id, version, type, detail, path, bytes, sha256, recorded_at, confirmed_at, lost, listed_place AS place';

export const artifactFrom = rowReader({
  projectId: textOf,
  kind: textOf<ArtifactKind>,
  /** The ID of the report (also for its summary) or image. */
  serviceId: textOf,
  version: Number,
  /** The report's type, or an image's media type. */
  type: textOf,
  detail: jsonOf<Readonly<Record<string, string>>>,
  path: textOf,
  bytes: Number,
  sha256: textOf,
  recordedAt: Number,
  confirmedAt: numberOrNull,
  /** The problem of the file on disk; null if it is intact. */
  lost: textOrNull,
  /** The position in the service's list, from 0; null if unknown. */
  place: numberOrNull,
});

const AS_LISTED = 'listed_place IS NOT NULL, listed_place';

export function artifactsOf(store: Store, projectId: string) {
  return listOf(
    store,
    artifactFrom,
    `SELECT ${ARTIFACT_COLUMNS} FROM artifacts WHERE account = ? AND project_id = ? ORDER BY kind, ${AS_LISTED}, rowid, version`,
    BigInt(projectId),
  );
}

function filesOf(store: Store, projectId: string) {
  return listOf(store, artifactFrom, filesWhere('= ?'), BigInt(projectId));
}

export async function filesOfAll(
  store: Store,
  projectIds: readonly string[],
): Promise<ReadonlyMap<string, readonly StoredArtifact[]>> {
  const files = await listOf(store, artifactFrom, filesWhere(`IN ${AMONG_IDS}`), projectIds);
  return Map.groupBy(files, (artifact) => artifact.projectId);
}

function filesWhere(project: string) {
  return `SELECT ${ARTIFACT_COLUMNS} FROM artifacts WHERE account = ? AND project_id ${project} AND ${SHOULD_BE_HERE}
    ORDER BY kind, ${AS_LISTED}, (SELECT min(first.rowid) FROM artifacts AS first WHERE first.account = artifacts.account AND first.project_id = artifacts.project_id
      AND first.kind = artifacts.kind AND first.service_id = artifacts.service_id)`;
}

async function recordArtifact(store: Job, artifact: ArtifactRecord) {
  const { projectId, kind, serviceId, version, type, detail, path, bytes, sha256, place = null } = artifact;
  const file = { kind, serviceId, version, type, detail, path, bytes, sha256 };
  const record = { projectId: BigInt(projectId), ...file, listedPlace: place, recordedAt: store.clock.now() };
  if (!(await insertIfAbsent(store, 'artifacts', record)))
    return (await artifactsOf(store, projectId)).some(
      (one) => one.kind === kind && one.serviceId === serviceId && one.version === version && one.sha256 === sha256,
    );
  await redeliverProject(store, projectId);
  await addStep(store, 'project', projectId, 'file stored', { kind, id: serviceId, version, sha256 });
  return true;
}

function changeArtifact(
  { driver, account }: Job,
  artifact: Pick<ArtifactRecord, 'projectId' | 'serviceId' | 'version'> & { kind: string },
  change: string,
  value: SqlValue,
  which = '',
) {
  return driver.run(
    `UPDATE artifacts SET ${change} WHERE account = ?2 AND project_id = ?3 AND kind = ?4 AND service_id = ?5 AND version = ?6 ${which}`,
    value,
    account,
    BigInt(artifact.projectId),
    artifact.kind,
    artifact.serviceId,
    artifact.version,
  );
}

async function confirmArtifact(store: Job, artifact: Parameters<typeof changeArtifact>[1]) {
  await changeArtifact(store, artifact, 'confirmed_at = ?1', store.clock.now());
}

async function placeArtifact(store: Job, artifact: StoredArtifact) {
  await changeArtifact(store, artifact, 'listed_place = ?1', artifact.place ?? null);
}

async function recordOnDisk(store: Job, artifact: StoredArtifact, problem: string | null) {
  const { projectId, kind, serviceId, version } = artifact;
  const which = `AND lost IS DISTINCT FROM ?1 AND ${NOT_REMOVED}`;
  if ((await changeArtifact(store, artifact, 'lost = ?1', problem, which)) === 0) return;
  await redeliverProject(store, projectId);
  const what = { kind, id: serviceId, version };
  if (problem === null) await addStep(store, 'project', projectId, 'file found again', what);
  else await addStep(store, 'project', projectId, 'file lost', { ...what, problem });
}

export const NOT_REMOVED =
  'NOT EXISTS (SELECT 1 FROM removals WHERE removals.account = artifacts.account AND removals.path = artifacts.path)';

export const IS_LATEST = `NOT EXISTS (SELECT 1 FROM artifacts AS later WHERE later.account = artifacts.account AND later.project_id = artifacts.project_id
  AND later.kind = artifacts.kind AND later.service_id = artifacts.service_id AND later.version > artifacts.version)`;

const SHOULD_BE_HERE = `${IS_LATEST} AND ${NOT_REMOVED}`;

export const IS_LOST = `artifacts.lost IS NOT NULL AND ${SHOULD_BE_HERE}`;

export const HAS_LOST = `EXISTS (SELECT 1 FROM artifacts WHERE ${ofProject('artifacts')} AND ${IS_LOST})`;

async function earlierSummaries(store: Store, projectId: string) {
  const replaced = await replacedSummaries(store, projectId);
  if (replaced !== null) return replaced;
  const houses = await listOf(
    store,
    houseKeysFrom,
    `SELECT address_key AS address, json_extract(policy_key, '$[0]') AS policy FROM orders WHERE account = ? AND project_id = ?`,
    BigInt(projectId),
  );
  for (const { address, policy } of houses) {
    const found =
      (await latestOf(store, projectId, 'address', 'orders.address_key = ?', [address])) ??
      (policy !== null && (await latestOf(store, projectId, 'policy', OF_POLICY, policyKeyRange(policy))));
    if (found) return found;
  }
  return null;
}

async function replacedSummaries(store: Store, projectId: string): Promise<EarlierSummaries | null> {
  const summaries = await summariesOf(store, projectId);
  const replacedAt = Math.max(...summaries.filter(({ version }) => version > 1).map(({ recordedAt }) => recordedAt));
  if (!Number.isFinite(replacedAt)) return null;
  const before = [...Map.groupBy(summaries, ({ serviceId }) => serviceId).values()].flatMap((versions) => {
    const [last, previous] = versions.toReversed();
    return previous ?? (last !== undefined && last.recordedAt < replacedAt ? last : []);
  });
  return {
    projectId,
    at: Math.max(...before.map(({ recordedAt }) => recordedAt)),
    known: 'version',
    summaries: before,
  };
}

const OF_POLICY = 'orders.policy_key >= ? AND orders.policy_key < ?';

const houseKeysFrom = rowReader({ address: textOf, policy: textOrNull });

async function latestOf(
  store: Store,
  projectId: string,
  known: 'address' | 'policy',
  condition: string,
  values: readonly string[],
) {
  const found = await store.driver.get(
    `SELECT CAST(earlier.id AS TEXT) AS id, earlier.collected_at AS at, json_extract(orders.payload, '$.serviceName') AS service_name
     FROM orders JOIN projects AS earlier ON ${ofProject('orders', 'earlier')}
       JOIN projects AS later ON later.account = orders.account AND later.id = ?
     WHERE orders.account = ? AND ${condition} AND earlier.id <> later.id AND earlier.collected_at < later.returned_at AND later.collected_at IS NOT NULL
       AND EXISTS (SELECT 1 FROM artifacts WHERE ${ofProject('artifacts', 'earlier')} AND artifacts.kind = 'summary')
       AND NOT EXISTS (SELECT 1 FROM closeouts WHERE ${ofProject('closeouts', 'earlier')})
     ORDER BY earlier.collected_at DESC, earlier.id DESC LIMIT 1`,
    BigInt(projectId),
    store.account,
    ...values,
  );
  if (found === undefined) return null;
  const id = String(found['id']);
  const last = new Map((await summariesOf(store, id)).map((summary) => [summary.serviceId, summary]));
  const serviceName = textOf(found['service_name'] ?? '');
  return { projectId: id, at: Number(found['at']), known, serviceName, summaries: [...last.values()] };
}

/** The oldest first. A repeated download of a lost file is no new version. */
async function summariesOf(store: Store, projectId: string) {
  const latest: StoredArtifact[] = [];
  for (const summary of (await artifactsOf(store, projectId))
    .filter(({ kind }) => kind === 'summary')
    .toSorted((a, b) => a.version - b.version)) {
    const before = latest.findLastIndex(({ serviceId }) => serviceId === summary.serviceId);
    const same = latest[before];
    if (same?.sha256 === summary.sha256)
      latest[before] = { ...summary, version: same.version, recordedAt: same.recordedAt };
    else latest.push(summary);
  }
  return latest;
}

export const artifactVerbs = {
  reads: {
    artifactsOf,
    /** The latest versions that should be on disk. */
    filesOf,
    /**
     * The previous version of a replaced one, else of the last project at the address, else of the policy number, from
     * before this return; or null.
     */
    earlierSummaries,
  },
  writes: {
    /** False without change if another host recorded this version with other content. */
    recordArtifact,
    /** This return needs no new download. */
    confirmArtifact,
    placeArtifact,
    /** A file is lost, or found again: the next delivery shows its project. */
    recordOnDisk,
  },
};
