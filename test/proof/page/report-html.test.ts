import { readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  fullSummary,
  projectWith,
  QUIET_NIGHT,
  sampleInput,
  sampleProject,
  stream,
} from '../../support/full-summary.ts';
import type { NotOrderedRow, ResultProject, ResultsInput } from '../../../src/results/model.ts';
import { writeResults } from '../../../src/results/write-results.ts';
import { inProof, inTurn } from '../../support/proof-size.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { neededProgram } from '../../end-to-end/needed-program.ts';

const CHROMIUM = neededProgram('chromium');
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

const jpeg = await sharp({ create: { width: 160, height: 120, channels: 3, background: '#7a8fa6' } })
  .jpeg()
  .toBuffer();

const OVERVIEW: ResultsInput['overview'] = {
  today: '2026-01-06',
  night: QUIET_NIGHT,
  ended: [],
  stillEnded: [],
  openRows: 0,
  byStatus: [
    { name: 'Returned to Client', count: 90 },
    { name: 'closed <out>', count: 3 },
  ],
  outstandingByAge: [
    { name: 'under 3 days', count: 40 },
    { name: 'over 30 days', count: 11 },
  ],
  files: [{ file: 'a.xlsx', outcome: 'processed', read: 170, accepted: 150, rejected: 20 }],
  overdue: [],
  needsPerson: [{ title: 'Order 7 is held', detail: 'Two projects look like it.' }],
};

const CONDITIONS = ['Poor', 'Fair', 'Average', 'Good', 'Excellent'];
const AGES = ['less than 1 year', '1 ~ 5 years', '5 - 10 years'];

function house(index: number): ResultProject {
  const summary = {
    summary: {
      roof: { overallCondition: CONDITIONS[index % 5], estAge: AGES[index % 3], hasTarp: index % 7 === 0 },
      risk: { vacant: index % 11 === 0 },
      factors: [{ name: `hazard-${index % 4}`, text: 'x' }],
    },
  };
  const photos = [
    { id: 'i', path: `reports/${index}/photos/1 & 2.jpg`, description: 'Front', thumbnail: async () => jpeg },
  ];
  const { order } = sampleProject();
  return projectWith(summary, {
    projectId: String(200_000 + index),
    photos,
    photoCount: 1,
    photosPath: `reports/${index}/photos/1 & 2.jpg`,
    order: { ...order, insuredName: `Insured <b>${index}</b>`, streetAddress: `${index} Main "St" & Co` },
  });
}

/** A house with much to say. */
function troubledHouse(): ResultProject {
  const summary = {
    roof: {
      overallCondition: 'Poor',
      estLife: 'less than 1 year',
      hasTarp: true,
      hasHoles: true,
      hasMissingDamagedShingles: true,
      hasGranularLoss: true,
    },
    risk: { vacant: true, hazardScore: 1 },
    factors: [{ name: 'STAIRS_WITHOUT_HANDRAIL', text: 'No handrail', image: [{ id: 'steps' }] }],
  };
  const photo = (id: string, description: string) => ({
    id,
    path: `photos/${id}.jpg`,
    description,
    thumbnail: async () => jpeg,
  });
  const photos = [
    photo('left', 'Left Elevation'),
    photo('front', 'Front Elevation'),
    photo('rear', 'Rear Elevation'),
    photo('roof', 'Overview Roof'),
    photo('steps', 'Front Hazard'),
    { id: 'plain', path: 'photos/06 Yard.jpg' },
  ];
  const { order } = sampleProject();
  return projectWith(
    { summary },
    {
      projectId: '300001',
      photos,
      photoCount: 6,
      photosPath: 'photos/left.jpg',
      order: { ...order, policyNumber: 'HO-0048466', inspectionNumber: '0004410182', insuredName: 'Tomás Whitaker' },
    },
  );
}

async function written(path: string, projects: readonly ResultProject[]): Promise<string> {
  await writeResults({ html: path }, sampleInput([], { overview: OVERVIEW, projects: () => stream(projects) }));
  return pathToFileURL(path).href;
}

