import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { reportSummaryResponse } from '../../../src/contract/document.ts';
import { SUMMARY_CATALOG } from '../../../src/contract/summary-attributes.ts';
import { inventImages, type Inspection } from '../../../src/sandbox/deliverables/inspection.ts';
import { inspectedHouseOf } from '../../../src/sandbox/deliverables/inspected-house.ts';
import { photoOf } from '../../../src/sandbox/deliverables/photos.ts';
import { summaryOf } from '../../../src/sandbox/deliverables/summary.ts';
import { projectsIn, TestClient } from '../../support/sandbox/test-client.ts';

const options = { autoProgress: false, seed: 7 } as const;

async function returned(client: TestClient, changes: Record<string, unknown> = {}): Promise<string> {
  const id = await client.create(changes);
  await client.setStatus(id, 'Returned to Client');
  return id;
}

async function reportIds(client: TestClient, id: string): Promise<string[]> {
  const [project] = projectsIn(await client.call('GET', `/v1/project/${id}/report`));
  return ((project?.report ?? []) as { id: string }[]).map((report) => report.id);
}

async function imageIds(client: TestClient, id: string): Promise<string[]> {
  const [project] = projectsIn(await client.call('GET', `/v1/project/${id}/image`));
  return ((project?.image ?? []) as { id: string }[]).map((image) => image.id);
}

/** The file behind an endpoint, its redirect followed without the token. */
async function file(
  client: TestClient,
  path: string,
): Promise<{ status: number; type: string | null; bytes: Buffer; redirected: boolean }> {
  const answer = await client.call('GET', path);
  const target = answer.headers.get('location');
  if (answer.status === 307 && target === null) throw new Error('a redirect to nowhere');
  // Asked again for its bytes: what `call` gives is text.
  const { body } = await client.token({
    grant_type: 'password',
    username: client.sandbox.credentials.username,
    password: client.sandbox.credentials.password,
  });
  const headers = { authorization: `Bearer ${(body as { access_token: string }).access_token}` };
  const response = target === null ? await fetch(`${client.sandbox.baseUrl}${path}`, { headers }) : await fetch(target);
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    bytes: Buffer.from(await response.arrayBuffer()),
    redirected: target !== null,
  };
}

const digest = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');

