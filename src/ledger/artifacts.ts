import { AMONG_IDS, jsonOf, numberOrNull, reader, type SqlRow, textOf, textOrNull, type Writes } from './driver.ts';
import { policyKeyRange } from './order-keys.ts';
import { addStep, listOf, showAgain, type Store } from './store.ts';

export interface EarlierSummaries {
  /** Another project, or the same one if its reports were replaced. */
  readonly projectId: string;
  readonly at: number;
  readonly known: 'address' | 'policy' | 'version';
  readonly summaries: readonly StoredArtifact[];
}

export type ArtifactKind = 'report' | 'summary' | 'image';

export interface ArtifactRecord {
  readonly projectId: string;
  readonly kind: ArtifactKind;
  /** Of the report (also for its summary) or image. */
  readonly serviceId: string;
  readonly version: number;
  /** The report's type, or an image's media type. */
  readonly type: string;
  readonly detail: Readonly<Record<string, string>>;
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  /** In the service's list, from 0; null if unknown. */
  readonly place?: number | null;
}

export interface StoredArtifact extends ArtifactRecord {
  readonly recordedAt: number;
  /** When a later return brought the same bytes. */
  readonly confirmedAt: number | null;
  /** The problem of the file on disk, or null. */
  readonly lost: string | null;
}

export const ARTIFACT_COLUMNS =
  'CAST(project_id AS TEXT) AS project_id, kind, service_id, version, type, detail, path, bytes, sha256, recorded_at, confirmed_at, lost, listed_place AS place';

export const artifactFrom = reader({
  projectId: textOf,
  kind: textOf<ArtifactKind>,
  serviceId: textOf,
  version: Number,
  type: textOf,
  detail: jsonOf<Readonly<Record<string, string>>>,
  path: textOf,
  bytes: Number,
  sha256: textOf,
  recordedAt: Number,
  confirmedAt: numberOrNull,
  lost: textOrNull,
  place: numberOrNull,
});

/** Files without a place are the oldest and come first. */
const AS_LISTED = 'listed_place IS NOT NULL, listed_place';

export async function artifactsOf(store: Store, projectId: string): Promise<readonly StoredArtifact[]> {
  return listOf(
    store,
    artifactFrom,
    `SELECT ${ARTIFACT_COLUMNS} FROM artifacts WHERE account = ? AND project_id = ? ORDER BY kind, ${AS_LISTED}, rowid, version`,
    BigInt(projectId),
  );
}

async function filesOf({ driver, account }: Store, projectId: string) {
  return (await driver.query(filesWhere('= ?'), account, BigInt(projectId))).map(artifactFrom);
}

export async function filesOfAll(
  { driver, account }: Store,
  projectIds: readonly string[],
): Promise<ReadonlyMap<string, readonly StoredArtifact[]>> {
  return Map.groupBy(
    (await driver.query(filesWhere(`IN ${AMONG_IDS}`), account, JSON.stringify(projectIds))).map(artifactFrom),
    (artifact) => artifact.projectId,
  );
}

function filesWhere(project: string) {
  return `SELECT ${ARTIFACT_COLUMNS} FROM artifacts WHERE account = ? AND project_id ${project} AND ${SHOULD_BE_HERE}
    ORDER BY kind, ${AS_LISTED}, (SELECT min(first.rowid) FROM artifacts AS first WHERE first.account = artifacts.account AND first.project_id = artifacts.project_id
      AND first.kind = artifacts.kind AND first.service_id = artifacts.service_id)`;
}