test('writes one self-contained file and escapes text', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'report.html');
  await written(path, [
    house(0),
    house(1),
    projectWith(fullSummary(), { projectId: '9' }),
    sampleProject({ projectId: '10' }),
  ]);
  const page = await readFile(path, 'utf8');
  expect(page).toContain('Insured &lt;b&gt;0&lt;/b&gt;');
  expect(page).not.toContain('Insured <b>');
  expect(page).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
  expect(page.match(/<article /g)).toHaveLength(4);
  expect(page.indexOf('id="p200000"')).toBeLessThan(page.indexOf('id="p10"'));
});

test('shows everything about a house in one place', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'report.html');
  const before = {
    id: 'R-0',
    type: 'Full',
    path: null,
    summary: { id: 'R-0', summary: { roof: { overallCondition: 'Good' } } },
  };
  const troubled = troubledHouse();
  const told = troubled.reports[0]?.summary?.['summary'] as { roof: object };
  const compared = {
    direction: 'Front',
    change: 'Significant damage',
    comment: 'Front slope: worse',
    image: [{ id: 'roof' }, { id: 'rear' }],
  };
  const now = {
    ...told,
    roof: {
      ...told.roof,
      comparison: [compared, { ...compared, change: 'No changes was noted.', comment: 'as it was' }],
    },
    exterior: { hasSwimmingPool: true, pool: [{ type: 'In-ground', hasCage: false }] },
    bldg: { hasFence: false },
    recommendations: [{ text: 'Fit handrails.' }],
  };
  const report = { id: 'R-1', type: 'Full-scope', path: 'reports/1.pdf', summary: { id: 'R-1', summary: now } };
  await written(path, [
    {
      ...troubled,
      reports: [report],
      order: { ...troubled.order, dwellingCoverage: 250_000 },
      earlier: { projectId: '299', at: Date.UTC(2025, 10, 3), known: 'address', reports: [before] },
    },
  ]);
  const article = /<article .*?<\/article>/s.exec(await readFile(path, 'utf8'))?.[0] ?? '';
  const strip = /<div class="strip".*?<\/div>/s.exec(article)?.[0] ?? '';
  expect(
    [...strip.matchAll(/href="([^"]*)"><img [^>]*><span>([^<]*)</g)]
      .map(([, link, caption]) => [link, caption])
      .slice(0, 3),
  ).toEqual([
    ['photos/roof.jpg', 'Overview Roof'],
    ['photos/rear.jpg', 'Rear Elevation'],
    ['photos/steps.jpg', 'Front Hazard'],
  ]);
  expect(strip.match(/<a /g)).toHaveLength(6);
  // Three stand in the page; of the others, none is read before it is seen.
  expect([strip.match(/src="data:/g)?.length, strip.match(/src="photos[^>]*loading="lazy"/g)?.length]).toEqual([3, 3]);
  expect(strip).toContain('<a class="photo" href="photos/06%20Yard.jpg">');
  const text = article.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
  for (const part of [
    'Roof: tarp',
    'Stairs without handrail',
    'Roof: overall condition Good Poor',
    'project 299, collected on Nov 3, 2025 (same address)',
    'In-ground, cage: No',
    'Fence No',
    'Fit handrails.',
    '$250,000',
    'Full-scope',
  ])
    expect(text).toContain(part);
  expect(/<div class="pairs">(.*?)<figcaption>(.*?)</s.exec(article)?.[1]?.match(/href="[^"]*"/g)).toEqual([
    'href="photos/roof.jpg"',
    'href="photos/rear.jpg"',
  ]);
  expect(text).not.toContain('as it was');
});

