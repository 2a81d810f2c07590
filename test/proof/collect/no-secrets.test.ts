import { expect, test } from 'vitest';
import { runToEnd } from '../../support/command-line.ts';
import { orderCsv } from '../../support/order-csv.ts';
import { startSandboxProcess } from '../../support/sandbox-process.ts';
import { temporaryWorkspace } from '../../support/temporary-workspace.ts';
import { findInFiles } from './find-in-files.ts';

const FIFTEEN_DAYS_S = 15 * 24 * 60 * 60;

test('after nights full of faults no file, log or output holds a signed URL, a token or a password, and no token went anywhere else', async () => {
  await using sandbox = await startSandboxProcess();
  await using workspace = await temporaryWorkspace({ env: sandbox.lines, inbox: { 'orders.csv': orderCsv(12) }, config: 'submit:\n  quarantineSeconds: 1\ncollect:\n  markReceived: true\n' });
  const said: string[] = [];
  const run = async (...args: readonly string[]): Promise<number | null> => {
    const ended = await runToEnd([...args, '--workspace', workspace.path]);
    said.push(ended.stdout, ended.stderr);
    return ended.code;
  };
  await run('submit');
  await sandbox.advance(FIFTEEN_DAYS_S);
  const atFiles = { match: { route: '/files/*' }, probability: 0.3 } as const;
  const atRedirects = { match: { route: '/v1/report/{reportId}/file' }, probability: 0.4 } as const;
  await sandbox.faults([
    { kind: 'expired-url', ...atFiles },
    { kind: 'truncated', ...atFiles },
    { kind: 'reset', ...atFiles },
    { kind: 'html-file', ...atFiles },
    { kind: '500', ...atFiles, times: 4 },
    { kind: 'detour', ...atRedirects },
    { kind: 'redirect-elsewhere', ...atRedirects },
    { kind: 'redirect-loop', ...atRedirects },
  ]);
  await run('collect', '--json');
  await run('collect');
  const bites = (await sandbox.audit()).faults.filter(({ bites: count }) => count > 0).map(({ rule }) => rule.kind);
  await sandbox.faults([]);
  // 3: a closeout is told by the first follow-up that ends well.
  expect(await run('collect')).toBeOneOf([0, 3]);
  await run('status');
  await run('verify');

  expect(bites.length).toBeGreaterThanOrEqual(6);
  const valueOf = (name: string): string => new RegExp(`^INSPECTION_${name}=(.*)$`, 'm').exec(sandbox.lines)?.[1] ?? '';
  const secrets = [valueOf('CLIENT_SECRET'), valueOf('PASSWORD'), 'signature=', 'Bearer ', '/files/report/', '/files/image/'];
  expect(secrets.every((secret) => secret.length > 5)).toBe(true);
  expect(secrets.filter((secret) => said.some((text) => text.includes(secret)))).toEqual([]);
  expect(await findInFiles(workspace.path, secrets, (name) => name === '.env')).toEqual([]);
  expect(await sandbox.audit()).toMatchObject({ authorizationAtFilesOrigin: 0, authorizationElsewhere: 0, internalErrors: [] });
});
