import { projectImagesResponse, projectReportsResponse, reportSummaryResponse, type ImageReference, type ReportReference } from '../contract/report.ts';
import { onlyItem } from './answer.ts';
import type { Calls } from './calls.ts';
import { parseMended } from '../contract/parse-mended.ts';
import type { RawSummary, ServiceClient } from './service-client.ts';

type DeliverableMethods = Pick<ServiceClient, 'listReports' | 'getReportSummary' | 'listImages' | 'openReportFile' | 'openImageFile'>;

/** Document: Endpoints, Reports and Images. */
export function deliverableMethods(calls: Calls): DeliverableMethods {
  return {
    listReports: (id, { signal } = {}) =>
      calls.read<readonly ReportReference[]>({ method: 'GET', route: '/v1/project/{projectId}/report', id, signal }, (json) => {
        const item = onlyItem(parseMended(projectReportsResponse, json)?.project, id);
        return item && (item.report ?? []);
      }),

    getReportSummary: (id, { signal } = {}) =>
      calls.read<RawSummary>({ method: 'GET', route: '/v1/report/{reportId}/summary', id, signal }, (json, { body }) => {
        const report = onlyItem(parseMended(reportSummaryResponse, json)?.report, id);
        return report && { bytes: body, report };
      }),

    listImages: (id, { signal } = {}) =>
      calls.read<readonly ImageReference[]>({ method: 'GET', route: '/v1/project/{projectId}/image', id, signal }, (json) => {
        const item = onlyItem(parseMended(projectImagesResponse, json)?.project, id);
        return item && (item.image ?? []);
      }),

    openReportFile: (id, { signal, compressed } = {}) =>
      calls.openFile({ method: 'GET', route: '/v1/report/{reportId}/file', id, query: { compressed }, signal }),

    openImageFile: (id, { signal } = {}) => calls.openFile({ method: 'GET', route: '/v1/image/{imageId}/file', id, signal }),
  };
}