test('ranks a house inspected twice once, by its latest inspection', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'report.html');
  const twice = [1, 3, 2].map((month) => ({
    ...troubledHouse(),
    projectId: `30000${month}`,
    returnedAt: Date.UTC(2026, month),
    earlier: month === 3 ? ({ projectId: '300001', at: 0, known: 'address', reports: [] } as const) : null,
  }));
  await written(path, [...twice, house(0)]);
  expect(await readFile(path, 'utf8')).toMatch(
    /href="#p300001">[^\n]*<td class="why">Re-inspected: project 300003 replaces this one\./,
  );
  const leaders = /<ol class="leaders">(.*?)<\/ol>/s.exec(await readFile(path, 'utf8'))?.[1] ?? '';
  expect([...leaders.matchAll(/href="#(p\d+)"/g)].map(([, id]) => id)).toEqual(['p300003', 'p200000']);
});

test('ranks the worst roofs, with or without a photo', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'report.html');
  const troubled = troubledHouse();
  const mended = {
    ...house(1),
    projectId: '300002',
    order: { ...house(0).order, streetAddress: `${house(0).order.streetAddress.toUpperCase()} ` },
    returnedAt: Date.UTC(2026, 4),
  };
  await written(path, [
    house(7),
    mended,
    { ...house(0), returnedAt: Date.UTC(2026, 3) },
    { ...troubled, photos: troubled.photos.filter(({ id }) => id !== 'roof') },
  ]);
  const roofs = /<ol class="leaders roofs">(.*?)<\/ol>/s.exec(await readFile(path, 'utf8'))?.[1] ?? '';
  expect(
    [...roofs.matchAll(/<li>(.*?)<h3><a href="#(p\d+)"/gs)].map(([, before = '', id]) => [
      id,
      before.includes('No photo is labeled as a roof photo'),
    ]),
  ).toEqual([
    ['p300001', true],
    ['p200007', true],
    ['p300002', true],
  ]);
});

test('shows a figure only if it has something to count', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'report.html');
  const projects = [
    house(0),
    house(3),
    house(8),
    projectWith({ summary: { roof: { overallCondition: null } } }, { projectId: '8' }),
    projectWith({ summary: { roof: { overallCondition: 'Dire' } } }, { projectId: '9' }),
    sampleProject({ projectId: '10' }),
  ];
  await written(path, projects);
  const figure = async (): Promise<string[]> =>
    [...(await readFile(path, 'utf8')).replace(/.* id="charts-head"/s, '').matchAll(/<figure>(.*?)<\/figure>/gs)].map(
      ([, inside = '']) =>
        inside
          .replaceAll(/<[^>]*>/g, ' ')
          .replaceAll(/\s+/g, ' ')
          .trim(),
    );
  expect((await figure())[1]).toBe('Condition of the roof Poor 1 Good 2 Dire 1 not assessed 1 no report yet 1');
  expect((await figure()).at(-1)).toBe('Outstanding projects, by age under 3 days 40 over 30 days 11');
  await writeResults({ html: path }, sampleInput([], { projects: () => stream([sampleProject({ projectId: '10' })]) }));
  expect(await figure()).toEqual([]);
});

