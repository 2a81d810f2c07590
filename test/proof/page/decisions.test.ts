import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readDecisionFile } from '../../../src/intake/decisions.ts';
import type { ResultProject } from '../../../src/results/model.ts';
import { writeResults } from '../../../src/results/write-results.ts';
import { neededProgram } from '../../end-to-end/needed-program.ts';
import { projectWith, sampleInput, sampleProject } from '../../support/full-summary.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const CHROMIUM = neededProgram('chromium');
const RUN = '2026-01-06T02-00-00Z';

let browser: Browser | undefined;

beforeAll(async () => {
  if (!CHROMIUM.mayBeSkipped)
    browser = await chromium.launch({ executablePath: CHROMIUM.path, args: ['--no-sandbox', '--disable-gpu'] });
});

afterAll(async () => {
  await browser?.close();
});

function house(index: number, decision: ResultProject['decision'] = null): ResultProject {
  const { order } = sampleProject();
  return projectWith(
    {
      summary: {
        roof: { hasTarp: index < 3 },
        risk: { vacant: index === 0 },
        bldg: { hasFence: true },
        recommendations: [{ text: index === 4 ? 'There is no fence.' : 'Mend the fence.' }],
      },
    },
    { projectId: String(100 + index), decision, order: { ...order, streetAddress: `${index} Main St` } },
  );
}

/** Opens a page of five houses under its own content policy; `decided` is on record for the first. */
async function openedPage(
  path: string,
  decided: ResultProject['decision'] = null,
  houses: readonly ResultProject[] = [0, 1, 2, 3, 4].map((index) => house(index, index === 0 ? decided : null)),
): Promise<Page> {
  await writeResults({ html: path }, sampleInput(houses, { run: RUN }));
  if (browser === undefined) throw new Error('no browser');
  const page = await (await browser.newContext()).newPage();
  const faults: string[] = [];
  page.on('pageerror', (fault) => faults.push(fault.message));
  page.on('console', (message) => faults.push(message.text()));
  page.on('close', () => expect(faults).toEqual([]));
  await page.goto(pathToFileURL(path).href);
  return page;
}

const pressed = (page: Page): Promise<string[]> => page.locator('#decide [aria-pressed=true]').allTextContents();
const rows = (page: Page): Promise<string[]> =>
  page
    .locator('#rows tr:not([hidden]) a')
    .evaluateAll((links) => links.map((link) => (link.getAttribute('href') ?? '').slice(2)));

