import type { SummaryAttribute } from '../../src/contract/summary-attributes.ts';
import type { ReportSummary } from '../../src/contract/document.ts';
import { SUMMARY_CATALOG } from '../../src/contract/summary-attributes.ts';
import type { NightCounts } from '../../src/domain/project.ts';
import type { OrderPayload } from '../../src/domain/row.ts';
import { type AttentionConfig, loadAttention } from '../../src/results/attention/rules.ts';
import type { ResultProject, ResultsInput } from '../../src/results/model.ts';

/** A summary in which every attribute of the catalog occurs, with every listed key, and two items in each list. */
export function fullSummary(): ReportSummary {
  return { id: 'R-1', type: 'Full-scope Underwriting Report', ...objectOf(SUMMARY_CATALOG) };
}

function objectOf(attributes: readonly SummaryAttribute[]): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const attribute of attributes) {
    const steps = attribute.path.split('.');
    let holder = root;
    for (const step of steps.slice(0, -1)) holder = (holder[step] ??= {}) as Record<string, unknown>;
    holder[steps.at(-1) ?? ''] = sampleOf(attribute);
  }
  return root;
}

/** A value of the attribute's type. */
export function sampleOf(attribute: SummaryAttribute): unknown {
  const byKey = (value: unknown) => Object.fromEntries((attribute.keys ?? ['area']).map((key) => [key, value]));
  switch (attribute.type) {
    case 'text':
      return attribute.unit === 'date' ? '2025-11-30' : (attribute.values?.[0] ?? `a text for ${attribute.title}`);
    case 'number':
      return attribute.unit === 'epoch seconds' ? 1_767_225_600 : 7;
    case 'boolean':
      return true;
    case 'texts':
      return (attribute.values ?? ['one', 'two']).slice(0, 2);
    case 'objects':
      return [objectOf(attribute.items ?? []), objectOf(attribute.items ?? [])];
    case 'percentages':
      return byKey(40);
    case 'counts':
    case 'details':
      return byKey(2);
    case 'flags':
      return byKey(false);
  }
}

export const sampleOrder: OrderPayload = {
  streetAddress: '12 Harbour Road',
  city: 'Boston',
  state: 'MA',
  zipcode: '02139',
  serviceName: '4-Point',
  policyType: 'Homeowners Insurance',
  houseType: 'Residential Single Family',
  insuredName: 'Ada Winter',
  insuredPhone: '555-0100',
  insuredEmail: 'ada@example.com',
  policyNumber: '00123456',
  inspectionNumber: 'INS-1',
  policyEffectiveDate: '2026-01-15',
};

export function sampleProject(changes: Partial<ResultProject> = {}): ResultProject {
  return {
    projectId: '9007199254740993',
    order: sampleOrder,
    status: 'Returned to Client',
    statusAt: Date.UTC(2026, 0, 5, 6, 30),
    orderedAt: Date.UTC(2026, 0, 1, 22, 0),
    returnedAt: Date.UTC(2026, 0, 5, 6, 30),
    collectedAt: null,
    linked: false,
    source: { file: 'orders.xlsx', sheet: 'January', rowNumber: 7 },
    reports: [],
    photosPath: null,
    photoCount: 0,
    photos: [],
    problems: [],
    earlier: null,
    isNew: false,
    decision: null,
    waiting: null,
    ...changes,
  };
}

/** A project whose only report holds this summary. */
export function projectWith(summary: Partial<ReportSummary>, changes: Partial<ResultProject> = {}): ResultProject {
  const report = {
    id: 'R-1',
    type: 'Full-scope Underwriting Report',
    path: 'reports/R 1#a.pdf',
    summary: { id: 'R-1', ...summary },
  };
  return sampleProject({ reports: [report], ...changes });
}

const RULES = await loadAttention(null);

/** Rules that find nothing. */
export const NO_RULES: AttentionConfig = { ...RULES, rules: [] };

/** A night on which nothing happened. */
export const QUIET_NIGHT: NightCounts = {
  since: null,
  ordered: 0,
  returned: 0,
  collected: 0,
  wentBack: 0,
  fixed: 0,
  changed: 0,
  canceled: 0,
  closedOut: 0,
  decided: 0,
};

export function sampleInput(projects: readonly ResultProject[], changes: Partial<ResultsInput> = {}): ResultsInput {
  return {
    run: '2026-01-06T02-00-00Z',
    writtenAt: Date.UTC(2026, 0, 6, 2, 0),
    projects: () => stream(projects),
    notOrdered: () => stream([]),
    overview: {
      today: '2026-01-06',
      night: QUIET_NIGHT,
      ended: [],
      stillEnded: [],
      openRows: 0,
      byStatus: [],
      outstandingByAge: [],
      files: [],
      overdue: [],
      needsPerson: [],
    },
    earlierColumns: [],
    columns: null,
    thumbnails: { perProject: 2, inAll: 100 },
    attention: RULES,
    ...changes,
  };
}

export async function* stream<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items;
}
