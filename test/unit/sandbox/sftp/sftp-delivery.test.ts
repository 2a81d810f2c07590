import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { startDoor } from '../../../support/door.ts';
import { TestClient } from '../../../support/sandbox/test-client.ts';
import { startSftpServer, type SftpServer } from '../../../support/sandbox/sftp-server.ts';
import { deliveredStem } from '../../../../src/sandbox/sftp/sftp-delivery.ts';
import { parseUploadTarget, type UploadTarget } from '../../../../src/sandbox/options.ts';

/** Longer than a busy machine needs. */
const WAIT = { timeout: 45_000, interval: 20 };
const STARTED = Date.UTC(2026, 10, 9, 23, 30);

function target({ port, user, password }: Pick<SftpServer, 'port' | 'user' | 'password'>): UploadTarget {
  return { host: '127.0.0.1', port, user, password, folder: '/' };
}

async function start(server: SftpServer, changes: object = {}): Promise<TestClient> {
  return await TestClient.start({ autoProgress: false, startAt: STARTED, sftp: target(server), ...changes });
}

async function check(
  client: TestClient,
): Promise<{ files: number; projects: number; received: number; failures: number; lastFailure: string | null }> {
  return (await client.control('POST', '/sftp/check')).body as Awaited<ReturnType<typeof check>>;
}

async function returned(client: TestClient, changes: Record<string, unknown> = {}): Promise<string> {
  const id = await client.create(changes);
  await client.setStatus(id, 'Returned to Client');
  return id;
}

