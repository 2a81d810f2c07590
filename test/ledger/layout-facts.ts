import { expect } from 'vitest';
import { layoutId, type LayoutQuestion } from '../../src/domain/layout.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { newOrder, newRow } from '../support/order-factory.ts';
import { VIRTUAL_START_MS } from '../support/virtual-clock.ts';
import type { LedgerFact } from './ledger-fact.ts';

const POLNBR = {
  key: 'polnbr',
  letter: 'B',
  header: 'POLNBR',
  samples: ['HO-1'],
  proposal: 'policyNumber',
  code: 'header-unknown',
  why: 'No list knows this header.',
  holds: true,
} as const;

const QUESTION: LayoutQuestion = {
  layout: 'a layout',
  sheet: 'Orders',
  keys: ['street', 'polnbr'],
  columns: [POLNBR],
  known: { street: 'street' },
};

async function ask(ledger: Ledger, question: Partial<LayoutQuestion> = {}, sender = 's'): Promise<number> {
  return ledger.askLayout({
    sender,
    file: `${sender}/a.csv`,
    question: { ...QUESTION, ...question },
    workbook: 'corrections/a - please confirm.xlsx',
  });
}

async function learn(ledger: Ledger, word: string, value: string): Promise<void> {
  const layout = { sheet: 'Orders', headerRow: 1, columns: [{ index: 0, header: 'Street', field: null }] };
  const words = [{ field: 'houseType', word, value }];
  await ledger.recordFile({ hash: word, name: 's/b.xlsx', layouts: [], notes: [] }, async (file) =>
    file.learnWords({ sender: 's', file: 's/a.csv', layout, words, by: 'Ann' }),
  );
}

export const LAYOUT_FACTS: readonly LedgerFact[] = [
  {
    fact: 'askLayout records an open question without the samples of its columns',
    holds: async ({ ledger }) => {
      const id = await ask(ledger);
      const { samples: _, ...column } = POLNBR;
      expect(await ledger.openQuestions()).toEqual([
        {
          id,
          sender: 's',
          layout: 'a layout',
          keys: ['street', 'polnbr'],
          file: 's/a.csv',
          sheet: 'Orders',
          columns: { street: 'street' },
          words: [],
          question: { columns: [column] },
          workbook: 'corrections/a - please confirm.xlsx',
          askedAt: VIRTUAL_START_MS,
          answeredAt: null,
          answeredBy: null,
        },
      ]);
    },
  },
  {
    fact: 'askLayout reuses the id of a known layout',
    holds: async ({ ledger }) => {
      const id = await ask(ledger);
      expect(await ask(ledger, { columns: [] })).toBe(id);
      expect(await ledger.layoutsOnRecord()).toHaveLength(1);
    },
  },
  {
    fact: 'answerLayout adds the answers to what was known and closes the question',
    holds: async ({ ledger, clock }) => {
      const id = await ask(ledger);
      await clock.advance(1000);
      expect(await ledger.answerLayout(id, { columns: { polnbr: 'policyNumber' }, by: 'Ann' })).toBe(true);
      expect(await ledger.openQuestions()).toEqual([]);
      expect(await ledger.layoutsOf('s')).toMatchObject([
        {
          columns: { street: 'street', polnbr: 'policyNumber' },
          words: [],
          question: null,
          answeredAt: VIRTUAL_START_MS + 1000,
          answeredBy: 'Ann',
        },
      ]);
    },
  },
  {
    fact: "learnWords replaces a word's meaning, whatever its case",
    holds: async ({ ledger }) => {
      for (const [word, value] of [
        ['Rowhome', 'Townhouse'],
        ['ROWHOME', 'Condo'],
      ] as const)
        await learn(ledger, word, value);
      expect(await ledger.layoutsOf('s')).toMatchObject([
        { keys: ['street'], question: null, words: [{ field: 'houseType', word: 'ROWHOME', value: 'Condo' }] },
      ]);
    },
  },
  {
    fact: 'learnWords leaves an open question open',
    holds: async ({ ledger }) => {
      await ask(ledger, { layout: layoutId(['street']), keys: ['street'] });
      await learn(ledger, 'Rowhome', 'Townhouse');
      expect(await ledger.openQuestions()).toMatchObject([{ words: [{ word: 'Rowhome' }] }]);
    },
  },
  {
    fact: 'answerLayout and forgetLayout know only layouts of their own account',
    holds: async ({ ledger, openAgain }) => {
      const id = await ask(ledger);
      const other = await openAgain('another account');
      expect(await other.answerLayout(id, { columns: {}, by: 'Ann' })).toBe(false);
      expect(await other.forgetLayout(id)).toBe(false);
      expect(await other.layoutsOnRecord()).toEqual([]);
    },
  },
  {
    fact: 'layoutsOf gives the layouts of one sender, the newest first',
    holds: async ({ ledger }) => {
      const first = await ask(ledger);
      const second = await ask(ledger, { layout: 'another layout' });
      await ask(ledger, {}, 't');
      expect((await ledger.layoutsOf('s')).map(({ id }) => id)).toEqual([second, first]);
    },
  },
  {
    fact: 'layoutWaits stays open until every awaited layout is answered',
    holds: async ({ ledger }) => {
      const ids = [await ask(ledger), await ask(ledger, { layout: 'another layout' })];
      await ledger.waitForLayouts('aa', ids);
      await ledger.waitForLayouts('aa', ids);
      for (const id of ids) {
        expect(await ledger.layoutWaits()).toEqual([{ hash: 'aa', isOpen: true }]);
        await ledger.answerLayout(id, { columns: {}, by: 'Ann' });
      }
      expect(await ledger.layoutWaits()).toEqual([{ hash: 'aa', isOpen: false }]);
      await ledger.endLayoutWait('aa');
      expect(await ledger.layoutWaits()).toEqual([]);
    },
  },
  {
    fact: 'forgetLayout empties a layout and ends the waits for it',
    holds: async ({ ledger }) => {
      const id = await ask(ledger);
      await ledger.waitForLayouts('aa', [id]);
      expect(await ledger.forgetLayout(id)).toBe(true);
      expect(await ledger.layoutWaits()).toEqual([]);
      expect(await ledger.layoutsOf('s')).toMatchObject([{ columns: {}, words: [], question: null, answeredAt: null }]);
    },
  },
  {
    fact: "acceptedLayouts lists one sender's layouts with accepted rows",
    holds: async ({ ledger }) => {
      const layout = (sheet: string) => ({ sheet, headerRow: 1, columns: [] });
      for (const [sender, name, isAccepted] of [
        ['s', 'with accepted rows', true],
        ['s', 'with rejected rows', false],
        ['t', 'of another sender', true],
      ] as const)
        await ledger.recordFile(
          { hash: name, name, sender, kind: 'a', layouts: [layout(name)], notes: [] },
          async (transaction) => {
            const orderId = isAccepted ? transaction.addOrder(newOrder({ policyNumber: name })) : null;
            transaction.addRow(newRow(isAccepted ? { outcome: 'order', orderId } : {}));
          },
        );
      expect(await ledger.acceptedLayouts('s', 10)).toEqual([layout('with accepted rows')]);
    },
  },
];