describe('deliverableRoutes', () => {
  test('deliverables are there from Returned to Client until Client Received', async () => {
    await using client = await TestClient.start(options);
    const id = await client.create();
    expect([await reportIds(client, id), await imageIds(client, id)]).toEqual([[], []]);
    expect((await client.call('GET', `/v1/report/R${id}-1/url`)).status).toBe(404);
    await client.setStatus(id, 'Returned to Client');
    expect(await reportIds(client, id)).toEqual([`R${id}-1`]);
    expect((await imageIds(client, id)).length).toBeGreaterThanOrEqual(4);
    await client.call('PUT', `/v1/project/${id}/status`, { value: 'Client Received' });
    expect([await reportIds(client, id), await imageIds(client, id)]).toEqual([[], []]);
    expect((await client.call('GET', `/v1/report/R${id}-1/file`)).status).toBe(404);
  });

  test('a report is a PDF behind a redirect to another origin', async () => {
    await using client = await TestClient.start(options);
    const id = await returned(client);
    const redirect = await client.call('GET', `/v1/report/R${id}-1/file`);
    const location = redirect.headers.get('location') ?? '';
    expect([redirect.status, new URL(location).origin, redirect.headers.get('content-type')]).toEqual([
      307,
      client.sandbox.filesUrl,
      'application/pdf',
    ]);
    const { type, bytes } = await file(client, `/v1/report/R${id}-1/file`);
    expect([type, bytes.subarray(0, 5).toString(), bytes.subarray(-6).toString().trim()]).toEqual([
      'application/pdf',
      '%PDF-',
      '%%EOF',
    ]);
    const compressed = await file(client, `/v1/report/R${id}-1/file?compressed=true`);
    expect(compressed.bytes.length).toBeLessThan(bytes.length);
    const { body } = await client.call('GET', `/v1/report/R${id}-1/url`);
    const signed = await fetch((body as { url: string }).url);
    expect(digest(Buffer.from(await signed.arrayBuffer()))).toBe(digest(bytes));
    expect((await client.control('GET', '/audit')).body).toMatchObject({ authorizationAtFilesOrigin: 0 });
    await fetch(location, { headers: { authorization: 'Bearer leaked' } });
    expect((await client.control('GET', '/audit')).body).toMatchObject({ authorizationAtFilesOrigin: 1 });
  });

  test('a changed or expired signed URL is refused', async () => {
    await using client = await TestClient.start(options);
    const id = await returned(client);
    const { body } = await client.call('GET', `/v1/report/R${id}-1/url`);
    const { url } = body as { url: string };
    expect((await fetch(url)).status).toBe(200);
    expect((await fetch(url.replace('.pdf', '-compressed.pdf'))).status).toBe(403);
    expect((await fetch(url.replace(/expires=\d+/, 'expires=99999999999'))).status).toBe(403);
    expect((await fetch(url.split('?')[0] ?? '')).status).toBe(400);
    await client.advance(301);
    expect((await fetch(url)).status).toBe(403);
  });

  test('Roof Only has no compressed file, high-value an XML report', async () => {
    await using client = await TestClient.start(options);
    const roof = await returned(client, { serviceName: 'Roof Only' });
    expect((await client.call('GET', `/v1/report/R${roof}-1/file?compressed=true`)).status).toBe(404);
    expect((await client.call('GET', `/v1/report/R${roof}-1/file?compressed=false`)).status).toBe(307);
    const rich = await returned(client, { serviceName: 'High Value Premium 4-point', insuredName: 'A <&> "B"\u0001' });
    expect(await reportIds(client, rich)).toEqual([`R${rich}-1`, `R${rich}-2`]);
    const xml = await file(client, `/v1/report/R${rich}-2/file`);
    expect(xml.type).toBe('application/xml');
    expect(xml.bytes.toString()).toContain('<insuredName>A &lt;&amp;&gt; &quot;B&quot; </insuredName>');
  });

  test('images are JPEG or PNG, sent or redirected; missing ones 404', async () => {
    await using client = await TestClient.start(options);
    const seen = new Set<string>();
    for (let project = 0; project < 4; project += 1) {
      for (const imageId of await imageIds(client, await returned(client))) {
        const { status, type, bytes, redirected } = await file(client, `/v1/image/${imageId}/file`);
        const magic = type === 'image/png' ? '89504e470d0a1a0a' : 'ffd8ff';
        expect([imageId, status, bytes.toString('hex', 0, magic.length / 2)]).toEqual([imageId, 200, magic]);
        const { default: sharp } = await import('sharp');
        expect(await sharp(bytes, { failOn: 'warning' }).metadata()).toMatchObject({ width: 640, height: 480 });
        seen.add(`${type} ${redirected}`);
      }
    }
    expect(seen).toEqual(new Set(['image/jpeg true', 'image/jpeg false', 'image/png true', 'image/png false']));
    const missing = await file(client, '/v1/image/I100001-99/file');
    expect([missing.redirected, missing.status]).toEqual([true, 404]);
  });

  test('equal seeds give equal bytes of PDFs, images and summaries', async () => {
    const digests = async (seed: number): Promise<string[]> => {
      await using client = await TestClient.start({ ...options, seed, startAt: 1_790_000_000_000, timeScale: 0 });
      const made: string[] = [];
      for (const serviceName of [
        'Roof Only',
        'High Value Premium 4-point',
        'Photo Only Inspection',
        'Self 4-Point Underwriting',
      ]) {
        const id = await returned(client, { serviceName });
        for (const reportId of await reportIds(client, id)) {
          made.push(
            digest((await file(client, `/v1/report/${reportId}/file`)).bytes),
            digest((await client.call('GET', `/v1/report/${reportId}/summary`)).text),
          );
        }
        for (const imageId of await imageIds(client, id))
          made.push(digest((await file(client, `/v1/image/${imageId}/file`)).bytes));
      }
      return made;
    };
    const first = await digests(1);
    expect(await digests(1)).toEqual(first);
    expect(new Set(first).size).toBe(first.length);
    const other = await digests(2);
    expect(other.filter((bytes) => first.includes(bytes))).not.toHaveLength(other.length);
  });

  test('staging’s sample report and images are the same for every project', async () => {
    await using client = await TestClient.start(options);
    const first = await client.create({ inspectionNumber: 'report_provided1', city: 'Boston' });
    const second = await client.create({ inspectionNumber: 'report_provided2', serviceName: 'Roof Only' });
    await client.advance(300);
    const bytes = async (id: string) => {
      const images = await imageIds(client, id);
      const files = await Promise.all(
        images.map(async (imageId) => digest((await file(client, `/v1/image/${imageId}/file`)).bytes)),
      );
      return [digest((await file(client, `/v1/report/R${id}-1/file`)).bytes), ...files];
    };
    expect(await bytes(second)).toEqual(await bytes(first));
  });

  test('the summary omits a ZIP code that is no number', async () => {
    await using client = await TestClient.start(options);
    const address = async (zipcode: string) => {
      const { body } = await client.call('GET', `/v1/report/R${await returned(client, { zipcode })}-1/summary`);
      return (body as { report: [{ project: { address: Record<string, unknown> } }] }).report[0].project.address;
    };
    expect(await address('02139-4307')).toMatchObject({ zipcode: 2139 });
    expect(await address('unknown')).not.toHaveProperty('zipcode');
  });

  test("a summary repeats its order's ID, policy number, address and ZIP code", async () => {
    await using client = await TestClient.start({ ...options, firstProjectId: '9007199254740993' });
    const id = await returned(client, { policyNumber: 'P-1', supplementalServices: ['Wildfire'], yearBuilt: 1987 });
    await client.call('PUT', `/v1/project/${id}`, { policyNumber: 'P-2' });
    const answer = await client.call('GET', `/v1/report/R${id}-1/summary`);
    expect(reportSummaryResponse.safeParse(answer.body).success).toBe(true);
    expect(answer.text).toContain('"project":{"id":9007199254740993,');
    expect(answer.body).toMatchObject({
      report: [
        {
          project: {
            policyNumber: 'P-2',
            isRenewal: null,
            supplementalServices: ['Wildfire'],
            address: { zipcode: 2139, state: 'MA' },
          },
          summary: { yearBuilt: 1987 },
        },
      ],
    });
  });
});

