import { expect } from 'vitest';
import { projectsIn, TestClient } from '../support/sandbox/test-client.ts';
import type { Row, Untestable } from './row.ts';
import {
  expectStatus,
  type Fields,
  fetched,
  found,
  held,
  imagesOf,
  later,
  only,
  reportsOf,
  returned,
} from './steps.ts';

const STATUSES = [
  'Project Created',
  'Customer Contacted',
  'Pending Acceptance',
  'Assigned to Pilot',
  'Project Rework',
  'Site Inspected',
  'Selfapp Uploaded',
  'Image Uploaded',
  'Returned to Client',
  'Project Canceled',
  'Client Received',
  'Receive Error',
];
const CANCELABLE = STATUSES.slice(0, 5);

/** Asks for a status from each status, closed out included, and gives those from which it was granted. */
async function grantedFrom(client: TestClient, value: string): Promise<string[]> {
  const granted: string[] = [];
  for (const from of [...STATUSES, 'closed out']) {
    const id = await client.create();
    await client.setStatus(id, from);
    const answer = await client.call('PUT', `/v1/project/${id}/status`, { value });
    expectStatus(answer, 200, 400, 409, 422);
    expect(await client.status(id)).toBe(answer.status === 200 ? value : from);
    if (answer.status === 200) granted.push(from);
  }
  return granted;
}

/** The deliverables of a project in a status: lengths of its lists, and the status of its report’s file. */
async function offer(
  client: TestClient,
  status: string,
): Promise<[reports: boolean, images: boolean, file: number, summary: number]> {
  const id = await returned(client);
  const [report] = await reportsOf(client, id);
  await client.setStatus(id, status);
  const ask = async (path: string): Promise<number> =>
    (await client.call('GET', `/v1/report/${report?.id ?? ''}/${path}`)).status;
  return [
    (await reportsOf(client, id)).length > 0,
    (await imagesOf(client, id)).length > 0,
    await ask('file'),
    await ask('summary'),
  ];
}

/** Advances to the end of staging’s five minutes. */
async function processed(client: TestClient, inspectionNumber: string, changes: Fields = {}): Promise<string> {
  const id = await client.create({ ...changes, inspectionNumber });
  expect(await client.status(id)).toBe('Project Created');
  await later(client, 300);
  return id;
}

/** A project’s report and images, as bytes. */
async function deliverablesOf(client: TestClient, id: string): Promise<{ reports: Buffer[]; images: Buffer[] }> {
  const reports: Buffer[] = [];
  for (const report of await reportsOf(client, id))
    reports.push(
      (await fetched((await client.call('GET', `/v1/report/${report.id}/file`)).headers.get('location'))).bytes,
    );
  const images: Buffer[] = [];
  for (const image of await imagesOf(client, id)) {
    const answer = await client.call('GET', `/v1/image/${String(image.id)}/file`);
    const location = answer.headers.get('location');
    images.push(location === null ? Buffer.from(answer.text) : (await fetched(location)).bytes);
  }
  return { reports, images };
}

/** The types and the summaries of a project’s reports, without the project’s id wherever it stands. */
async function summariesOf(client: TestClient, id: string): Promise<string[]> {
  const summaries: string[] = [];
  for (const report of await reportsOf(client, id))
    summaries.push(report.type, (await client.call('GET', `/v1/report/${report.id}/summary`)).text.replaceAll(id, '#'));
  return summaries;
}

