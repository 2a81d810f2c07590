import { readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fullSummary, projectWith, QUIET_NIGHT, sampleInput, sampleProject, stream } from '../../support/full-summary.ts';
import type { ResultProject, ResultsInput } from '../../../src/results/model.ts';
import { writeResults } from '../../../src/results/write-results.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { neededProgram } from '../../end-to-end/needed-program.ts';

const CHROMIUM = neededProgram('chromium');
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

const jpeg = await sharp({ create: { width: 160, height: 120, channels: 3, background: '#7a8fa6' } }).jpeg().toBuffer();

const OVERVIEW: ResultsInput['overview'] = {
  night: QUIET_NIGHT,
  ended: [],
  closedOut: [],
  openRows: 0,
  stages: [{ name: 'rows read', count: 170 }, { name: 'rows accepted', count: 150 }, { name: 'orders with a project', count: 144 }, { name: 'returned', count: 90 }],
  byStatus: [{ status: 'Returned to Client', count: 90 }, { status: 'closed <out>', count: 3 }],
  outstandingByAge: [{ age: 'under 3 days', count: 40 }, { age: 'over 30 days', count: 11 }],
  files: [{ file: 'a.xlsx', outcome: 'processed', read: 170, accepted: 150, rejected: 20 }],
  overdue: [],
        needsPerson: [{ title: 'Order 7 is held', detail: 'Two projects look like it.', command: 'inspection-batch resolve 7 --abandon' }],
};

const CONDITIONS = ['Poor', 'Fair', 'Average', 'Good', 'Excellent'];
const AGES = ['less than 1 year', '1 ~ 5 years', '5 - 10 years'];

function house(index: number): ResultProject {
  const summary = { summary: { roof: { overallCondition: CONDITIONS[index % 5], estAge: AGES[index % 3], hasTarp: index % 7 === 0 }, risk: { vacant: index % 11 === 0 }, factors: [{ name: `hazard-${index % 4}`, text: 'x' }] } };
  const photos = [{ id: 'i', path: `reports/${index}/photos/1 & 2.jpg`, description: 'Front', thumbnail: async () => jpeg }];
  const { order } = sampleProject();
  return projectWith(summary, { projectId: String(200_000 + index), photos, photoCount: 1, photosPath: `reports/${index}/photos/1 & 2.jpg`, order: { ...order, insuredName: `Insured <b>${index}</b>`, streetAddress: `${index} Main "St" & Co` } });
}

/** A house with more to say than a card has room for; the reason that weighs least comes last. */
function troubledHouse(): ResultProject {
  const summary = {
    roof: { overallCondition: 'Poor', estLife: 'less than 1 year', hasTarp: true, hasHoles: true, hasMissingDamagedShingles: true, hasGranularLoss: true },
    risk: { vacant: true, hazardScore: 1 },
    factors: [{ name: 'STAIRS_WITHOUT_HANDRAIL', text: 'No handrail', image: [{ id: 'steps' }] }],
  };
  const photo = (id: string, description: string) => ({ id, path: `photos/${id}.jpg`, description, thumbnail: async () => jpeg });
  const photos = [photo('left', 'Left Elevation'), photo('front', 'Front Elevation'), photo('rear', 'Rear Elevation'), photo('roof', 'Overview Roof'), photo('steps', 'Front Hazard'), { id: 'plain', path: 'photos/06 Yard.jpg' }];
  const { order } = sampleProject();
  return projectWith({ summary }, { projectId: '300001', photos, photoCount: 6, photosPath: 'photos/left.jpg', order: { ...order, policyNumber: 'HO-0048466', inspectionNumber: '0004410182', insuredName: 'Tomás Whitaker' } });
}

async function written(path: string, projects: readonly ResultProject[]): Promise<string> {
  await writeResults({ html: path }, sampleInput([], { overview: OVERVIEW, projects: () => stream(projects) }));
  return pathToFileURL(path).href;
}

test('the page is one file that asks for nothing else, and shows text as text', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'report.html');
  await written(path, [house(0), house(1), projectWith(fullSummary(), { projectId: '9' }), sampleProject({ projectId: '10' })]);
  const page = await readFile(path, 'utf8');
  expect(page).toContain('Insured &lt;b&gt;0&lt;/b&gt;');
  expect(page).not.toContain('<b>0</b>');
  expect(page).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
  expect(page.match(/<article /g)).toHaveLength(4);
  expect(page.indexOf('id="p200000"')).toBeLessThan(page.indexOf('id="p10"'));
});

