// Orders one inspection on the sandbox, lets a week pass, and prints what the report says of the roof.
//   node docs/examples/first-inspection.ts
import { createClient, flattenSummary, startSandbox } from 'inspection-batch';

const sandbox = await startSandbox({ canceledShare: 0 });
const client = createClient(sandbox);
try {
  const created = await client.createProject({
    serviceName: '4-Point',
    policyType: 'Homeowners Insurance',
    houseType: 'Residential Single Family',
    streetAddress: '118 Oak Ridge Ln',
    city: 'Tampa',
    state: 'FL',
    zipcode: '33609',
    insuredName: 'Ann Lee',
    insuredPhone: '(813) 555-0142',
    insuredEmail: 'ann.lee@example.com',
    allowDuplication: false,
  });
  if (created.kind !== 'created') throw new Error(`The order was not accepted: ${JSON.stringify(created)}`);
  const { id } = created.project;
  console.log(`Project ${id} is on its way.`);

  // The sandbox's clock moves when it is told to. The real service takes days: ask once a night.
  const week = JSON.stringify({ advanceSeconds: 7 * 24 * 60 * 60 });
  await fetch(`${sandbox.controlUrl}/time`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: week,
  });

  const status = await client.getStatus(id);
  console.log(`Status: ${status.kind === 'ok' ? status.value.status : status.kind}`);

  const reports = await client.listReports(id);
  if (reports.kind !== 'ok') throw new Error(`No reports: ${JSON.stringify(reports)}`);
  for (const report of reports.value) {
    const summary = await client.getReportSummary(report.id);
    if (summary.kind !== 'ok') continue;
    console.log(`${report.type}:`);
    for (const { path, leaf } of flattenSummary(summary.value.report).values.values()) {
      if (path.startsWith('summary.roof.')) console.log(`  ${path} = ${String(leaf)}`);
    }
  }
} finally {
  client.close();
  await sandbox.close();
}
