import { inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import yauzl from 'yauzl';
import { pdfProblem } from '../../../../src/collect/file-structure.ts';
import { SUMMARY_CATALOGUE } from '../../../../src/contract/summary-catalogue.ts';
import type { SandboxOptions } from '../../../../src/sandbox/options.ts';
import { projectsIn, TestClient } from '../../../support/sandbox/test-client.ts';
import { printable } from '../../../../src/sandbox/deliverables/report-pdf.ts';

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

/** What the pages of a PDF say, each as one string. */
function pagesOf(pdf: Buffer): string[] {
  const pages: string[] = [];
  for (const [whole, length = '0'] of pdf
    .toString('latin1')
    .matchAll(/\/Length (\d+)\n\/Filter \/FlateDecode\n>>\nstream\n/g)) {
    const start = pdf.indexOf(whole, 0, 'latin1') + whole.length;
    const content = inflateSync(pdf.subarray(start, start + Number(length))).toString('latin1');
    const lines = [...content.matchAll(/\[(.*?)\] TJ/g)].map(([, pieces = '']) =>
      [...pieces.matchAll(/<([0-9a-f]*)>/g)].map(([, hex = '']) => Buffer.from(hex, 'hex').toString('latin1')).join(''),
    );
    pages.push(lines.join('\n'));
  }
  return pages;
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

test('a report shows the order, numbered pages, photos, and the findings with what to do about each', async () => {
  await using client = await TestClient.start({ autoProgress: false, seed: 11 });
  const id = await returned(client, { policyNumber: 'HO-4471902', insuredName: 'Zoë Łukasz', yearBuilt: 1987 });
  const { bytes } = await download(client, `/v1/report/R${id}-1/file`);
  const pages = pagesOf(bytes);
  expect(pages.length).toBeGreaterThanOrEqual(3);
  for (const [index, page] of pages.entries()) expect(page).toContain(`Page ${index + 1} of ${pages.length}`);
  const [first = ''] = pages;
  for (const words of [
    'Full-scope Underwriting Report',
    'HO-4471902',
    '12 Oak Street, Cambridge, MA 02139',
    'Zoë ?ukasz',
    '1987',
    'Recommended',
  ])
    expect(first).toContain(words);
  const { body } = await client.call('GET', `/v1/report/R${id}-1/summary`);
  const { summary } = (
    body as { report: [{ summary: { factors: { text: string }[]; recommendations: { text: string }[] } }] }
  ).report[0];
  expect(summary.factors.length).toBeGreaterThan(0);
  for (const { text } of [...summary.factors, ...summary.recommendations]) expect(pages.join('\n')).toContain(text);
  const images = projectsIn(await client.call('GET', `/v1/project/${id}/image`))[0]?.['image'] as unknown[];
  expect(bytes.toString('latin1').split('/Subtype /Image').length - 1).toBe(images.length);
});

test('a compressed report says the same and weighs less than half', async () => {
  await using client = await TestClient.start({ autoProgress: false });
  const id = await returned(client, {});
  const [whole, small] = [
    await download(client, `/v1/report/R${id}-1/file`),
    await download(client, `/v1/report/R${id}-1/file?compressed=true`),
  ];
  expect(small.bytes.length).toBeLessThan(whole.bytes.length / 2);
  expect(pagesOf(small.bytes)).toEqual(pagesOf(whole.bytes));
});

test('with reports of one page, each is a whole PDF that names it, of whatever kind it would be', async () => {
  await using client = await TestClient.start({ autoProgress: false, reportFiles: 'one-page' });
  const id = await returned(client, { serviceName: 'Photo Only Inspection' });
  for (const report of [`R${id}-1`, `R${id}-2`]) {
    const { bytes } = await download(client, `/v1/report/${report}/file`);
    expect(bytes.length).toBeLessThan(1000);
    expect(bytes.toString('latin1')).toContain(`Report ${report} `);
    expect(await pdfProblem(bytes)).toBeNull();
  }
});

test('a ZIP holds the report and the photos; the compressed one smaller photos', async () => {
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

test('the account’s template decides which attributes there are: all of them, those of the service, or a few', async () => {
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
    return new Set(SUMMARY_CATALOGUE.map(({ path }) => path).filter(has));
  };
  const [full, standard, slim, byDefault] = [
    await paths('full'),
    await paths('standard'),
    await paths('slim'),
    await paths(undefined),
  ];
  expect(SUMMARY_CATALOGUE.map(({ path }) => path).filter((path) => !full.has(path))).toEqual([
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

test('letters that the PDF’s fonts do not know become their plain letter, or a question mark', () => {
  expect(printable('é – “x” ř 东 \u0007')).toBe('é – “x” r ? ?');
});
