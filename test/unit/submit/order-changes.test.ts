import { expect, test } from 'vitest';
import { PROJECT_STATUSES } from '../../../src/contract/document.ts';
import { STATUS_NOT_SEEN } from '../../../src/domain/project.ts';
import type { OrderPayload } from '../../../src/domain/row.ts';
import { orderPayload } from '../../support/order-factory.ts';
import {
  changedWarning,
  realChangesOf,
  describeChoice,
  changeChoices,
  differencesOf,
  type ChangeChoice,
} from '../../../src/submit/order-changes.ts';

const differences = (ordered: Partial<OrderPayload>, now: Partial<OrderPayload>, reference: string | null = null) =>
  differencesOf({ payload: orderPayload(ordered), reference }, orderPayload(now));

test('differencesOf lists every difference in template order', () => {
  expect(
    differences(
      { policyNumber: 'P-1', dueDate: '2026-04-01', dwellingCoverage: 250_000, isRenewal: true },
      { policyNumber: 'P-2', streetAddress: '14 Oak Street', isRenewal: false, dwellingCoverage: 260_000 },
    ),
  ).toEqual([
    { field: 'policyNumber', ordered: 'P-1', now: 'P-2' },
    { field: 'streetAddress', ordered: '12 Oak Street', now: '14 Oak Street' },
    { field: 'dueDate', ordered: '2026-04-01', now: '' },
    { field: 'dwellingCoverage', ordered: '250000', now: '260000' },
    { field: 'isRenewal', ordered: 'Yes', now: 'No' },
  ]);
});

test.each<[string, Partial<OrderPayload>, Partial<OrderPayload>, string | null]>([
  ['the same row', { note: 'gate code 7' }, { note: 'gate code 7' }, null],
  ['an empty text and none', { note: '' }, {}, null],
  ['spaces', { insuredName: 'Ann  Lee' }, { insuredName: 'Ann Lee ' }, null],
  ['the country that is meant where none is given', { country: 'US' }, {}, null],
  [
    'a list in another order',
    { supplementalServices: ['Wildfire', 'Sinkhole'] },
    { supplementalServices: ['Sinkhole', 'Wildfire'] },
    null,
  ],
  ['the reference in the note', { note: 'gate code 7 [ref IB-1]' }, { note: 'gate code 7' }, 'IB-1'],
  ['the reference as the whole note', { note: '[ref IB-1]' }, {}, 'IB-1'],
  ['the reference as inspection number', { inspectionNumber: 'IB-1' }, {}, 'IB-1'],
])('differencesOf ignores %s', (_what, ordered, now, reference) => {
  expect(differences(ordered, now, reference)).toEqual([]);
});

test.each<[string, Partial<OrderPayload>, Partial<OrderPayload>, readonly string[]]>([
  ['another spelling of the house', { streetAddress: '6 Cedar Ln' }, { streetAddress: '6 CEDAR LANE' }, []],
  ['another letter case', { insuredName: 'Ann Lee', note: 'Gate' }, { insuredName: 'ANN LEE', note: 'gate' }, []],
  [
    'letter case and the order of a list',
    { supplementalServices: ['Wildfire', 'Sinkhole'] },
    { supplementalServices: ['Sinkhole', 'Wildfire'] },
    [],
  ],
  ['letter case and spaces', { insuredName: 'Ann  Lee' }, { insuredName: 'ANN LEE' }, []],
  ['another house', { streetAddress: '6 Cedar Ln' }, { streetAddress: '8 Cedar Ln' }, ['streetAddress']],
  ['another case of a number', { policyNumber: 'p-1' }, { policyNumber: 'P-1' }, []],
  ['lost zeros of a number', { policyNumber: '0004411' }, { policyNumber: '4411' }, []],
  ['zeros that the order lacks', { policyNumber: '4411' }, { policyNumber: '0004411' }, ['policyNumber']],
  ['another number', { policyNumber: 'P-1' }, { policyNumber: 'P-10' }, ['policyNumber']],
])('realChangesOf counts no spelling: %s', (_what, ordered, now, fields) => {
  const changes = realChangesOf({ payload: orderPayload(ordered), reference: null }, orderPayload(now));
  expect(changes.map(({ field }) => field)).toEqual(fields);
});

const policyOnly = differences({ policyNumber: 'P-1' }, { policyNumber: 'P-2', policyEffectiveDate: '2026-04-01' });
const addressOnly = differences({}, { streetAddress: '14 Oak Street' });
const both = [...policyOnly, ...addressOnly];