async function recordArtifact(store: Store<Writes>, artifact: ArtifactRecord) {
  const isNew =
    (await store.driver.run(
      'INSERT INTO artifacts (account, project_id, kind, service_id, version, type, detail, path, bytes, sha256, listed_place, recorded_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
      store.account,
      BigInt(artifact.projectId),
      artifact.kind,
      artifact.serviceId,
      artifact.version,
      artifact.type,
      JSON.stringify(artifact.detail),
      artifact.path,
      artifact.bytes,
      artifact.sha256,
      artifact.place ?? null,
      store.clock.now(),
    )) > 0;
  if (!isNew)
    return (await artifactsOf(store, artifact.projectId)).some(
      ({ kind, serviceId, version, sha256 }) =>
        kind === artifact.kind &&
        serviceId === artifact.serviceId &&
        version === artifact.version &&
        sha256 === artifact.sha256,
    );
  await showAgain(store, artifact.projectId);
  await addStep(store, 'project', artifact.projectId, 'file stored', {
    kind: artifact.kind,
    id: artifact.serviceId,
    version: artifact.version,
    sha256: artifact.sha256,
  });
  return true;
}

async function confirmArtifact(
  { driver, clock, account }: Store<Writes>,
  { projectId, kind, serviceId, version }: { projectId: string; kind: string; serviceId: string; version: number },
) {
  await driver.run(
    'UPDATE artifacts SET confirmed_at = ? WHERE account = ? AND project_id = ? AND kind = ? AND service_id = ? AND version = ?',
    clock.now(),
    account,
    BigInt(projectId),
    kind,
    serviceId,
    version,
  );
}

async function placeArtifact(
  { driver, account }: Store<Writes>,
  { projectId, kind, serviceId, version, place }: StoredArtifact,
) {
  await driver.run(
    'UPDATE artifacts SET listed_place = ? WHERE account = ? AND project_id = ? AND kind = ? AND service_id = ? AND version = ?',
    place ?? null,
    account,
    BigInt(projectId),
    kind,
    serviceId,
    version,
  );
}

async function recordOnDisk(store: Store<Writes>, artifact: StoredArtifact, problem: string | null) {
  const { driver, account } = store;
  const { projectId, kind, serviceId, version } = artifact;
  const took = await driver.run(
    `UPDATE artifacts SET lost = ?1 WHERE account = ?2 AND project_id = ?3 AND kind = ?4 AND service_id = ?5 AND version = ?6 AND lost IS DISTINCT FROM ?1 AND ${NOT_REMOVED}`,
    problem,
    account,
    BigInt(projectId),
    kind,
    serviceId,
    version,
  );
  if (took === 0) return;
  await showAgain(store, projectId);
  const what = { kind, id: serviceId, version };
  if (problem === null) await addStep(store, 'project', projectId, 'file found again', what);
  else await addStep(store, 'project', projectId, 'file lost', { ...what, problem });
}

export const NOT_REMOVED =
  'NOT EXISTS (SELECT 1 FROM removals WHERE removals.account = artifacts.account AND removals.path = artifacts.path)';

export const LATEST = `NOT EXISTS (SELECT 1 FROM artifacts AS later WHERE later.account = artifacts.account AND later.project_id = artifacts.project_id
  AND later.kind = artifacts.kind AND later.service_id = artifacts.service_id AND later.version > artifacts.version)`;

export const SHOULD_BE_HERE = `${LATEST} AND ${NOT_REMOVED}`;

export const HAS_LOST = `EXISTS (SELECT 1 FROM artifacts WHERE artifacts.account = projects.account AND artifacts.project_id = projects.id AND artifacts.lost IS NOT NULL AND ${SHOULD_BE_HERE})`;

async function earlierSummaries(store: Store, projectId: string) {
  const replaced = await replacedSummaries(store, projectId);
  if (replaced !== null) return replaced;
  for (const { address, policy } of await houseKeysOf(store, projectId)) {
    const found =
      (await latestOf(store, projectId, 'address', 'orders.address_key = ?', [address])) ??
      (policy === null ? null : await ofPolicy(store, projectId, policy));
    if (found !== null) return found;
  }
  return null;
}

