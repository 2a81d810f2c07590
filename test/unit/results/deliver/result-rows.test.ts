import { expect, test } from 'vitest';
import { collectProjects } from '../../../../src/collect/collect-run.ts';
import { rowProblem } from '../../../../src/domain/row.ts';
import { notOrderedRows, resultProjects } from '../../../../src/results/deliver/result-rows.ts';
import { submitOrders } from '../../../../src/submit/submit-run.ts';
import { newOrder, newRow, recordOrders } from '../../../support/order-factory.ts';
import { collectContext, openRunBench, submitContext } from '../../../support/run-bench.ts';

const ID = '100001';

test('resultProjects reads the summary of a report whose file is missing', async () => {
  await using bench = await openRunBench();
  await recordOrders(bench.ledger, [newOrder({ inspectionNumber: 'A-1' })]);
  await bench.clock.drive(submitOrders(submitContext(bench)));
  await bench.service.setStatus(ID, 'Returned to Client');
  const client = { ...bench.client, openReportFile: async () => ({ kind: 'not-found', message: 'no' }) as const };
  await bench.clock.drive(collectProjects(collectContext(bench, { client })));
  const projects = await Array.fromAsync(resultProjects(bench.ledger, bench.folder, { all: true }));
  expect(projects).toMatchObject([{ reports: [{ path: null, summary: { summary: { risk: expect.anything() } } }] }]);
});

test('notOrderedRows names the file whose cell is wrong', async () => {
  await using bench = await openRunBench();
  const problem = rowProblem('error', 'zip-form', 'ZIP (F3): 1', { cell: 'F3' });
  await bench.ledger.recordFile({ hash: 'aa', name: 'oct.csv', layouts: [], notes: [] }, async (transaction) => {
    transaction.addRow(newRow({ problems: [problem] }, 3));
  });
  expect(await Array.fromAsync(notOrderedRows(bench.ledger, false))).toMatchObject([
    { reasons: ['ZIP (F3 in oct.csv): 1'] },
  ]);
});
