import { describe, expect, test } from 'vitest';
import {
  CANCELABLE_STATUSES,
  COMMENT_LENGTH_MAX,
  createProjectRequest,
  HOUSE_TYPES_BY_POLICY_TYPE,
  POLICY_TYPES,
  projectDetail,
  projectDetailResponse,
  projectId,
  projectImagesResponse,
  projectReportsResponse,
  projectSearchResponse,
  projectStatusResponse,
  reportSummaryResponse,
  SELF_INSPECTION_SERVICE_NAMES,
  statusUpdateRequest,
  updateProjectRequest,
} from '../../../src/contract/document.ts';
import { parseExactJson } from '../../../src/contract/json.ts';
import { orderPayload } from '../../support/order-factory.ts';

const accepted = (changes: Readonly<Record<string, unknown>>) =>
  createProjectRequest.safeParse({ ...orderPayload(), ...changes });

describe('createProjectRequest', () => {
  test('accepts a request with all required fields and adds nothing', () => {
    expect(accepted({}).data).toStrictEqual(orderPayload());
  });

  test.each(Object.keys(orderPayload()))('a request without %s is refused', (field) => {
    expect(accepted({ [field]: undefined }).success).toBe(false);
  });

  test.each(['streetAddress', 'city', 'state', 'zipcode', 'serviceName', 'houseType'])(
    'an empty %s is refused',
    (field) => {
      expect(accepted({ [field]: '' }).success).toBe(false);
    },
  );

  test.each<[string, unknown]>([
    ['note', null],
    ['isRenewal', null],
    ['state', 'XX'],
    ['state', 'ma'],
    ['state', 'Massachusetts'],
    ['state', 'toString'],
    ['country', 'CA'],
    ['serviceName', '4-point'],
    ['policyType', 'homeowners insurance'],
    ['houseType', 'Restaurant'],
    ['dueDate', '2026-02-29'],
    ['dueDate', '03/05/2026'],
    ['policyEffectiveDate', ''],
    ['policyEffectiveDate', '2026-1-5'],
    ['yearBuilt', 1999.5],
    ['yearBuilt', '1999'],
    ['yearBuilt', 2 ** 31],
    ['yearBuilt', 999],
    ['yearBuilt', 10_000],
    ['dwellingCoverage', '100000'],
    ['dwellingCoverage', Number.NaN],
    ['supplementalServices', ['Flood']],
    ['supplementalServices', 'Sinkhole'],
    ['allowDuplication', 'false'],
    ['zipcode', 2139],
    ['novel', 1],
  ])('a request with %s = %j is refused', (field, value) => {
    expect(accepted({ [field]: value }).success).toBe(false);
  });

  test('house types go with their policy type, and with no other', () => {
    for (const policyType of POLICY_TYPES) {
      const houseTypes = new Set(Object.values(HOUSE_TYPES_BY_POLICY_TYPE).flat());
      const taken = [...houseTypes].filter((houseType) => accepted({ policyType, houseType }).success);
      expect(new Set<string>(taken)).toEqual(new Set<string>(HOUSE_TYPES_BY_POLICY_TYPE[policyType]));
    }
  });

  test.each<[unknown, string | null]>([
    [7, '7'],
    ['0007', '7'],
    ['9223372036854775807', '9223372036854775807'],
    [9007199254740993n, '9007199254740993'],
    [0, '0'],
    [2 ** 53, null],
    [-1, null],
    [1.5, null],
    ['', null],
    ['1e3', null],
    ['12a', null],
    [null, null],
    ['12345678901234567890', null],
    ['9223372036854775808', null],
    [2n ** 63n, null],
  ])('the id %s is read as %s', (id, expected) => {
    expect(projectId.safeParse(id).data ?? null).toBe(expected);
  });

  test('keeps an ID exact that is too large for a number', () => {
    const answer = parseExactJson('{"project":[{"id":9223372036854775807,"status":"closed out"}]}');
    expect(projectStatusResponse.parse(answer).project).toEqual([{ id: '9223372036854775807', status: 'closed out' }]);
    expect(projectDetailResponse.parse(answer).project[0]?.id).toBe('9223372036854775807');
    expect(projectSearchResponse.parse(answer).project[0]?.id).toBe('9223372036854775807');
  });

  test('keeps additional, missing and null fields', () => {
    const detail = projectDetail.parse({
      id: 7,
      zipcode: 2139,
      isRenewal: null,
      supplementalServices: null,
      serviceName: '4-Point Self',
      novel: { deep: [1] },
    });
    expect(detail).toEqual({
      id: '7',
      zipcode: '2139',
      isRenewal: null,
      supplementalServices: null,
      serviceName: '4-Point Self',
      novel: { deep: [1] },
    });
    expect(projectSearchResponse.parse({ project: [], total: 0 })).toEqual({ project: [], total: 0 });
  });

  test('accepts absent or null lists, numbers as IDs and unknown attributes', () => {
    for (const list of [undefined, null]) {
      expect(projectReportsResponse.parse({ project: [{ id: 7, report: list }] }).project[0]?.report ?? []).toEqual([]);
      expect(projectImagesResponse.parse({ project: [{ id: 7, image: list }] }).project[0]?.image ?? []).toEqual([]);
    }
    expect(
      projectReportsResponse.parse({ project: [{ id: 7, report: [{ id: 'R1', type: 'A New Report', pages: 3 }] }] })
        .project[0]?.report,
    ).toEqual([{ id: 'R1', type: 'A New Report', pages: 3 }]);
    expect(projectImagesResponse.parse({ project: [{ id: 7, image: [{ id: 5 }] }] }).project[0]?.image).toMatchObject([
      { id: '5' },
    ]);
    expect(projectSearchResponse.parse({ project: null }).project).toEqual([]);
    for (const odd of [{}, { project: {} }, { project: [null] }, null])
      expect(projectSearchResponse.safeParse(odd).success).toBe(false);
    expect(
      reportSummaryResponse.parse({ report: [{ id: 'R1', summary: { risk: { novel: null } } }] }).report[0]?.summary,
    ).toEqual({ risk: { novel: null } });
  });

  test('leaves a null out of a list of reports or photos', () => {
    const [project] = projectReportsResponse.parse({ project: [{ id: 7, report: [{ id: 'R1' }, null] }] }).project;
    expect(project?.report).toEqual([{ id: 'R1' }]);
    const [photos] = projectImagesResponse.parse({ project: [{ id: 7, image: [null, { id: 5 }] }] }).project;
    expect(photos?.image).toEqual([{ id: '5' }]);
  });

  test('an update takes two fields and nothing else; an empty text clears', () => {
    expect(updateProjectRequest.safeParse({ policyNumber: '', policyEffectiveDate: '' }).success).toBe(true);
    for (const body of [{ policyNumber: null }, { policyEffectiveDate: '2026-13-01' }, { inspectionNumber: 'A-1' }])
      expect(updateProjectRequest.safeParse(body).success).toBe(false);
  });

  test('a status update has two values and a limited comment', () => {
    const may = (body: object) => statusUpdateRequest.safeParse(body).success;
    expect([may({ value: 'Client Received' }), may({ value: 'Project Canceled', comment: 'x'.repeat(999) })]).toEqual([
      true,
      true,
    ]);
    expect([
      may({ value: 'Receive Error' }),
      may({ value: 'Client Received', comment: 'x'.repeat(1000) }),
      may({ value: '' }),
      may({ value: 'Client Received', by: 'me' }),
    ]).toEqual([false, false, false, false]);
    expect(COMMENT_LENGTH_MAX).toBe(999);
  });

  test('a project can be canceled in the five states before Site Inspected', () => {
    expect(CANCELABLE_STATUSES).toEqual([
      'Project Created',
      'Customer Contacted',
      'Pending Acceptance',
      'Assigned to Pilot',
      'Project Rework',
    ]);
  });

  test('SELF_INSPECTION_SERVICE_NAMES holds the three names of the document', () => {
    expect([...SELF_INSPECTION_SERVICE_NAMES].toSorted((a, b) => a.localeCompare(b, 'en'))).toEqual([
      '4-Point Self',
      'Self 4-Point Underwriting',
      'Self Exterior Underwriting',
    ]);
  });
});
