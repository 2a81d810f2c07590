import { readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startSftpServer } from '../../support/sandbox/sftp-server.ts';
import { oneDocument, runToEnd } from '../../support/command-line.ts';
import { orderCsv } from '../../support/order-csv.ts';
import { startSandboxProcess } from '../../support/sandbox-process.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { temporaryWorkspace } from '../../support/temporary-workspace.ts';

test('collect delivers files from SFTP and takes them out of the folder', async () => {
  await using server = await startSftpServer();
  await using sandbox = await startSandboxProcess(['--sftp', `sftp://${server.user}@127.0.0.1:${server.port}/`], {
    environment: { PATH: '/usr/bin:/bin', INSPECTION_SANDBOX_SFTP_PASSWORD: server.password },
  });
  await using workspace = await temporaryWorkspace({
    env: `${sandbox.lines}\nINSPECTION_SFTP_PASSWORD=${server.password}\n`,
    config: `collect:\n  sftp:\n    host: 127.0.0.1\n    port: ${server.port}\n    username: ${server.user}\n    hostKey: ${server.hostKey}\n`,
    inbox: { 'orders.csv': orderCsv(2) },
  });
  const run = async (...args: readonly string[]) => runToEnd([...args, '--json'], { cwd: workspace.path });
  expect(oneDocument(await run('doctor'))).toMatchObject({
    exitCode: 0,
    findings: expect.arrayContaining([
      { what: 'SFTP folder', state: 'ok', detail: `127.0.0.1:${server.port} answers; files in /: 0` },
    ]) as unknown,
  });
  expect(await run('run')).toMatchObject({ code: 0 });
  await sandbox.advance(15 * 24 * 60 * 60);
  await waitUntil('the four files', async () => {
    await sandbox.advance(60);
    return readdirSync(server.folder).filter((name) => !name.startsWith('.')).length === 4;
  });
  const collected = await run('collect');
  expect(collected).toMatchObject({ code: 0 });
  expect(oneDocument(collected)).toMatchObject({ projects: { collected: 2 } });
  expect(readdirSync(server.folder)).toEqual(['taken']);
  expect(collected.stdout + collected.stderr).not.toContain(server.password);
  for (const name of readdirSync(workspace.at('logs')))
    expect(await readFile(join(workspace.at('logs'), name), 'utf8')).not.toContain(server.password);
  // The service looks into the folder beside whoever moves its clock: this waits until it has.
  expect((await fetch(`${sandbox.controlUrl}/sftp/check`, { method: 'POST' })).ok).toBe(true);
  expect(oneDocument(await run('collect'))).toMatchObject({ projects: { received: 2 } });
  await writeFile(
    workspace.at('config.yaml'),
    'retention:\n  archiveDays: 1\n  deliveriesDays: 1\n  logsDays: 1\n  downloadsDays: 1\n',
  );
  // All of it is of today.
  expect(oneDocument(await run('prune', '--dry-run'))).toEqual({
    dryRun: true,
    removed: [],
    bytes: 0,
    forgotten: { orders: 0, rows: 0 },
    exitCode: 0,
  });
  expect(await run('verify')).toMatchObject({ code: 0 });
});

test('doctor names the key of an SFTP server not yet trusted', async () => {
  await using server = await startSftpServer();
  await using workspace = await temporaryWorkspace({
    env: `INSPECTION_SFTP_PASSWORD=${server.password}\n`,
    config: `collect:\n  sftp:\n    host: 127.0.0.1\n    port: ${server.port}\n    username: ${server.user}\n`,
    inbox: {},
  });
  const { code, stdout } = await runToEnd(['doctor'], { cwd: workspace.path });
  expect(code).toBe(2);
  expect(stdout).toContain(
    `PROBLEM  SFTP folder: The SFTP server 127.0.0.1:${server.port} shows the key ${server.hostKey}. If that is its key, put it into config.yaml as collect.sftp.hostKey.`,
  );
});
