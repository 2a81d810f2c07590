import { describe, expect, test } from 'vitest';
import { Highlights, describeSinceDelivery } from '../../../src/results/highlights.ts';
import { HouseCounts } from '../../../src/results/house-counts.ts';
import { type JudgedProject, JudgedProjects, type ResultProject } from '../../../src/results/model.ts';
import { describeOut } from '../../../src/results/tables/shared-columns.ts';
import type { DecidedHouse } from '../../../src/domain/project.ts';
import type { ReportSummary } from '../../../src/contract/document.ts';
import { projectWith, QUIET_NIGHT, sampleInput, sampleOrder, sampleProject } from '../../support/full-summary.ts';

const WRITTEN_AT = sampleInput([]).writtenAt;
const HOLES = { summary: { roof: { hasHoles: true } } };
const DAY_MS = 24 * 60 * 60 * 1000;

async function judge(...projects: readonly ResultProject[]): Promise<readonly JudgedProject[]> {
  const judged = new JudgedProjects(sampleInput(projects));
  await judged.survey(
    () => null,
    () => {},
  );
  return Array.fromAsync(judged);
}

async function highlightsOf(...projects: readonly ResultProject[]): Promise<Highlights> {
  const highlights = new Highlights(WRITTEN_AT);
  for (const one of await judge(...projects)) highlights.add(one);
  return highlights;
}

const house = (projectId: string, changes: Partial<ResultProject> = {}, summary: Partial<ReportSummary> = HOLES) =>
  projectWith(summary, {
    projectId,
    order: { ...sampleOrder, streetAddress: `${projectId} Oak St` },
    isNew: true,
    ...changes,
  });

