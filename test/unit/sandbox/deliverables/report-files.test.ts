import { inflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import yauzl from 'yauzl';
import { pdfProblem } from '../../../../src/collect/file-structure.ts';
import { SUMMARY_CATALOG } from '../../../../src/contract/summary-attributes.ts';
import type { SandboxOptions } from '../../../../src/sandbox/options.ts';
import { projectsIn, TestClient } from '../../../support/sandbox/test-client.ts';

async function returned(client: TestClient, changes: Record<string, unknown>): Promise<string> {
  const id = await client.create(changes);
  await client.setStatus(id, 'Returned to Client');
  return id;
}

async function download(client: TestClient, path: string): Promise<{ type: string | null; bytes: Buffer }> {
  const location = (await client.call('GET', path)).headers.get('location') ?? '';
  const response = await fetch(location);
  return { type: response.headers.get('content-type'), bytes: Buffer.from(await response.arrayBuffer()) };
}

async function zipped(bytes: Buffer): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  const zip = await yauzl.fromBufferPromise(bytes);
  for await (const entry of zip.eachEntry()) {
    const chunks: Buffer[] = [];
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
    files.set(entry.fileName, Buffer.concat(chunks));
  }
  return files;
}

/** What a report's only page says. */
function linesOf(pdf: Buffer): string[] {
  const start = pdf.indexOf('stream\n') + 'stream\n'.length;
  const length = Number(/\/Length (\d+)/.exec(pdf.toString('latin1'))?.[1]);
  const text = inflateSync(pdf.subarray(start, start + length)).toString('latin1');
  return [...text.matchAll(/\((.*)\) '/g)].map(([, line = '']) => line.replaceAll(/\\([()\\])/g, '$1'));
}

describe('reportPdf', () => {
  test('says the project, the order and the findings', async () => {
    await using client = await TestClient.start({ autoProgress: false, seed: 11 });
    const id = await returned(client, { policyNumber: 'HO-4471902', insuredName: String.raw`Zoë (\Łukasz)` });
    const lines = linesOf((await download(client, `/v1/report/R${id}-1/file`)).bytes);
    expect(lines).toEqual(
      expect.arrayContaining([
        `Full-scope Underwriting Report R${id}-1`,
        `Project: ${id}`,
        'Policy: HO-4471902',
        String.raw`Insured: Zoë (\?ukasz)`,
        'Address: 12 Oak Street, Cambridge, MA 02139',
      ]),
    );
    const { body } = await client.call('GET', `/v1/report/R${id}-1/summary`);
    const [report] = (body as { report: [{ summary: { factors: { text: string }[] } }] }).report;
    expect(report.summary.factors.length).toBeGreaterThan(0);
    expect(lines.slice(-report.summary.factors.length)).toEqual(
      report.summary.factors.map(({ text }) => `Found: ${text}`),
    );
  });

  test('makes a whole PDF, and damage to its text shows', async () => {
    await using client = await TestClient.start({ autoProgress: false });
    const { bytes } = await download(client, `/v1/report/R${await returned(client, {})}-1/file`);
    expect(await pdfProblem(bytes)).toBeNull();
    const damaged = Buffer.from(bytes);
    damaged[bytes.indexOf('Project: ')] = 0x58;
    expect(await pdfProblem(damaged)).not.toBeNull();
  });

  test('says the same in fewer bytes if compressed', async () => {
    await using client = await TestClient.start({ autoProgress: false });
    const id = await returned(client, {});
    const whole = await download(client, `/v1/report/R${id}-1/file`);
    const small = await download(client, `/v1/report/R${id}-1/file?compressed=true`);
    expect(small.bytes.length).toBeLessThan(whole.bytes.length);
    expect(linesOf(small.bytes)).toEqual(linesOf(whole.bytes));
  });
});

test('a ZIP holds the report and photos, smaller ones if compressed', async () => {
  await using client = await TestClient.start({ autoProgress: false });
  const id = await returned(client, { serviceName: 'Photo Only Inspection' });
  expect(projectsIn(await client.call('GET', `/v1/project/${id}/report`))[0]?.['report']).toMatchObject([
    { type: 'Full-scope Underwriting Report' },
    { type: 'Photo Report' },
  ]);
  const [whole, small] = [
    await download(client, `/v1/report/R${id}-2/file`),
    await download(client, `/v1/report/R${id}-2/file?compressed=true`),
  ];
  expect([whole.type, small.bytes.length < whole.bytes.length]).toEqual(['application/zip', true]);
  const files = await zipped(whole.bytes);
  const images = projectsIn(await client.call('GET', `/v1/project/${id}/image`))[0]?.['image'] as unknown[];
  expect(files.size).toBe(images.length + 1);
  expect(files.get('report.pdf')?.toString('latin1', 0, 5)).toBe('%PDF-');
  expect(files.get('photos/01 Elevation Front.jpg')?.toString('hex', 0, 3)).toBe('ffd8ff');
  expect([...(await zipped(small.bytes)).keys()]).toEqual([...files.keys()]);
});

test('the account’s template decides which attributes a summary has', async () => {
  const paths = async (accountTemplate: SandboxOptions['accountTemplate']): Promise<Set<string>> => {
    await using client = await TestClient.start({ autoProgress: false, accountTemplate, seed: 3 });
    const id = await returned(client, { serviceName: 'Roof Only', isRenewal: true });
    const { body } = await client.call('GET', `/v1/report/R${id}-1/summary`);
    const [report] = (body as { report: object[] }).report;
    const has = (path: string) =>
      path
        .split('.')
        .reduce<unknown>(
          (held, key) => (typeof held === 'object' && held !== null ? Reflect.get(held, key) : undefined),
          report,
        ) !== undefined;
    return new Set(SUMMARY_CATALOG.map(({ path }) => path).filter(has));
  };
  const [full, standard, slim, byDefault] = [
    await paths('full'),
    await paths('standard'),
    await paths('slim'),
    await paths(undefined),
  ];
  expect(SUMMARY_CATALOG.map(({ path }) => path).filter((path) => !full.has(path))).toEqual([
    'summary.closeoutReasons',
  ]);
  expect(byDefault).toEqual(standard);
  for (const [more, less] of [
    [full, standard],
    [standard, slim],
  ] as const)
    expect([less.size < more.size, less.isSubsetOf(more)]).toEqual([true, true]);
  expect([...slim].filter((path) => path.startsWith('summary.roof'))).toEqual([
    'summary.roof.estLife',
    'summary.roof.overallCondition',
    'summary.roof.hasTarp',
  ]);
});
