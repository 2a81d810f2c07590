import { describe, expect, test } from 'vitest';
import {
  changedEntries,
  describeChanges,
  describeNews,
  pendingNews,
  describeWaiting,
} from '../../../src/night/news.ts';
import type { FileToFix } from '../../../src/ledger/open-rows.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import type { News, NewsKind, RepeatReason } from '../../../src/ledger/store.ts';
import { firstStepAfterEnding } from '../../../src/results/tables/ended.ts';
import type { OrderPayload } from '../../../src/domain/row.ts';
import { orderPayload, recordCreated, recordOrder } from '../../support/order-factory.ts';
import { openLedgerBench } from '../../support/run-bench.ts';

type ChangedOrder = Awaited<ReturnType<Ledger['changedOrders']>>[number];

const DAY = 24 * 60 * 60 * 1000;
const NOW = Date.UTC(2026, 9, 15, 12);

const REASONS: Readonly<Record<RepeatReason, true>> = {
  canceled: true,
  'closed-out': true,
  'given-up': true,
  undated: true,
  'other-date': true,
  finished: true,
  'same-address': true,
  'other-house': true,
  'other-spelling': true,
  'without-numbers': true,
};

let nextId = 1;
const news = (kind: NewsKind, subject: string, run = 'now'): News => ({
  id: (nextId += 1),
  kind,
  subject,
  at: NOW,
  run,
});

const waitingRows = (changes: Partial<FileToFix> = {}): FileToFix => ({
  fileId: 1,
  sender: '',
  file: 'orders.csv',
  rows: 1,
  corrections: 'corrections/orders - to fix.xlsx',
  since: NOW,
  pastDue: 0,
  ...changes,
});

/** A ledger that holds just this. */
function ledgerWith(held: {
  readonly waiting?: readonly FileToFix[];
  readonly projects?: Readonly<Record<number, string | null>>;
  readonly ended?: readonly {
    readonly projectId: string;
    readonly reasons: readonly string[];
    readonly isOvertaken?: boolean;
    readonly endedAt?: number;
    readonly agent?: Pick<OrderPayload, 'agentName' | 'agentPhone'>;
  }[];
  readonly decided?: readonly string[];
  readonly filesOfOrders?: Readonly<Record<number, string>>;
}): Ledger {
  return {
    waitingRows: async () => held.waiting ?? [],
    openQuestions: async () => [],
    endedProjects: async (since: number) =>
      (held.ended ?? [])
        .filter(({ endedAt = NOW }) => endedAt > since)
        .map((one) => ({ ...one, order: orderPayload(one.agent) })),
    decisionsOn: async (ids: readonly string[]) =>
      new Map((held.decided ?? []).filter((id) => ids.includes(id)).map((id) => [id, {}])),
    order: async (id: number) => {
      const projectId = held.projects?.[id];
      return projectId === undefined ? null : { id, projectId, payload: orderPayload() };
    },
    placesOfOrders: async (ids: readonly number[]) =>
      new Map(
        ids.flatMap((id) => (held.filesOfOrders?.[id] === undefined ? [] : [[id, { file: held.filesOfOrders[id] }]])),
      ),
  } as unknown as Ledger;
}

const inWords = (some: readonly News[], held: Parameters<typeof ledgerWith>[0] = {}): Promise<readonly string[]> =>
  describeNews(some, { run: 'now', now: NOW, ledger: ledgerWith(held) });

