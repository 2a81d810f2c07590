import { describe, expect, test } from 'vitest';
import { HouseCounts, sortCounts } from '../../../src/results/house-counts.ts';
import { compareBands } from '../../../src/results/tables/roofs.ts';
import { JudgedProjects, type ResultProject } from '../../../src/results/model.ts';
import { projectWith, sampleInput, sampleProject } from '../../support/full-summary.ts';

async function countsOf(...projects: readonly ResultProject[]): Promise<HouseCounts> {
  const counts = new HouseCounts();
  for await (const judged of new JudgedProjects(sampleInput(projects))) counts.add(judged);
  return counts;
}

const withRoof = (overallCondition: string, projectId = '1') =>
  projectWith({ summary: { roof: { overallCondition } } }, { projectId });

describe('HouseCounts', () => {
  test('counts a closeout of an earlier delivery no more', async () => {
    const closedOut = { summary: { closeoutReasons: ['No access.'] } };
    const counts = await countsOf(
      projectWith(closedOut, { projectId: '1', isNew: true }),
      projectWith(closedOut, { projectId: '2', isNew: false }),
    );
    expect(counts.closedOut).toBe(1);
  });

  test('remove takes back the suggestion and the change of a replaced inspection', async () => {
    const counts = new HouseCounts();
    const holes = { summary: { roof: { hasHoles: true } } };
    const without = { summary: { roof: { hasHoles: false } } };
    const reports = [{ id: 'r', type: '', path: null, summary: { id: 'r', ...without } }];
    const earlier = { projectId: '9', at: 0, known: 'address', reports } as const;
    const seen = [];
    for await (const judged of new JudgedProjects(sampleInput([projectWith(holes, { earlier })])))
      seen.push(counts.add(judged));
    const figures = () => [counts.suggested('non-renew'), counts.worse];
    expect(figures()).toEqual([1, 1]);
    for (const one of seen) counts.remove(one);
    expect(figures()).toEqual([0, 0]);
  });

  test('lists the conditions of roofs from the worst to unknown ones', async () => {
    const counts = await countsOf(
      sampleProject({ projectId: '4' }),
      withRoof('Good', '1'),
      withRoof('Strange', '2'),
      withRoof('Poor', '3'),
    );
    expect(counts.roofConditions.map(({ name }) => name)).toEqual(['Poor', 'Good', 'Strange', 'no report yet']);
  });

  test('lists no condition of roofs if none was assessed', async () => {
    expect((await countsOf(sampleProject())).roofConditions).toEqual([]);
  });

  test('expects no report of a canceled project', async () => {
    const canceled = sampleProject({ projectId: '2', status: 'Project Canceled' });
    const { roofConditions } = await countsOf(withRoof('Poor'), canceled, sampleProject({ projectId: '3' }));
    expect(roofConditions).toMatchObject([{ name: 'Poor' }, { name: 'no report yet', count: 1 }]);
  });

  test('names a hazard by its name, not by its component', async () => {
    const factors = [{ name: 'ROOF_TARP', component: 'Roof', text: 'A tarp' }];
    const counts = await countsOf(projectWith({ summary: { factors } }));
    expect(counts.hazards).toEqual([{ name: 'Roof tarp', count: 1 }]);
  });

  test('counts the hazards of the fullest report of one inspection', async () => {
    const reportOf = (id: string, names: readonly string[], more = {}) => ({
      id,
      type: '',
      path: null,
      summary: { id, project: { completionTime: 5 }, summary: { factors: names.map((name) => ({ name })), ...more } },
    });
    const reports = [reportOf('full', ['ROOF_TARP', 'INELIGIBLE_PANEL'], { yearBuilt: 1990 }), reportOf('short', [])];
    const counts = await countsOf(sampleProject({ reports }));
    expect(counts.hazards.map(({ name }) => name)).toEqual(['Ineligible panel', 'Roof tarp']);
  });

  test.each([
    ['counts', projectWith({ summary: {} }, { isNew: true }), 1],
    ['does not count', projectWith({ summary: {} }, { isNew: false }), 0],
  ])('%s a report by whether it is new', async (_what, project, fresh) => {
    expect(await countsOf(project)).toMatchObject({ all: 1, fresh });
  });

  test('collects the canceled projects with the time of their cancellation', async () => {
    const counts = await countsOf(sampleProject({ projectId: '7', status: 'Project Canceled', statusAt: 5 }));
    expect(counts.canceled).toMatchObject([{ projectId: '7', at: 5 }]);
  });
});

describe('sortCounts', () => {
  test('sorts equal counts by name', () => {
    const counts = new Map([
      ['Trees', 1],
      ['Pool', 1],
      ['Dog', 2],
    ]);
    expect(sortCounts(counts).map(({ name }) => name)).toEqual(['Dog', 'Pool', 'Trees']);
  });
});

describe('compareBands', () => {
  test('sorts a band below a number before the band that begins there', () => {
    const bands = ['5 - 10 years', '1 ~ 5 years', 'less than 1 year', 'unknown'];
    expect(bands.toSorted(compareBands)).toEqual(['less than 1 year', '1 ~ 5 years', '5 - 10 years', 'unknown']);
  });
});