test('summarizes the night on the first screen', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'report.html');
  const { order } = sampleProject();
  const night = { ...OVERVIEW.night, since: Date.UTC(2026, 0, 1), ordered: 3, returned: 2, fixed: 1 };
  const overview = {
    ...OVERVIEW,
    night,
    openRows: 1,
    overdue: [
      { projectId: '77', order, dueDate: '2026-01-02', status: 'Assigned to Pilot', statusAt: 0, why: 'Nobody came.' },
    ],
    ended: [
      {
        kind: 'canceled',
        reason: 'The insured declined.',
        projects: [{ projectId: '78', order, at: Date.UTC(2026, 0, 4) }],
      },
    ],
  } as const;
  const row = {
    kind: 'rejection',
    openSince: Date.UTC(2026, 0, 2),
    sender: 'Pettibone',
    agentName: 'Dora Quill',
    corrections: 'corrections/a - to fix.xlsx',
    isNew: true,
    file: 'a.xlsx',
    sheet: 'Orders',
    rowNumber: 7,
    policyNumber: 'HO-1',
    inspectionNumber: '',
    insuredName: 'Ann Lee',
    streetAddress: '1 Main',
    reasons: ['The ZIP code has four digits.'],
    projectId: null,
  } as const;
  await writeResults(
    { html: path },
    sampleInput([], {
      overview,
      projects: () => stream([{ ...troubledHouse(), isNew: true }, house(2)]),
      notOrdered: () => stream([row]),
    }),
  );
  const page = (await readFile(path, 'utf8'))
    .replaceAll(/<(script|style)>.*?<\/\1>/gs, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');
  expect(page).toContain(
    'Since your last delivery on Jan 1, 2026: 3 ordered, 1 new report, 1 returned without a report yet, 1 row came back fixed.',
  );
  for (const told of [
    '1 new report',
    '0 worse than before',
    '1 overdue',
    '1 row to fix',
    'Nobody came.',
    'canceled The insured declined.',
    'Ann Lee 1 Main The ZIP code has four digits. Jan 2, 2026 new Pettibone Dora Quill a.xlsx, row 7 HO-1 corrections/a - to fix.xlsx',
    'Two projects look like it.',
  ])
    expect(page).toContain(told);
  // Commands belong to the operator's `status`.
  expect(page).not.toContain('inspection-batch resolve');
});

/** Of a phone and of a laptop; in a share, one of them each day. */
const WIDTHS = inTurn([390, 1280], 2);

let browser: Browser | undefined;

beforeAll(async () => {
  if (!CHROMIUM.mayBeSkipped)
    browser = await chromium.launch({
      executablePath: CHROMIUM.path,
      args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
    });
});

afterAll(async () => {
  await browser?.close();
});

async function opened(
  url: string,
  options: Parameters<Browser['newPage']>[0] = {},
): Promise<{ page: Page; asked: string[]; faults: string[] }> {
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

test.skipIf(CHROMIUM.mayBeSkipped)(`${CHROMIUM.note}shows hostile text as it is and runs none of it`, async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'report.html');
  const photo = { id: SHOWN, path: `photos/${SHOWN}.jpg`, description: SHOWN, thumbnail: async () => jpeg };
  const projects = HOSTILE.map((text, index) => {
    const roof = { overallCondition: text, estAge: text };
    const summary = {
      ...(hostile(fullSummary()) as object),
      summary: {
        ...(hostile(fullSummary()['summary']) as object),
        roof,
        factors: [{ name: text, text }],
        ...(index === 0 ? {} : { closeoutReasons: [] }),
      },
    };
    const { order } = sampleProject();
    return projectWith(summary, {
      projectId: `${index}${text}`,
      status: text,
      problems: [text, SHOWN],
      order: hostile(order) as typeof order,
      photos: [photo],
      photoCount: 1,
      photosPath: text,
    });
  });
  const overview = hostile(OVERVIEW) as typeof OVERVIEW;
  await writeResults(
    { html: path },
    sampleInput([], { run: SHOWN, overview, projects: () => stream([...projects, house(1)]) }),
  );
  if (browser === undefined) throw new Error('no browser');
  const page = await browser.newPage();
  const heard: string[] = [];
  page.on('dialog', (dialog) => {
    heard.push(dialog.message());
    void dialog.dismiss();
  });
  page.on('console', (message) => heard.push(message.text()));
  page.on('pageerror', (fault) => heard.push(fault.message));
  page.on('request', (request) => {
    if (!request.url().startsWith('data:')) heard.push(request.url());
  });
  const { href } = pathToFileURL(path);
  await page.goto(href);
  // Its own script runs, and the page is whole.
  expect(await page.locator('#shown').textContent()).toContain(`${HOSTILE.length + 1} projects`);
  expect(await page.getByLabel('Search').isEnabled()).toBe(true);
  expect(await page.locator('article').count()).toBe(HOSTILE.length + 1);
  expect(await page.locator('figure svg').count()).toBeGreaterThan(HOSTILE.length);
  expect(await page.evaluate("getComputedStyle(document.querySelector('.leaders:not(.roofs)')).display")).toBe('grid');
  for (const element of await page.locator('summary, a[href^="#"]').all()) await element.dispatchEvent('click');
  // Every house is opened once.
  for (const id of await page.locator('article').evaluateAll((all) => all.map((one) => one.id))) {
    await page.evaluate(`location.hash = ${JSON.stringify(id)}`);
    await expect
      .poll(() => page.locator('article:visible').evaluateAll((shown) => shown.map((one) => one.id)))
      .toEqual([id]);
    expect(await page.locator('article:visible h3').count()).toBe(1);
  }
  expect(await page.locator('article noscript').count()).toBe(0);
  expect(await page.evaluate('window.ran')).toBeUndefined();
  expect(heard).toEqual([href]);
  // Not one element, attribute or link of theirs.
  expect(await page.locator('script').count()).toBe(1);
  expect(await page.locator('style').count()).toBe(1);
  // The page's own script sets the style of two.
  const attributes =
    "[...document.querySelectorAll('body *:not(thead)')].flatMap((element) => element.getAttributeNames())";
  expect(
    (await page.evaluate<string[]>(attributes)).filter((name) => /^(on|style|autofocus|srcdoc|formaction)/i.test(name)),
  ).toEqual([]);
  expect(
    await page.evaluate("[...document.links].map((link) => link.protocol).filter((protocol) => protocol !== 'file:')"),
  ).toEqual([]);
  const cards = await page.locator('article').allTextContents();
  const charts = (await page.locator('figure').allTextContents()).join('\n');
  for (const text of HOSTILE) {
    expect(cards.filter((card) => card.includes(text)).length).toBeGreaterThan(HOSTILE.length - 1);
    expect(charts).toContain(text);
    expect(await page.locator('#status option').allTextContents()).toContain(text);
  }
});