describe('describeNews', () => {
  test('is empty without news, whatever waits', async () => {
    expect(await inWords([], { waiting: [waitingRows()] })).toEqual([]);
  });

  test('lists the rows of a file that went back', async () => {
    const waiting = [waitingRows(), waitingRows({ fileId: 2, file: 'other.csv' })];
    expect(await inWords([news('rows-went-back', '1')], { waiting })).toEqual([expect.stringContaining('orders.csv')]);
  });

  test('lists the file of a refused order', async () => {
    const waiting = [waitingRows(), waitingRows({ fileId: 2, file: 'other.csv' })];
    expect(await inWords([news('order-refused', '7')], { waiting, filesOfOrders: { 7: 'other.csv' } })).toEqual([
      expect.stringContaining('other.csv'),
    ]);
  });

  test('lists no rows for a refused order that is not on record', async () => {
    expect(await inWords([news('order-refused', '7')], { waiting: [waitingRows()] })).toEqual([]);
  });

  test('lists all waiting rows in a reminder', async () => {
    const waiting = [waitingRows(), waitingRows({ fileId: 2, file: 'other.csv' })];
    expect(await inWords([news('still-open', '')], { waiting })).toHaveLength(2);
  });

  test('lists 20 files and counts the rest', async () => {
    const files = (count: number) =>
      Array.from({ length: count }, (_, index) => waitingRows({ fileId: index, file: `${index}.csv` }));
    const lines = await inWords([news('still-open', '')], { waiting: files(23) });
    expect([lines.length, lines.at(-1)]).toEqual([21, expect.stringContaining('3 more files')]);
    expect(await inWords([news('still-open', '')], { waiting: files(20) })).toHaveLength(20);
  });

  test('joins repeats of one reason, with their projects', async () => {
    const some = [news('repeat-not-ordered', '1 canceled'), news('repeat-not-ordered', '2 canceled')];
    const lines = await inWords(some, { projects: { 1: '501', 2: '502' } });
    expect(lines).toEqual([expect.stringMatching(/: Ann Lee, .*\(project 501\); .*\(project 502\)\./)]);
  });

  test('has a line for each reason of repeats', async () => {
    const some = [news('repeat-not-ordered', '1 canceled'), news('repeat-not-ordered', '2 undated')];
    expect(await inWords(some, { projects: { 1: '501', 2: '502' } })).toEqual([
      expect.stringMatching(/\bcanceled\b.*\bproject 501\b/),
      expect.stringMatching(/\bdate\b.*\bproject 502\b/),
    ]);
  });

  test('names the order of a repeat without a project', async () => {
    const some = [news('repeat-not-ordered', '1 other-date'), news('repeat-not-ordered', '2 other-date')];
    expect(await inWords(some, { projects: { 1: null } })).toEqual([expect.stringContaining('order 1; order 2')]);
  });

  test('names 20 repeats and counts the rest', async () => {
    const some = (count: number) =>
      Array.from({ length: count }, (_, index) => news('repeat-not-ordered', `${index + 1} given-up`));
    const [line = ''] = await inWords(some(23));
    expect([line.includes('order 20 and 3 more'), line.includes('order 21')]).toEqual([true, false]);
    expect((await inWords(some(20)))[0]).not.toContain('more');
  });

  test("keeps this run's decided ends, and leaves out those of earlier runs", async () => {
    const ended = ['11', '12'].map((projectId) => ({ projectId, reasons: [] }));
    const both = [news('project-canceled', '11'), news('project-canceled', '12', 'before')];
    const [line = '', ...others] = await inWords(both, { ended, decided: ['11', '12'] });
    expect([line.includes('project 11'), line.includes('project 12'), others]).toEqual([true, false, []]);
  });

  test('names an earlier end that no record explains', async () => {
    expect((await inWords([news('project-canceled', '11', 'before')]))[0]).toMatch(/^Canceled .* \d{4}: project 11\./);
  });

  test('names the houses of ends since the earliest', async () => {
    const ended = [
      { projectId: '11', reasons: [], endedAt: NOW - DAY },
      { projectId: '12', reasons: [] },
    ];
    const both = [{ ...news('project-canceled', '11', 'before'), at: NOW - DAY }, news('project-canceled', '12')];
    expect((await inWords(both, { ended }))[0]).not.toMatch(/: project 11/);
  });

  test('joins closed-out projects of one reason', async () => {
    const ended = [
      { projectId: '11', reasons: ['Nobody.'] },
      { projectId: '12', reasons: ['Nobody.'] },
      { projectId: '13', reasons: ['Gate locked.'] },
    ];
    expect(
      await inWords(
        ['11', '12', '13'].map((id) => news('closed-out', id)),
        { ended },
      ),
    ).toEqual([
      expect.stringMatching(/\(project 11\); .*\(project 12\)\. Nobody\. Ask the agent /),
      expect.stringMatching(/\(project 13\)\. Gate locked\. Ask the agent /),
    ]);
  });

  test('gives each end of an earlier run its date, without settled ones', async () => {
    const some = ['11', '12', '13', '14'].map((id, index) => ({
      ...news('project-canceled', id, index === 0 ? 'now' : `before-${id}`),
      at: NOW - index * DAY,
    }));
    const ended = ['11', '12', '13', '14'].map((id) => ({ projectId: id, reasons: [], isOvertaken: id === '14' }));
    const [line = '', ...others] = await inWords(some, { ended, decided: ['13'] });
    expect(line).toMatch(/service: [^;]*\(project 11\)\. /);
    expect(others).toEqual([expect.stringMatching(/service on Oct 14, 2026: [^;]*\(project 12\)\. /)]);
    expect(await inWords(some.slice(2), { ended, decided: ['13'] })).toEqual([]);
  });

  test('gives no closing reason to a canceled project', async () => {
    const ended = [{ projectId: '11', reasons: ['Nobody.'] }];
    expect((await inWords([news('project-canceled', '11')], { ended }))[0]).toMatch(/project 11\)\. Ask \D+$/);
  });

  test('names house and insured of a canceled project', async () => {
    const [line] = await inWords([news('project-canceled', '11')], { ended: [{ projectId: '11', reasons: [] }] });
    expect(line).toContain(': Ann Lee, 12 Oak Street, Cambridge MA (project 11).');
  });

  test.each([
    [{ agentName: 'Bob Ray', agentPhone: '813-555-0100' }, ', agent Bob Ray 813-555-0100.'],
    [{}, 'Cambridge MA (project 11).'],
  ])('names the agent to ask, if known: %j', async (agent, expected) => {
    const ended = [{ projectId: '11', reasons: ['Gate locked.'], agent }];
    const [line] = await inWords([news('closed-out', '11')], { ended });
    expect(line).toContain(expected);
  });

  test('gives the first step of a canceled project', async () => {
    const [line = ''] = await inWords([news('project-canceled', '11')]);
    const step = firstStepAfterEnding({ kind: 'canceled', reason: '' });
    expect([step === '', line.endsWith(step)]).toEqual([false, true]);
  });

  test('names only the project if its details are not on record', async () => {
    expect((await inWords([news('project-canceled', '11')]))[0]).toMatch(/: project 11\. Ask \D+$/);
  });

  test.each(Object.keys(REASONS))('explains a repeat: %s', async (reason) => {
    expect(await inWords([news('repeat-not-ordered', `1 ${reason}`)])).toHaveLength(1);
  });

  test('names 20 files that cannot be read', async () => {
    const some = Array.from({ length: 23 }, (_, index) => news('file-unreadable', `${index}.xlsx`));
    expect(await inWords(some)).toHaveLength(20);
  });

  test('adds the date only to news of an earlier run', async () => {
    const [old = '', fresh = ''] = await inWords([
      news('file-unreadable', 'a.xlsx', 'before'),
      news('file-unreadable', 'b.xlsx'),
    ]);
    expect([old, fresh].map((line) => line.includes('Oct 15, 2026'))).toEqual([true, false]);
  });
});

