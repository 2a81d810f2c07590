import { describe, expect, test } from 'vitest';
import { PROJECT_STATUSES } from '../../../src/contract/document.ts';
import { changesIn, planAmend, planStatus } from '../../../src/update/plan-update.ts';

const CANCELABLE: ReadonlySet<string> = new Set([
  'Project Created',
  'Customer Contacted',
  'Pending Acceptance',
  'Assigned to Pilot',
  'Project Rework',
]);

describe('planAmend', () => {
  test.each([...PROJECT_STATUSES, 'closed out', 'Something New'])(
    'sends nothing that the document forbids for a project that is "%s"',
    (status) => {
      const cancel = planStatus({ kind: 'cancel' }, status).kind;
      const receive = planStatus({ kind: 'receive', withoutFiles: true }, status).kind;
      expect(cancel).toBe(CANCELABLE.has(status) ? 'send' : status === 'Project Canceled' ? 'already' : 'forbidden');
      expect(receive).toBe(
        status === 'Returned to Client' ? 'send' : status === 'Client Received' ? 'already' : 'forbidden',
      );
    },
  );

  test('gives the real reason why a project is not canceled', () => {
    const reasonOf = (status: string): unknown => planStatus({ kind: 'cancel' }, status);
    expect(reasonOf('Image Uploaded')).toMatchObject({
      reason: expect.stringContaining('only before "Site Inspected"'),
    });
    expect(reasonOf('Waiting for Access')).toMatchObject({ reason: expect.stringContaining('does not list') });
  });

  const DETAIL = { id: '7', policyNumber: 'P-1', policyEffectiveDate: '2027-01-01' };

  test('changesIn keeps only differences; an empty text clears', () => {
    expect(changesIn({ policyNumber: 'P-1', policyEffectiveDate: '2027-02-02' }, DETAIL)).toEqual({
      policyEffectiveDate: '2027-02-02',
    });
    expect(changesIn({ policyNumber: '' }, DETAIL)).toEqual({ policyNumber: '' });
    for (const policyNumber of ['', null, undefined])
      expect(changesIn({ policyNumber: '' }, { policyNumber })).toEqual({});
    expect(changesIn({}, DETAIL)).toEqual({});
    expect(planAmend({ kind: 'amend', policyNumber: 'P-1' }, DETAIL, null)).toEqual({ kind: 'already' });
  });

  test('a field changed elsewhere is not overwritten', () => {
    const request = { kind: 'amend', policyNumber: 'P-2' } as const;
    expect(planAmend(request, DETAIL, { policyNumber: 'P-1' })).toEqual({ kind: 'send' });
    expect(planAmend(request, { ...DETAIL, policyNumber: 'P-9' }, { policyNumber: 'P-1' })).toMatchObject({
      kind: 'forbidden',
      code: 'changed-elsewhere',
      reason: expect.stringContaining('P-9'),
    });
    expect(planAmend(request, { ...DETAIL, policyNumber: 'P-2' }, { policyNumber: 'P-1' })).toEqual({
      kind: 'already',
    });
  });

  test('finishes an amendment with one field already done', () => {
    const request = { kind: 'amend', policyNumber: 'P-2', policyEffectiveDate: '2027-02-02' } as const;
    const { policyNumber, policyEffectiveDate } = DETAIL;
    const halfDone = { ...DETAIL, policyNumber: 'P-2' };
    expect(planAmend(request, halfDone, { policyNumber, policyEffectiveDate })).toEqual({ kind: 'send' });
  });
});
