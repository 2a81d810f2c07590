import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { inProof } from '../../../support/proof-size.ts';
import { startSftpServer } from '../../../support/sandbox/sftp-server.ts';
import { UploadFolder } from '../../../../src/sandbox/sftp/sftp-delivery.ts';

/** Even: while putting; odd: while listing. */
const EARLY_AND_LATE = [0, 1, 2, 3, 4, 7, 10, 13, 20, 39];

describe('RemoteFolder', () => {
  test('an ended connection fails or finishes every call', async () => {
    await using server = await startSftpServer();
    const { port, user, password } = server;
    for (const turns of inProof({ share: EARLY_AND_LATE, whole: Array.from({ length: 40 }, (_, turn) => turn) })) {
      const folder = new UploadFolder({ host: '127.0.0.1', port, user, password, folder: '/' });
      await folder.put('before', Buffer.alloc(10));
      const underWay = turns % 2 === 0 ? folder.put('after', Buffer.alloc(100_000)) : folder.names();
      const settled = Promise.allSettled([underWay]);
      for (let count = 0; count < turns; count += 1) await turn();
      await folder.close();
      await settled;
      // Another connection is made when there is something to do again, and the end of the first does not end it.
      expect(await folder.names()).toContain('before');
      expect(await folder.names()).toContain('before');
      await folder.close();
    }
  });
});