async function replacedSummaries(store: Store, projectId: string): Promise<EarlierSummaries | null> {
  const summaries = await summariesOf(store, projectId);
  const replacedAt = Math.max(...summaries.filter(({ version }) => version > 1).map(({ recordedAt }) => recordedAt));
  if (!Number.isFinite(replacedAt)) return null;
  const before: StoredArtifact[] = [];
  for (const serviceId of new Set(summaries.map((summary) => summary.serviceId))) {
    const versions = summaries
      .filter((summary) => summary.serviceId === serviceId)
      .toSorted((a, b) => b.version - a.version);
    const [last, previous] = versions;
    const earlier = previous ?? (last !== undefined && last.recordedAt < replacedAt ? last : undefined);
    if (earlier !== undefined) before.push(earlier);
  }
  return {
    projectId,
    at: Math.max(...before.map(({ recordedAt }) => recordedAt)),
    known: 'version',
    summaries: before,
  };
}

async function houseKeysOf(
  { driver, account }: Store,
  projectId: string,
): Promise<readonly { readonly address: string; readonly policy: string | null }[]> {
  return (
    await driver.query(
      `SELECT address_key, json_extract(policy_key, '$[0]') AS policy FROM orders WHERE account = ? AND project_id = ?`,
      account,
      BigInt(projectId),
    )
  ).map((row: SqlRow) => ({ address: String(row['address_key']), policy: textOrNull(row['policy']) }));
}

async function ofPolicy(store: Store, projectId: string, policy: string): Promise<EarlierSummaries | null> {
  return await latestOf(
    store,
    projectId,
    'policy',
    'orders.policy_key >= ? AND orders.policy_key < ?',
    policyKeyRange(policy),
  );
}

async function latestOf(
  store: Store,
  projectId: string,
  known: 'address' | 'policy',
  condition: string,
  values: readonly string[],
): Promise<EarlierSummaries | null> {
  const found = await store.driver.get(
    `SELECT CAST(earlier.id AS TEXT) AS id, earlier.collected_at AS at
     FROM orders JOIN projects AS earlier ON earlier.account = orders.account AND earlier.id = orders.project_id
       JOIN projects AS later ON later.account = orders.account AND later.id = ?
     WHERE orders.account = ? AND ${condition} AND earlier.id <> later.id AND earlier.collected_at < later.returned_at AND later.collected_at IS NOT NULL
       AND EXISTS (SELECT 1 FROM artifacts WHERE artifacts.account = earlier.account AND artifacts.project_id = earlier.id AND artifacts.kind = 'summary')
     ORDER BY earlier.collected_at DESC, earlier.id DESC LIMIT 1`,
    BigInt(projectId),
    store.account,
    ...values,
  );
  if (found === undefined) return null;
  const id = String(found['id']);
  const last = new Map((await summariesOf(store, id)).map((summary) => [summary.serviceId, summary]));
  return { projectId: id, at: Number(found['at']), known, summaries: [...last.values()] };
}

/** By version. A repeated download of a lost file is the same version. */
async function summariesOf(store: Store, projectId: string): Promise<readonly StoredArtifact[]> {
  const told: StoredArtifact[] = [];
  for (const summary of (await artifactsOf(store, projectId))
    .filter(({ kind }) => kind === 'summary')
    .toSorted((a, b) => a.version - b.version)) {
    const before = told.findLastIndex(({ serviceId }) => serviceId === summary.serviceId);
    const same = told[before];
    if (same?.sha256 === summary.sha256)
      told[before] = { ...summary, version: same.version, recordedAt: same.recordedAt };
    else told.push(summary);
  }
  return told;
}

export const artifactVerbs = {
  reads: {
    artifactsOf,
    /** The latest versions that should be on disk. */
    filesOf,
    /**
     * The house's earlier summaries: the previous version of a replaced one, else the last project at the address, else
     * of the policy number, collected before this one returned; or null.
     */
    earlierSummaries,
  },
  writes: {
    /** False without change if another host recorded this version with other content. */
    recordArtifact,
    /** The service still offers this version, so this return needs no new download. */
    confirmArtifact,
    placeArtifact,
    /** The problem of the stored file, or null. The next delivery shows a change. */
    recordOnDisk,
  },
};
