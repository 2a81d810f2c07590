import type { Sandbox } from './sandbox.ts';

/** What a client needs to know of a running sandbox, in `.env` form: the five `INSPECTION_…` variables and the control server's address. */
export function environmentLines(sandbox: Pick<Sandbox, 'baseUrl' | 'controlUrl' | 'credentials'>): string {
  const { clientId, clientSecret, username, password } = sandbox.credentials;
  const variables = {
    INSPECTION_BASE_URL: sandbox.baseUrl,
    INSPECTION_CLIENT_ID: clientId,
    INSPECTION_CLIENT_SECRET: clientSecret,
    INSPECTION_USERNAME: username,
    INSPECTION_PASSWORD: password,
    INSPECTION_SANDBOX_CONTROL_URL: sandbox.controlUrl,
  };
  return Object.entries(variables)
    .map(([name, value]) => `${name}=${/^[\w@.:/+-]*$/.test(value) ? value : JSON.stringify(value)}\n`)
    .join('');
}
