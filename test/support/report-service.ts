import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import PdfDocument from 'pdfkit';

/** What can be wrong with the file of a report, each until it was asked for so often. */
export const REPORT_FAULTS = ['cut', 'torn', 'empty', 'html', 'corrupt', 'wrong type', 'expired URL', 'late'] as const;
export type ReportFault = (typeof REPORT_FAULTS)[number];

export interface ReportServiceOptions {
  /** So many projects are returned, with a report each. */
  readonly reports: number;
  readonly bytes: number;
  /** Share of the reports that is broken in each of the ways; at most an eighth. */
  readonly faultShare?: number;
  /** Milliseconds that every answer takes. */
  readonly latencyMs?: number;
}

/** A service that has nothing but returned projects with large reports, and the store that its signed URLs lead to. */
export interface ReportService extends AsyncDisposable {
  readonly baseUrl: string;
  readonly credentials: {
    readonly clientId: string;
    readonly clientSecret: string;
    readonly username: string;
    readonly password: string;
  };
  readonly projectIds: readonly string[];
  /** SHA-256 of a project's report, in hex. */
  sha256Of(projectId: string): string;
  /** How often each kind of request came, such as `file` or `stored file`. */
  readonly requests: ReadonlyMap<string, number>;
  readonly bites: ReadonlyMap<ReportFault, number>;
  /** Requests at the store that carried a token. */
  readonly authorizationAtStore: number;
}

/** Stands in every signed URL, and nowhere else. */
export const SIGNATURE = 'X-Signature=5160ed';
const FIRST_ID = 100_001;
const MARK = 'report 0000000000';
const CREDENTIALS = {
  clientId: 'client',
  clientSecret: 'secret-of-the-client',
  username: 'us',
  password: 'password-of-ours',
} as const;

export async function startReportService({
  reports,
  bytes,
  faultShare = 0,
  latencyMs = 0,
}: ReportServiceOptions): Promise<ReportService> {
  const template = await largePdf(bytes);
  const requests = new Map<string, number>();
  const bites = new Map<ReportFault, number>();
  const asked = new Map<string, number>();
  let authorizationAtStore = 0;
  const isThere = (id: string): boolean => Number(id) >= FIRST_ID && Number(id) < FIRST_ID + reports;
  const countOf = (what: string): void => void requests.set(what, (requests.get(what) ?? 0) + 1);

  /** The fault of a report, while it lasts: for one to four askings. */
  const faultOf = (id: string, kinds: readonly ReportFault[]): ReportFault | null => {
    const place = hashOf(id) / 2 ** 32;
    const kind = REPORT_FAULTS[Math.floor(place / (faultShare || 1))];
    if (faultShare === 0 || kind === undefined || !kinds.includes(kind)) return null;
    const times = (asked.get(id) ?? 0) + 1;
    asked.set(id, times);
    if (times > 1 + (hashOf(`${id} times`) % 4)) return null;
    bites.set(kind, (bites.get(kind) ?? 0) + 1);
    return kind;
  };

  const store = await listen(latencyMs, ({ url = '', headers }, answer) => {
    countOf('stored file');
    if (headers.authorization !== undefined) authorizationAtStore += 1;
    const id = /^\/R(\d+)\.pdf\?/.exec(url)?.[1] ?? '';
    if (!isThere(id) || !url.includes(SIGNATURE)) return answer.writeHead(404).end();
    sendReport(
      answer,
      reportOf(template, id),
      faultOf(
        id,
        REPORT_FAULTS.filter((kind) => kind !== 'late'),
      ),
    );
  });
  const service = await listen(latencyMs, async (request, answer) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://service');
    if (pathname === '/v1/oauth/token')
      return json(answer, { access_token: 'a-token', refresh_token: 'another', token_type: 'bearer', expires_in: 600 });
    if (request.headers.authorization !== 'Bearer a-token')
      return json(answer, { error: { message: 'no token' } }, 401);
    const [, , kind = '', id = '', part = ''] = pathname.split('/');
    const project = id.replace(/^R/, '');
    countOf(id === '' ? 'search' : part || 'detail');
    if (id === '')
      return json(answer, {
        project: searched(Number(searchParams.get('startId') ?? 0), Number(searchParams.get('limit') ?? 100), reports),
      });
    if (!isThere(project)) return json(answer, { error: { message: 'there is none' } }, 404);
    switch (`${kind} ${part}`) {
      case 'project status':
        return json(answer, { project: [{ id: Number(project), status: 'Returned to Client' }] });
      case 'project report':
        return json(answer, {
          project: [{ id: Number(project), report: [{ id: `R${project}`, type: 'Full-scope Underwriting Report' }] }],
        });
      case 'project image':
        return json(answer, { project: [{ id: Number(project), image: [] }] });
      case 'report summary':
        return json(answer, {
          report: [
            {
              id,
              type: 'Full-scope Underwriting Report',
              project: { id: Number(project) },
              summary: { yearBuilt: 1990 },
            },
          ],
        });
      case 'report file':
        if (faultOf(project, ['late']) !== null) return json(answer, { error: { message: 'not yet' } }, 404);
        return answer.writeHead(307, { location: `${store.origin}/R${project}.pdf?${SIGNATURE}&of=${project}` }).end();
      default:
        return json(answer, { error: { message: 'there is no such thing' } }, 404);
    }
  });
  return {
    baseUrl: service.origin,
    credentials: CREDENTIALS,
    projectIds: Array.from({ length: reports }, (_, index) => String(FIRST_ID + index)),
    sha256Of: (id) => createHash('sha256').update(reportOf(template, id)).digest('hex'),
    requests,
    bites,
    get authorizationAtStore() {
      return authorizationAtStore;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([service.close(), store.close()]);
    },
  };
}