test.skipIf(CHROMIUM.mayBeSkipped)(
  `${CHROMIUM.note}filters by search and keyboard without network requests`,
  async () => {
    await using folder = await temporaryFolder();
    const url = await written(
      join(folder.path, 'report.html'),
      Array.from({ length: 60 }, (_, index) => house(index)),
    );
    const { page, asked, faults } = await opened(url);
    expect(asked).toEqual([url]);
    const rows = page.locator('#rows tr:visible');
    const told = page.locator('#shown');
    expect(await rows.count()).toBe(40);
    await page.getByRole('button', { name: 'Show 20 more of 20' }).click();
    expect(await rows.count()).toBe(60);
    await page.getByLabel('Search').fill('main 17');
    await expect.poll(() => told.textContent()).toMatch(/^1 of 60 projects/);
    expect(await rows.count()).toBe(1);
    await page.getByLabel('Search').fill('no such house');
    await expect.poll(() => page.locator('#empty').textContent()).toMatch(/No house matches “no such house”. Try/);
    await page.getByRole('button', { name: 'Show all' }).focus();
    await page.keyboard.press('Enter');
    expect(await told.textContent()).toMatch(/^All 60 projects/);
    await page.getByLabel('Attention').selectOption('High');
    const high = await rows.count();
    expect(high).toBeGreaterThan(0);
    expect(high).toBeLessThan(60);
    await page.getByLabel('Search').fill('no such house');
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    expect(await told.textContent()).toMatch(/^All 60 projects/);
    // A bar of a figure shows the houses that it counts, and a second click all of them again.
    const bar = page.getByRole('button', { name: /^Poor/ });
    const poor = Number(/\d+/.exec((await bar.textContent()) ?? '')?.[0]);
    await bar.click();
    expect(await told.textContent()).toMatch(new RegExp(`^${poor} of 60`));
    expect(await page.locator('#projects').textContent()).toBe(`${poor} of 60 projects, Roof condition: Poor`);
    expect(await page.locator('#rows tr:visible .why mark').first().textContent()).toBe('Roof condition: Poor');
    await page.getByRole('button', { name: 'Drop the filter Roof condition: Poor' }).click();
    expect(await told.textContent()).toMatch(/^All 60/);
    await bar.click();
    await bar.click();
    expect(await told.textContent()).toMatch(/^All 60/);
    // Every column sorts, both ways.
    const column = async (name: string, index: number): Promise<string[]> => {
      await page.getByRole('button', { name, exact: true }).click();
      return page.locator(`#rows tr:visible > :nth-child(${index})`).allTextContents();
    };
    const up = await column('House', 2);
    expect(up).toEqual(up.toSorted((a, b) => a.toLowerCase().localeCompare(b.toLowerCase())));
    expect((await column('House', 2))[0]).not.toBe(up[0]);
    expect(Number.parseInt(/\d+/.exec((await column('Attention', 1))[0] ?? '')?.[0] ?? '', 10)).toBeGreaterThan(50);
    await page.keyboard.press('Tab');
    expect(faults).toEqual([]);
  },
);

