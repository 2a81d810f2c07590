import { createHash } from 'node:crypto';
import { projectsIn, TestClient } from './test-client.ts';

const digest = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');

/** What every deliverable of a few projects hashes to, in a sandbox whose clock stands. */
export async function digestsOfDeliverables(seed: string): Promise<readonly string[]> {
  await using client = await TestClient.start({ seed, autoProgress: false, startAt: 1_790_000_000_000, timeScale: 0 });
  const download = async (path: string): Promise<Buffer> => {
    const response = await fetch(`${client.sandbox.baseUrl}${path}`, {
      headers: { authorization: client.authorization },
    });
    return Buffer.from(await response.arrayBuffer());
  };
  const idsIn = async (path: string, list: 'report' | 'image'): Promise<string[]> => {
    const [project] = projectsIn(await client.call('GET', path));
    return ((project?.[list] ?? []) as { id: string }[]).map(({ id }) => id);
  };
  const digests: string[] = [];
  for (const serviceName of ['High Value Premium 4-point', 'Photo Only Inspection']) {
    const id = await client.create({ serviceName, policyNumber: 'P-1', isRenewal: true });
    await client.setStatus(id, 'Returned to Client');
    for (const report of await idsIn(`/v1/project/${id}/report`, 'report')) {
      digests.push(`${report} ${digest(await download(`/v1/report/${report}/file`))}`);
      digests.push(`${report} summary ${digest((await client.call('GET', `/v1/report/${report}/summary`)).text)}`);
    }
    for (const image of await idsIn(`/v1/project/${id}/image`, 'image'))
      digests.push(`${image} ${digest(await download(`/v1/image/${image}/file`))}`);
  }
  return digests;
}

// Run as a process of its own, it prints them, one a line, to be compared with another's.
if (import.meta.main) process.stdout.write(`${(await digestsOfDeliverables(process.argv[2] ?? '1')).join('\n')}\n`);
