import { readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fullSummary, projectWith, sampleInput, sampleProject, stream } from '../../src/results/full-summary.fixture.ts';
import { writeHtmlReport } from '../../src/results/html/write-report.ts';
import type { ResultProject, ResultsInput } from '../../src/results/results-input.ts';
import { temporaryFolder } from '../../src/testing/temporary-folder.ts';
import { neededProgram } from '../end-to-end/needed-program.ts';

const CHROMIUM = neededProgram('chromium');
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

const jpeg = await sharp({ create: { width: 160, height: 120, channels: 3, background: '#7a8fa6' } }).jpeg().toBuffer();

const OVERVIEW: ResultsInput['overview'] = {
  stages: [{ name: 'rows read', count: 170 }, { name: 'rows accepted', count: 150 }, { name: 'orders with a project', count: 144 }, { name: 'returned', count: 90 }],
  byStatus: [{ status: 'Returned to Client', count: 90 }, { status: 'closed <out>', count: 3 }],
  outstandingByAge: [{ age: 'under 3 days', count: 40 }, { age: 'over 30 days', count: 11 }],
  files: [{ file: 'a.xlsx', outcome: 'processed', read: 170, accepted: 150, rejected: 20 }],
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

async function written(path: string, projects: readonly ResultProject[]): Promise<string> {
  await writeHtmlReport(path, sampleInput([], { overview: OVERVIEW, projects: () => stream(projects) }));
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

test.skipIf(CHROMIUM.mayBeSkipped).each([
  ['phone, light', { viewport: { width: 390, height: 844 }, colorScheme: 'light' }],
  ['laptop, light', { viewport: { width: 1366, height: 768 }, colorScheme: 'light' }],
  ['laptop, dark', { viewport: { width: 1366, height: 768 }, colorScheme: 'dark' }],
] as const)(`${CHROMIUM.note}axe finds no violation: %s`, async (_name, options) => {
  await using folder = await temporaryFolder();
  const url = await written(join(folder.path, 'report.html'), Array.from({ length: 12 }, (_, index) => house(index)));
  const { page } = await opened(url, options);
  await page.addScriptTag({ path: AXE });
  const found = (await page.evaluate('axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.length, nodes[0].html]))')) as unknown[];
  expect(found).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
});

test.skipIf(CHROMIUM.mayBeSkipped)(`${CHROMIUM.note}on paper the controls are gone and every house is there`, async () => {
  await using folder = await temporaryFolder();
  const url = await written(join(folder.path, 'report.html'), Array.from({ length: 12 }, (_, index) => house(index)));
  const { page } = await opened(url);
  await page.emulateMedia({ media: 'print' });
  expect(await page.getByLabel('Search').isVisible()).toBe(false);
  expect(await page.locator('article:visible').count()).toBe(12);
  const paper = join(folder.path, 'report.pdf');
  await page.pdf({ path: paper, format: 'Letter' });
  expect((await stat(paper)).size).toBeGreaterThan(10_000);
});
