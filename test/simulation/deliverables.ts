import { Readable } from 'node:stream';
import sharp from 'sharp';
import { stringifyExactJson } from '../../src/contract/json.ts';
import type { HttpResponse, HttpRequest, OpenResponse, Transport } from '../../src/service/exchange.ts';
import type { SimulatedService } from './simulated-service.ts';

const PDF = Buffer.from('%PDF-1.4\n1 0 obj\n<<>>\nendobj\nstartxref\n0\n%%EOF\n');
const JPEG = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'grey' } })
  .jpeg()
  .toBuffer();

/** The service's reports and images, and what it is told of their receipt. A project that is received offers nothing any more. */
export function withDeliverables(
  service: SimulatedService,
  transport: Transport,
  onReceived: (projectId: string) => void,
): Transport {
  const statusOf = (id: string): string => {
    const project = service.store.find(BigInt(id));
    return project === undefined ? '' : service.store.statusOf(project);
  };
  const offered = (id: string, items: readonly object[]): readonly object[] =>
    statusOf(id) === 'Returned to Client' ? items : [];

  const answerTo = ({ method, url, body }: HttpRequest): HttpResponse | null => {
    const [, , kind, id = '', part] = url.pathname.split('/');
    if (kind === 'report' && part === 'summary')
      return json({ report: [{ id, type: 'Full-scope Underwriting Report', project: {}, summary: {} }] });
    if (kind !== 'project' || part === undefined) return null;
    if (part === 'report')
      return json({
        project: [{ id: BigInt(id), report: offered(id, [{ id: `R${id}`, type: 'Full-scope Underwriting Report' }]) }],
      });
    if (part === 'image')
      return json({
        project: [
          {
            id: BigInt(id),
            image: offered(id, [{ id: `I${id}`, source: 'Pilot', type: 'Elevation', direction: 'Front' }]),
          },
        ],
      });
    if (method !== 'PUT') return null;
    const project = service.store.find(BigInt(id));
    if (project === undefined || statusOf(id) !== 'Returned to Client')
      return json({ error: { message: 'That move is not allowed.' } }, 409);
    onReceived(id);
    service.store.setStatus(project, (JSON.parse(body ?? '{}') as { value: string }).value, 'client');
    return json({ project: [{ id: BigInt(id), status: statusOf(id) }] });
  };

  return {
    exchange: async (request) => answerTo(request) ?? transport.exchange(request),
    open: async ({ url }): Promise<OpenResponse> => {
      const [, , kind] = url.pathname.split('/');
      const bytes = kind === 'image' ? JPEG : PDF;
      const headers = {
        'content-type': kind === 'image' ? 'image/jpeg' : 'application/pdf',
        'content-length': String(bytes.length),
      };
      return { kind: 'answer', status: 200, headers, stream: Readable.from([bytes]) };
    },
    close() {},
  };
}

function json(body: object, status = 200): HttpResponse {
  return {
    kind: 'answer',
    status,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(stringifyExactJson(body)),
  };
}
