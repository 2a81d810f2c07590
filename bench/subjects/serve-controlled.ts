/** The sandbox with its control server. */
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { serveParent } from '../measure/server.ts';

const { baseUrl, controlUrl, credentials } = await startSandbox();
serveParent({ baseUrl, controlUrl, credentials });
