/** A service with returned projects only. Arguments: how many, the bytes of a report, the latency in ms. */
import { startReportService } from '../../test/support/report-service.ts';
import { serveParent } from '../measure/server.ts';
import { argument } from '../measure/subject.ts';

const { baseUrl, credentials } = await startReportService({
  reports: Number(argument(0)),
  bytes: Number(argument(1)),
  latencyMs: Number(argument(2)),
});
serveParent({ baseUrl, credentials });
