/** The sandbox with its control server, and reports of one page: whole ones of so many projects would fill the disk. */
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { serveParent } from '../measure/server.ts';

const { baseUrl, controlUrl, credentials } = await startSandbox({ reportFiles: 'one-page' });
serveParent({ baseUrl, controlUrl, credentials });