const created = { id: 12, state: 'created', projectId: '501', createdAt: Date.UTC(2026, 2, 5) } as const;
const kindsOf = (choices: readonly ChangeChoice[]) => choices.map(({ kind }) => kind);

test('changeChoices allows canceling only before inspection, policy changes always', () => {
  const expected: Readonly<Record<string, readonly ChangeChoice['kind'][]>> = {
    'Project Created': ['cancel-and-order-again'],
    'Customer Contacted': ['cancel-and-order-again'],
    'Pending Acceptance': ['cancel-and-order-again'],
    'Assigned to Pilot': ['cancel-and-order-again'],
    'Project Rework': ['cancel-and-order-again'],
    'Site Inspected': ['too-late'],
    'Selfapp Uploaded': ['too-late'],
    'Image Uploaded': ['too-late'],
    'Returned to Client': ['too-late'],
    'Client Received': ['too-late'],
    'Receive Error': ['too-late'],
    'closed out': ['too-late'],
    [STATUS_NOT_SEEN]: ['cancel-and-order-again'],
  };
  for (const status of [
    ...PROJECT_STATUSES.filter((one) => one !== 'Project Canceled'),
    'closed out',
    STATUS_NOT_SEEN,
  ]) {
    expect([status, kindsOf(changeChoices(addressOnly, created, status))]).toEqual([status, expected[status]]);
    expect([status, changeChoices(policyOnly, created, status)]).toEqual([
      status,
      [
        {
          kind: 'amend',
          project: '501',
          fields: ['policyNumber', 'policyEffectiveDate'],
          command: "inspection-batch amend 501 --policy-number 'P-2' --effective-date '2026-04-01'",
        },
      ],
    ]);
    expect([status, kindsOf(changeChoices(both, created, status))]).toEqual([
      status,
      ['amend', ...(expected[status] ?? [])],
    ]);
  }
  for (const changes of [policyOnly, addressOnly, both])
    expect(kindsOf(changeChoices(changes, created, 'Project Canceled'))).toEqual(['order-again']);
});

test('changeChoices differs for an order without a project', () => {
  const of = (state: Parameters<typeof changeChoices>[1]['state'], projectId: string | null = null) =>
    kindsOf(changeChoices(both, { ...created, state, projectId }, null));
  expect([of('ready'), of('submitting'), of('unresolved'), of('held'), of('skipped')]).toEqual([
    ['not-ordered-yet'],
    ['wait-until-settled'],
    ['wait-until-settled'],
    ['give-up-and-drop-again'],
    ['not-ours'],
  ]);
  expect(of('linked', '501')).toEqual(['amend', 'cancel-and-order-again']);
});

test.each<ChangeChoice>([
  { kind: 'order-again', project: '501' },
  { kind: 'cancel-and-order-again', project: '501', status: null },
  { kind: 'not-ordered-yet' },
  { kind: 'wait-until-settled', order: 7 },
  { kind: 'give-up-and-drop-again', order: 7 },
  { kind: 'another-term', project: '501' },
  { kind: 'not-ours' },
])('describeChoice has a sentence for $kind', (choice) => {
  const named = 'project' in choice ? choice.project : 'order' in choice ? String(choice.order) : '';
  expect(describeChoice(choice)).toContain(named);
});

test('changedWarning calls a row that was not sent yet no ordered one', () => {
  expect(changedWarning(both, [{ kind: 'not-ordered-yet' }]).message).not.toContain('ordered.');
  expect(changedWarning(both, [{ kind: 'not-ours' }]).message).toContain('ordered.');
});

test('changedWarning names every difference and every choice with its command', () => {
  const { message, severity, rule } = changedWarning(both, changeChoices(both, created, 'Customer Contacted'));
  expect({ severity, rule }).toEqual({ severity: 'warning', rule: 'changed-after-ordering' });
  for (const part of [
    'Policy number: "P-1" → "P-2"',
    'Policy effective date: (empty) → "2026-04-01"',
    'Street address: "12 Oak Street" → "14 Oak Street"',
    "inspection-batch amend 501 --policy-number 'P-2'",
    'inspection-batch cancel 501',
    '"Customer Contacted"',
    'Allow duplicate',
  ]) {
    expect(message).toContain(part);
  }
  expect(describeChoice({ kind: 'too-late', project: '501', status: 'Site Inspected' })).toMatch(
    /Too late: project 501 is "Site Inspected"/,
  );
});
