import { mkdir, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { countsPage, filePages, logPages, orderPages, settingsPage } from '../../../src/upkeep/support-bundle-pages.ts';
import { openRunBench } from '../../support/run-bench.ts';
import { attemptOf, recordCreated, recordOrder } from '../../support/order-factory.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('orderPages', () => {
  test('shows the code of an order, not its words or details', async () => {
    await using bench = await openRunBench();
    const id = await recordOrder(bench.ledger, {
      insuredName: 'Zoe Quirk',
      policyNumber: 'P-77',
      serviceName: '4-Point',
    });
    await bench.ledger.beginAttempt(id, attemptOf());
    await bench.ledger.moveOrder(id, 'submitting', {
      to: 'held',
      code: 'several-own-projects',
      reason: 'Zoe Quirk has two',
    });
    const pages = await orderPages(bench.ledger);
    expect(pages).toMatchObject([{ order: id, state: 'held', code: 'several-own-projects' }]);
    expect(JSON.stringify(pages)).not.toMatch(/Zoe|P-77/);
  });

  test("shows the code of a project's problem, not its words or files", async () => {
    await using bench = await openRunBench();
    await recordCreated(bench.ledger, '11');
    const problem = { code: 'files-incomplete', text: 'Zoe Quirk lacks it.', lacking: ['image Zoe'] } as const;
    await bench.ledger.markCollectionProblem('11', problem);
    const pages = await orderPages(bench.ledger);
    expect(pages).toMatchObject([{ project: { problemCode: 'files-incomplete' } }]);
    expect(JSON.stringify(pages)).not.toMatch(/Zoe/);
  });

  test('names the fields of an order, and its values from the document', async () => {
    await using bench = await openRunBench();
    await recordOrder(bench.ledger, { serviceName: '4-Point', policyNumber: 'P-77' });
    expect(await orderPages(bench.ledger)).toMatchObject([
      {
        payload: {
          serviceName: '4-Point',
          fields: expect.arrayContaining(['policyNumber', 'insuredName']) as string[],
        },
      },
    ]);
  });
});

describe('countsPage', () => {
  test('hides a status that the document does not list', async () => {
    await using bench = await openRunBench();
    const id = await recordOrder(bench.ledger);
    await bench.ledger.beginAttempt(id, attemptOf());
    const project = { projectId: '5', status: 'Zoe waits', inspectionCode: null, inspectionLink: null };
    await bench.ledger.moveOrder(id, 'submitting', { to: 'created', project, adopted: false });
    expect(await countsPage(bench.ledger)).toMatchObject({ statuses: [{ status: 'not in the document', count: 1 }] });
  });
});

describe('filePages', () => {
  test('is empty for a ledger without files', async () => {
    await using bench = await openRunBench();
    expect(await filePages(bench.ledger)).toEqual([]);
  });
});

describe('settingsPage', () => {
  test.each<[string, unknown, unknown]>([
    ['numbers, switches and nulls stay', { seconds: 5, on: true, none: null }, { seconds: 5, on: true, none: null }],
    ['a listed word stays', { submit: { onDuplicate: 'link' } }, { submit: { onDuplicate: 'link' } }],
    ['any other text is only set', { from: 'ann@example.com' }, { from: '(set)' }],
    ['a list has a length', { analysts: ['ann@example.com'] }, { analysts: { entries: 1 } }],
    ['words of a person have a count', { headers: new Map([['Zoe', 'city']]) }, { headers: { entries: 1 } }],
    [
      'senders have settings and no names',
      { senders: new Map([['zoe', { dateOrder: 'dmy' }]]) },
      { senders: [{ dateOrder: 'dmy' }] },
    ],
  ])('%s', (_what, settings, page) => {
    expect(settingsPage(settings)).toEqual(page);
  });
});

describe('logPages', () => {
  test('keeps numbers, switches and listed fields of a line', async () => {
    await using folder = await temporaryFolder();
    await mkdir(`${folder.path}/logs`);
    const line = { level: 'info', event: 'answer', order: 4, done: true, reason: 'Zoe said no', file: 'zoe.csv' };
    await writeFile(`${folder.path}/logs/run-1.jsonl`, `${JSON.stringify(line)}\nbroken {\n`);
    expect(await logPages(`${folder.path}/logs`)).toEqual([
      {
        name: 'run-1.jsonl',
        lines: [{ level: 'info', event: 'answer', order: 4, done: true }, { event: 'a line that could not be read' }],
      },
    ]);
  });

  test('has no pages if there is no log', async () => {
    expect(await logPages('/nowhere/logs')).toEqual([]);
  });
});