test('a card has captions, the telling photos first, links to all of them, and every reason', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'report.html');
  await written(path, [troubledHouse()]);
  const page = await readFile(path, 'utf8');
  const small = /<div class="photos">(.*?)<\/div>/s.exec(page)?.[1] ?? '';
  expect([...small.matchAll(/href="([^"]*)"><img [^>]*>([^<]*)</g)].map(([, link, caption]) => [link, caption])).toEqual([
    ['photos/steps.jpg', 'Front Hazard'],
    ['photos/roof.jpg', 'Overview Roof'],
    ['photos/front.jpg', 'Front Elevation'],
  ]);
  const all = /<summary>All 6 photos<\/summary>(.*?)<\/details>/s.exec(page)?.[1] ?? '';
  expect(all.match(/<a href=/g)).toHaveLength(6);
  expect(all).toContain('<a href="photos/06%20Yard.jpg">06 Yard</a>');
  const [open = '', folded = ''] = [/<div class="why">(.*?)<\/div>/s, /<details class="why">(.*?)<\/details>/s].map((part) => part.exec(page)?.[1]);
  expect(open.match(/<li>/g)).toHaveLength(6);
  expect(folded).toMatch(/^<summary>\d more reasons<\/summary>/);
  expect(page).toContain('<dt>Hazards</dt><dd>Stairs without handrail</dd>');
  expect(page).not.toContain('STAIRS_WITHOUT_HANDRAIL');
});

test('the roofs of all houses are counted, the worst first, and nothing is told of receipts that nobody asked for', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'report.html');
  const stages = [...OVERVIEW.stages, { name: 'received', count: 0 }];
  const projects = [house(0), house(3), house(8), projectWith({ summary: { roof: { overallCondition: null } } }, { projectId: '8' }), projectWith({ summary: { roof: { overallCondition: 'Dire' } } }, { projectId: '9' }), sampleProject({ projectId: '10' })];
  await writeResults({ html: path }, sampleInput([], { overview: { ...OVERVIEW, stages }, projects: () => stream(projects) }));
  const page = await readFile(path, 'utf8');
  expect(page).toContain('Condition of the roof. Poor: 1; Good: 2; Dire: 1; not assessed: 1; no report yet: 1');
  expect(page).toContain('From rows to results. rows read: 170; rows accepted: 150; orders with a project: 144; returned: 90"');
  expect(page).not.toMatch(/received: 0|acknowledged to the service: 0/);
  expect(page).toContain('collect.markReceived');
});

let browser: Browser | undefined;

