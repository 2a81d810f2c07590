import { expect } from 'vitest';
import { attemptOf, orderPayload, projectTie, recordCreated, recordOrder } from '../support/order-factory.ts';
import { VIRTUAL_START_MS } from '../support/virtual-clock.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { ArtifactRecord } from '../../src/ledger/artifacts.ts';
import type { ProjectRecord } from '../../src/ledger/projects.ts';
import { listed, type LedgerFact } from './ledger-fact.ts';

const RETURNED = 'Returned to Client';

async function projectOf(ledger: Ledger, id: string): Promise<ProjectRecord | undefined> {
  return (await ledger.followedProjects()).find((project) => project.id === id);
}

function artifact(changes: Partial<ArtifactRecord> = {}): ArtifactRecord {
  const { serviceId = 'R1', version = 1, kind = 'report' } = changes;
  return {
    projectId: '11',
    kind,
    serviceId,
    version,
    type: 'Closeout',
    detail: {},
    path: `state/${kind}-${serviceId}-v${version}.pdf`,
    bytes: 3,
    sha256: 'cc',
    ...changes,
  };
}

export const PROJECT_FACTS: readonly LedgerFact[] = [
  {
    fact: 'followedProjects lists projects until received with files or canceled',
    holds: async ({ ledger }) => {
      // Neither an unknown status nor an error ends the following.
      const statuses = {
        9: 'closed out',
        10: 'Client Received',
        101: 'Project Created',
        11: 'Project Canceled',
        12: 'Receive Error',
        13: RETURNED,
        20: 'Waiting for Weather',
      };
      for (const id of Object.keys(statuses)) await recordCreated(ledger, id, {}, { status: 'Pending Acceptance' });
      await ledger.markCollected('10');
      await ledger.recordStatuses([{ id: '10', status: RETURNED }]);
      await ledger.markCollected('10');
      await ledger.recordStatuses(Object.entries(statuses).map(([id, status]) => ({ id, status })));
      expect((await ledger.followedProjects()).map(({ id }) => id)).toEqual(['9', '12', '13', '20', '101']);
    },
  },
  {
    fact: 'recordStatuses returns and dates only statuses that changed',
    holds: async ({ ledger, clock }) => {
      await recordCreated(ledger, '11', {}, { status: 'Project Created' });
      await recordCreated(ledger, '12', {}, { status: 'Project Created' });
      await clock.advance(1000);
      const seen = [
        { id: '11', status: 'Project Created' },
        { id: '12', status: 'Site Inspected' },
        { id: '4711', status: RETURNED },
      ];
      expect(await ledger.recordStatuses(seen)).toEqual(['12']);
      expect(await ledger.recordStatuses(seen)).toEqual([]);
      expect([(await projectOf(ledger, '11'))?.statusAt, (await projectOf(ledger, '12'))?.statusAt]).toEqual([
        VIRTUAL_START_MS,
        VIRTUAL_START_MS + 1000,
      ]);
      expect(await ledger.statusCounts()).toEqual([
        { status: 'Project Created', count: 1 },
        { status: 'Site Inspected', count: 1 },
      ]);
    },
  },
  {
    fact: 'followedProjects lists a project of several orders once',
    holds: async ({ ledger }) => {
      const first = await recordCreated(
        ledger,
        '11',
        {},
        { status: 'Project Created', inspectionCode: 'ABC123', inspectionLink: 'https://x.example/ABC123' },
      );
      await ledger.recordStatuses([{ id: '11', status: RETURNED }]);
      const second = await recordOrder(ledger, { inspectionNumber: 'again' });
      await ledger.beginAttempt(second, attemptOf());
      await ledger.moveOrder(second, 'submitting', {
        to: 'linked',
        code: 'duplicate-linked',
        project: projectTie('11'),
        reason: '409',
      });
      expect(await ledger.followedProjects()).toMatchObject([
        { id: '11', status: RETURNED, inspectionCode: 'ABC123', inspectionLink: 'https://x.example/ABC123' },
      ]);
      expect((await listed(ledger.projectsForResults(true))).map(({ order }) => order?.id)).toEqual([first]);
      expect((await ledger.storyOf(second)).project?.inspectionCode).toBe('ABC123');
    },
  },
  {
    fact: 'asks for files again after a second return',
    holds: async ({ ledger, clock }) => {
      await recordCreated(ledger, '11');
      const go = async (status: string): Promise<ProjectRecord | undefined> => {
        await clock.advance(1000);
        await ledger.recordStatuses([{ id: '11', status }]);
        return projectOf(ledger, '11');
      };
      expect(await go(RETURNED)).toMatchObject({ returnedAt: VIRTUAL_START_MS + 1000, collectedAt: null });
      await ledger.markCollected('11');
      expect((await projectOf(ledger, '11'))?.collectedAt).toBe(VIRTUAL_START_MS + 1000);
      expect(await go('Project Rework')).toMatchObject({ collectedAt: VIRTUAL_START_MS + 1000 });
      expect(await go(RETURNED)).toMatchObject({ status: RETURNED, collectedAt: null });
      expect(await ledger.projectCounts()).toMatchObject({ returned: 1, collected: 0 });
    },
  },
  {
    fact: 'dates a return from when it was first seen',
    holds: async ({ ledger, clock }) => {
      // Whichever way the project came on record.
      await clock.advance(1000);
      const seen = VIRTUAL_START_MS + 1000;
      await recordCreated(ledger, '11', {}, { status: RETURNED });
      const linked = await recordOrder(ledger, { inspectionNumber: 'I-12' });
      await ledger.beginAttempt(linked, attemptOf());
      const project = projectTie('12', { status: RETURNED });
      await ledger.moveOrder(linked, 'submitting', {
        to: 'linked',
        code: 'duplicate-linked',
        project,
        reason: 'it was there already',
      });
      await ledger.followElsewhere({
        projectId: '13',
        inspectionCode: null,
        inspectionLink: null,
        details: orderPayload(),
      });
      await ledger.recordStatuses([{ id: '13', status: RETURNED }]);
      await recordCreated(ledger, '14', {}, { status: 'Site Inspected' });
      await clock.advance(1000);
      for (const id of ['11', '12', '13']) await ledger.recordStatuses([{ id, status: RETURNED }]);
      expect((await ledger.followedProjects()).map(({ id, returnedAt }) => [id, returnedAt])).toEqual([
        ['11', seen],
        ['12', seen],
        ['13', seen],
        ['14', null],
      ]);
      expect(await ledger.projectCounts()).toMatchObject({ returned: 3, outstanding: 1 });
      expect((await ledger.nightCounts()).returned).toBe(3);
    },
  },
  {
    fact: 'projectCounts counts every project in exactly one place',
    holds: async ({ ledger }) => {
      const statuses = [
        'Project Created',
        'Waiting for Weather',
        RETURNED,
        RETURNED,
        'Client Received',
        'Client Received',
        'Project Canceled',
        'Receive Error',
        'closed out',
      ];
      for (const [index, status] of statuses.entries()) {
        await recordCreated(ledger, String(20 + index), {}, { status: 'Project Created' });
        await ledger.recordStatuses([{ id: String(20 + index), status }]);
      }
      for (const id of ['23', '25', '28']) await ledger.markCollected(id);
      expect(await ledger.projectCounts()).toEqual({
        outstanding: 2,
        returned: 1,
        collected: 2,
        received: 2,
        canceled: 1,
        failed: 1,
      });
    },
  },
  {
    fact: 'markCollectionProblem keeps the problem until the project is collected',
    holds: async ({ ledger }) => {
      const id = await recordCreated(ledger, '11');
      const problem = { code: 'files-incomplete', text: 'It came broken.', lacking: ['report R1'] } as const;
      await ledger.markCollectionProblem('11', problem);
      await ledger.markCollectionProblem('11', problem);
      expect(await projectOf(ledger, '11')).toMatchObject({
        problem: problem.text,
        problemCode: problem.code,
        lacking: problem.lacking,
        collectedAt: null,
      });
      await ledger.markCollected('11');
      await ledger.markCollected('11');
      expect(await projectOf(ledger, '11')).toMatchObject({
        problem: null,
        problemCode: null,
        lacking: [],
        collectedAt: VIRTUAL_START_MS,
      });
      const events = (await ledger.storyOf(id)).steps.map((step) => step.event);
      expect([
        events.filter((event) => event === 'not collected').length,
        events.filter((event) => event === 'collected').length,
      ]).toEqual([1, 1]);
    },
  },
  {
    fact: 'recordArtifact keeps every version and replaces none',
    holds: async ({ ledger, clock }) => {
      await recordCreated(ledger, '11');
      const first = artifact({ detail: { direction: 'Front' } });
      await ledger.recordArtifact(first);
      await clock.advance(1000);
      const second = artifact({ version: 2, sha256: 'dd' });
      await ledger.recordArtifact(second);
      expect(
        await ledger.recordArtifact(artifact({ version: 2, sha256: 'ee' })),
        'another content of that version',
      ).toBe(false);
      expect(await ledger.recordArtifact(second), 'the same, from another host').toBe(true);
      await expect(ledger.recordArtifact(artifact({ projectId: '4711' }))).rejects.toThrow(/foreign key/i);
      expect(await ledger.artifactsOf('11')).toStrictEqual([
        { ...first, recordedAt: VIRTUAL_START_MS, confirmedAt: null, lost: null, place: null },
        { ...second, recordedAt: VIRTUAL_START_MS + 1000, confirmedAt: null, lost: null, place: null },
      ]);
      await ledger.confirmArtifact(second);
      expect((await ledger.artifactsOf('11')).map(({ confirmedAt }) => confirmedAt)).toEqual([
        null,
        VIRTUAL_START_MS + 1000,
      ]);
    },
  },
  {
    fact: 'filesOf orders files as the service lists them',
    holds: async ({ ledger }) => {
      // Files without a place come first; a version keeps its place until it is moved.
      await recordCreated(ledger, '11');
      for (const [serviceId, place] of Object.entries({ early: null, third: 2, second: 1, first: 0 }))
        await ledger.recordArtifact(artifact({ serviceId, path: serviceId, place }));
      const order = async () => [
        (await ledger.filesOf('11')).map(({ serviceId }) => serviceId),
        (await ledger.artifactsOf('11')).map(({ serviceId }) => serviceId),
      ];
      const listed = ['early', 'first', 'second', 'third'];
      expect(await order()).toEqual([listed, listed]);
      const first = (await ledger.filesOf('11')).find(({ serviceId }) => serviceId === 'first');
      if (first === undefined) throw new Error('it has no file');
      await ledger.placeArtifact({ ...first, place: 3 });
      const moved = ['early', 'second', 'third', 'first'];
      expect(await order()).toEqual([moved, moved]);
    },
  },
  {
    fact: 'recordOnDisk marks a file lost until it or another version comes',
    holds: async ({ ledger }) => {
      await recordCreated(ledger, '11');
      await ledger.startRun('run-1', 'collect');
      const state = async (): Promise<unknown> => [
        (await ledger.filesOf('11')).map(({ version, lost }) => [version, lost]),
        (await ledger.followedProjects()).map(({ hasLost }) => hasLost),
        [...(await ledger.deliveredProjects())],
      ];
      const deliver = async (run: string) =>
        ledger.recordDelivery({
          run,
          folder: run,
          contents: {},
          orderIds: [],
          results: false,
          projectIds: ['11'],
          seen: await ledger.newestIds(),
        });
      await ledger.recordStatuses([{ id: '11', status: 'Client Received' }]);
      await ledger.recordArtifact(artifact());
      await ledger.markCollected('11');
      await deliver('run-1');
      const [first] = await ledger.filesOf('11');
      if (first === undefined) throw new Error('it has no file');
      expect(await state()).toEqual([[[1, null]], [], ['11']]);
      await ledger.recordOnDisk(first, 'is missing');
      expect(await state()).toEqual([[[1, 'is missing']], [true], []]);
      await ledger.recordOnDisk(first, null);
      expect(await state()).toEqual([[[1, null]], [], []]);
      await ledger.recordOnDisk(first, 'is a folder');
      await ledger.recordArtifact(artifact({ version: 2 }));
      expect(await state()).toEqual([[[2, null]], [], []]);
      expect((await listed(ledger.storedArtifacts())).map(({ version }) => version)).toEqual([2]);
    },
  },
  {
    fact: 'followedProjects filters by ids',
    holds: async ({ ledger }) => {
      for (const id of ['11', '12', '13', '14', '15', '16']) await recordCreated(ledger, id);
      await ledger.recordArtifact(artifact({ projectId: '13' }));
      await ledger.recordStatuses([
        ...['12', '13', '14'].map((id) => ({ id, status: 'Client Received' })),
        { id: '15', status: 'Project Canceled' },
      ]);
      for (const id of ['12', '13']) await ledger.markCollected(id);
      await ledger.recordFetch('14', 'ended');
      for (const file of await ledger.filesOf('13')) await ledger.recordOnDisk(file, 'is missing');
      const idsOf = async (ids?: readonly string[]): Promise<readonly string[]> =>
        (await ledger.followedProjects(ids)).map(({ id }) => id);
      expect([await idsOf(), await idsOf(['16', '15', '14', '13', '12', '99']), await idsOf([])]).toEqual([
        ['11', '13', '16'],
        ['13', '16'],
        [],
      ]);
    },
  },
  {
    fact: 'projectsForResults holds the latest version of each file only',
    holds: async ({ ledger }) => {
      await recordCreated(ledger, '11');
      const bare = await recordCreated(ledger, '12');
      for (const [kind, serviceId, version] of [
        ['report', 'R1', 1],
        ['summary', 'R1', 1],
        ['image', 'I1', 1],
        ['report', 'R1', 2],
        ['report', 'R2', 1],
        ['summary', 'R1', 2],
      ] as const) {
        await ledger.recordArtifact(artifact({ kind, serviceId, version }));
      }
      const [followed, other] = await listed(ledger.projectsForResults(true));
      expect([
        other?.order?.id,
        other?.artifacts,
        (await listed(ledger.projectsForResults(true, true))).map(({ project }) => project.id),
      ]).toEqual([bare, [], ['11']]);
      const places = followed?.artifacts
        .map(({ kind, serviceId, version }) => `${kind} ${serviceId} v${version}`)
        .toSorted();
      expect(places).toEqual(['image I1 v1', 'report R1 v2', 'report R2 v1', 'summary R1 v2']);
    },
  },
];
