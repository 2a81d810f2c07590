import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import ssh2, { type SFTPWrapper } from 'ssh2';
import { environmentLines } from '../../../src/sandbox/sandbox.ts';
import { TestClient } from '../../support/sandbox/test-client.ts';
import { startSftpServer, type SftpServer } from '../../support/sandbox/sftp-server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const umask = process.umask();
afterEach(() => void process.umask(umask));

/** The status of a GET with just these headers: `fetch` writes the Host itself. */
async function statusOf(
  url: URL,
  headers: Record<string, string>,
): Promise<{ status: number | undefined; body: string }> {
  const asked = request({ host: '127.0.0.1', port: url.port, path: url.pathname, headers, setHost: false });
  return await new Promise((resolve, reject) => {
    asked.on(
      'response',
      (answer) => void text(answer).then((body) => resolve({ status: answer.statusCode, body }), reject),
    );
    asked.on('error', reject);
    asked.end();
  });
}

describe('addControlRoutes', () => {
  test('the control server requires the token of its address', async () => {
    await using client = await TestClient.start();
    const { controlUrl } = client.sandbox;
    const printed = /^INSPECTION_SANDBOX_CONTROL_URL=(.*)$/m.exec(environmentLines(client.sandbox))?.[1];
    expect((await fetch(`${printed ?? ''}/audit`)).status).toBe(200);
    const { origin, pathname } = new URL(controlUrl);
    for (const path of ['/audit', '/', '/x/audit', `${pathname}x/audit`, `${pathname.slice(0, -1)}/audit`, `//audit`]) {
      for (const method of ['GET', 'POST']) {
        const answer = await fetch(`${origin}${path}`, { method });
        expect([path, answer.status, await answer.text()]).toEqual([
          path,
          401,
          expect.stringContaining('INSPECTION_SANDBOX_CONTROL_URL'),
        ]);
      }
    }
    const pattern = /^\/[\w-]{43}$/;
    expect(pathname).toMatch(pattern);
    await using other = await TestClient.start();
    expect(new URL(other.sandbox.controlUrl).pathname).not.toBe(pathname);
  });

  test('the control server answers only local host names', async () => {
    await using client = await TestClient.start();
    const url = new URL(`${client.sandbox.controlUrl}/audit`);
    for (const host of [
      url.host,
      '127.0.0.1',
      'localhost',
      `LOCALHOST:${url.port}`,
      `[::1]:${url.port}`,
      '127.9.9.9',
    ]) {
      expect([host, (await statusOf(url, { host })).status]).toEqual([host, 200]);
    }
    const strangers = [
      'rebound.example',
      `rebound.example:${url.port}`,
      '127.0.0.1.rebound.example',
      'localhost.rebound.example',
      '10.0.0.1',
      '0.0.0.0',
      '169.254.169.254',
      'localhost@rebound.example',
      '',
      'a b',
    ];
    for (const host of strangers) expect([host, (await statusOf(url, { host })).status]).toEqual([host, 403]);
  });

  test('a data file keeps the control token and is private', async () => {
    await using folder = await temporaryFolder();
    const dataFile = join(folder.path, 'sandbox.sqlite');
    process.umask(0);
    const modes = (): string[] =>
      readdirSync(folder.path)
        .toSorted()
        .map((name) => `${name} ${(statSync(join(folder.path, name)).mode & 0o777).toString(8)}`);
    let token: string;
    {
      await using client = await TestClient.start({ dataFile });
      await client.create();
      token = new URL(client.sandbox.controlUrl).pathname;
      expect(modes()).toEqual(['sandbox.sqlite 600', 'sandbox.sqlite-wal 600']);
    }
    chmodSync(dataFile, 0o664);
    await using again = await TestClient.start({ dataFile });
    await again.create();
    expect(new URL(again.sandbox.controlUrl).pathname).toBe(token);
    expect(modes()).toEqual(['sandbox.sqlite 600', 'sandbox.sqlite-wal 600']);
  });

  test('a file that is no data file keeps its mode', async () => {
    await using folder = await temporaryFolder();
    const dataFile = join(folder.path, 'notes.txt');
    writeFileSync(dataFile, 'not a database, but long enough to be taken for one', { mode: 0o644 });
    chmodSync(dataFile, 0o644);
    await expect(TestClient.start({ dataFile })).rejects.toThrow('cannot be used');
    expect(statSync(dataFile).mode & 0o777).toBe(0o644);
  });

  async function namesIn(sftp: SFTPWrapper, folder: string): Promise<string[] | string> {
    return await new Promise((resolve) =>
      sftp.readdir(folder, (failure, list) =>
        resolve(failure === undefined ? list.map(({ filename }) => filename).toSorted() : failure.message),
      ),
    );
  }

  async function connected({ port, user, password }: SftpServer): Promise<{ sftp: SFTPWrapper } & Disposable> {
    const client = new ssh2.Client();
    const sftp = await new Promise<SFTPWrapper>((resolve, reject) => {
      client.on('ready', () =>
        client.sftp((failure, opened) => (failure === undefined ? resolve(opened) : reject(failure))),
      );
      client.on('error', reject);
      client.connect({ host: '127.0.0.1', port, username: user, password });
    });
    return { sftp, [Symbol.dispose]: () => void client.end() };
  }

  test('the SFTP server for tests lists the opened folder', async () => {
    await using server = await startSftpServer();
    for (const folder of ['incoming', 'incoming/deeper']) await mkdir(join(server.folder, folder));
    for (const name of ['root.pdf', 'incoming/a.pdf', 'incoming/deeper/b.pdf'])
      writeFileSync(join(server.folder, name), name);
    using session = await connected(server);
    expect(await namesIn(session.sftp, '/')).toEqual(['incoming', 'root.pdf']);
    expect(await namesIn(session.sftp, '/incoming')).toEqual(['a.pdf', 'deeper']);
    expect(await namesIn(session.sftp, 'incoming/deeper/')).toEqual(['b.pdf']);
    expect(await namesIn(session.sftp, '/nowhere')).toMatch(/no such file/i);
    expect(await namesIn(session.sftp, '/root.pdf')).toMatch(/failure/i);
  });
});