test.skipIf(CHROMIUM.mayBeSkipped)(
  `${CHROMIUM.note}searches all reasons and numbers, and Enter opens the first house`,
  async () => {
    await using folder = await temporaryFolder();
    const url = await written(join(folder.path, 'report.html'), [
      ...Array.from({ length: 40 }, (_, index) => house(index)),
      troubledHouse(),
    ]);
    const { page } = await opened(url);
    const search = page.getByLabel('Search');
    const found = async (query: string): Promise<string[]> => {
      await search.fill(query);
      await search.press('Enter');
      return page
        .locator('#rows tr:not([hidden]) a')
        .evaluateAll((links) => links.map((link) => (link.getAttribute('href') ?? '').slice(1)));
    };
    const queries = [
      'ho0048466',
      'HO 48466',
      'ho/0048466',
      '4410182',
      '000-441-0182',
      'tomas whitaker',
      'Whitaker handrail',
      'Whitaker vacant',
      'stairs without HANDRAIL',
      '300001',
      'missing or damaged shingles',
    ];
    for (const query of queries) expect([query, await found(query)]).toEqual([query, ['p300001']]);
    expect(await found('tarp')).toHaveLength(7);
    // A synonym, and a word with one letter that is missing.
    for (const query of ['unoccupied Whitaker', 'Witaker handrail'])
      expect([query, await found(query)]).toEqual([query, ['p300001']]);
    expect(await page.locator('#shown').textContent()).toContain('Searched for “whitaker handrail”.');
    // `Boston, MA`: letters that meet only across the words are no hit.
    expect(await found('nma')).toEqual([]);
    await found('granul');
    expect(await page.evaluate('document.activeElement.id')).toBe('p300001');
    await expect.poll(async () => (await page.locator('#p300001').boundingBox())?.y).toBeLessThan(200);
    // The row tells the reason that matches, marked.
    expect(await page.locator('#rows tr:visible .why mark').first().textContent()).toMatch(/granul/i);
  },
);

test.skipIf(CHROMIUM.mayBeSkipped)(`${CHROMIUM.note}opens a photo large, with its neighbors one key away`, async () => {
  await using folder = await temporaryFolder();
  const url = await written(join(folder.path, 'report.html'), [troubledHouse()]);
  const { page, faults } = await opened(`${url}#p300001`);
  await page.locator('#p300001 .strip .photo').first().click();
  const image = page.locator('#viewer img');
  expect(await image.getAttribute('src')).toMatch(/photos\/roof\.jpg$/);
  await page.keyboard.press('ArrowRight');
  expect(await image.getAttribute('src')).toMatch(/photos\/steps\.jpg$/);
  expect(await page.locator('#viewer a').textContent()).toMatch(/^12 Harbour Road.*: Front Hazard$/);
  await page.keyboard.press('Escape');
  expect(await page.locator('#viewer').isVisible()).toBe(false);
  expect(faults).toEqual([]);
});

