import { describe, expect, test } from 'vitest';
import { PROJECT_STATUSES } from '../../../src/contract/document.ts';
import { progressPlan, type ProgressRules } from '../../../src/sandbox/progress.ts';
import { projectsIn, TestClient } from '../../support/sandbox/test-client.ts';

const rules: ProgressRules = {
  seed: '1',
  environment: 'production',
  autoProgress: true,
  canceledShare: 0.03,
  initialStatus: 'Project Created',
  progressHours: { min: 4, max: 96 },
};
const CANCELABLE = new Set<string>([
  'Project Created',
  'Customer Contacted',
  'Pending Acceptance',
  'Assigned to Pilot',
  'Project Rework',
]);

describe('progressPlan', () => {
  test('a status follows the document’s transitions only', async () => {
    await using client = await TestClient.start({ autoProgress: false });
    const id = await client.create();
    for (const from of [...PROJECT_STATUSES, 'closed out', 'Something New']) {
      for (const value of ['Client Received', 'Project Canceled']) {
        await client.setStatus(id, from);
        const answer = await client.call('PUT', `/v1/project/${id}/status`, { value, comment: 'why' });
        const allowed = value === 'Client Received' ? from === 'Returned to Client' : CANCELABLE.has(from);
        expect([from, value, answer.status]).toEqual([from, value, allowed ? 200 : 409]);
        const refusal = { error: { message: expect.stringContaining(`"${from}"`) } };
        expect(answer.body).toEqual(allowed ? { project: [{ id: Number(id), status: value }] } : refusal);
        expect(await client.status(id)).toBe(allowed ? value : from);
      }
    }
  });

  test('a status comment is stored, at most 1,000 characters', async () => {
    await using client = await TestClient.start({ autoProgress: false });
    const id = await client.create();
    const put = async (body: unknown) => (await client.call('PUT', `/v1/project/${id}/status`, body)).status;
    expect(await put({ value: 'Project Canceled', comment: 'x'.repeat(1001) })).toBe(422);
    expect(await put({ value: 'Receive Error' })).toBe(422);
    expect(await put({})).toBe(400);
    expect(await client.status(id)).toBe('Project Created');
    expect(await put({ value: 'Project Canceled', comment: 'x'.repeat(1000) })).toBe(200);
    expect((await client.control('GET', '/projects')).body).toMatchObject({
      projects: [{ statusesSet: [{ status: 'Project Canceled', comment: 'x'.repeat(1000), by: 'client' }] }],
    });
  });

  test('a comment’s length counts code points', async () => {
    await using client = await TestClient.start({ autoProgress: false });
    const put = async (comment: string) =>
      (await client.call('PUT', `/v1/project/${await client.create()}/status`, { value: 'Project Canceled', comment }))
        .status;
    expect([await put('🏠'.repeat(1000)), await put('🏠'.repeat(1001))]).toEqual([200, 422]);
  });

  test('the search by status follows progress after the clock advances', async () => {
    await using client = await TestClient.start({ environment: 'production' });
    for (let index = 0; index < 40; index += 1) await client.create();
    const returned = async () =>
      projectsIn(await client.call('GET', '/v1/project?status=Returned%20to%20Client')).length;
    expect(await returned()).toBe(0);
    await client.advance(24 * 3600);
    await client.logIn();
    const afterDay = await returned();
    await client.advance(96 * 3600);
    await client.logIn();
    const afterAll = await returned();
    expect(afterDay).toBeGreaterThan(5);
    expect(afterAll).toBeGreaterThan(afterDay);
    const statuses = projectsIn(await client.call('GET', '/v1/project')).map(({ status }) => status);
    expect(statuses.filter((status) => status === 'Returned to Client')).toHaveLength(afterAll);
    expect(new Set(statuses)).toEqual(new Set(['Returned to Client', 'Project Canceled']));
  });

  test('progress is seeded and goes through listed statuses', () => {
    const plans = Array.from({ length: 2000 }, (_, index) =>
      progressPlan(rules, {
        id: BigInt(index),
        serviceName: index % 3 === 0 ? 'Self 4-Point Underwriting' : '4-Point',
        inspectionNumber: undefined,
      }),
    );
    for (const { moves } of plans) {
      expect(moves[0]).toEqual({ afterMs: 0, status: 'Project Created' });
      expect(moves.map(({ afterMs }) => afterMs)).toEqual(
        moves.map(({ afterMs }) => afterMs).toSorted((a, b) => a - b),
      );
      const last = moves.at(-1);
      expect(['Returned to Client', 'Project Canceled']).toContain(last?.status);
      expect(last?.afterMs).toBeGreaterThanOrEqual(4 * 3_600_000 - 1);
      expect(last?.afterMs).toBeLessThanOrEqual(96 * 3_600_000 + 1);
      for (const { status } of moves) expect(PROJECT_STATUSES).toContain(status);
    }
    const share = (holds: (plan: (typeof plans)[number]) => boolean) => plans.filter(holds).length / plans.length;
    expect(share(({ closeout }) => closeout)).toBeCloseTo(0.04, 1);
    expect(share(({ moves }) => moves.at(-1)?.status === 'Project Canceled')).toBeCloseTo(0.03, 1);
    expect(share(({ moves }) => moves.some(({ status }) => status === 'Project Rework'))).toBeGreaterThan(0.05);
    expect(progressPlan(rules, { id: 7n, serviceName: '4-Point', inspectionNumber: undefined })).toEqual(
      progressPlan(rules, { id: 7n, serviceName: '4-Point', inspectionNumber: undefined }),
    );
  });

  test('staging’s two prefixes end within five minutes', async () => {
    await using client = await TestClient.start({ autoProgress: false });
    const provided = await client.create({ inspectionNumber: 'report_provided-7' });
    const closeout = await client.create({ inspectionNumber: 'closeout_report' });
    const plain = await client.create({ inspectionNumber: 'Report_provided' });
    expect(await client.status(provided)).toBe('Project Created');
    await client.advance(300);
    expect([await client.status(provided), await client.status(closeout), await client.status(plain)]).toEqual([
      'Returned to Client',
      'closed out',
      'Project Created',
    ]);
    const reports = async (id: string) => projectsIn(await client.call('GET', `/v1/project/${id}/report`))[0]?.report;
    expect(await reports(closeout)).toEqual([{ id: `R${closeout}-1`, type: 'Inspection Closeout Report' }]);
    expect(await reports(provided)).toEqual([{ id: `R${provided}-1`, type: 'Full-scope Underwriting Report' }]);
  });

  test('in production the prefixes mean nothing', async () => {
    await using client = await TestClient.start({ environment: 'production', autoProgress: false });
    const id = await client.create({ inspectionNumber: 'report_provided-7' });
    await client.advance(400);
    expect(await client.status(id)).toBe('Project Created');
  });
});
