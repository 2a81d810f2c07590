import { posix } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import type { FollowedProject } from '../../../../src/ledger/deliveries.ts';
import type { ArtifactKind, StoredArtifact } from '../../../../src/ledger/artifacts.ts';
import { newOrder } from '../../../support/order-factory.ts';
import { assignArtifactPaths } from '../../../../src/results/deliver/delivery-index.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

const ORDERED_AT = Date.UTC(2026, 2, 5, 12);

function artifact(
  kind: ArtifactKind,
  serviceId: string,
  path: string,
  detail: Readonly<Record<string, string>> = {},
): StoredArtifact {
  return {
    projectId: '11',
    kind,
    serviceId,
    version: 1,
    type: '',
    detail,
    path,
    bytes: 1,
    sha256: 'aa',
    recordedAt: 0,
    confirmedAt: null,
    lost: null,
  };
}

const FILES: readonly StoredArtifact[] = [
  artifact('report', 'R1', 'state/report-R1-v1.pdf'),
  artifact('summary', 'R1', 'state/summary-R1-v1.json'),
  artifact('report', 'R2', 'state/report-R2-v1.xml'),
  artifact('image', 'I1', 'state/image-I1-v1.jpg', { direction: 'Front', type: 'Elevation' }),
  artifact('image', 'I2', 'state/image-I2-v3.png'),
];

function places(
  policyNumber: string | undefined,
  { projectId = '11', artifacts = FILES, orderedAt = ORDERED_AT } = {},
): readonly string[] {
  const order = newOrder(policyNumber === undefined ? {} : { policyNumber });
  const followed: FollowedProject = {
    project: {
      id: projectId,
      status: 'Returned to Client',
      statusAt: 0,
      inspectionCode: null,
      inspectionLink: null,
      firstSeenAt: 0,
      returnedAt: 0,
      collectedAt: 0,
      problem: null,
      problemCode: null,
      lacking: [],
    },
    order: {
      ...order,
      id: 1,
      code: null,
      state: 'created',
      attempts: 1,
      idBound: '1',
      uncertainSince: null,
      projectId,
      reason: null,
      createdAt: orderedAt,
    },
    payload: order.payload,
    row: null,
    artifacts,
    isUndelivered: true,
    hasNewReport: false,
  };
  return assignArtifactPaths(followed).map(({ path }) => path);
}

test('gives a project a folder, documented names, and a photo folder', () => {
  expect(places('HO-1')).toEqual([
    'reports/HO-1_11_03052026/HO-1_11_03052026.pdf',
    'reports/HO-1_11_03052026/HO-1_11_03052026.json',
    'reports/HO-1_11_03052026/HO-1_11_03052026_2.xml',
    'reports/HO-1_11_03052026/photos/01 Front Elevation.jpg',
    'reports/HO-1_11_03052026/photos/02 photo.png',
  ]);
});

test('names a photo once whose type is its direction', () => {
  const artifacts = [artifact('image', 'I1', 'a.jpg', { direction: 'Interior', type: 'Interior' })];
  expect(places('HO-1', { artifacts })).toEqual(['reports/HO-1_11_03052026/photos/01 Interior.jpg']);
});

test.each([
  ['../../x'],
  ['..'],
  ['/etc/passwd'],
  ['C:\\x'],
  ['CON'],
  ['nul.txt'],
  [''],
  [undefined],
  ['物件 😀\u202E'],
  ['a\u0000b\nc'],
  ['.hidden'],
  ['-rf'],
  ['x'.repeat(400)],
  ['é'.repeat(200)],
])('keeps every file inside its folder for policy number %j', (policyNumber) => {
  const hostile = [
    ...FILES,
    artifact('image', 'I3', 'state/image-I3-v1.jpg', { direction: '../../..', type: '/etc/x\u0000' }),
    artifact('image', 'I4', 'state/x.jpg', { direction: 'x'.repeat(400) }),
  ];
  const found = places(policyNumber, { artifacts: hostile });
  expect(new Set(found).size).toBe(hostile.length);
  for (const path of found) {
    expect(path).toBe(posix.normalize(path));
    expect(path).toMatch(/^reports(\/[\p{L}\p{N}_(][\p{L}\p{M}\p{N} ._()+,-]*){2,3}$/u);
    for (const part of path.split('/')) expect(Buffer.byteLength(part)).toBeLessThanOrEqual(200);
  }
});

test("keeps a photo's extension after a long description", () => {
  const [photo] = places('HO-1', {
    artifacts: [artifact('image', 'I4', 'state/x.jpg', { direction: 'x'.repeat(400) })],
  });
  expect(photo).toMatch(/\.jpg$/);
});

test.each([['HO-1'], ['x'.repeat(400)], ['物'.repeat(100)], ['']])(
  'never gives two projects of one policy number one name (%#)',
  (policyNumber) => {
    const both = [...places(policyNumber, { projectId: '11' }), ...places(policyNumber, { projectId: '12' })];
    expect(new Set(both).size).toBe(both.length);
  },
);

// The same content must give the same archive.
test('gives the same name in every time zone', () => {
  const found = ['UTC', 'Pacific/Kiritimati', 'America/Los_Angeles'].map((zone) => {
    vi.stubEnv('TZ', zone);
    return places('HO-1', { orderedAt: Date.UTC(2026, 2, 5, 3) })[0];
  });
  expect(new Set(found).size).toBe(1);
});
