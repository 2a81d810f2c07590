import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ResultProject } from '../../../src/results/model.ts';
import { writeResults } from '../../../src/results/write-results.ts';
import { projectWith, sampleInput, sampleOrder, sampleProject } from '../../support/full-summary.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

async function pageOf(...projects: readonly ResultProject[]): Promise<string> {
  await using folder = await temporaryFolder();
  const html = join(folder.path, 'report.html');
  await writeResults({ html }, sampleInput(projects));
  return await readFile(html, 'utf8');
}

const HOLES = { summary: { roof: { hasHoles: true } } };
const ofAgent = (agentName: string, agentPhone?: string) => ({
  order: { ...sampleOrder, agentName, ...(agentPhone === undefined ? {} : { agentPhone }) },
});
const cards = (page: string): string =>
  (/<ol class="leaders">.*?<\/ol>/s.exec(page)?.[0] ?? '').replaceAll(/<[^>]*>/g, '');

describe('writeResults', () => {
  test("gives a card the agent's phone of its order alone", async () => {
    const card = (phone?: string) => projectWith(HOLES, { projectId: '1', ...ofAgent('Ann Lee', phone) });
    const other = sampleProject({ projectId: '2', ...ofAgent('Ann Lee', '555-0142') });
    expect(cards(await pageOf(card('555-0143'), other))).toContain('Ann Lee 555-0143');
    expect(cards(await pageOf(card(), other))).not.toContain('555-014');
  });

  test('leaves canceled, replaced and outstanding projects out of those to decide', async () => {
    const earlier = { projectId: '1', at: 0, known: 'address', reports: [] } as const;
    const page = await pageOf(
      projectWith(HOLES, { projectId: '1' }),
      projectWith(HOLES, { projectId: '2', earlier }),
      projectWith(HOLES, { projectId: '3', status: 'Project Canceled' }),
      sampleProject({ projectId: '4' }),
    );
    const undecidable: unknown[] = [...page.matchAll(/<tr [^>]*data-f="([^"]*)".*?href="#p(\d+)"/g)].flatMap(
      ([, facets, id]) => (facets?.includes('undecidable') ? id : []),
    );
    expect(undecidable).toHaveLength(3);
    expect(undecidable).toEqual(expect.arrayContaining(['1', '3', '4']));
  });

  test('lists a replaced inspection after all others, and says why', async () => {
    const earlier = { projectId: '1', at: 0, known: 'address', reports: [] } as const;
    const page = await pageOf(
      projectWith({ summary: { roof: { hasHoles: true, hasTarp: true } } }, { projectId: '1' }),
      projectWith(HOLES, { projectId: '2', earlier }),
      sampleProject({ projectId: '4' }),
    );
    expect([...page.matchAll(/<th scope="row".*?href="#p(\d+)"/g)].map(([, id]) => id)).toEqual(['2', '4', '1']);
    expect(page).toContain('<td class="why">Re-inspected: project 2 ');
  });

  test('says how the cases are ordered', async () => {
    expect(await pageOf(projectWith(HOLES))).toContain('Rated High first');
  });

  test.each([
    [false, 'decline or cancel'],
    [true, 'non-renew'],
    [undefined, 'non-renew'],
  ])('suggests what fits the term, renewal: %s', async (isRenewal, action) => {
    const page = await pageOf(projectWith(HOLES, { order: { ...sampleOrder, isRenewal } }));
    expect(/&quot;action&quot;:&quot;(.*?)&quot;/.exec(page)?.[1]).toBe(action);
  });

  test('shows on a card the business and the effective date', async () => {
    const order = { ...sampleOrder, isRenewal: false, policyEffectiveDate: '2026-11-28' };
    expect(cards(await pageOf(projectWith(HOLES, { order })))).toContain('New business, effective Nov 28, 2026');
  });

  test('links the photos that the report names for a reason or recommendation', async () => {
    const photos = ['tarp', 'rail', 'other'].map((id) => ({ id, path: `${id}.jpg`, description: 'Overview' }));
    const summary = {
      factors: [{ name: 'ROOF_TARP', component: 'Roof', text: 'A tarp', image: [{ id: 'tarp' }] }],
      recommendations: [{ text: 'Fit handrails.', image: [{ id: 'rail' }] }],
    };
    const page = await pageOf(projectWith({ summary }, { photos }));
    const lines = [...page.matchAll(/<li[^>]*>(?:(?!<li).)*?<a class="see" href="(\w+)\.jpg"/g)];
    expect(lines.map(([, id]) => id)).toEqual(['tarp', 'rail']);
  });

  test('names what each of several photos of a reason shows', async () => {
    const photos = ['Front', 'Left'].map((id) => ({ id, path: `${id}.jpg`, description: `${id} Elevation` }));
    const factors = [{ name: 'ROOF_TARP', component: 'Roof', text: 'A tarp', image: photos.map(({ id }) => ({ id })) }];
    const labels = async (shown: typeof photos): Promise<unknown[]> =>
      [
        ...(await pageOf(projectWith({ summary: { factors } }, { photos: shown }))).matchAll(
          /class="see"[^>]*label="(.*?)"/g,
        ),
      ].map(([, label]) => label);
    expect(await labels(photos)).toEqual(['photo: Front Elevation', 'photo: Left Elevation']);
    expect(await labels(photos.slice(0, 1))).toEqual(['photo']);
  });

  test('shows the age of each of the worst roofs', async () => {
    const page = await pageOf(projectWith({ summary: { roof: { hasHoles: true, estAge: '5 - 10 years' } } }));
    expect(/<ol class="leaders roofs">.*?<\/ol>/s.exec(page)?.[0]).toContain('age 5 - 10 years');
  });

  test("filters by the age of the roof in the reports' words", async () => {
    const aged = (projectId: string, estAge: string) => projectWith({ summary: { roof: { estAge } } }, { projectId });
    const page = await pageOf(aged('1', '20 - 25 years'), aged('2', 'less than 1 year'), sampleProject());
    const options = [...(/<select id="roofAge".*?<\/select>/s.exec(page)?.[0].matchAll(/<option>(.*?)</g) ?? [])];
    expect(options.map(([, years]) => years)).toEqual(['less than 1 year', '20 - 25 years']);
    expect(new Set([...page.matchAll(/&quot;roofAge&quot;:&quot;(.*?)&quot;/g)].map(([, years]) => years))).toEqual(
      new Set(['', 'less than 1 year', '20 - 25 years']),
    );
    expect(await pageOf(sampleProject())).not.toContain('id="roofAge"');
  });

  test('says of a house that it became worse, and by what', async () => {
    const earlier = {
      projectId: '1',
      at: 0,
      known: 'address',
      reports: projectWith({ summary: { roof: { hasHoles: false, hasTarp: false } } }).reports,
    } as const;
    const now = projectWith({ summary: { roof: { hasHoles: true, hasTarp: false } } }, { projectId: '2', earlier });
    expect(await pageOf(now)).toContain('<dt>Changed</dt><dd>worse than before</dd><dd>+ roof: holes</dd>');
  });

  test('links no photo of another defect on the same side', async () => {
    const photos = ['siding', 'shingles'].map((id) => ({ id, path: `${id}.jpg`, description: 'Front' }));
    const factors = [
      { name: 'DAMAGED_SIDING', component: 'Exterior', text: 'Damaged siding, Front', image: [{ id: 'siding' }] },
      { name: 'ROOF_TARP', component: 'Roof', text: 'A tarp, Front', image: [{ id: 'shingles' }] },
    ].map((factor) => ({ ...factor, direction: 'Front' }));
    const page = await pageOf(projectWith({ summary: { factors } }, { photos }));
    const lines = [...page.matchAll(/<li[^>]*>((?:(?!<li).)*?)<a class="see" href="(\w+)\.jpg"[^<]*<\/a>(.*?)<\/li>/g)];
    const tarp = lines.find(([, text = '']) => /tarp/i.test(text));
    expect([tarp?.[2], tarp?.[3]]).toEqual(['shingles', '']);
  });

  test('links the workbook only if there is one', async () => {
    const links = async (...names: readonly string[]): Promise<boolean> => {
      await using folder = await temporaryFolder();
      const html = join(folder.path, 'report.html');
      await writeResults(
        { html, ...(names.length > 0 && { xlsx: join(folder.path, names.join('')) }) },
        sampleInput([sampleProject()]),
      );
      return (await readFile(html, 'utf8')).includes('<a href="out.xlsx">');
    };
    expect([await links('out.xlsx'), await links()]).toEqual([true, false]);
  });

  test('numbers the button for more houses only if some are left', async () => {
    const label = async (count: number): Promise<unknown> => {
      const houses = Array.from({ length: count }, (_none, index) => sampleProject({ projectId: `${index + 1}` }));
      return /<button id="more"[^>]*>(.*?)<\/button>/.exec(await pageOf(...houses))?.[1];
    };
    expect([await label(2), await label(42)]).toEqual(['', 'Show 2 more of 2']);
  });

  test('marks a replaced inspection, whose coverage does not count', async () => {
    const earlier = { projectId: '1', at: 0, known: 'address', reports: [] } as const;
    const page = await pageOf(projectWith(HOLES, { projectId: '1' }), projectWith(HOLES, { projectId: '2', earlier }));
    expect([...page.matchAll(/&quot;replaced&quot;.*?href="#p(\d+)"/g)].map(([, id]) => id)).toEqual(['1']);
    expect(page.match(/&quot;action&quot;:&quot;non-renew&quot;/g)).toHaveLength(1);
    expect(page).toContain('0 Low, of 1 inspection.');
  });

  test('labels the photos of the previous inspection', async () => {
    const photos = ['now', 'then', 'other'].map((id) => ({ id, path: `${id}.jpg`, description: 'Roof' }));
    const comparison = [{ change: 'No changes was noted.', image: [{ id: 'now' }, { id: 'then' }] }];
    const page = await pageOf(projectWith({ summary: { roof: { ...HOLES.summary.roof, comparison } } }, { photos }));
    const labeled = [...page.matchAll(/<a class="photo" href="(\w+)\.jpg">[^§]*?<\/span>( <b>)?/g)];
    const ofPrevious = new Set(labeled.flatMap(([, id, label]) => (label === undefined ? [] : id)));
    expect([...ofPrevious]).toEqual(['then']);
  });
});
