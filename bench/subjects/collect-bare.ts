/** The same requests as a follow-up run makes, by fetch, and the files written to disk. Arguments: the server as JSON, projects, how many at once, a folder. */
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pLimit from 'p-limit';
import type { Served } from '../measure/server.ts';
import { argument, report } from '../measure/subject.ts';

const { baseUrl } = JSON.parse(argument(0)) as Served;
const projects = Number(argument(1));
const limit = pLimit(Number(argument(2)));
const headers = { authorization: 'Bearer a-token' };
const FIRST_ID = 100_001;

const get = async (path: string): Promise<unknown> => (await fetch(`${baseUrl}${path}`, { headers })).json();

async function collect(id: number): Promise<void> {
  const { project } = (await get(`/v1/project/${id}/report`)) as { project: { report: { id: string }[] }[] };
  for (const { id: reportId } of project[0]?.report ?? []) {
    const redirect = await fetch(`${baseUrl}/v1/report/${reportId}/file`, { headers, redirect: 'manual' });
    const file = await fetch(redirect.headers.get('location') ?? '');
    if (file.body === null) throw new Error('no file');
    await pipeline(Readable.fromWeb(file.body as never), createWriteStream(join(argument(3), `${reportId}.pdf`)));
    await get(`/v1/report/${reportId}/summary`);
  }
  await get(`/v1/project/${id}/image`);
}

await report(async () => {
  await Promise.all(Array.from({ length: projects }, (_, index) => limit(() => collect(FIRST_ID + index))));
  return { reports: projects };
});
