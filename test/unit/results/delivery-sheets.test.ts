import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import type { ResultProject, ResultsInput } from '../../../src/results/model.ts';
import { writeResults } from '../../../src/results/write-results.ts';
import { projectWith, sampleInput, sampleOrder, sampleProject } from '../../support/full-summary.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

type Row = Readonly<Record<string, string>>;

async function sheet(
  name: string,
  projects: readonly ResultProject[],
  changes: Partial<ResultsInput> = {},
): Promise<readonly Row[]> {
  await using folder = await temporaryFolder();
  const csv = { results: join(folder.path, 'results.csv'), folder: folder.path };
  await writeResults({ csv }, sampleInput(projects, changes));
  const text = await readFile(name === 'Results' ? csv.results : join(folder.path, `${name}.csv`), 'utf8');
  return parse(text, { bom: true, columns: true });
}

const HOLES = { roof: { hasHoles: true } };
const replaced = (change: string) => [{ change, direction: 'Front' }];
const late = (projectId: string, changes: object) => ({
  projectId,
  order: { ...sampleOrder, ...changes },
  dueDate: '2026-01-01',
  status: 'Scheduled',
  statusAt: 0,
  why: '',
});

describe('writeResults', () => {
  test('does not count the photos of the previous inspection', async () => {
    const photos = ['now', 'then'].map((id) => ({ id, path: `p/${id}.jpg`, description: 'Roof' }));
    const comparison = [{ change: 'No changes was noted.', image: [{ id: 'now' }, { id: 'then' }] }];
    const project = projectWith({ summary: { roof: { comparison } } }, { photos, photosPath: 'p', photoCount: 2 });
    expect((await sheet('Results', [project]))[0]?.['Photos']).toMatch(/^1 photo\b/);
  });

  test('lists a reported improvement as better, with its reason', async () => {
    const roof = { comparison: replaced('Roof is completely replaced.') };
    const rows = await sheet('Changes', [projectWith({ summary: { roof } })]);
    expect(rows.map((row) => [row['Source'], row['Better or worse'], row['Before'], row['Now'] !== ''])).toEqual([
      ['summary.roof.comparison', 'Better', '', true],
    ]);
  });

  test('gives an improvement no points', async () => {
    const roof = { comparison: replaced('Roof is completely replaced.') };
    expect((await sheet('Results', [projectWith({ summary: { roof } })]))[0]?.['Attention points']).toBe('');
  });

  test('calls damage worse, and an improvement of the same report better', async () => {
    const comparison = [
      ...replaced('Significant damage was noted on the slope.'),
      ...replaced('Roof is completely replaced.'),
    ];
    const rows = await sheet('Changes', [projectWith({ summary: { roof: { comparison } } })]);
    expect(rows.map((row) => row['Better or worse'])).toEqual(['Worse', 'Better']);
  });

  test('names on Attention another project of the house that is out', async () => {
    const out = sampleProject({ projectId: '2', status: 'Scheduled', returnedAt: null });
    const [row] = await sheet('Attention', [projectWith({ summary: HOLES }, { projectId: '1' }), out]);
    expect(row?.['Why']?.split('\n').at(-1)).toContain('2 (4-Point)');
  });

  test('names on Attention a later inspection of the house', async () => {
    const laterInspection = { projectId: '9', serviceName: 'Roof Only', at: Date.UTC(2026, 11, 12) };
    const [row] = await sheet('Attention', [projectWith({ summary: HOLES }, { projectId: '1', laterInspection })]);
    expect(row?.['Why']?.split('\n').at(-1)).toMatch(/Dec 12, 2026.*9 \(Roof Only\)/);
  });

  test.each([
    ['canceled', 'No reason given.', Date.UTC(2026, 11, 12), 'was canceled on Dec 12, 2026: No reason given'],
    [
      'closed out',
      'No access. Same house inspected before: project 1.',
      Date.UTC(2026, 11, 12),
      'closed out on Dec 12, 2026: No access',
    ],
    ['closed out', 'No access.', Date.UTC(2026, 10, 12), undefined],
  ] as const)('says of a house whose re-inspection was %s: %s', async (kind, reason, at, said) => {
    const ended = [{ kind, reason, projects: [{ projectId: '9', order: sampleOrder, at }] }];
    const overview = { ...sampleInput([]).overview, stillEnded: ended };
    const returned = projectWith({ summary: HOLES }, { projectId: '1', returnedAt: Date.UTC(2026, 10, 20) });
    const [row] = await sheet('Attention', [returned], { overview });
    const line = row?.['Why']?.split('\n').find((text) => text.startsWith('Project 9 (4-Point) for this house'));
    expect(line?.endsWith(said ?? '')).toBe(said === undefined ? undefined : true);
  });

  test.each([
    ['Completed by someone else. Same house inspected before: project 1 (4-Point).', 'Read its report'],
    ['Completed by someone else.', 'ask the agent for its report'],
    ['Unaware of this insurance policy.', 'in force'],
  ])('advises about a closeout: %s', async (reason, advice) => {
    const projects = [{ projectId: '9', order: sampleOrder, at: 0 }];
    const ended = [{ kind: 'closed out', reason, isSettled: false, projects }] as const;
    const [row] = await sheet('Ended', [], { overview: { ...sampleInput([]).overview, ended } });
    expect(row?.['What to do']).toContain(advice);
  });

  test('gives an overdue project the phone of its order, as status does', async () => {
    const known = sampleProject({ order: { ...sampleOrder, agentName: 'Ann', agentPhone: '555-0142' } });
    const overdue = [late('8', { agentName: 'Ann' }), late('9', { agentName: 'Ann', agentPhone: '555-0199' })];
    const overview = { ...sampleInput([]).overview, overdue };
    expect((await sheet('Overdue', [known], { overview })).map((row) => row['Agent phone'])).toEqual(['', '555-0199']);
  });

  test.each([
    ['Self 4-Point Underwriting', 'Assigned to Pilot', 'Call the insured'],
    ['4-Point', 'Assigned to Pilot', 'Ask the service when it will be inspected'],
    ['Self 4-Point Underwriting', 'Selfapp Uploaded', 'Ask the service when the report will come'],
  ])('says of an overdue %s, %s, whom to ask', async (serviceName, status, start) => {
    const overview = { ...sampleInput([]).overview, overdue: [{ ...late('8', { serviceName }), status }] };
    expect((await sheet('Overdue', [], { overview }))[0]?.['What can be done']).toContain(start);
  });

  test.each([
    ['less than 1 year', '0'],
    ['1 ~ 5 years', '1'],
    ['5 - 10 years', '5'],
    ['older than 25 years', '25'],
    [12, '12'],
    ['unknown', ''],
    [null, ''],
  ])('sorts the roof age %j by %j', async (estAge, years) => {
    const [row] = await sheet('Roofs', [projectWith({ summary: { roof: { hasHoles: true, estAge } } })]);
    expect(row?.['Age from, years']).toBe(years);
  });

  test('says of a re-inspected house that no reason is new or gone', async () => {
    const earlier = (id: string) => ({
      earlier: {
        projectId: id,
        at: 0,
        known: 'address' as const,
        reports: [{ id: 'r', type: '', path: null, summary: { id: 'r', summary: HOLES } }],
      },
    });
    const rows = await sheet('Attention', [
      projectWith({ summary: HOLES }, { projectId: '1', ...earlier('9') }),
      projectWith({ summary: HOLES }, { projectId: '2' }),
    ]);
    const title = 'Changed since the previous report';
    expect(rows.map((row) => [row['Project ID'], row[title] === ''])).toEqual(
      expect.arrayContaining([
        ['1', false],
        ['2', true],
      ]),
    );
  });

  test.each([
    ['canceled', 'No reason given.', 'Ask the service why'],
    ['closed out', 'Cancellation is confirmed.', 'whether the policy is still in force'],
    ['closed out', 'Insured stated he/she cancelled the policy, and declined the inspection.', 'still in force'],
    [
      'closed out',
      'Inspection was denied by the insured, stating it was previously completed by someone else.',
      'report',
    ],
    ['closed out', 'Unable to reach insured after multiple attempts. Inspection is closed out.', 'another phone'],
    ['closed out', 'Pilot was denied on location.', 'arrange access'],
    ['closed out', 'The road was flooded.', 'how the house can be inspected'],
  ] as const)('says of a project %s for %s what to do', async (kind, reason, words) => {
    const group = { kind, reason, isSettled: false, projects: [{ projectId: '1', order: sampleOrder, at: 0 }] };
    const overview = { ...sampleInput([]).overview, ended: [group] };
    const todo = (await sheet('Ended', [], { overview }))[0]?.['What to do'] ?? '';
    expect(todo.split(/(?<=\.) /)[0]).toContain(words);
    expect(todo).toMatch(/ case\.$/);
  });

  test('shows on Ended the decision that settled a project', async () => {
    const decision = { decision: 'Accept', by: 'Ann', notes: 'agent told' };
    const canceled = sampleProject({ projectId: '1', status: 'Project Canceled', decision });
    expect(await sheet('Ended', [canceled])).toMatchObject([
      { 'What to do': 'Nothing.', Decision: 'Accept', By: 'Ann', Notes: 'agent told' },
    ]);
  });

  test('says of an ended project what to do, unless it is settled', async () => {
    const group = (projectId: string, isSettled: boolean) => ({
      kind: 'canceled' as const,
      reason: 'No reason.',
      isSettled,
      projects: [{ projectId, order: sampleOrder, at: 0 }],
    });
    const overview = { ...sampleInput([]).overview, ended: [group('1', false)], stillEnded: [group('2', true)] };
    const rows = await sheet('Ended', [], { overview });
    expect(rows.map((row) => [row['Project ID'], row['What to do'] === 'Nothing.'])).toEqual([
      ['1', false],
      ['2', true],
    ]);
  });
});