function inspection(index: number, changes: Record<string, unknown>, closeout = false): Inspection {
  const request = {
    streetAddress: 's',
    city: 'c',
    state: 'MA',
    zipcode: '02139',
    serviceName: 'High Value Premium 4-point',
    policyType: 'Homeowners Insurance',
    houseType: 'Residential Condo',
    insuredName: 'n',
    insuredPhone: 'p',
    insuredEmail: 'e',
    isRenewal: true,
    ...changes,
  } as Inspection['project']['request'];
  const project = {
    index,
    id: BigInt(index),
    actor: 'a',
    createdAt: 0,
    request,
    policyNumber: 'P',
    policyEffectiveDate: undefined,
    bundled: false,
    statusesSet: [],
    updates: [],
  };
  return {
    seed: '1',
    project,
    closeout,
    visit: { inspectedAt: 1_790_000_000, returnedAt: 1_790_100_000 },
    accountTemplate: 'standard',
    unlistedAttributes: 'absent',
    laterReport: 'absent',
    key: String(index),
    house: String(index),
  };
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function at(root: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (held, key) => (typeof held === 'object' && held !== null ? Reflect.get(held, key) : undefined),
      root,
    );
}

describe('summaryOf', () => {
  test('many projects have nearly every attribute, in the catalog’s types', () => {
    const summaries = Array.from({ length: 150 }, (_, index) => {
      const made = inspection(index, {}, index % 30 === 0);
      return summaryOf(made, { id: 'R', type: 'Full-scope Underwriting Report' }, inventImages(made));
    });
    const types = {
      text: 'string',
      number: 'number',
      boolean: 'boolean',
      texts: 'array',
      objects: 'array',
      percentages: 'object',
      counts: 'object',
      flags: 'object',
      details: 'object',
    } as const;
    let absent = 0;
    for (const { path, type, nullable } of SUMMARY_CATALOG) {
      const values = summaries.map((summary) => at(summary, path)).filter((value) => value !== undefined);
      if (values.length === 0) absent += 1;
      const allowed = new Set<string>([
        types[type],
        nullable ? 'null' : types[type],
        path === 'project.id' ? 'bigint' : types[type],
      ]);
      const strange = values.map(typeOf).filter((name) => !allowed.has(name));
      expect({ path, strange }).toEqual({ path, strange: [] });
    }
    expect(absent).toBeLessThan(SUMMARY_CATALOG.length * 0.06);
    const [first] = summaries;
    expect(first?.summary).toEqual({
      risk: { overallCondition: 'Closeout', inaccessible: true },
      closeoutReasons: [expect.any(String)],
    });
  });

  test("a house's pools, fences, cages, gates and dogs agree", () => {
    const seen = new Set<string>();
    for (let index = 0; index < 400; index += 1) {
      const made = { ...inspection(index, {}), accountTemplate: 'full' } as const;
      const { summary } = summaryOf(made, { id: 'R', type: 'Full-scope Underwriting Report' }, []);
      const of = (name: string) => at(summary, `exterior.${name}`);
      const pools = of('pool') as { type: string | null; hasCage: boolean | null; cageSize: unknown }[] | null;
      const fence = at(summary, 'bldg.hasFence');
      const hasPool = pools !== null;
      expect([of('hasSwimmingPool'), of('poolCount')]).toEqual([
        fence === null ? null : hasPool,
        pools?.length ?? null,
      ]);
      expect(of('hasPoolWithoutFence')).toBe(
        hasPool && fence === false && pools.some(({ hasCage }) => hasCage !== true),
      );
      expect(of('hasPoolCage')).toBe(hasPool ? pools.some(({ hasCage }) => hasCage === true) : null);
      expect((pools ?? []).every(({ hasCage, cageSize }) => hasCage === true || cageSize === null)).toBe(true);
      expect(typeof of('hasPoolSelfLatchingGate')).toBe(hasPool && fence === true ? 'boolean' : 'object');
      const isOdd =
        (of('hasHighAboveGroundPoolWithFixedLadder') === true &&
          pools?.some(({ type }) => type?.startsWith('Above')) !== true) ||
        (of('hasUnfencedPond') === true && fence !== false);
      expect(isOdd).toBe(false);
      const dogs = Number(of('numDogPresent'));
      expect([
        of('hasDogPresent'),
        (of('pet') as { dog: number }).dog,
        (of('petType') as string[]).filter((kind) => kind.startsWith('Dog')).length,
      ]).toEqual([dogs > 0, dogs, dogs]);
      seen.add(`${hasPool} ${String(fence)} ${String(of('hasPoolWithoutFence'))} ${dogs > 0}`);
    }
    expect(seen.size).toBeGreaterThan(8);
  });

  test('a second inspection of an address finds few changes', () => {
    const attributes = (summary: object): string[] =>
      SUMMARY_CATALOG.filter(({ path }) => !path.startsWith('project.') && !/image|history/i.test(path)).map(
        ({ path }) => JSON.stringify([path, at({ summary }, path)]),
      );
    const made = Array.from({ length: 20 }, (_, index) =>
      [index, index + 1000].map((key) =>
        attributes(summaryOf({ ...inspection(key, {}), house: `house ${index}` }, { id: 'R', type: 'x' }, []).summary),
      ),
    );
    const changed = made.map(
      ([first = [], second = []]) => second.filter((attribute) => !first.includes(attribute)).length,
    );
    expect(changed.filter((count) => count > 0).length).toBeGreaterThan(15);
    expect(Math.max(...changed)).toBeLessThan(SUMMARY_CATALOG.length * 0.1);
  });

  test('a Roof Only summary has no interior and names existing images', () => {
    for (let index = 0; index < 60; index += 1) {
      const made = inspection(index, { serviceName: index % 2 === 0 ? 'Roof Only' : '4-Point' });
      const images = inventImages(made);
      const { summary } = summaryOf(made, { id: 'R', type: 'x' }, images);
      expect('interior' in summary).toBe(index % 2 === 1);
      expect('roof' in summary).toBe(true);
      const named = [...JSON.stringify(summary).matchAll(/"image":\[(.*?)\]/g)].flatMap(([, list = '']) =>
        [...list.matchAll(/"id":"(.*?)"/g)].map((match) => match[1]),
      );
      for (const id of named) expect(images.map((image) => image.id)).toContain(id);
    }
  });

  test('photoOf shows a tarp on just the roofs whose findings name one', async () => {
    const roof = { shows: 'roof', type: 'Roof', direction: 'Overview', format: 'png' } as const;
    const seen = new Set<boolean>();
    for (let index = 0; index < 60 && (index < 12 || seen.size < 2); index += 1) {
      const made = inspection(index, {});
      const { findings } = inspectedHouseOf(made, () => true);
      const isTarped = findings.some(({ hazard }) => hazard.name === 'ROOF_TARP');
      const [red = 0, , blue = 0] = await sharp(await photoOf(made, roof))
        .extract({ left: 300, top: 140, width: 1, height: 1 })
        .removeAlpha()
        .raw()
        .toBuffer();
      expect([index, blue > 2 * red]).toEqual([index, isTarped]);
      seen.add(isTarped);
    }
    expect(seen.size).toBe(2);
  });
});