describe('Highlights', () => {
  test('shows the later of two reports that came at the same time', async () => {
    const order = { ...sampleOrder, streetAddress: '1 Oak St' };
    const { cases } = await highlightsOf(house('1', { order }), house('2', { order }));
    expect(cases.map(({ project }) => project.projectId)).toEqual(['2']);
  });

  test('shows no house by an inspection that a later one replaced', async () => {
    const order = { ...sampleOrder, streetAddress: '1 Oak St' };
    const earlier = { projectId: '1', at: 0, known: 'address', reports: [] } as const;
    const { cases } = await highlightsOf(
      house('1', { order, returnedAt: WRITTEN_AT }),
      house('2', { order, earlier, returnedAt: WRITTEN_AT - DAY_MS }),
    );
    expect(cases.map(({ project }) => project.projectId)).toEqual(['2']);
  });

  test('names the new houses rated High before those that wait', async () => {
    const waiting = { since: WRITTEN_AT - DAY_MS, level: 'High' } as const;
    const grave = { summary: { roof: { hasHoles: true }, risk: { overallCondition: 'Poor' } } };
    const worse = { summary: { ...grave.summary, bldg: { overallCondition: 'Poor' } } };
    const old = ['1', '2', '3', '4', '5'].map((id) => house(id, { isNew: false, waiting }, worse));
    const { cases } = await highlightsOf(...old, house('6', {}, grave), house('7', {}, { summary: {} }));
    expect(cases.map(({ project }) => project.projectId)).toHaveLength(5);
    const [first] = cases;
    expect([first?.project.projectId, first?.level]).toEqual(['6', 'High']);
  });

  test('keeps no age for a case that was delivered without one', async () => {
    const { cases, undecided } = await highlightsOf(house('1', { isNew: false }));
    expect([cases.length, undecided]).toEqual([1, []]);
  });

  test('names another project of the house that is still out', async () => {
    const order = { ...sampleOrder, streetAddress: '1 Oak St' };
    const second = sampleProject({ projectId: '2', order, status: 'Scheduled', returnedAt: null, orderedAt: DAY_MS });
    const { cases } = await highlightsOf(house('1', { order }), second);
    expect(cases.map(({ out }) => out.match(/2 \(4-Point\)|\w+ 2, \d+/g))).toEqual([['2 (4-Point)', 'Jan 2, 1970']]);
  });

  test('names an undecided case of the house by another service', async () => {
    const order = { ...sampleOrder, streetAddress: '1 Oak St' };
    const waiting = { since: DAY_MS, level: 'High' } as const;
    const roofOnly = house('2', { order: { ...order, serviceName: 'Roof Only' } });
    const { cases } = await highlightsOf(house('1', { order, isNew: false, waiting }), roofOnly);
    expect(cases.map(({ project, out }) => [project.projectId, out.match(/\d \([\w ]+\)/g)])).toEqual([
      ['1', ['2 (Roof Only)']],
    ]);
  });

  test('names an undecided case once if it is also the later inspection', async () => {
    const order = { ...sampleOrder, streetAddress: '1 Oak St' };
    const laterInspection = { projectId: '2', serviceName: 'Roof Only', at: WRITTEN_AT };
    const waiting = { since: DAY_MS, level: 'High' } as const;
    const roofOnly = house('2', { order: { ...order, serviceName: 'Roof Only' } });
    const { cases } = await highlightsOf(house('1', { order, isNew: false, waiting, laterInspection }), roofOnly);
    expect(cases.map(({ out }) => out.match(/project 2|decision too/g))).toEqual([['project 2', 'decision too']]);
  });

  const order = { ...sampleOrder, streetAddress: '1 Oak St' };
  const decided: DecidedHouse = {
    projectId: '1',
    decision: 'Non-renew',
    by: 'Ruth Meyer',
    notes: '',
    at: WRITTEN_AT - DAY_MS,
    order,
    status: '',
    file: '',
    isLatest: true,
    reasons: null,
  };
  const again = (roof: object) =>
    house('2', {
      order,
      collectedAt: WRITTEN_AT,
      earlier: {
        projectId: '1',
        at: 0,
        known: 'address',
        reports: [{ id: 'R-0', type: '', path: null, summary: { id: 'R-0', summary: { roof } } }],
      },
    });
  const judgeAfter = async (decisions: readonly DecidedHouse[], ...projects: readonly ResultProject[]) => {
    const judged = new JudgedProjects(sampleInput(projects, { decisions }));
    await judged.survey(
      () => null,
      () => {},
    );
    return Array.fromAsync(judged);
  };

  test('states the decision about an earlier inspection of the house, and asks again', async () => {
    const [judged] = await judgeAfter([decided], again({ hasHoles: true }));
    const highlights = new Highlights(WRITTEN_AT);
    highlights.add(judged as JudgedProject);
    expect([highlights.cases.length, highlights.undecided.length]).toEqual([1, 1]);
    expect(describeOut(judged as JudgedProject)).toMatch(/Non-renew.*Ruth Meyer.* 1$/);
  });

  test('states none for another insured, or once it is decided', async () => {
    const judged = await judgeAfter(
      [decided],
      house('2', { order: { ...order, insuredName: 'Dan Evans' } }),
      house('3', { order, decision: { decision: 'Accept', by: '', notes: '' } }),
      house('4', { order: { ...order, insuredName: order.insuredName.toUpperCase() } }),
    );
    expect(judged.map(({ decidedBefore }) => decidedBefore?.projectId ?? null)).toEqual([null, null, '1']);
  });

  test('lets a decision lapse that was replaced or taken back', async () => {
    const lapsed = [
      { ...decided, isLatest: false },
      { ...decided, decision: '' },
    ];
    const [judged] = await judgeAfter(lapsed, again({ hasHoles: true }));
    expect(judged?.decidedBefore).toBeNull();
  });

  test('keeps what it says to wait for a decision until it is decided', async () => {
    const order = { ...sampleOrder, streetAddress: '1 Oak St' };
    const roofOnly = house('2', { order: { ...order, serviceName: 'Roof Only' } });
    const { cases, undecided } = await highlightsOf(house('1', { order }), roofOnly);
    expect(cases.length).toBe(1);
    expect(undecided.map(({ projectId }) => projectId)).toEqual(['1', '2']);
  });

  test('says since when a house has waited whose inspection is replaced', async () => {
    const order = { ...sampleOrder, streetAddress: '1 Oak St' };
    const earlier = { projectId: '1', at: 0, known: 'address', reports: [] } as const;
    const waiting = { since: DAY_MS, level: 'High' } as const;
    const { riskiest, undecided } = await highlightsOf(
      house('1', { order, isNew: false, waiting }),
      house('2', { order, earlier, returnedAt: WRITTEN_AT }),
    );
    expect(riskiest).toMatchObject([{ projectId: '2', why: expect.stringContaining('Jan 2, 1970') as string }]);
    expect(undecided).toMatchObject([{ projectId: '2', since: DAY_MS }]);
  });

  test('names no other project that has come back or was canceled', async () => {
    const order = { ...sampleOrder, streetAddress: '1 Oak St' };
    const canceled = sampleProject({ projectId: '2', order, status: 'Project Canceled', returnedAt: null });
    const { cases } = await highlightsOf(house('1', { order }), canceled, sampleProject({ projectId: '3', order }));
    expect(cases.map(({ out }) => out)).toEqual(['']);
  });

  test('waits since tonight with a new case', async () => {
    expect((await highlightsOf(house('1'))).undecided).toMatchObject([{ projectId: '1', since: WRITTEN_AT }]);
  });
});

