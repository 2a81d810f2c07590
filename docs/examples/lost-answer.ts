// The service takes an order, but its answer is lost. Sending the order again could place it twice: look for it first.
//   node docs/examples/lost-answer.ts
import { createClient, repeatRead, startSandbox } from 'inspection-batch';

const sandbox = await startSandbox({
  faults: [{ kind: 'commit-then-504', match: { method: 'POST', route: '/v1/project' }, times: 1 }],
});
const client = createClient(sandbox);
try {
  const order = {
    serviceName: 'Roof Only',
    policyType: 'Homeowners Insurance',
    houseType: 'Residential Single Family',
    streetAddress: '7 Elm Street',
    city: 'Cambridge',
    state: 'MA',
    zipcode: '02139',
    insuredName: 'Bert Ray',
    insuredPhone: '(617) 555-0199',
    insuredEmail: '',
    inspectionNumber: 'EX-1',
    // The service's own default orders twice.
    allowDuplication: false,
  } as const;
  const outcome = await client.createProject(order);
  console.log(`The create ended as: ${outcome.kind}`);
  if (outcome.kind === 'unknown') {
    // Reads do no harm, so they may be repeated. A search may lag behind the create: one empty answer proves nothing yet.
    const found = await repeatRead(() => client.searchProjects({ inspectionNumber: order.inspectionNumber }));
    if (found.kind !== 'ok') throw new Error(`The search failed: ${found.kind}`);
    for (const { id } of found.value) console.log(`It stands at the service as project ${id}. Nothing is sent again.`);
  }
} finally {
  client.close();
  await sandbox.close();
}