beforeAll(async () => {
  if (!CHROMIUM.mayBeSkipped) browser = await chromium.launch({ executablePath: CHROMIUM.path, args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'] });
});

afterAll(async () => {
  await browser?.close();
});

async function opened(url: string, options: Parameters<Browser['newPage']>[0] = {}): Promise<{ page: Page; asked: string[]; faults: string[] }> {
  if (browser === undefined) throw new Error('no browser');
  // axe is put into the page, which the page's own policy forbids to others.
  const page = await browser.newPage({ bypassCSP: true, ...options });
  const asked: string[] = [];
  const faults: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  page.on('pageerror', (fault) => faults.push(fault.message));
  await page.goto(url);
  return { page, asked: asked.filter((address) => !address.startsWith('data:')), faults };
}

/** What a stranger would write to get out of a text: into a tag, an attribute, a script, a link, or into how a replacement is expanded. */
const RUN = 'window.ran=(window.ran??0)+1';
const HOSTILE = [
  `<script>${RUN}</script>`,
  `</script><script>${RUN}</script>`,
  `<img src=x onerror=${RUN}>`,
  `"onerror="${RUN}" x="`,
  `' autofocus onfocus='${RUN}' x='`,
  `javascript:${RUN}`,
  `]]><svg onload=${RUN}>`,
  `</style><script>${RUN}</script>`,
  `{{constructor.constructor('${RUN}')()}} \${${RUN}}`,
  "$& $1 $' $` $$ $<x>",
];
const SHOWN = HOSTILE.join(' ');

/** The same with hostile text in place of every text, and one more key that is hostile. */
function hostile(value: unknown): unknown {
  if (typeof value === 'string') return SHOWN;
  if (Array.isArray(value)) return value.map(hostile);
  if (value === null || typeof value !== 'object') return value;
  return { ...Object.fromEntries(Object.entries(value).map(([key, held]) => [key, hostile(held)])), [SHOWN]: SHOWN };
}

test.skipIf(CHROMIUM.mayBeSkipped)(`${CHROMIUM.note}hostile text in every text of every answer and every cell runs nothing, and is shown as it is`, async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'report.html');
  const photo = { id: SHOWN, path: `photos/${SHOWN}.jpg`, description: SHOWN, thumbnail: async () => jpeg };
  const projects = HOSTILE.map((text, index) => {
    const roof = { overallCondition: text, estAge: text };
    const summary = { ...(hostile(fullSummary()) as object), summary: { ...(hostile(fullSummary()['summary']) as object), roof, factors: [{ name: text, text }] } };
    const { order } = sampleProject();
    return projectWith(summary, { projectId: `${index}${text}`, status: text, problems: [text, SHOWN], order: hostile(order) as typeof order, photos: [photo], photoCount: 1, photosPath: text });
  });
  const overview = hostile(OVERVIEW) as typeof OVERVIEW;
  await writeResults({ html: path }, sampleInput([], { run: SHOWN, overview, projects: () => stream([...projects, house(1)]) }));
  if (browser === undefined) throw new Error('no browser');
  const page = await browser.newPage();
  const heard: string[] = [];
  page.on('dialog', (dialog) => { heard.push(dialog.message()); void dialog.dismiss(); });
  page.on('console', (message) => heard.push(message.text()));
  page.on('pageerror', (fault) => heard.push(fault.message));
  page.on('request', (request) => { if (!request.url().startsWith('data:')) heard.push(request.url()); });
  const { href } = pathToFileURL(path);
  await page.goto(href);
  // Its own script runs, and the page is whole.
  expect(await page.locator('#shown').textContent()).toContain(`${HOSTILE.length + 1} projects`);
  expect(await page.getByLabel('Search').isEnabled()).toBe(true);
  expect(await page.locator('article').count()).toBe(HOSTILE.length + 1);
  expect(await page.locator('figure svg').count()).toBeGreaterThan(3);
  expect(await page.evaluate("getComputedStyle(document.querySelector('.cards')).display")).toBe('grid');
  for (const element of await page.locator('summary, a[href^="#"]').all()) await element.dispatchEvent('click');
  expect(await page.evaluate('window.ran')).toBeUndefined();
  expect(heard).toEqual([href]);
  // Not one element, attribute or link of theirs.
  expect(await page.locator('script').count()).toBe(1);
  expect(await page.locator('style').count()).toBe(1);
  // The page's own script sets the style of two.
  const attributes = "[...document.querySelectorAll('body *:not(thead)')].flatMap((element) => element.getAttributeNames())";
  expect((await page.evaluate<string[]>(attributes)).filter((name) => /^(on|style|autofocus|srcdoc|formaction)/i.test(name))).toEqual([]);
  expect(await page.evaluate("[...document.links].map((link) => link.protocol).filter((protocol) => protocol !== 'file:')")).toEqual([]);
  const cards = await page.locator('article').allTextContents();
  const charts = await page.locator('figure svg').evaluateAll((all) => all.map((one) => `${one.getAttribute('aria-label') ?? ''} ${one.textContent}`).join('\n'));
  for (const text of HOSTILE) {
    expect(cards.filter((card) => card.includes(text)).length).toBeGreaterThan(HOSTILE.length - 1);
    expect(charts).toContain(text);
    expect(await page.locator('#status option').allTextContents()).toContain(text);
  }
});

test.skipIf(CHROMIUM.mayBeSkipped)(`${CHROMIUM.note}search, filters and keyboard work, and nothing is asked of any network`, async () => {
  await using folder = await temporaryFolder();
  const url = await written(join(folder.path, 'report.html'), Array.from({ length: 60 }, (_, index) => house(index)));
  const { page, asked, faults } = await opened(url);
  expect(asked).toEqual([url]);
  const rows = page.locator('tbody tr:visible');
  expect(await rows.count()).toBe(60);
  await page.getByLabel('Search').fill('main 17');
  await page.waitForFunction("document.getElementById('shown').textContent.startsWith('1 of 60')");
  expect(await rows.count()).toBe(1);
  expect(await page.locator('article:visible').count()).toBe(1);
  await page.getByRole('button', { name: 'Show all' }).focus();
  await page.keyboard.press('Enter');
  expect(await rows.count()).toBe(60);
  await page.getByLabel('Attention').selectOption('High');
  const high = await rows.count();
  expect(high).toBeGreaterThan(0);
  expect(high).toBeLessThan(60);
  await page.keyboard.press('Tab');
  expect(faults).toEqual([]);
});

test.skipIf(CHROMIUM.mayBeSkipped)(`${CHROMIUM.note}a search goes through all reasons and numbers, however they are written, and Enter goes to the first house`, async () => {
  await using folder = await temporaryFolder();
  const url = await written(join(folder.path, 'report.html'), [...Array.from({ length: 40 }, (_, index) => house(index)), troubledHouse()]);
  const { page } = await opened(url);
  const search = page.getByLabel('Search');
  const found = async (query: string): Promise<string[]> => {
    await search.fill(query);
    await search.press('Enter');
    return page.locator('article:visible').evaluateAll((cards) => cards.map(({ id }) => id));
  };
  const queries = ['ho0048466', 'HO 48466', 'ho/0048466', '4410182', '000-441-0182', 'tomas whitaker', 'Whitaker handrail', 'hazard score', 'stairs without HANDRAIL', '300001', 'missing or damaged shingles'];
  for (const query of queries) expect([query, await found(query)]).toEqual([query, ['p300001']]);
  expect(await found('tarp')).toHaveLength(7);
  // `Boston, MA`: letters that meet only across the words are no hit.
  expect(await found('nma')).toEqual([]);
  await found('granul');
  expect(await page.evaluate('document.activeElement.id')).toBe('p300001');
  await expect.poll(async () => (await page.locator('#p300001').boundingBox())?.y).toBeLessThan(200);
  expect(await page.locator('#p300001 details.why[open]').count()).toBe(1);
});

