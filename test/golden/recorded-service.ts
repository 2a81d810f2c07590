import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { json as readJson, text as readText } from 'node:stream/consumers';
import { join } from 'node:path';

/** A project as the sandbox once made it, and what became of it on each night. */
export interface RecordedProject {
  /** What its row says: street, service and effective date. */
  readonly key: string;
  readonly detail: { readonly id: number } & Readonly<Record<string, unknown>>;
  /** Its status at the beginning of each night. */
  readonly statuses: readonly string[];
  readonly reports: readonly { readonly id: string; readonly type: string; readonly summary: unknown }[];
  readonly images: readonly { readonly id: string }[];
}

export const RECORDED = join(import.meta.dirname, 'recorded');

/** By what a project is found that a create asks for. */
export function recordedKeyOf(order: Readonly<Record<string, unknown>>): string {
  return [order['streetAddress'], order['serviceName'], order['policyEffectiveDate'] ?? ''].join(' | ');
}

export interface RecordedService extends AsyncDisposable {
  readonly baseUrl: string;
  /** Projects stand as they stood on that night, from 0. */
  night: number;
  /** Creates, and changes of a status, as they came. */
  readonly changes: readonly string[];
}

const FILE_NAMES = ['photo-1.jpg', 'photo-2.jpg', 'photo-3.jpg'];
const SEARCH_FIELDS = ['streetAddress', 'city', 'state', 'zipcode', 'country', 'serviceName', 'policyNumber'];

/**
 * A service that answers what the sandbox answered when `record.ts` was run: the judge of refactorings must not change with the sandbox. A create
 * that is not on record is refused (422).
 */
export async function startRecordedService(): Promise<RecordedService> {
  const recorded = JSON.parse(readFileSync(join(RECORDED, 'projects.json'), 'utf8')) as readonly RecordedProject[];
  const created = new Set<number>();
  const own = new Map<number, string>();
  const changes: string[] = [];
  let night = 0;
  const statusOf = ({ detail: { id }, statuses }: RecordedProject): string => own.get(id) ?? statuses[night] ?? '';
  const standing = (): readonly RecordedProject[] => recorded.filter(({ detail }) => created.has(detail.id));

  const server = createServer((request, answer) => void serve(request, answer));
  const serve = async (request: IncomingMessage, answer: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://service');
    const [, version, kind, id = '', part = ''] = url.pathname.split('/');
    const send = (body: unknown, status = 200): void => sendJson(answer, body, status);
    if (version === 'files') return sendFile(answer, kind ?? '');
    if (kind === 'oauth') {
      await readText(request);
      return send({ access_token: 't', refresh_token: 'r', token_type: 'bearer', expires_in: 600 });
    }
    const project = standing().find(({ detail }) => detail.id === Number(id));
    const about = (fields: object): void => send({ project: [{ id: Number(id), ...fields }] });
    switch (`${request.method} ${kind} ${part}`.trim()) {
      case 'POST project': {
        const order = (await readJson(request)) as Record<string, unknown>;
        const match = recorded.find(({ key }) => key === recordedKeyOf(order));
        changes.push(`create ${recordedKeyOf(order)}`);
        if (match === undefined) return send({ error: { message: 'The city is not in this state.' } }, 422);
        if (created.has(match.detail.id)) return send({ error: { message: 'The project exists already.' } }, 409);
        created.add(match.detail.id);
        return send({ project: [{ ...match.detail, ...order, allowDuplication: undefined }] });
      }
      case 'GET project':
        if (id === '') return send({ project: searched(standing(), url.searchParams, statusOf) });
        return project === undefined ? sendNone(answer) : send({ project: [project.detail] });
      case 'GET project status':
        return project === undefined ? sendNone(answer) : about({ status: statusOf(project) });
      case 'PUT project status': {
        const { value } = (await readJson(request)) as { value: string };
        changes.push(`${value} ${id}`);
        own.set(Number(id), value);
        return about({ status: value });
      }
      case 'GET project report':
        return about({ report: (project?.reports ?? []).map(({ id: report, type }) => ({ id: report, type })) });
      case 'GET project image':
        return about({ image: project?.images ?? [] });
      case 'GET report summary': {
        const report = recorded.flatMap(({ reports }) => reports).find((candidate) => candidate.id === id);
        return report === undefined ? sendNone(answer) : send({ report: [report.summary] });
      }
      case 'GET report file':
        return void answer.writeHead(307, { location: `${originOf(request.headers.host)}/files/report.pdf` }).end();
      case 'GET image file':
        return sendFile(answer, FILE_NAMES[id.charCodeAt(id.length - 1) % FILE_NAMES.length] ?? '');
      default:
        return sendNone(answer);
    }
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: originOf(`127.0.0.1:${(server.address() as AddressInfo).port}`),
    changes,
    get night() {
      return night;
    },
    set night(value) {
      night = value;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function searched(
  projects: readonly RecordedProject[],
  query: URLSearchParams,
  statusOf: (project: RecordedProject) => string,
): readonly object[] {
  const from = Number(query.get('startId') ?? 0);
  return projects
    .filter(({ detail }) => detail.id >= from)
    .filter((project) => (query.get('status') ?? statusOf(project)) === statusOf(project))
    .filter(({ detail }) =>
      ['policyNumber', 'inspectionNumber', 'serviceName'].every(
        (name) => (query.get(name) ?? detail[name]) === detail[name],
      ),
    )
    .toSorted((a, b) => a.detail.id - b.detail.id)
    .slice(0, Number(query.get('limit') ?? 100))
    .map((project) => ({
      id: project.detail.id,
      ...Object.fromEntries(SEARCH_FIELDS.map((name) => [name, project.detail[name]])),
      inspectionNumber: project.detail['inspectionNumber'],
      status: statusOf(project),
    }));
}

function originOf(host: string | undefined): string {
  return `http://${host ?? ''}`;
}

function sendFile(answer: ServerResponse, name: string): void {
  const type = name.endsWith('.pdf') ? 'application/pdf' : 'image/jpeg';
  answer.writeHead(200, { 'content-type': type }).end(readFileSync(join(RECORDED, name)));
}

function sendNone(answer: ServerResponse): void {
  sendJson(answer, { error: { message: 'There is no such thing.' } }, 404);
}

function sendJson(answer: ServerResponse, body: unknown, status: number): void {
  answer.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