describe('Highlights.cases', () => {
  test('quotes findings in the notice even if none is grave', async () => {
    const { cases } = await highlightsOf(house('1', { waiting: { since: 1, level: 'High' }, isNew: false }, MILD));
    expect(cases[0]?.notice).toMatch(/ found: \w/);
  });

  test('groups what was seen in the notice, without the overall rating', async () => {
    const overallCondition = 'Poor';
    const roof = { hasHoles: true, hasTarp: true };
    const summary = { roof, bldg: { overallCondition }, risk: { overallCondition } };
    const { cases } = await highlightsOf(house('1', {}, { summary }));
    expect(cases[0]?.notice).toMatch(/: Roof: [^.:]+; [^.:]+\. Building: [^;:]+\.$/);
  });

  test('quotes the overall rating if there is nothing else', async () => {
    const shown = { waiting: { since: 1, level: 'High' }, isNew: false } as const;
    const { cases } = await highlightsOf(house('1', shown, { summary: { risk: { overallCondition: 'Poor' } } }));
    expect(cases[0]?.notice).toMatch(/: Building: .*risk/);
  });

  test('quotes the overall rating first if it decides', async () => {
    const summary = { risk: { overallCondition: 'Poor' }, roof: { hasTarp: true, estLife: 'less than 1 year' } };
    const { cases } = await highlightsOf(house('1', {}, { summary }));
    expect(cases[0]?.reason).toMatch(/risk.* → /);
    expect(cases[0]?.notice).toMatch(/: Building: [^.:]*risk[^.:]*\. Roof: /);
  });

  test('calls a photo of the roof no more than that', async () => {
    const summary = { risk: { overallCondition: 'Poor' }, roof: { hasTarp: true } };
    const photos = [{ id: '1', path: 'a.jpg', description: 'Overview roof' }];
    const { cases } = await highlightsOf(house('1', { photos }, { summary }));
    const said = 'A photo of the roof, for “Roof: tarp”.';
    expect(cases[0]?.shows).toBe(said);
  });

  test.each([
    ['the deciding reason', 'Overview roof', /^$/],
    ['another reason', 'Panel', /^The report shows this photo for “Fire: .*”\.$/],
    ['no reason', 'Kitchen', /^The report shows this photo for none of the reasons\.$/],
  ])('says with what the report lists the photo of a case: %s', async (_what, description, shows) => {
    const factors = [
      {
        name: 'INELIGIBLE_PANEL',
        component: 'Interior',
        text: 'Ineligible electrical panel',
        image: [{ id: 'Panel' }],
      },
    ];
    const summary = { roof: { hasHoles: true }, factors };
    const photos = [{ id: description, path: 'a.jpg', description }];
    const [shown] = (await highlightsOf(house('1', { photos }, { summary }))).cases;
    expect([shown?.photo?.path, shown?.shows]).toEqual(['a.jpg', expect.stringMatching(shows)]);
  });

  test('names three reasons and counts the rest', async () => {
    const roof = { hasHoles: true, hasTarp: true, overallCondition: 'Poor', estLife: 'less than 1 year' };
    const [judged] = await judge(house('1', {}, { summary: { roof } }));
    const { cases } = await highlightsOf(house('1', {}, { summary: { roof } }));
    expect(cases[0]?.others).toMatch(new RegExp(`^[^·]+ · [^·]+ · ${(judged?.findings.length ?? 0) - 3} more$`));
  });

  test('leaves what a report states to its reasons', async () => {
    const roof = { hasHoles: true, comparison: [{ change: 'Significant damage was noted on the slope.' }] };
    const [judged] = await judge(house('1', {}, { summary: { roof } }));
    const { cases } = await highlightsOf(house('1', {}, { summary: { roof } }));
    expect([judged?.riskChanges.length, cases[0]?.riskChanges]).toEqual([1, '']);
  });

  test('dates the notice by the inspection', async () => {
    const dated = { ...HOLES, project: { inspectionTime: Date.UTC(2026, 0, 5, 12) / 1000 } };
    const { cases } = await highlightsOf(house('1', {}, dated));
    expect(cases[0]?.notice).toContain('on Jan 5, 2026 found');
  });

  test('dates the notice by the inspection, not by its completion', async () => {
    const times = { inspectionTime: Date.UTC(2026, 0, 4, 12) / 1000, completionTime: Date.UTC(2026, 0, 5, 12) / 1000 };
    const { cases } = await highlightsOf(house('1', {}, { ...HOLES, project: times }));
    expect(cases[0]?.notice).toContain('on Jan 4, 2026 found');
  });
});

const MILD = { summary: { roof: { overallCondition: 'Fair' } } };

describe('describeSinceDelivery', () => {
  test('counts closed-out reports not as inspected', () => {
    const houses = Object.assign(new HouseCounts(), { fresh: 3, closedOut: 1 });
    const reports = ': 3 new reports (2 inspected, 1 closed out without an inspection).';
    expect(describeSinceDelivery(QUIET_NIGHT, houses)).toContain(reports);
  });

  test('counts returned projects without a report apart', () => {
    const houses = Object.assign(new HouseCounts(), { fresh: 1 });
    expect(describeSinceDelivery({ ...QUIET_NIGHT, returned: 3 }, houses)).toContain('2 returned');
  });
});