test.skipIf(CHROMIUM.mayBeSkipped)(`${CHROMIUM.note}a link to a card opens it, also from outside and when a filter hides it`, async () => {
  await using folder = await temporaryFolder();
  const url = await written(join(folder.path, 'report.html'), [...Array.from({ length: 60 }, (_, index) => house(index)), troubledHouse()]);
  const { page } = await opened(`${url}#p200058`);
  const top = (id: string): Promise<unknown> => page.evaluate(`document.getElementById('${id}').getBoundingClientRect().top - document.getElementById('find').getBoundingClientRect().bottom`);
  await expect.poll(() => top('p200058')).toBeGreaterThanOrEqual(0);
  expect(await page.locator('#p200058').isVisible()).toBe(true);
  await page.getByLabel('Search').fill('Insured 3');
  await page.waitForFunction("document.getElementById('p300001').hidden");
  await page.evaluate("location.hash = '#p300001'");
  await page.locator('#p300001').waitFor();
  await expect.poll(() => top('p300001')).toBeGreaterThanOrEqual(0);
  expect(await page.getByLabel('Search').inputValue()).toBe('');
  expect(await page.locator('#p300001 details.why[open]').count()).toBe(1);
});

test.skipIf(CHROMIUM.mayBeSkipped).each([390, 1280])(`${CHROMIUM.note}the search stands at the top and stays, and no row is cut off: %i px`, async (width) => {
  await using folder = await temporaryFolder();
  const url = await written(join(folder.path, 'report.html'), [...Array.from({ length: 30 }, (_, index) => house(index)), troubledHouse()]);
  const { page } = await opened(url, { viewport: { width, height: 800 } });
  const box = async (selector: string) => (await page.locator(selector).first().boundingBox()) ?? { x: -1, y: -1, width: 0, height: 0 };
  expect((await box('#search')).y).toBeLessThan(220);
  await page.locator('form').getByRole('link', { name: 'To the projects' }).click();
  await expect.poll(async () => (await box('#projects')).y).toBeLessThan(250);
  expect((await box('#search')).y).toBeGreaterThanOrEqual(0);
  for (const cell of await page.locator('tbody tr').first().locator('td,th').all()) {
    const { x, width: wide } = (await cell.boundingBox()) ?? { x: -1, width: 0 };
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x + wide).toBeLessThanOrEqual(width);
  }
});

test.skipIf(CHROMIUM.mayBeSkipped).each([
  ['phone, light', { viewport: { width: 390, height: 844 }, colorScheme: 'light' }],
  ['laptop, light', { viewport: { width: 1366, height: 768 }, colorScheme: 'light' }],
  ['laptop, dark', { viewport: { width: 1366, height: 768 }, colorScheme: 'dark' }],
] as const)(`${CHROMIUM.note}axe finds no violation: %s`, async (_name, options) => {
  await using folder = await temporaryFolder();
  const url = await written(join(folder.path, 'report.html'), [...Array.from({ length: 12 }, (_, index) => house(index)), troubledHouse()]);
  const { page } = await opened(url, options);
  await page.addScriptTag({ path: AXE });
  const found = (await page.evaluate('axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.length, nodes[0].html]))')) as unknown[];
  expect(found).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
});

test.skipIf(CHROMIUM.mayBeSkipped)(`${CHROMIUM.note}on paper the controls are gone and every house is there`, async () => {
  await using folder = await temporaryFolder();
  const url = await written(join(folder.path, 'report.html'), [...Array.from({ length: 11 }, (_, index) => house(index)), troubledHouse()]);
  const { page } = await opened(url);
  await page.emulateMedia({ media: 'print' });
  expect(await page.getByLabel('Search').isVisible()).toBe(false);
  expect(await page.locator('article:visible').count()).toBe(12);
  expect(await page.getByText('Hazards were counted').isVisible()).toBe(true);
  const paper = join(folder.path, 'report.pdf');
  await page.pdf({ path: paper, format: 'Letter' });
  expect((await stat(paper)).size).toBeGreaterThan(10_000);
});
