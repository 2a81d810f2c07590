import { messageOf } from '../domain/errors.ts';
import type { ReadOutcome } from './outcome.ts';
import { type Pacer, paceOfRead } from './pacer.ts';
import type { ServiceClient } from './service-client.ts';

/**
 * The same client, whose reads and PUTs leave when the pacer lets them. Creates are not touched: whoever places orders paces them together
 * with what goes on record, by a pacer of their own, since a read may be needed while a create holds its place. Whoever waits when `signal`
 * aborts gets `transient`: nothing was sent.
 */
export function pacedReads(client: ServiceClient, pacer: Pacer, signal: AbortSignal): ServiceClient {
  const paced = async <T>(read: () => Promise<ReadOutcome<T>>): Promise<ReadOutcome<T>> => {
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
    getProject: (id, options) => paced(() => client.getProject(id, options)),
    updateProject: (id, body) => paced(() => client.updateProject(id, body)),
    getStatus: (id, options) => paced(() => client.getStatus(id, options)),
    putStatus: (id, body) => paced(() => client.putStatus(id, body)),
    searchProjects: (query, options) => paced(() => client.searchProjects(query, options)),
    listReports: (id, options) => paced(() => client.listReports(id, options)),
    getReportSummary: (id, options) => paced(() => client.getReportSummary(id, options)),
    listImages: (id, options) => paced(() => client.listImages(id, options)),
    openReportFile: (id, options) => paced(() => client.openReportFile(id, options)),
    openImageFile: (id, options) => paced(() => client.openImageFile(id, options)),
    close: () => client.close(),
  };
}
