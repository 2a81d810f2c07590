import { mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, extname, join, relative } from 'node:path';
import { fileNameOf } from '../collect/shelf.ts';
import { deliveryIndex, type DeliveryIndex } from '../deliver/delivery-index.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { copyDurably, sha256OfFile } from '../ops/atomic-files.ts';
import type { Workspace } from '../ops/workspace.ts';

type IndexedFile = DeliveryIndex['projects'][number]['files'][number] & { readonly delivery: string };

/**
 * The service does not offer the files of a project any more once it was received. Where that was done since the ledger was copied, they lie
 * here: the deliveries' indexes tell of them, and `state/downloads/` or the delivery itself has them. Gives for how many projects all were found.
 */
export async function takeUpStoredFiles(parts: { readonly ledger: Ledger; readonly workspace: Workspace; readonly store: string }): Promise<number> {
  const { ledger, workspace } = parts;
  const received = new Set((await ledger.followedProjects()).filter(({ status, collectedAt }) => status === 'Client Received' && collectedAt === null).map(({ id }) => id));
  if (received.size === 0) return 0;
  let found = 0;
  for (const [projectId, files] of await filesDelivered(workspace, received)) {
    const known = new Set((await ledger.artifactsOf(projectId)).map(({ sha256 }) => sha256));
    let isComplete = true;
    for (const file of files.filter(({ sha256 }) => !known.has(sha256))) {
      const path = await placeOf(file, projectId, parts);
      if (path === null) isComplete = false;
      else {
        const { kind, id: serviceId, version, type, bytes, sha256 } = file;
        const detail: Record<string, string> = kind === 'image' ? { mediaType: type } : {};
        await ledger.recordArtifact({ projectId, kind, serviceId, version, type, detail, path: relative(workspace.root, path).replaceAll('\\', '/'), bytes, sha256 });
      }
    }
    if (!isComplete) continue;
    await ledger.markCollected(projectId);
    found += 1;
  }
  return found;
}

/** The latest delivery that holds a project tells of all its files. */
async function filesDelivered({ deliveries }: Workspace, wanted: ReadonlySet<string>): Promise<ReadonlyMap<string, readonly IndexedFile[]>> {
  const latest = new Map<string, readonly IndexedFile[]>();
  for (const run of (await readdir(deliveries)).filter((name) => !name.startsWith('.')).toSorted()) {
    const text = await readFile(join(deliveries, run, 'index.json'), 'utf8').catch(() => null);
    const index = text === null ? null : deliveryIndex.safeParse(JSON.parse(text));
    for (const { projectId, files } of index?.data?.projects ?? []) {
      if (wanted.has(projectId) && files.length > 0) latest.set(projectId, files.map((file) => ({ ...file, delivery: join(deliveries, run) })));
    }
  }
  return latest;
}

/** Where a verified file lies; one that only a delivery has is copied back. Null where none has it as it was. */
async function placeOf({ kind, id, version, path, sha256, delivery }: IndexedFile, projectId: string, { store }: { readonly store: string }): Promise<string | null> {
  const isIt = async (candidate: string): Promise<boolean> => (await sha256OfFile(candidate).catch(() => '')) === sha256;
  const stored = join(store, projectId, `${fileNameOf(`${kind}-${id}`)}-v${version}${extname(path)}`);
  if (await isIt(stored)) return stored;
  const delivered = join(delivery, path);
  if (!(await isIt(delivered))) return null;
  await mkdir(dirname(stored), { recursive: true });
  await copyDurably(delivered, stored);
  return stored;
}