/** Document: States and transitions. */
export const STATES: readonly Row[] = [
  {
    id: 'states.values',
    sentence: `Project status values (field \`status\`): ${STATUSES.map((status) => `\`${status}\``).join(', ')}.`,
    fact: 'shows these statuses only, each of them searchable',
    options: { progressHours: { min: 10, max: 40 }, canceledShare: 0.2 },
    async check(client) {
      const ids: string[] = [];
      for (let count = 0; count < 40; count += 1)
        ids.push(await client.create({ serviceName: count % 4 === 0 ? 'Self Exterior Underwriting' : '4-Point' }));
      const seen = new Set<unknown>();
      for (let hour = 0; hour <= 44; hour += 2) {
        for (const { status } of projectsIn(await client.call('GET', '/v1/project?limit=100'))) seen.add(status);
        await later(client, 7200);
      }
      expect([...seen].filter((status) => !STATUSES.includes(String(status)))).toEqual([]);
      expect(STATUSES.filter((status) => !seen.has(status))).toEqual(['Client Received', 'Receive Error']);
      for (const status of STATUSES) {
        await client.setStatus(ids[0] ?? '', status);
        expect(await found(client, `status=${encodeURIComponent(status)}&limit=1`)).toEqual([ids[0]]);
      }
    },
  },
  {
    id: 'states.returned',
    sentence: '`Returned to Client` means the report and images are available to download.',
    fact: 'offers lists, file and summary in this status, not earlier',
    async check(client) {
      for (const status of STATUSES.slice(0, 8))
        expect({ status, offer: await offer(client, status) }).toEqual({ status, offer: [false, false, 404, 404] });
      expect(await offer(client, 'Returned to Client')).toEqual([true, true, 307, 200]);
    },
  },
  {
    id: 'states.received.meaning',
    sentence:
      '`Client Received` means marked as received by the client. `Receive Error` means marked as an error state by the client.',
    fact: 'keeps Returned to Client until the client marks the project',
    async check(client) {
      const [marked, left] = [await returned(client), await returned(client)];
      await client.call('PUT', `/v1/project/${marked}/status`, { value: 'Client Received' });
      await later(client, 60 * 86_400);
      expect([await client.status(marked), await client.status(left)]).toEqual([
        'Client Received',
        'Returned to Client',
      ]);
    },
  },
  {
    id: 'states.self-upload',
    sentence:
      '(`Selfapp Uploaded` is the neutral name for the status recording an upload from the self-inspection application.)',
    fact: 'passes self-inspections through it, and no other project',
    options: { progressHours: { min: 10, max: 12 }, canceledShare: 0 },
    async check(client) {
      const selves = new Map<string, boolean>();
      for (let count = 0; count < 20; count += 1)
        selves.set(
          await client.create({ serviceName: count % 2 === 0 ? 'Self 4-Point Underwriting' : 'Exterior' }),
          count % 2 === 0,
        );
      const uploaded = new Set<string>();
      for (let half = 0; half < 26; half += 1) {
        for (const id of await found(client, 'status=Selfapp%20Uploaded')) uploaded.add(id);
        await later(client, 1800);
      }
      expect(uploaded.size).toBeGreaterThan(5);
      expect([...uploaded].every((id) => selves.get(id))).toBe(true);
    },
  },
  {
    id: 'transitions.receive',
    sentence:
      'Returned to Client | PUT status with value `Client Received` | Current status is `Returned to Client` | Client Received | Deliverables are no longer offered or re-sent in later queries or notifications.',
    fact: 'allows it from this status only, and offers nothing afterwards',
    async check(client) {
      expect(await grantedFrom(client, 'Client Received')).toEqual(['Returned to Client']);
      expect(await offer(client, 'Client Received')).toEqual([false, false, 404, 404]);
    },
  },
  {
    id: 'transitions.cancel',
    sentence:
      'Any state before `Site Inspected` in the list order above (Project Created, Customer Contacted, Pending Acceptance, Assigned to Pilot, Project Rework) | PUT status with value `Project Canceled` | Current status is prior to `Site Inspected` | Project Canceled | The optional comment is stored with the status.',
    fact: 'allows it from these five statuses and records the comment',
    async check(client) {
      expect(await grantedFrom(client, 'Project Canceled')).toEqual(CANCELABLE);
      const id = await client.create();
      await client.call('PUT', `/v1/project/${id}/status`, { value: 'Project Canceled', comment: 'Sold.' });
      expect((await held(client)).find((project) => String(project.id) === id)?.statusesSet).toEqual([
        expect.objectContaining({ status: 'Project Canceled', comment: 'Sold.', by: 'client' }),
      ]);
    },
  },
  {
    id: 'transitions.canceled-stays',
    sentence: 'Project Canceled',
    fact: 'keeps a canceled project as it is, and offers nothing',
    options: {},
    async check(client) {
      const id = await client.create();
      await client.call('PUT', `/v1/project/${id}/status`, { value: 'Project Canceled' });
      await later(client, 30 * 86_400);
      expect([await client.status(id), await reportsOf(client, id)]).toEqual(['Project Canceled', []]);
    },
  },
  {
    id: 'transitions.report_provided',
    sentence:
      'Project created in staging with inspectionNumber starting `report_provided` | Automatic processing | Within 5 minutes of creation | Returned to Client | Reports and images become retrievable; sample report and images are identical across projects.',
    fact: 'returns them within five minutes, with identical reports and images',
    async check(client) {
      // Whatever follows the prefix; the summaries differ in their ids alone.
      const ids: string[] = [];
      for (let count = 0; count < 10; count += 1)
        ids.push(
          await client.create({
            inspectionNumber: `report_provided${'-x'.repeat(count)}`,
            ...(count === 0
              ? { serviceName: 'Roof Only', houseType: 'Mobile Home', city: 'Boston', yearBuilt: 1900 }
              : {}),
          }),
        );
      await later(client, 300);
      for (const id of ids) expect(await client.status(id)).toBe('Returned to Client');
      const [first, second] = [await deliverablesOf(client, ids[0] ?? ''), await deliverablesOf(client, ids[1] ?? '')];
      expect([first.reports.length > 0, first.images.length > 0]).toEqual([true, true]);
      expect(second.reports.map((bytes) => bytes.toString('hex'))).toEqual(
        first.reports.map((bytes) => bytes.toString('hex')),
      );
      expect(await summariesOf(client, ids[1] ?? '')).toEqual(await summariesOf(client, ids[0] ?? ''));
      expect(second.images.map((bytes) => bytes.toString('hex'))).toEqual(
        first.images.map((bytes) => bytes.toString('hex')),
      );
    },
  },
  {
    id: 'transitions.closeout_report',
    sentence:
      'Project created in staging with inspectionNumber starting `closeout_report` | Automatic processing | Within 5 minutes of creation | closed out | A closeout report becomes retrievable.',
    fact: 'closes it out within five minutes, with a closeout report',
    async check(client) {
      const id = await processed(client, 'closeout_report_7');
      expect(await client.status(id)).toBe('closed out');
      const reports = await reportsOf(client, id);
      expect(reports.map(({ type }) => type)).toEqual(['Inspection Closeout Report']);
      expect(
        (
          await fetched((await client.call('GET', `/v1/report/${reports[0]?.id ?? ''}/file`)).headers.get('location'))
        ).bytes
          .subarray(0, 5)
          .toString(),
      ).toBe('%PDF-');
      expectStatus(await client.call('GET', `/v1/report/${reports[0]?.id ?? ''}/summary`), 200);
    },
  },
  {
    id: 'transitions.prefix-only',
    sentence: 'inspectionNumber starting `report_provided`',
    fact: 'ignores the words in another case or place, and in production',
    async check(client) {
      for (const inspectionNumber of [
        'Report_Provided',
        'a report_provided',
        'report-provided',
        'CLOSEOUT_REPORT',
        'x_closeout_report',
      ])
        expect(await client.status(await processed(client, inspectionNumber))).toBe('Project Created');
      await using production = await TestClient.start({ environment: 'production', autoProgress: false });
      for (const inspectionNumber of ['report_provided', 'closeout_report'])
        expect(await production.status(await processed(production, inspectionNumber))).toBe('Project Created');
    },
  },
  {
    id: 'transitions.only-two',
    sentence:
      "The API's status update accepts only `Client Received` and `Project Canceled`; `Receive Error` is a status value that cannot be set through it.",
    fact: 'refuses the other ten from every status and changes nothing',
    async check(client) {
      for (const from of [...STATUSES, 'closed out']) {
        const id = await client.create();
        await client.setStatus(id, from);
        for (const value of STATUSES.filter((status) => status !== 'Client Received' && status !== 'Project Canceled'))
          expectStatus(await client.call('PUT', `/v1/project/${id}/status`, { value }), 400, 422);
        expect(await client.status(id)).toBe(from);
      }
      const id = await client.create();
      expect(only(await client.call('PUT', `/v1/project/${id}/status`, { value: 'Project Canceled' })).status).toBe(
        'Project Canceled',
      );
    },
  },
];

export const STATES_UNTESTABLE: readonly Untestable[] = [
  {
    id: 'states.initial',
    sentence: 'Initial status of a newly created project: not shown.',
    reason: 'The document leaves it open; the sandbox begins with Project Created.',
  },
  {
    id: 'states.other-moves',
    sentence: 'All other moves between the listed states. Transitions: not shown.',
    reason:
      'The document leaves it open; the sandbox moves projects in the order of the list, some with rework, some canceled or closed out.',
  },
  {
    id: 'states.notifications',
    sentence: 'Deliverables are no longer offered or re-sent in later queries or notifications.',
    reason: 'Of notifications only; queries are tested (transitions.receive). The document shows no notifications.',
  },
];
