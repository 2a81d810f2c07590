import { describe, expect, test } from 'vitest';
import { ProjectFiles } from '../../../src/collect/project-files.ts';
import { recordCreated } from '../../support/order-factory.ts';
import { clientThat, collectContext, openLedgerBench } from '../../support/run-bench.ts';
import { pathsSyncedBy } from '../../support/synced-paths.ts';

describe.runIf(process.platform === 'linux')('ProjectFiles.keepSummary', () => {
  test('syncs a summary before its name is on record', async () => {
    await using bench = await openLedgerBench();
    await recordCreated(bench.ledger, '11');
    const [project] = await bench.ledger.followedProjects();
    if (project === undefined) throw new Error('no project is followed');
    const context = collectContext({ ...bench, client: clientThat({}) });
    const projectFiles = await ProjectFiles.open(project, context);
    const synced = await pathsSyncedBy(bench.folder, async () => {
      await projectFiles.keepSummary('R1', 'Report', Buffer.from('{}'), 0);
      await projectFiles.flush();
    });
    expect(synced[0]).toMatch(/^state\/downloads\/11\/\.summary-R1-v1.*\.partial$/);
    expect(synced.slice(1).toSorted()).toEqual(['state/downloads', 'state/downloads/11']);
    expect((await bench.ledger.artifactsOf('11'))[0]?.path).toBe('state/downloads/11/summary-R1-v1.json');
  });
});
