import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import exceljs, { type Worksheet } from 'exceljs';
import { describe, expect, test } from 'vitest';
import type { OrderPayload } from '../../../src/domain/row.ts';
import type { ResultProject, ResultsInput } from '../../../src/results/model.ts';
import { writeResults } from '../../../src/results/write-results.ts';
import { projectWith, sampleInput, sampleOrder, sampleProject } from '../../support/full-summary.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const HIGH = { since: 1, level: 'High' } as const;

async function written(input: ResultsInput): Promise<{ sheet: Worksheet | undefined; html: string }> {
  await using folder = await temporaryFolder();
  const [xlsx, page] = [join(folder.path, 'results.xlsx'), join(folder.path, 'report.html')];
  await writeResults({ xlsx, html: page }, input);
  const workbook = new exceljs.Workbook();
  await workbook.xlsx.readFile(xlsx);
  return { sheet: workbook.getWorksheet('Portfolio'), html: await readFile(page, 'utf8') };
}

/** `Group houses/high share coverage` of one fact. */
async function groupsOf(input: ResultsInput, by: string): Promise<readonly string[]> {
  const { sheet } = await written(input);
  const lines: string[] = [];
  sheet?.eachRow((row) => {
    const [fact, name, houses, high, share, atRisk] = (row.values as unknown[]).slice(1);
    if (fact === by) lines.push([name, `${String(houses)}/${String(high)}`, share, atRisk].join(' ').trim());
  });
  return lines;
}

function house(
  projectId: string,
  order: Partial<OrderPayload>,
  { age, year, ...changes }: Partial<ResultProject> & { age?: string; year?: number } = {},
): ResultProject {
  const streetAddress = `${projectId} Main St`;
  return projectWith(
    { summary: { roof: { estAge: age, overallCondition: 'Good' }, yearBuilt: year } },
    { projectId, order: { ...sampleOrder, streetAddress, ...order }, ...changes },
  );
}