describe('pendingNews', () => {
  const told = async (
    remindAfterDays: number | null,
    since: number,
    lastTold: number | null = null,
    held: Partial<Ledger> = {},
  ) => {
    const added: string[] = [];
    const ledger = {
      waitingRows: async () => [waitingRows({ since })],
      openQuestions: async () => [],
      lastReportedAt: async () => lastTold,
      addNews: async (kind: string) => void added.push(kind),
      openNews: async () => [],
      ...held,
    } as unknown as Ledger;
    await pendingNews(ledger, NOW, remindAfterDays);
    return added;
  };

  test('reminds of rows that are open for the given days', async () => {
    expect(await told(7, NOW - 7 * DAY)).toEqual(['still-open']);
  });

  test('reminds of a question about a layout', async () => {
    const openQuestions = async () => [{ askedAt: NOW - 7 * DAY }] as never;
    expect(await told(7, NOW, null, { openQuestions })).toEqual(['still-open']);
  });

  test('does not remind a day earlier', async () => {
    expect(await told(7, NOW - 6 * DAY)).toEqual([]);
  });

  test('does not remind again until that many days have passed', async () => {
    expect(await told(7, NOW - 20 * DAY, NOW - 6 * DAY)).toEqual([]);
  });

  test('never reminds without a limit', async () => {
    expect(await told(null, NOW - 700 * DAY)).toEqual([]);
  });
});

