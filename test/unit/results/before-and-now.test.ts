import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import exceljs from 'exceljs';
import { describe, expect, test } from 'vitest';
import type { ResultProject } from '../../../src/results/model.ts';
import { writeResults } from '../../../src/results/write-results.ts';
import { projectWith, sampleInput } from '../../support/full-summary.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** The page, and the sheet Changes: each row's Source, Better or worse. */
async function shown(...projects: readonly ResultProject[]) {
  await using folder = await temporaryFolder();
  const paths = { xlsx: join(folder.path, 'results.xlsx'), html: join(folder.path, 'report.html') };
  await writeResults(paths, sampleInput(projects));
  const workbook = new exceljs.Workbook();
  await workbook.xlsx.readFile(paths.xlsx);
  const [, head = [], ...rows] = (workbook.getWorksheet('Changes')?.getSheetValues() ?? []) as unknown[][];
  const changes = rows.map((row) => ['Source', 'Better or worse'].map((title) => row[head.indexOf(title)]));
  return { page: await readFile(paths.html, 'utf8'), changes };
}

const earlierWith = (summary: Record<string, unknown>) =>
  ({
    projectId: '100018',
    at: 0,
    known: 'address',
    reports: [{ id: 'R-0', type: '', path: null, summary: { id: 'R-0', summary } }],
  }) as const;

const WORSE = {
  roof: { hasTarp: true, comparison: [{ change: 'Significant damage was noted on the slope.', comment: 'Front' }] },
};
const CLOSED_OUT = earlierWith({ closeoutReasons: ['No access.'] });
const UNCHANGED = earlierWith({ roof: { hasTarp: true } });
const worseCount = (page: string) => /data-value="worse"[^>]*><b>(\d+)/.exec(page)?.[1];
const isUnchanged = (page: string) => page.includes('class="unchanged"');

describe('writeResults', () => {
  test('counts a house as worse that its report alone calls so', async () => {
    const { page, changes } = await shown(projectWith({ summary: WORSE }));
    expect([worseCount(page), page.includes('&quot;changed&quot;:&quot;worse&quot;')]).toEqual(['1', true]);
    const changed = '<dt>Changed</dt><dd>worse than before</dd><dd>Roof worse since the last inspection, as reported';
    expect(page).toContain(changed);
    const earlier = earlierWith({ roof: { hasTarp: false } });
    expect(worseCount((await shown(projectWith({ summary: WORSE }, { earlier }))).page)).toBe('1');
    expect(changes).toEqual([['summary.roof.comparison', 'Worse']]);
  });

  test.each([
    ['better', 'more weight is gone than is new', { hasHoles: true, hasCurlingShingles: false }],
    ['worse', 'more weight is new than is gone', { hasHoles: false, hasCurlingShingles: false }],
  ])('counts a house as %s if %s', async (direction, _why, roof) => {
    const now = { roof: { hasTarp: !roof.hasHoles, hasHoles: false, hasCurlingShingles: true } };
    const { page } = await shown(
      projectWith({ summary: now }, { earlier: earlierWith({ roof: { ...roof, hasTarp: false } }) }),
    );
    const counted = ['worse', 'better'].filter((each) => page.includes(`data-value="${each}"`));
    expect([counted, page.includes(`&quot;changed&quot;:&quot;${direction}&quot;`)]).toEqual([[direction], true]);
  });

  test('shows what a report states before what a comparison finds', async () => {
    const earlier = earlierWith({ roof: { hasTarp: false } });
    const { page } = await shown(projectWith({ summary: WORSE }, { earlier }));
    const change = 'Roof worse since the last inspection, as reported, + roof: tarp';
    expect(/&quot;change&quot;:&quot;(.*?)&quot;/.exec(page)?.[1]).toBe(change);
  });

  test('calls nothing better that the later inspection did not assess', async () => {
    const factors = [{ name: 'ROOF_TARP', component: 'Roof', text: 'A tarp' }];
    const earlier = earlierWith({ bldg: { hasFoundationCracks: true }, factors, roof: { hasTarp: true } });
    const { changes } = await shown(projectWith({ summary: { factors, roof: { hasTarp: false } } }, { earlier }));
    expect(changes.map(([source]) => source)).not.toContain('summary.bldg.hasFoundationCracks');
    const whole = { bldg: { hasFoundationCracks: false }, factors, roof: { hasTarp: false } };
    const compared = await shown(projectWith({ summary: whole }, { earlier }));
    expect(compared.changes).toContainEqual(['summary.bldg.hasFoundationCracks', 'Better']);
  });

  test('calls nothing unchanged if a report says that something got worse', async () => {
    expect(isUnchanged((await shown(projectWith({ summary: WORSE }, { earlier: UNCHANGED }))).page)).toBe(false);
  });

  test('calls nothing unchanged since a closed-out project, and names it', async () => {
    const { page } = await shown(projectWith({ summary: { roof: { hasTarp: true } } }, { earlier: CLOSED_OUT }));
    expect([isUnchanged(page), page.includes('100018')]).toEqual([false, true]);
  });

  test('keeps a change that the report states off the earlier project', async () => {
    await using folder = await temporaryFolder();
    const paths = { xlsx: join(folder.path, 'results.xlsx'), html: join(folder.path, 'report.html') };
    await writeResults(paths, sampleInput([projectWith({ summary: WORSE }, { earlier: UNCHANGED })]));
    const workbook = new exceljs.Workbook();
    await workbook.xlsx.readFile(paths.xlsx);
    const [, head = [], row = []] = (workbook.getWorksheet('Changes')?.getSheetValues() ?? []) as unknown[][];
    expect(row[head.indexOf('Previous report: project ID')]).toBeUndefined();
    const [, said = ''] = /Before and now(.*?)<\/section>/s.exec(await readFile(paths.html, 'utf8')) ?? [];
    expect([said.includes('100018'), said.includes('worse since')]).toEqual([true, false]);
  });

  test('says that nothing has changed if no compared value has', async () => {
    const { page } = await shown(projectWith({ summary: { roof: { hasTarp: true } } }, { earlier: UNCHANGED }));
    expect([isUnchanged(page), worseCount(page)]).toEqual([true, undefined]);
  });
});
