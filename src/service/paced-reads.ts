import { messageOf } from '../domain/errors.ts';
import type { ReadOutcome } from './outcome.ts';
import { type Pacer, paceOfRead } from './pacer.ts';
import type { ServiceClient } from './service-client.ts';

/**
 * The same client, whose reads and PUTs leave when the pacer lets them. Creates are not touched: whoever places orders paces them together
 * with what goes on record, by a pacer of their own, since a read may be needed while a create holds its place. Whoever waits when `signal`
 * aborts gets `transient`, and so does who waits for an answer or reads a file; a PUT that was sent is waited for.
 */
export function pacedReads(client: ServiceClient, pacer: Pacer, signal: AbortSignal): ServiceClient {
  const paced = async <T>(read: (signal: AbortSignal) => Promise<ReadOutcome<T>>): Promise<ReadOutcome<T>> => {
    try {
      return await pacer.run(read, paceOfRead);
    } catch (failure) {
      if (!signal.aborted || failure !== signal.reason) throw failure;
      return { kind: 'transient', reason: messageOf(failure), status: null, retryAfterMs: null };
    }
  };
  return {
    account: client.account,
    createProject: (payload) => client.createProject(payload),
    getProject: (id, options) => paced((stop) => client.getProject(id, { signal: stop, ...options })),
    updateProject: (id, body) => paced(() => client.updateProject(id, body)),
    getStatus: (id, options) => paced((stop) => client.getStatus(id, { signal: stop, ...options })),
    putStatus: (id, body) => paced(() => client.putStatus(id, body)),
    searchProjects: (query, options) => paced((stop) => client.searchProjects(query, { signal: stop, ...options })),
    listReports: (id, options) => paced((stop) => client.listReports(id, { signal: stop, ...options })),
    getReportSummary: (id, options) => paced((stop) => client.getReportSummary(id, { signal: stop, ...options })),
    listImages: (id, options) => paced((stop) => client.listImages(id, { signal: stop, ...options })),
    openReportFile: (id, options) => paced((stop) => client.openReportFile(id, { signal: stop, ...options })),
    openImageFile: (id, options) => paced((stop) => client.openImageFile(id, { signal: stop, ...options })),
    close: () => client.close(),
  };
}