describe('describeWaiting', () => {
  test.each<[string, Partial<FileToFix>, RegExp]>([
    ['one row', { rows: 1 }, / 1 row of/],
    ['two rows', { rows: 2 }, / 2 rows of/],
    ['rows of today', { since: NOW }, /open since Oct 15, 2026\)/],
    ['rows of yesterday', { since: NOW - DAY }, /, for 1 day\)/],
    ['rows of two days', { since: NOW - 2 * DAY }, /, for 2 days\)/],
    ['rows past due', { rows: 3, pastDue: 2 }, /open since Oct 15, 2026, 2 past due\)/],
    ['their workbook', {}, /: corrections\/orders - to fix\.xlsx$/],
    ['a workbook to come', { corrections: null }, /: the next run writes/],
  ])('names %s', (_what, changes, words) => {
    expect(describeWaiting(waitingRows(changes), NOW)).toMatch(words);
  });
});

describe('changedEntries', () => {
  const changed = (changes: Partial<ChangedOrder> = {}): ChangedOrder => ({
    orderId: 1,
    projectId: '11',
    status: 'Site Inspected',
    at: NOW,
    place: { file: 'again.csv', sheet: 'Orders', rowNumber: 4 },
    changes: [{ field: 'policyNumber', ordered: 'P-1', now: 'P-2' }],
    ...changes,
  });

  async function entries(
    some: readonly ChangedOrder[],
    { since = 0, amended = {} }: { readonly since?: number; readonly amended?: Readonly<Record<string, string>> } = {},
  ) {
    await using bench = await openLedgerBench();
    await recordCreated(bench.ledger, '11', { policyNumber: 'P-1', policyEffectiveDate: '2026-01-01' });
    await recordOrder(bench.ledger, { inspectionNumber: 'A-2' });
    const ledger = Object.assign(Object.create(bench.ledger) as Ledger, {
      changedOrders: async () => some,
      amendedDetails: async () => amended,
    });
    return await changedEntries(ledger, 10, since);
  }

  test('shows the place, the changes, and the choices', async () => {
    const [entry] = await entries([changed()]);
    expect(entry).toMatchObject({ order: 1, project: '11', status: 'Site Inspected', file: 'again.csv', row: 4 });
    expect(entry?.choices.length).toBeGreaterThan(0);
    expect(entry?.choices.every(({ kind, text }) => kind.length > 0 && text.length > 0)).toBe(true);
  });

  test('leaves out changes before the requested time', async () => {
    expect(await entries([changed()], { since: NOW + 1 })).toEqual([]);
    expect(await entries([changed()], { since: NOW })).toHaveLength(1);
  });

  test('leaves out a change that an amendment made already', async () => {
    expect(await entries([changed()], { amended: { policyNumber: 'P-2' } })).toEqual([]);
  });

  test('shows a change that an amendment did not make', async () => {
    const changes = [{ field: 'policyNumber', ordered: 'P-3', now: 'P-2' }];
    expect(await entries([changed({ changes })], { amended: { policyNumber: 'P-3' } })).toHaveLength(1);
  });

  test('leaves out a field that was amended since', async () => {
    expect(await entries([changed()], { amended: { policyNumber: 'P-3' } })).toEqual([]);
  });

  test('shows an order without a project', async () => {
    const some = await entries([changed({ orderId: 2, projectId: null, status: null })]);
    expect(some).toMatchObject([{ project: null }]);
    expect(some.map(describeChanges).join('')).not.toContain('project null');
  });

  test('leaves out an order that is not on record', async () => {
    expect(await entries([changed({ orderId: 99 })])).toEqual([]);
  });

  test('describes the choices in words', async () => {
    const [entry] = await entries([changed()]);
    if (entry === undefined) throw new Error('no entry');
    const said = describeChanges(entry);
    expect(said).toContain('order 1 (project 11), dropped again in again.csv, sheet Orders, row 4. ');
    for (const { text } of entry.choices) expect(said).toContain(text);
  });
});
