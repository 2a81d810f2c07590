import { expect, test } from 'vitest';
import { sandboxCommand, type TextFlags } from '../../../src/cli/sandbox-command.ts';
import type { SandboxOptions } from '../../../src/sandbox/options.ts';
import { serveHere } from '../../support/command-in-this-process.ts';

interface Served {
  readonly baseUrl: string;
  readonly controlUrl: string;
  readonly credentials: Readonly<Record<string, string>>;
}

test('applies its flags, warns about a public host, keeps control on loopback', async () => {
  const args = [
    '--host',
    '0.0.0.0',
    '--user',
    'ann:pass:read-only',
    '--user',
    'bob:pass',
    '--option',
    'expiresIn=absent',
    '--option',
    'initialStatus=Customer Contacted',
    '--first-id',
    '9007199254740993',
  ];
  const { code, stderr } = await serveHere(['--json', ...args], async (stdout) => {
    const { baseUrl, controlUrl, credentials } = JSON.parse(stdout) as Served;
    expect(new URL(controlUrl).hostname).toBe('127.0.0.1');
    const url = baseUrl.replace('0.0.0.0', '127.0.0.1');
    const tokenOf = async (username: string): Promise<Record<string, string>> => {
      const headers = { authorization: `Basic ${btoa(`${credentials['clientId']}:${credentials['clientSecret']}`)}` };
      const answer = await fetch(`${url}/v1/oauth/token`, {
        method: 'POST',
        headers,
        body: new URLSearchParams({ grant_type: 'password', username, password: 'pass' }),
      });
      return (await answer.json()) as Record<string, string>;
    };
    const body = JSON.stringify({
      streetAddress: '1 Way',
      city: 'X',
      state: 'MA',
      zipcode: '02139',
      serviceName: '4-Point',
      policyType: 'Homeowners Insurance',
      houseType: 'Other',
      insuredName: 'A',
      insuredPhone: '1',
      insuredEmail: 'a@b.example',
    });
    const create = async ({ access_token: token }: Record<string, string>) =>
      await fetch(`${url}/v1/project`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body,
      });
    const bob = await tokenOf('bob');
    expect(bob).not.toHaveProperty('expires_in');
    expect((await create(await tokenOf('ann'))).status).toBe(403);
    expect(await (await create(bob)).text()).toContain('"id":9007199254740993,');
    const search = await fetch(`${url}/v1/project`, { headers: { authorization: `Bearer ${bob['access_token']}` } });
    expect(await search.text()).toContain('"status":"Customer Contacted"');
  });
  expect(stderr).toMatch(/^Warning: .*\b0\.0\.0\.0/);
  expect(code).toBe(0);
});

test.each<[SandboxOptions, TextFlags, string]>([
  [{}, { option: ['expiresIn=hours'] }, 'Option expiresIn cannot be "hours"'],
  [{}, { user: ['ann'] }, 'a name and a password'],
  [{ firstProjectId: 'x' }, {}, "first project's id"],
  [{ dataFile: '/nowhere/at/all.sqlite' }, {}, 'cannot be used'],
  [{ port: 99_999 }, {}, 'cannot listen'],
  [{ host: 'no-such-host.invalid' }, {}, 'cannot listen'],
])('refuses %j as a usage error with a hint', async (options, flags, message) => {
  await expect(sandboxCommand(options, true, flags)).rejects.toMatchObject({
    kind: 'usage',
    message: expect.stringContaining(message),
    hint: expect.stringMatching(/^[A-Z].+\.$/),
  });
});

test('prints no warning on loopback', async () => {
  const { stderr } = await serveHere([], async () => {});
  expect(stderr).not.toContain('Warning');
});
