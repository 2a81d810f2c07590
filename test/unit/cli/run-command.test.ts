import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { orderCsv } from '../../support/order-csv.ts';
import { type Script, sendJson, startScriptedServer } from '../../support/scripted-server.ts';
import { temporaryWorkspace } from '../../support/temporary-workspace.ts';
import { runCommand } from '../../../src/cli/run-command.ts';

/** How the last line of the log tells a run against a service that answers searches like this. */
async function lastLine(
  answer: Script,
): Promise<{ readonly line: unknown; readonly exitCode: number; readonly summary: object }> {
  await using server = await startScriptedServer((request, response) => {
    if (request.url === '/v1/oauth/token') sendJson(response, 200, { access_token: 't', token_type: 'bearer' });
    else answer(request, response);
  });
  const names = {
    BASE_URL: server.origin,
    CLIENT_ID: 'client',
    CLIENT_SECRET: 'c-secret',
    USERNAME: 'user',
    PASSWORD: 'p-secret',
  };
  await using workspace = await temporaryWorkspace({
    env: Object.entries(names)
      .map(([name, value]) => `INSPECTION_${name}=${value}\n`)
      .join(''),
    inbox: { 'orders.csv': orderCsv(1) },
  });
  const { exitCode, json } = await runCommand('submit', { workspace: workspace.path });
  const [log = ''] = await readdir(workspace.at('logs'));
  const lines = (await readFile(workspace.at('logs', log), 'utf8')).trim().split('\n');
  return { line: JSON.parse(lines.at(-1) ?? ''), exitCode, summary: json };
}

const refusesCreates: Script = ({ method }, response) =>
  method === 'POST'
    ? sendJson(response, 403, { error: { message: 'not for this user' } })
    : sendJson(response, 200, { project: [] });
const isAway: Script = (_request, response) => response.socket?.resetAndDestroy();

// The summary has no "stopped" field: its shape stays.
test.each([
  ['a create is refused', refusesCreates, /403.*not for this user/],
  ['the service is away', isAway, /cut/],
])('runCommand logs why a run stopped when %s', async (_why, answer, stopped) => {
  const { line, exitCode, summary } = await lastLine(answer);
  expect(exitCode).toBe(4);
  expect(line).toMatchObject({
    event: 'run finished',
    exitCode: 4,
    stopped: expect.stringMatching(stopped) as string,
  });
  expect(summary).not.toHaveProperty('stopped');
});

test('runCommand refuses a folder by its name', async () => {
  await using workspace = await temporaryWorkspace({ env: 'INSPECTION_BASE_URL=http://127.0.0.1:1\n', inbox: {} });
  await expect(
    runCommand('submit', { workspace: workspace.path, files: [workspace.at('inbox')] }),
  ).rejects.toMatchObject({ code: 'not-a-file' });
});
