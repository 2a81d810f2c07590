import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import pLimit from 'p-limit';
import { describe, expect, test } from 'vitest';
import { fetchProject, imageIdsIn, offersNewFiles } from '../../../src/collect/fetch-project.ts';
import { ID_LENGTH_MAX } from '../../../src/contract/document.ts';
import type { OrderPayload } from '../../../src/domain/row.ts';
import type { ServiceClient } from '../../../src/service/client.ts';
import type { OpenFile } from '../../../src/service/redirects.ts';
import type { ReadOutcome } from '../../../src/service/outcome.ts';
import { orderPayload, recordCreated } from '../../support/order-factory.ts';
import { clientThat, collectContext, openLedgerBench, type LedgerBench } from '../../support/run-bench.ts';

const ID = '11';
const MISSING = async () => ({ kind: 'not-found', message: 'no' }) as const;
const listing =
  <Item>(...items: readonly Item[]) =>
  async () =>
    ({ kind: 'ok', value: items }) as const;
const imageIds = (count: number) => Array.from({ length: count }, (_, index) => ({ id: `I${index}` }));

function opened(bytes: Buffer): ReadOutcome<OpenFile> {
  return { kind: 'ok', value: { stream: Readable.from([bytes]), contentType: null, contentLength: bytes.length } };
}

const damaged = async () => opened(Buffer.from('no photo'));

async function returned({ ledger }: LedgerBench): Promise<void> {
  await ledger.recordStatuses([{ id: ID, status: 'Returned to Client' }]);
}

async function fetched(bench: LedgerBench, does: Partial<ServiceClient>, atOnce = 1) {
  const [project] = await bench.ledger.followedProjects();
  if (project === undefined) throw new Error('no project is followed');
  return fetchProject(project, collectContext({ ...bench, client: clientThat(does) }), pLimit(atOnce));
}

async function store(bench: LedgerBench, kind: 'report' | 'summary', content: string): Promise<void> {
  const path = `state/downloads/${ID}/${kind}-R1-v1.pdf`;
  await mkdir(dirname(join(bench.folder, path)), { recursive: true });
  await writeFile(join(bench.folder, path), content);
  const sha256 = createHash('sha256').update(content).digest('hex');
  const file = { version: 1, type: '', detail: {}, path, bytes: content.length, sha256 };
  await bench.ledger.recordArtifact({ projectId: ID, kind, serviceId: 'R1', ...file });
}

describe('fetchProject', () => {
  test('counts photos as missing if their list is malformed', async () => {
    await using bench = await openLedgerBench();
    await recordCreated(bench.ledger, ID);
    await returned(bench);
    const odd = { kind: 'refused', status: 400, message: 'odd' } as const;
    const result = await fetched(bench, { listReports: listing(), listImages: async () => odd });
    expect(result).toMatchObject({
      kind: 'incomplete',
      lacks: [{ name: expect.stringMatching(/ photos$/), isVital: false }],
    });
  });

  test('lacks a stored summary that cannot be read', async () => {
    await using bench = await openLedgerBench();
    await recordCreated(bench.ledger, ID);
    await returned(bench);
    await store(bench, 'summary', 'no JSON');
    await store(bench, 'report', 'a report');
    const listReports = listing({ id: 'R1', type: 'Full-scope Underwriting Report' });
    const result = await fetched(bench, { listReports, listImages: listing() });
    expect(result).toMatchObject({ kind: 'incomplete', lacks: [{ name: 'summary of report R1', isVital: true }] });
  });

  test('collects photos alone of a project that was made elsewhere', async () => {
    await using bench = await openLedgerBench();
    const details: OrderPayload = orderPayload({ serviceName: 'Photo Only Inspection' });
    await bench.ledger.followElsewhere({ projectId: ID, inspectionCode: null, inspectionLink: null, details });
    await returned(bench);
    const photo = await readFile(join(import.meta.dirname, '../../golden/recorded/photo-1.jpg'));
    const openImageFile = async () => opened(photo);
    const result = await fetched(bench, { listReports: listing(), listImages: listing({ id: 'I1' }), openImageFile });
    expect(result).toEqual({ kind: 'complete' });
  });

  test('records a photo that arrives after another request failed', async () => {
    await using bench = await openLedgerBench();
    await recordCreated(bench.ledger, ID, { serviceName: 'Photo Only Inspection' });
    await returned(bench);
    const photo = await readFile(join(import.meta.dirname, '../../golden/recorded/photo-1.jpg'));
    const failed = Promise.withResolvers<void>();
    const openImageFile = async (id: string) => {
      if (id === 'I0') return failed.promise.then(() => opened(photo));
      failed.resolve();
      return { kind: 'stop', status: 403, message: 'no' } as const;
    };
    const listImages = listing(...imageIds(2));
    await expect(fetched(bench, { listReports: listing(), listImages, openImageFile }, 2)).rejects.toThrow('403');
    expect(await bench.ledger.artifactsOf(ID)).toMatchObject([{ kind: 'image', serviceId: 'I0' }]);
  });

  test('asks for no more files after twenty arrived damaged', async () => {
    await using bench = await openLedgerBench();
    await recordCreated(bench.ledger, ID);
    await returned(bench);
    const asked = new Set<string>();
    const openImageFile = async (id: string) => {
      asked.add(id);
      return damaged();
    };
    await fetched(bench, { listReports: listing(), listImages: listing(...imageIds(25)), openImageFile });
    expect(asked.size).toBe(20);
  });

  test('sums up the missing files after thirty', async () => {
    await using bench = await openLedgerBench();
    await recordCreated(bench.ledger, ID, { serviceName: 'Photo Only Inspection' });
    await returned(bench);
    const photo = await readFile(join(import.meta.dirname, '../../golden/recorded/photo-1.jpg'));
    const openImageFile = async (id: string) => (id === 'I0' ? opened(photo) : id === 'I35' ? damaged() : MISSING());
    const images = listing(...imageIds(36));
    const result = await fetched(bench, { listReports: listing(), listImages: images, openImageFile });
    const lacks = result.kind === 'incomplete' ? result.lacks : [];
    expect([lacks.length, lacks.at(-1)]).toMatchObject([31, { name: '5 more', isVital: true }]);
  });
});

describe('offersNewFiles', () => {
  test('ignores new photos of a project with a stored report', async () => {
    await using bench = await openLedgerBench();
    await recordCreated(bench.ledger, ID);
    await store(bench, 'report', 'a report');
    const client = clientThat({ listReports: listing(), listImages: listing({ id: 'I9' }) });
    expect(await offersNewFiles(ID, collectContext({ ...bench, client }))).toBe(false);
  });

  test('is true for a report that is not stored', async () => {
    await using bench = await openLedgerBench();
    await recordCreated(bench.ledger, ID);
    await store(bench, 'report', 'a report');
    const client = clientThat({ listReports: listing({ id: 'R1' }, { id: 'R2' }) });
    expect(await offersNewFiles(ID, collectContext({ ...bench, client }))).toBe(true);
  });
});

describe('imageIdsIn', () => {
  test.each([
    [ID_LENGTH_MAX, 1],
    [ID_LENGTH_MAX + 1, 0],
  ])('of an id of %i characters finds %i', (length, count) => {
    expect(imageIdsIn({ image: [{ id: 'x'.repeat(length) }] })).toHaveLength(count);
  });
});