function searched(startId: number, limit: number, reports: number): object[] {
  const from = Math.max(startId, FIRST_ID);
  const count = Math.max(0, Math.min(limit, FIRST_ID + reports - from));
  return Array.from({ length: count }, (_, index) => ({ id: from + index, status: 'Returned to Client' }));
}

function sendReport(answer: ServerResponse, whole: Buffer, fault: ReportFault | null): void {
  const send = (body: Buffer | string, type = 'application/pdf'): void =>
    void answer.writeHead(200, { 'content-type': type, 'content-length': Buffer.byteLength(body) }).end(body);
  switch (fault) {
    case null:
    case 'late':
      return send(whole);
    case 'cut':
      return send(whole.subarray(0, whole.length / 2));
    case 'torn':
      answer.writeHead(200, { 'content-type': 'application/pdf', 'content-length': whole.length });
      answer.write(whole.subarray(0, whole.length / 2), () => answer.destroy());
      return;
    case 'empty':
      return send('');
    case 'html':
      return send('<!DOCTYPE html><html><body>We will be right back</body></html>');
    case 'corrupt':
      return send(
        Buffer.from(whole.map((byte, at) => (at > whole.length / 3 && at < whole.length / 2 ? byte ^ 0x55 : byte))),
      );
    case 'wrong type':
      return send('<?xml version="1.0"?><report><a>1</a></report>');
    case 'expired URL':
      answer.writeHead(403, { 'content-type': 'application/xml' }).end('<Error><Code>AccessDenied</Code></Error>');
      return;
  }
}

/** A report like those of the service: compressed text, and pictures that fill it up to about the length asked for. */
async function largePdf(bytes: number): Promise<Buffer> {
  const { default: sharp } = await import('sharp');
  const pixels = Buffer.from(Array.from({ length: 96 * 96 * 3 }, (_, index) => hashOf(`pixel ${index}`) % 256));
  const document = new PdfDocument({ info: { Title: MARK, CreationDate: new Date(0) } });
  const chunks = buffer(document);
  for (let written = 0; written < bytes;) {
    const shade = sharp(pixels, { raw: { width: 96, height: 96, channels: 3 } }).modulate({
      brightness: 1 + written / bytes,
    });
    const photo = await shade.jpeg({ quality: 95 }).toBuffer();
    document.addPage().text('A page of a report. '.repeat(100)).image(photo, 50, 500);
    written += photo.length + 700;
  }
  document.end();
  return chunks;
}

/** The template with the project's own number in its title: another content of the same length. */
function reportOf(template: Buffer, id: string): Buffer {
  const report = Buffer.from(template);
  report.write(MARK.slice(0, -id.length) + id, template.indexOf(MARK), 'latin1');
  return report;
}

function hashOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE();
}

function json(answer: ServerResponse, body: object, status = 200): void {
  answer.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function listen(
  latencyMs: number,
  work: (request: IncomingMessage, answer: ServerResponse) => unknown,
): Promise<{ readonly origin: string; close(): Promise<void> }> {
  const { promise: afterwards, resolve } = Promise.withResolvers<void>();
  const server: Server = createServer((request, answer) => {
    request.resume();
    if (latencyMs === 0) work(request, answer);
    else void afterMs(latencyMs).then(() => work(request, answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      server.close(() => resolve());
      await afterwards;
    },
  };
}

async function afterMs(ms: number): Promise<void> {
  const { setTimeout: pause } = await import('node:timers/promises');
  await pause(ms);
}
