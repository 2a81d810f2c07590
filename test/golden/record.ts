/**
 * Records the service of the golden nights: runs them against the sandbox, and writes each project with its statuses, reports, summaries and photos
 * to recorded/. `node test/golden/record.ts`. Run it only if the nights themselves change: the expected deliveries follow from it.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { join } from 'node:path';
import PdfDocument from 'pdfkit';
import sharp from 'sharp';
import { startOwnSandbox } from '../../src/night/own-sandbox.ts';
import { temporaryWorkspace } from '../support/temporary-workspace.ts';
import { RECORDED, type RecordedProject, recordedKeyOf } from './recorded-service.ts';
import { CONFIG, NIGHTS, runThreeNights } from './three-nights.ts';

await mkdir(RECORDED, { recursive: true });
await using sandbox = await startOwnSandbox(NIGHTS[0] ?? 0, {
  seed: 3,
  progressHours: { min: 24, max: 420 },
  canceledShare: 0.1,
  notShown: { unlistedAttributes: 'present' },
});
await using workspace = await temporaryWorkspace({ env: sandbox.environment, config: CONFIG });
const variables = new Map(
  sandbox.environment
    .split('\n')
    .map((line) => /^(\w+)=(.*)$/.exec(line))
    .filter((match) => match !== null)
    .map(([, name = '', value = '']) => [name.replace('INSPECTION_', ''), value]),
);
const one = (name: string): string => variables.get(name) ?? '';
const baseUrl = one('BASE_URL');
let bearer = '';
const get = async (path: string): Promise<Record<string, unknown>> => {
  const answer = await fetch(`${baseUrl}${path}`, { headers: { authorization: `Bearer ${bearer}` } });
  return (await answer.json()) as Record<string, unknown>;
};
const login = async (): Promise<void> => {
  const answer = await fetch(`${baseUrl}/v1/oauth/token`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${btoa(`${one('CLIENT_ID')}:${one('CLIENT_SECRET')}`)}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams({ grant_type: 'password', username: one('USERNAME'), password: one('PASSWORD') }),
  });
  bearer = ((await answer.json()) as { access_token: string }).access_token;
};

type Detail = RecordedProject['detail'];
const byId = new Map<number, { detail: Detail; statuses: string[]; reports: RecordedProject['reports']; images: [] }>();

async function look(night: number): Promise<void> {
  await login();
  for (const { id, status } of (await get('/v1/project?limit=500'))['project'] as { id: number; status: string }[]) {
    const [detail] = (await get(`/v1/project/${id}`))['project'] as Detail[];
    const known = byId.get(id) ?? { detail: detail as Detail, statuses: [], reports: [], images: [] };
    // What we marked as received, the recorded service learns from the run itself.
    known.statuses[night] = status === 'Client Received' ? 'Returned to Client' : status;
    byId.set(id, known);
    if (status !== 'Returned to Client') continue;
    const [{ report }] = (await get(`/v1/project/${id}/report`))['project'] as [
      { report: { id: string; type: string }[] },
    ];
    const [{ image }] = (await get(`/v1/project/${id}/image`))['project'] as [{ image: [] }];
    known.images = image.slice(0, 6) as [];
    known.reports = await Promise.all(
      report.map(async ({ id: reportId, type }) => ({
        id: reportId,
        type,
        summary: ((await get(`/v1/report/${reportId}/summary`))['report'] as unknown[])[0],
      })),
    );
  }
}

await runThreeNights(
  workspace,
  sandbox.clock,
  async (night) => {
    await sandbox.moveTo(NIGHTS[night] ?? 0);
    await look(night);
  },
  async ({ number, exitCode, json }) => {
    process.stdout.write(`night ${number} ended ${exitCode}: ${JSON.stringify(json.orders)}\n`);
    if (number < NIGHTS.length) await look(number - 1);
  },
);

const projects: RecordedProject[] = [...byId.values()]
  // The service refuses this one.
  .filter(({ detail }) => detail['city'] !== 'Refusal City')
  .map(({ detail, statuses, reports, images }) => ({
    key: recordedKeyOf(detail),
    detail,
    statuses: NIGHTS.map((_, night) => statuses[night] ?? statuses[night + 1] ?? 'Project Created'),
    reports,
    images,
  }));
// What a small sandbox night does not bring by itself.
const statusOnLastNight = (street: string, status: string): void => {
  const project = projects.find(({ key }) => key.startsWith(street)) as { statuses: string[] } | undefined;
  project?.statuses.splice(-1, 1, status);
};
statusOnLastNight('170 Golden Gate Ln', 'Project Canceled');
statusOnLastNight('194 Golden Gate Ln', 'Awaiting Weather');
for (const { reports } of projects.filter(({ key }) => key.startsWith('206 Golden Gate Ln'))) {
  const [closeout] = reports as unknown as { type: string; summary: { type: string; summary: object } }[];
  if (closeout === undefined) throw new Error('the house to close out has no report');
  closeout.type = 'Inspection Closeout Report';
  closeout.summary.type = closeout.type;
  closeout.summary.summary = {
    risk: { overallCondition: 'Closeout' },
    closeoutReasons: ['Unable to reach insured after multiple attempts. Inspection is closed out.'],
  };
}
await writeFile(join(RECORDED, 'projects.json'), `${JSON.stringify(projects, null, 1)}\n`);

const report = new PdfDocument({ info: { Title: 'A report', CreationDate: new Date(0) } });
const pdf = buffer(report);
report.text('A report of the golden nights.');
report.end();
await writeFile(join(RECORDED, 'report.pdf'), await pdf);
for (const [index, background] of (['#a33', '#3a3', '#33a'] as const).entries()) {
  const photo = sharp({ create: { width: 64, height: 48, channels: 3, background } });
  await writeFile(join(RECORDED, `photo-${index + 1}.jpg`), await photo.jpeg().toBuffer());
}
