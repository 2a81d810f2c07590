import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TestClient } from '../../../support/sandbox/test-client.ts';
import { missingForOpenSsh, startOpenSshServer } from '../../../support/sandbox/openssh-server.ts';

const missing = missingForOpenSsh(process.env['CI'] !== undefined);

describe('SftpDelivery', () => {
  test.skipIf(missing !== '')(
    `${missing}OpenSSH takes deliveries by key, and removing a file marks it received`,
    async () => {
      await using server = await startOpenSshServer();
      await using client = await TestClient.start({
        autoProgress: false,
        startAt: Date.UTC(2026, 10, 9),
        sftp: server.target,
      });
      const check = async () => (await client.control('POST', '/sftp/check')).body;
      const id = await client.create({ policyNumber: 'A' });
      for (const status of ['Returned to Client', 'Project Rework', 'Returned to Client']) {
        await client.setStatus(id, status);
        await check();
      }
      const names = [`A_${id}_11092026.json`, `A_${id}_11092026.pdf`];
      expect(readdirSync(server.folder).toSorted()).toEqual(names);
      expect(readFileSync(join(server.folder, names[1] ?? '')).toString('latin1', 0, 5)).toBe('%PDF-');
      rmSync(join(server.folder, names[0] ?? ''));
      expect(await check()).toEqual({ files: 4, projects: 2, received: 1, failures: 0, lastFailure: null });
      expect(await client.status(id)).toBe('Client Received');
    },
  );
});