describe('writeResults', () => {
  test('groups the inspected houses by state, the most High first', async () => {
    const input = sampleInput([
      house('1', { state: 'MA' }),
      house('2', { state: 'MA' }),
      house('3', { state: 'MA', dwellingCoverage: 400_000 }),
      house('4', { state: 'FL', dwellingCoverage: 250_000 }, { waiting: HIGH }),
      house('5', { state: 'FL', dwellingCoverage: 100_000 }, { waiting: HIGH }),
      house('6', { state: 'FL' }),
    ]);
    expect(await groupsOf(input, 'State')).toEqual(['FL 3/2 0.667 350000', 'MA 3/0 0']);
    expect(await groupsOf(input, 'All')).toEqual(['inspected houses 6/2 0.333 350000']);
  });

  test('counts no house that is shown again', async () => {
    const again = { isShownAgain: true, waiting: HIGH };
    const input = sampleInput([house('1', { state: 'MA' }), house('2', { state: 'MA' }, again)]);
    expect(await groupsOf(input, 'State')).toEqual(['MA 1/0 0']);
  });

  test.each([
    [[{ isNew: true }, { isNew: true }], 'The 2 inspections of this delivery, all with a new report.', false],
    [[{ isNew: true }, { isNew: false }], 'The 2 inspections of this delivery, 1 of them with a new report.', true],
    [
      [{ isNew: true }, { isNew: false, isShownAgain: true }],
      'The 1 inspection of this delivery, all with a new report, without the 1 shown again from earlier nights.',
      false,
    ],
  ])('says which inspections it counts: %j', async (all, about, isRatedAgain) => {
    const again = /inspections?\. This delivery holds all results/;
    const { html } = await written(sampleInput(all.map((one, index) => house(String(index), {}, one))));
    expect(html).toContain(about);
    expect(again.test(html)).toBe(isRatedAgain);
  });

  test('names reports as such in the figure of the nights', async () => {
    const { html } = await written(sampleInput([house('1', {}, { isNew: true })]));
    expect(html).toMatch(/<th scope="col">Night, all reports<\/th><th scope="col" class="number">Reports</);
  });

  test('groups the houses without an agent as not stated', async () => {
    const input = sampleInput([house('1', { agentName: 'Ann' }), house('2', {}, { waiting: HIGH }), house('3', {})]);
    expect(await groupsOf(input, 'Agent')).toEqual(['not stated 2/1 0.5', 'Ann 1/0 0']);
  });

  test('sorts an agent with a number in the name by risk', async () => {
    const input = sampleInput([
      house('1', { agentName: '21st Century' }),
      house('2', { agentName: 'Smith' }, { waiting: HIGH }),
    ]);
    expect(await groupsOf(input, 'Agent')).toEqual(['Smith 1/1 1', '21st Century 1/0 0']);
  });

  test('sorts the ages of roofs by their years', async () => {
    const ages = ['10 - 15 years', '5 - 10 years', undefined, 'less than 1 year', '1 ~ 5 years'];
    const input = sampleInput(ages.map((age, index) => house(String(index), {}, age === undefined ? {} : { age })));
    expect((await groupsOf(input, 'Age of roof')).map((line) => line.replace(/ 1\/0 0$/, ''))).toEqual([
      'less than 1 year',
      '1 ~ 5 years',
      '5 - 10 years',
      '10 - 15 years',
      'not stated',
    ]);
  });

  test('puts years built into bands, the report before the order', async () => {
    const input = sampleInput([
      house('1', { yearBuilt: 2015 }, { year: 1939 }),
      house('2', { yearBuilt: 1999 }),
      house('3', {}, { year: 1980 }),
      house('4', {}),
    ]);
    expect(await groupsOf(input, 'Year built')).toEqual(['before 1940 1/0 0', '1980–1999 2/0 0', 'not stated 1/0 0']);
  });

  test('sums the coverage of a house with two inspections once', async () => {
    const order = { dwellingCoverage: 300_000, streetAddress: '1 Main St' };
    const input = sampleInput([
      house('1', order, { waiting: HIGH }),
      house('2', { ...order, serviceName: 'Roof Only' }, { waiting: HIGH }),
    ]);
    expect(await groupsOf(input, 'State')).toEqual(['MA 2/2 1 300000']);
  });

  test('leaves out projects without a report, closed-out and replaced ones', async () => {
    const report = { id: 'R-0', type: '', path: null, summary: { id: 'R-0', summary: { yearBuilt: 1950 } } };
    const input = sampleInput([
      sampleProject({ projectId: '1' }),
      projectWith({ type: 'Closeout', summary: {} }, { projectId: '2', status: 'Closed Out' }),
      house('3', {}),
      house('4', {}, { earlier: { projectId: '3', at: 0, known: 'address', reports: [report] } }),
    ]);
    expect(await groupsOf(input, 'All')).toEqual(['inspected houses 1/0 0']);
  });

  test('leaves out a fact that no house states', async () => {
    const input = sampleInput([house('1', {})]);
    expect(await Promise.all(['Agent', 'Age of roof', 'Year built'].map((by) => groupsOf(input, by)))).toEqual([
      [],
      [],
      [],
    ]);
  });

  test('lists tonight and the nights on record with new reports', async () => {
    const night = (newReports: number, high: number) => ({
      publishedAt: Date.UTC(2026, 0, 5, 2),
      night: { newReports, high },
    });
    const nights = [night(8, 2), night(0, 0), { publishedAt: 0, night: null }];
    const input = sampleInput([house('1', {}, { isNew: true }), house('2', {}, { waiting: HIGH })], { nights });
    expect(await groupsOf(input, 'Night, all reports')).toEqual([
      'Jan 6, 2026, 02:00 1/0 0',
      'Jan 5, 2026, 02:00 8/2 0.25',
    ]);
  });

  test('has no portfolio without an inspection', async () => {
    const { sheet, html } = await written(sampleInput([sampleProject()]));
    expect([sheet, html.includes('portfolio-head')]).toEqual([undefined, false]);
  });

  test('draws a bar behind each share in the workbook', async () => {
    const { sheet } = await written(sampleInput([house('1', {})]));
    expect((sheet as unknown as { conditionalFormattings: object }).conditionalFormattings).toMatchObject([
      { ref: 'E2:E3', rules: [{ type: 'dataBar' }] },
    ]);
  });

  test('shows each share on the page as a bar', async () => {
    const { html } = await written(
      sampleInput([
        house('1', { state: 'FL', dwellingCoverage: 1_250_000 }, { waiting: HIGH }),
        house('2', { state: 'FL' }),
        house('3', { state: 'MA' }, { waiting: HIGH }),
        house('4', { state: 'MA' }),
        house('5', { state: 'MA' }),
        house('6', { state: 'MA' }),
      ]),
    );
    const [, rows = ''] = /<th scope="col">State<\/th>.*?<tbody>(.*?)<\/tbody>/.exec(html) ?? [];
    const texts = rows
      .split('</tr>')
      .map((row) => row.replaceAll(/<svg.*?width="([\d.]+)".*?<\/svg>/g, '[$1]').replaceAll(/<[^>]+>/g, '|'));
    expect(texts.map((text) => text.replaceAll(/\|+/g, '|'))).toEqual([
      '|MA|4|1|25% [25.0]|·|',
      '|FL|2|1|50% [50.0]|$1,250,000|',
      '',
    ]);
  });

  test('shows the first groups of many on the page', async () => {
    const { html } = await written(
      sampleInput(
        Array.from({ length: 14 }, (_, index) =>
          house(String(index), { agentName: `Agent ${'ABCDEFGHIJKLMN'[index]}` }),
        ),
      ),
    );
    expect(html).toMatch(/\b12 of 14\b/);
  });
});
