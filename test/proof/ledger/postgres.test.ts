import { afterAll, beforeAll } from 'vitest';
import { openPostgresLedger } from '../../../src/ledger/open-ledger.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts';
import { inProof } from '../../support/proof-size.ts';
import { ledgerConformance } from '../../ledger/ledger-conformance.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server[Symbol.asyncDispose]());

ledgerConformance(
  'PostgreSQL',
  async (clock) => {
    const target = server.fresh();
    return {
      open: (account) => openPostgresLedger(target, { clock, account }),
      async [Symbol.asyncDispose]() {},
    };
  },
  inProof({ share: 4, whole: 1 }),
);