describe('SftpDelivery', () => {
  test("a returned project's report and summary appear whole, under their names", async () => {
    await using server = await startSftpServer();
    await using client = await start(server);
    const waiting = await client.create();
    const id = await returned(client, { policyNumber: 'HO/4471' });
    expect(await check(client)).toEqual({ files: 2, projects: 1, received: 0, failures: 0, lastFailure: null });
    const stem = `HO-4471_${id}_11092026`;
    expect(readdirSync(server.folder).toSorted()).toEqual([`${stem}.json`, `${stem}.pdf`]);
    const writes = server.operations.filter(
      (operation) => operation.startsWith('OPEN ') || operation.startsWith('RENAME'),
    );
    expect(writes).toEqual([
      `OPEN .${stem}.pdf.part`,
      `RENAME .${stem}.pdf.part ${stem}.pdf`,
      `OPEN .${stem}.json.part`,
      `RENAME .${stem}.json.part ${stem}.json`,
    ]);
    const { body } = await client.call('GET', `/v1/report/R${id}-1/url`);
    const overHttp = Buffer.from(await (await fetch((body as { url: string }).url)).arrayBuffer());
    expect(readFileSync(join(server.folder, `${stem}.pdf`)).equals(overHttp)).toBe(true);
    expect(readFileSync(join(server.folder, `${stem}.json`), 'utf8')).toBe(
      (await client.call('GET', `/v1/report/R${id}-1/summary`)).text,
    );
    expect([await client.status(waiting), await client.status(id)]).toEqual(['Project Created', 'Returned to Client']);
    await check(client);
    expect(await check(client)).toMatchObject({ files: 2, received: 0 });
  });

  test.each([
    ['deleted', (folder: string, name: string) => rmSync(join(folder, name))],
    [
      'moved out of the folder',
      (folder: string, name: string) => renameSync(join(folder, name), join(folder, `taken-${name}`)),
    ],
  ])('a delivered file that was %s makes only its project Client Received', async (_how, take) => {
    await using server = await startSftpServer();
    await using client = await start(server);
    const [taken, left] = [
      await returned(client, { policyNumber: 'A' }),
      await returned(client, { policyNumber: 'B' }),
    ];
    await check(client);
    take(server.folder, `A_${taken}_11092026.json`);
    expect(await check(client)).toMatchObject({ received: 1 });
    expect([await client.status(taken), await client.status(left)]).toEqual(['Client Received', 'Returned to Client']);
    const { body } = await client.control('GET', '/projects');
    expect(body).toMatchObject({
      projects: [{ statusesSet: [{ by: 'control' }, { by: 'sftp', status: 'Client Received' }] }, {}],
    });
  });

  test('without auto-received, a missing file changes nothing', async () => {
    await using server = await startSftpServer();
    await using client = await start(server, { sftpAutoReceived: false });
    const id = await returned(client, { policyNumber: 'A' });
    await check(client);
    rmSync(join(server.folder, `A_${id}_11092026.pdf`));
    expect(await check(client)).toMatchObject({ received: 0, files: 2 });
    expect([await client.status(id), readdirSync(server.folder)]).toEqual([
      'Returned to Client',
      [`A_${id}_11092026.json`],
    ]);
  });

  test('projects are found by the sandbox itself, on its own clock', async () => {
    await using server = await startSftpServer();
    await using client = await start(server);
    const id = await client.create({ inspectionNumber: 'report_provided-1' });
    await client.advance(300);
    // Nobody asks for a check here.
    await vi.waitUntil(() => readdirSync(server.folder).filter((name) => !name.startsWith('.')).length === 2, WAIT);
    expect(readdirSync(server.folder)).toContain(`_${id}_11092026.pdf`);
  });

  test('rework delivers again and replaces earlier files', async () => {
    await using server = await startSftpServer();
    await using client = await start(server);
    writeFileSync(join(server.folder, 'A_100001_11092026.pdf'), 'from another night');
    const id = await returned(client, { policyNumber: 'A' });
    await check(client);
    expect(readFileSync(join(server.folder, `A_${id}_11092026.pdf`)).toString('latin1', 0, 5)).toBe('%PDF-');
    await client.setStatus(id, 'Project Rework');
    await check(client);
    await client.setStatus(id, 'Returned to Client');
    expect(await check(client)).toMatchObject({ files: 4, projects: 2, failures: 0 });
    expect(readdirSync(server.folder)).toHaveLength(2);
  });

  test('an unreachable server is tried again, and nothing counts as received', async () => {
    await using server = await startSftpServer();
    await using door = await startDoor(server.port);
    await using client = await start(server, { sftp: target({ ...server, port: door.port }) });
    const id = await returned(client);
    await check(client);
    door.close();
    const later = await returned(client);
    const failed = await check(client);
    expect([failed.failures > 0, failed.lastFailure, failed.received]).toEqual([true, expect.any(String), 0]);
    expect((await client.control('GET', '/audit')).body).toMatchObject({ internalErrors: [], sftp: { received: 0 } });
    door.open();
    expect(await check(client)).toMatchObject({ files: 4, received: 0 });
    expect([await client.status(id), await client.status(later)]).toEqual(['Returned to Client', 'Returned to Client']);
  });

  test('a wrong password or host key is reported without the password', async () => {
    await using server = await startSftpServer();
    const refused = async (changes: Partial<UploadTarget>) => {
      await using client = await TestClient.start({ autoProgress: false, sftp: { ...target(server), ...changes } });
      await returned(client);
      return await check(client);
    };
    const wrong = await refused({ password: 'not-this-one' });
    expect([wrong.files, wrong.lastFailure]).toEqual([0, expect.stringContaining('authentication')]);
    expect(wrong.lastFailure).not.toContain('not-this-one');
    expect(await refused({ hostKey: 'SHA256:another' })).toMatchObject({
      files: 0,
      lastFailure: expect.stringContaining('verification'),
    });
    expect(await refused({ hostKey: server.hostKey })).toMatchObject({ files: 2, failures: 0 });
  });

  test('a restart delivers nothing twice and notices taken files', async () => {
    await using server = await startSftpServer();
    const dataFile = join(server.folder, '..', `${String(server.port)}-deliveries.sqlite`);
    try {
      const first = await start(server, { dataFile });
      const [taken, left] = [
        await returned(first, { policyNumber: 'A' }),
        await returned(first, { policyNumber: 'B' }),
      ];
      await check(first);
      await first.sandbox.close();
      rmSync(join(server.folder, `A_${taken}_11092026.pdf`));
      await using second = await TestClient.start({ dataFile, sftp: target(server) });
      expect(await check(second)).toMatchObject({ files: 0, received: 1 });
      expect([await second.status(taken), await second.status(left)]).toEqual([
        'Client Received',
        'Returned to Client',
      ]);
    } finally {
      for (const end of ['', '-wal', '-shm']) rmSync(`${dataFile}${end}`, { force: true });
    }
  });

  test('without an SFTP server there is nothing to check', async () => {
    await using client = await TestClient.start();
    expect((await client.control('POST', '/sftp/check')).status).toBe(404);
    expect((await client.control('GET', '/audit')).body).toMatchObject({ sftp: null });
  });

  test('parseUploadTarget reads an address without a password', () => {
    const secrets = { password: 's' };
    expect(parseUploadTarget('sftp://carrier@files.example:2222/in/coming/', secrets)).toEqual({
      host: 'files.example',
      port: 2222,
      user: 'carrier',
      folder: '/in/coming',
      password: 's',
    });
    expect(parseUploadTarget('sftp://a%40b@[::1]/~/in', secrets)).toMatchObject({
      host: '::1',
      port: 22,
      user: 'a@b',
      folder: 'in',
    });
    expect([
      parseUploadTarget('sftp://u@h', secrets).folder,
      parseUploadTarget('sftp://u@h/~', secrets).folder,
    ]).toEqual(['/', '.']);
    expect(() => parseUploadTarget('sftp://u:secret@h/in', secrets)).toThrow('holds a password');
    expect(() => parseUploadTarget('sftp://h/in', secrets)).toThrow('names no user');
    expect(() => parseUploadTarget('https://u@h/in', secrets)).toThrow('SFTP folder');
    expect(() => parseUploadTarget('sftp://u@h/in', {})).toThrow('no password');
  });

  test('a file name cannot lead out of its folder', () => {
    expect(deliveredStem({ id: 7n, policyNumber: '../../etc/é 1', createdAt: Date.UTC(2026, 0, 2) })).toBe(
      '-..-etc-é 1_7_01022026',
    );
    expect(deliveredStem({ id: 7n, policyNumber: undefined, createdAt: Date.UTC(2026, 0, 2) })).toBe('_7_01022026');
  });
});
