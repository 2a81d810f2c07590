/** The sandbox, in memory. Argument: milliseconds that every answer takes. */
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { serveParent } from '../measure/server.ts';
import { argument } from '../measure/subject.ts';

const { baseUrl, credentials } = await startSandbox({ latencyMs: Number(argument(0)), autoProgress: false });
serveParent({ baseUrl, credentials });