test.skipIf(CHROMIUM.mayBeSkipped)(`${CHROMIUM.note}stays short on a phone and on paper with many houses`, async () => {
  await using folder = await temporaryFolder();
  const url = await written(
    join(folder.path, 'report.html'),
    Array.from({ length: inProof({ share: 600, whole: 2000 }) }, (_, index) => house(index)),
  );
  const { page } = await opened(url, { viewport: { width: 390, height: 844 } });
  expect(Number(await page.evaluate('document.documentElement.scrollHeight'))).toBeLessThan(20_000);
  const paper = await page.pdf({ format: 'Letter' });
  expect(paper.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length).toBeLessThan(15);
});

test.skipIf(CHROMIUM.mayBeSkipped)(`${CHROMIUM.note}opens the house of a link, even if a filter hides it`, async () => {
  await using folder = await temporaryFolder();
  const url = await written(join(folder.path, 'report.html'), [
    ...Array.from({ length: 60 }, (_, index) => house(index)),
    troubledHouse(),
  ]);
  const { page } = await opened(`${url}#p200058`);
  const top = (id: string): Promise<unknown> =>
    page.evaluate(
      `document.getElementById('${id}').getBoundingClientRect().top - document.getElementById('find').getBoundingClientRect().bottom`,
    );
  await expect.poll(() => top('p200058')).toBeGreaterThanOrEqual(0);
  expect(await page.locator('#p200058').isVisible()).toBe(true);
  await page.getByLabel('Search').fill('Insured 3');
  await expect.poll(() => page.locator('#shown').textContent()).toMatch(/of 61 projects/);
  await page.evaluate("location.hash = '#p300001'");
  await page.locator('#p300001').waitFor();
  await expect.poll(() => top('p300001')).toBeGreaterThanOrEqual(0);
  expect(await page.locator('article:visible').count()).toBe(1);
});

test.skipIf(CHROMIUM.mayBeSkipped).each(WIDTHS)(
  `${CHROMIUM.note}searches overdue projects and rows not ordered: %i px`,
  async (width) => {
    await using folder = await temporaryFolder();
    const { order } = sampleProject();
    const late = projectWith({}, { projectId: '300002', status: 'Site Inspected', returnedAt: null, reports: [] });
    const overdue = [
      {
        projectId: '300002',
        order,
        dueDate: '2026-01-01',
        status: 'Site Inspected',
        statusAt: 0,
        why: 'Ordered tonight.',
      },
    ];
    const row = {
      file: 'a.csv',
      sheet: 'a.csv',
      rowNumber: 2,
      projectId: null,
      sender: null,
      corrections: null,
      kind: 'rejection',
      openSince: 0,
      isNew: true,
      insuredName: 'Zora Nguyen',
      reasons: ['Not overdue.'],
    } as unknown as NotOrderedRow;
    const path = join(folder.path, 'report.html');
    await writeResults(
      { html: path },
      sampleInput([house(1), { ...late, order: { ...order, dueDate: '2026-01-01', note: 'word '.repeat(60) } }], {
        overview: { ...OVERVIEW, overdue },
        notOrdered: () => stream([row]),
      }),
    );
    const { page } = await opened(pathToFileURL(path).href, { viewport: { width, height: 800 } });
    const state = async () => [
      await page.locator('main > section.found h2').evaluateAll((titles) => titles.map(({ id }) => id)),
      await page.locator('#rows tr:not([hidden]) a').evaluateAll((links) => links.length),
      await page.evaluate('document.documentElement.scrollWidth <= innerWidth'),
    ];
    const expectShown = async (query: string, expected: readonly unknown[]) => {
      await page.getByLabel('Search').fill(query);
      await expect.poll(state).toEqual(expected);
    };
    await expectShown('overdue', [['overdue-head'], 1, true]);
    for (const name of ['not ordered', 'rows to fix']) await expectShown(name, [['back-head'], 0, true]);
    await expectShown('overdue', [['overdue-head'], 1, true]);
    await expectShown('ordered', [['back-head'], 0, true]);
    await expectShown('zora', [['back-head'], 0, true]);
    expect(await page.locator('.found tbody tr:visible').count()).toBe(1);
    await expectShown('word word word', [[], 1, true]);
    await expectShown('', [[], 2, true]);
    await page.close();
  },
);