describe.skipIf(CHROMIUM.mayBeSkipped)(`${CHROMIUM.note}report.html`, () => {
  test('saves decisions in the form that the inbox takes', async () => {
    await using folder = await temporaryFolder();
    const page = await openedPage(join(folder.path, 'report.html'));
    page.on('dialog', (dialog) => void dialog.accept('Ann "A" Lee'));
    await page.keyboard.press('j');
    await page.keyboard.press('4');
    await page.keyboard.press('n');
    await page.keyboard.type('Vacant, and');
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('1');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save decisions' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`decisions-${RUN}.csv`);
    const saved = join(folder.path, 'saved.csv');
    await download.saveAs(saved);
    expect(await readDecisionFile(saved, 'saved.csv')).toEqual({
      writtenIn: RUN,
      decisions: [
        { projectId: '100', decision: 'Non-renew', by: 'Ann "A" Lee', notes: 'Vacant, and' },
        { projectId: '101', decision: 'Accept', by: 'Ann "A" Lee', notes: '' },
      ],
    });
    await page.close();
  });

  test('keeps the cursor in a note while the page finishes loading', async () => {
    await using folder = await temporaryFolder();
    const page = await openedPage(join(folder.path, 'report.html'));
    await page.keyboard.press('j');
    await page.keyboard.press('n');
    await page.evaluate("window.dispatchEvent(new Event('load')), new Promise((resolve) => setTimeout(resolve, 50))");
    expect(await page.evaluate('document.activeElement.name')).toBe('note');
    await page.close();
  });

  test('goes by key to the houses to decide first', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'report.html');
    const grave = (projectId: string, hasHoles: boolean, isNew: boolean) =>
      projectWith(
        { summary: { roof: { hasTarp: true, hasHoles }, risk: { vacant: true }, bldg: { hasFoundationCracks: true } } },
        { projectId, isNew, order: { ...sampleProject().order, streetAddress: projectId } },
      );
    const page = await openedPage(path, null, [house(0), grave('201', true, false), grave('202', false, true)]);
    expect((await rows(page))[0]).toBe('201');
    const opened = [];
    for (const key of ['j', 'j', 'j', 'k']) {
      await page.keyboard.press(key);
      opened.push(await page.evaluate('location.hash'));
    }
    expect(opened).toEqual(['#p202', '#p201', '#p100', '#p201']);
    await page.close();
  });

  test('keeps decisions over a reload and shows undecided houses first', async () => {
    await using folder = await temporaryFolder();
    const page = await openedPage(join(folder.path, 'report.html'));
    expect(await rows(page)).toEqual(['100', '101', '102', '103', '104']);
    await page.keyboard.press('j');
    await page.keyboard.press('3');
    expect(await page.locator('#count').textContent()).toMatch(/^1 decided.* 0 undecided[.]$/);
    await page.reload();
    await expect.poll(async () => [await pressed(page), (await rows(page)).at(-1)]).toEqual([['Repair'], '100']);
    await page.locator('#decided').selectOption('no');
    expect(await rows(page)).toEqual(['101', '102', '103', '104']);
    await page.close();
  });

  test('clears a decision on record', async () => {
    await using folder = await temporaryFolder();
    const page = await openedPage(join(folder.path, 'report.html'), { decision: 'Accept', by: 'Bo', notes: 'Fine' });
    page.on('dialog', (dialog) => void dialog.accept('Ann'));
    await page.evaluate("location.hash = '#p100'");
    await expect.poll(() => pressed(page)).toEqual(['Accept']);
    expect(await page.locator('#p100').textContent()).toContain('Accept, by Bo, Fine');
    await page.keyboard.press('1');
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#save').click()]);
    const saved = join(folder.path, 'saved.csv');
    await download.saveAs(saved);
    expect((await readDecisionFile(saved, 'saved.csv')).decisions).toEqual([
      { projectId: '100', decision: '(clear)', by: 'Ann', notes: '' },
    ]);
    await page.close();
  });

  test('writes a note on a decided house without the decision', async () => {
    await using folder = await temporaryFolder();
    const page = await openedPage(join(folder.path, 'report.html'), { decision: 'Accept', by: 'Bo', notes: 'Fine' });
    page.on('dialog', (dialog) => void dialog.accept('Ann'));
    await page.evaluate("location.hash = '#p100'");
    await expect.poll(() => pressed(page)).toEqual(['Accept']);
    for (const key of ['1', '1', 'n']) await page.keyboard.press(key);
    await page.keyboard.type('Asked the agent');
    expect(await pressed(page)).toEqual(['Accept']);
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#save').click()]);
    const saved = join(folder.path, 'saved.csv');
    await download.saveAs(saved);
    expect((await readDecisionFile(saved, 'saved.csv')).decisions).toEqual([
      { projectId: '100', decision: '', by: 'Ann', notes: 'Asked the agent' },
    ]);
    await page.close();
  });

  test('says so if the browser keeps nothing', async () => {
    await using folder = await temporaryFolder();
    const page = await openedPage(join(folder.path, 'report.html'));
    await page.addInitScript("Object.defineProperty(window, 'localStorage', { get() { throw new Error('none'); } })");
    await page.reload();
    await page.keyboard.press('j');
    await page.keyboard.press('1');
    expect(await page.locator('#count').textContent()).toContain('keeps nothing');
    await page.close();
  });

  test('keeps search and filters in its address for reload and Back', async () => {
    await using folder = await temporaryFolder();
    const page = await openedPage(join(folder.path, 'report.html'));
    await page.locator('#decided').selectOption('yes');
    expect(await rows(page)).toEqual([]);
    await page.goBack();
    await expect.poll(() => rows(page)).toHaveLength(5);
    await page.keyboard.press('/');
    await page.keyboard.type('no fence');
    await expect.poll(() => rows(page)).toEqual(['104']);
    await page.reload();
    await expect
      .poll(async () => [await rows(page), await page.locator('#search').inputValue()])
      .toEqual([['104'], 'no fence']);
    await page.close();
  });

  test('shows its keys', async () => {
    await using folder = await temporaryFolder();
    const page = await openedPage(join(folder.path, 'report.html'));
    await page.keyboard.press('?');
    expect(await page.locator('#help').isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Close' }).click();
    expect(await page.locator('#help').isVisible()).toBe(false);
    await page.close();
  });
});
