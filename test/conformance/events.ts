import { readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { SandboxOptions } from '../../src/sandbox/options.ts';
import { TestClient } from '../support/sandbox/test-client.ts';
import { startSftpServer, type SftpServer } from '../support/sandbox/sftp-server.ts';
import type { Row, Untestable } from './row.ts';
import { fetched, reportsOf, returned } from './steps.ts';

/** A sandbox that delivers to a real SFTP server, on 9 November 2026. */
async function delivering(server: SftpServer, options: SandboxOptions = {}): Promise<TestClient> {
  const { port, user, password } = server;
  return await TestClient.start({
    autoProgress: false,
    startAt: Date.UTC(2026, 10, 9, 12),
    sftp: { host: '127.0.0.1', port, user, password, folder: '/' },
    ...options,
  });
}

/** Asks the sandbox to look at the SFTP server now. */
async function look(client: TestClient): Promise<Record<string, unknown>> {
  return (await client.control('POST', '/sftp/check')).body as Record<string, unknown>;
}

/** A project whose results were delivered, and the name its files share. */
async function delivered(client: TestClient): Promise<{ id: string; stem: string }> {
  const id = await returned(client, { policyNumber: 'HO4471' });
  await look(client);
  return { id, stem: `HO4471_${id}_11092026` };
}

/** What happens to a delivered file. */
function autoReceivedRow(way: 'deleting' | 'moving'): Row {
  return {
    id: `events.auto-received.${way}`,
    sentence:
      way === 'deleting'
        ? 'Auto Client Received: by default, deleting a delivered file or moving it to another folder sets the project status to `Client Received`.'
        : 'Returned to Client | Automatic: a delivered file is deleted from, or moved out of, the SFTP delivery folder | Behaviour is on by default and is disabled on client request | Client Received |',
    fact: `sets Client Received after ${way} one file, for its project only`,
    async check() {
      await using server = await startSftpServer();
      await using client = await delivering(server);
      const [taken, left] = [await delivered(client), await delivered(client)];
      await look(client);
      expect(await client.status(taken.id)).toBe('Returned to Client');
      const path = join(server.folder, `${taken.stem}.${way === 'deleting' ? 'pdf' : 'json'}`);
      if (way === 'deleting') rmSync(path);
      else renameSync(path, join(server.folder, 'taken.json'));
      await look(client);
      expect([await client.status(taken.id), await client.status(left.id)]).toEqual([
        'Client Received',
        'Returned to Client',
      ]);
    },
  };
}

/** Document: Events. */
export const EVENTS: readonly Row[] = [
  {
    id: 'events.sftp',
    sentence:
      'Result delivery by SFTP is an optional channel. After a project completes, the results are uploaded to a client-specified SFTP server:',
    fact: 'uploads report and summary of returned projects to a named server',
    async check(without) {
      await using server = await startSftpServer();
      await using client = await delivering(server);
      await client.create();
      await look(client);
      expect(readdirSync(server.folder)).toEqual([]);
      await delivered(client);
      expect(readdirSync(server.folder)).toHaveLength(2);
      await returned(without);
      expect((await without.control('GET', '/audit')).body).toMatchObject({ sftp: null });
    },
  },
  {
    id: 'events.sftp.service',
    sentence: "Besides the API, delivery results can be pushed to the client's SFTP server (see Events).",
    fact: 'uploads the same report and summary as the API returns',
    async check() {
      await using server = await startSftpServer();
      await using client = await delivering(server);
      const { id, stem } = await delivered(client);
      const [report] = await reportsOf(client, id);
      const file = await fetched(
        (await client.call('GET', `/v1/report/${report?.id ?? ''}/file`)).headers.get('location'),
      );
      expect(readFileSync(join(server.folder, `${stem}.pdf`)).equals(file.bytes)).toBe(true);
      expect(JSON.parse(readFileSync(join(server.folder, `${stem}.json`), 'utf8'))).toEqual(
        (await client.call('GET', `/v1/report/${report?.id ?? ''}/summary`)).body,
      );
    },
  },
  {
    id: 'events.sftp.report-file',
    sentence: 'Report file | `{POLICY_NUMBER}_{PROJECT_ID}_{INSPECTION_ORDERED_DATE}.pdf` | PDF',
    fact: 'uploads a PDF under this name',
    async check() {
      await using server = await startSftpServer();
      await using client = await delivering(server);
      const { stem } = await delivered(client);
      expect(
        readFileSync(join(server.folder, `${stem}.pdf`))
          .subarray(0, 5)
          .toString(),
      ).toBe('%PDF-');
    },
  },
  {
    id: 'events.sftp.summary-file',
    sentence: 'Report summary | `{POLICY_NUMBER}_{PROJECT_ID}_{INSPECTION_ORDERED_DATE}.json` | JSON',
    fact: 'uploads the summary under this name',
    async check() {
      await using server = await startSftpServer();
      await using client = await delivering(server);
      const { id, stem } = await delivered(client);
      expect(JSON.parse(readFileSync(join(server.folder, `${stem}.json`), 'utf8'))).toMatchObject({
        report: [{ project: { id: Number(id) } }],
      });
    },
  },
  {
    id: 'events.sftp.date',
    sentence: 'The ordered date in the sample is written as month, day, four-digit year without separators.',
    fact: 'dates the files by the order, not the delivery: 01052027',
    async check() {
      await using server = await startSftpServer();
      await using client = await delivering(server, { startAt: Date.UTC(2027, 0, 5, 12) });
      const id = await client.create({ policyNumber: 'P' });
      await client.advance(3 * 86_400);
      await client.setStatus(id, 'Returned to Client');
      await look(client);
      expect(readdirSync(server.folder).toSorted()).toEqual([`P_${id}_01052027.json`, `P_${id}_01052027.pdf`]);
    },
  },
  {
    id: 'events.sftp.configuration',
    sentence:
      'Configuration the client supplies: SFTP host and port; target folder; username and password of an account with read and write permission in that folder.',
    fact: 'needs only these, and uploads nothing with a wrong password',
    async check() {
      await using server = await startSftpServer();
      const { port, user } = server;
      await using client = await delivering(server, {
        sftp: { host: '127.0.0.1', port, user, password: 'wrong', folder: '/' },
      });
      await returned(client);
      expect(await look(client)).toMatchObject({ files: 0, lastFailure: expect.any(String) });
      expect(readdirSync(server.folder)).toEqual([]);
    },
  },
  autoReceivedRow('deleting'),
  autoReceivedRow('moving'),
  {
    id: 'events.auto-received.off',
    sentence: 'This can be switched off on request when the client prefers to set it via the API or the platform.',
    fact: 'leaves the status to the API when switched off',
    async check() {
      await using server = await startSftpServer();
      await using client = await delivering(server, { sftpAutoReceived: false });
      const { id, stem } = await delivered(client);
      rmSync(join(server.folder, `${stem}.pdf`));
      await look(client);
      expect(await client.status(id)).toBe('Returned to Client');
      await client.call('PUT', `/v1/project/${id}/status`, { value: 'Client Received' });
      expect(await client.status(id)).toBe('Client Received');
    },
  },
];

export const EVENTS_UNTESTABLE: readonly Untestable[] = [
  {
    id: 'events.callbacks',
    sentence:
      'The API sends no documented event or callback messages; event notifications (webhooks, callbacks): not shown.',
    reason: 'There is nothing to receive, and no address to give.',
  },
  {
    id: 'events.sftp.ip',
    sentence: "If the client uses an IP whitelist, the service's outbound IP must be whitelisted.",
    reason: 'It is about the client’s own network.',
  },
];