test.skipIf(CHROMIUM.mayBeSkipped).each(WIDTHS)(
  `${CHROMIUM.note}keeps the search in view and cuts off no row: %i px`,
  async (width) => {
    await using folder = await temporaryFolder();
    const url = await written(join(folder.path, 'report.html'), [
      ...Array.from({ length: 30 }, (_, index) => house(index)),
      troubledHouse(),
    ]);
    const { page } = await opened(url, { viewport: { width, height: 800 } });
    const box = async (selector: string) =>
      (await page.locator(selector).first().boundingBox()) ?? { x: -1, y: -1, width: 0, height: 0 };
    expect((await box('#search')).y).toBeLessThan(220);
    await page.evaluate("location.hash = '#projects'");
    await expect.poll(async () => (await box('#projects')).y).toBeLessThan(250);
    expect((await box('#search')).y).toBeGreaterThanOrEqual(0);
    for (const cell of await page.locator('#rows tr').first().locator('td:not(:empty),th').all()) {
      const { x, width: wide } = (await cell.boundingBox()) ?? { x: -1, width: 0 };
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x + wide).toBeLessThanOrEqual(width);
    }
  },
);

const DEVICES = [
  ['phone, light', { viewport: { width: 390, height: 844 }, colorScheme: 'light' }],
  ['laptop, light', { viewport: { width: 1366, height: 768 }, colorScheme: 'light' }],
  ['laptop, dark', { viewport: { width: 1366, height: 768 }, colorScheme: 'dark' }],
] as const;

test.skipIf(CHROMIUM.mayBeSkipped).each(inTurn(DEVICES, 3))(
  `${CHROMIUM.note}passes axe: %s`,
  async (_name, options) => {
    await using folder = await temporaryFolder();
    const url = await written(join(folder.path, 'report.html'), [
      ...Array.from({ length: 12 }, (_, index) => house(index)),
      troubledHouse(),
    ]);
    const { page } = await opened(`${url}#p300001`, options);
    await page.addScriptTag({ path: AXE });
    const found = (await page.evaluate(
      'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.length, nodes[0].html]))',
    )) as unknown[];
    expect(found).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  },
);

test.skipIf(CHROMIUM.mayBeSkipped)(`${CHROMIUM.note}prints every house, without the controls`, async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'report.html');
  const overdue = [
    {
      projectId: '77',
      order: sampleProject().order,
      dueDate: '2026-01-02',
      status: 'Assigned to Pilot',
      statusAt: 0,
      why: 'Nobody came.',
    },
  ];
  await writeResults(
    { html: path },
    sampleInput([], {
      overview: { ...OVERVIEW, overdue },
      projects: () => stream([...Array.from({ length: 11 }, (_, index) => house(index)), troubledHouse()]),
    }),
  );
  const { page } = await opened(pathToFileURL(path).href);
  await page.emulateMedia({ media: 'print' });
  await page.evaluate("dispatchEvent(new Event('beforeprint'))");
  expect(await page.getByText('Nobody came.').isVisible()).toBe(true);
  expect(await page.getByLabel('Search').isVisible()).toBe(false);
  expect(await page.locator('#rows tr:visible').count()).toBe(12);
  expect(await page.locator('.leaders:not(.roofs) li:visible').count()).toBeGreaterThan(1);
  const paper = join(folder.path, 'report.pdf');
  await page.pdf({ path: paper, format: 'Letter' });
  expect((await stat(paper)).size).toBeGreaterThan(10_000);
});
