import { expect } from 'vitest';
import type { ResultColumn } from '../../src/domain/project.ts';
import type { LedgerFact } from './ledger-fact.ts';

const column = (path: string, changes: Partial<ResultColumn> = {}): ResultColumn => ({
  list: '',
  path,
  keyedBy: null,
  title: `Title of ${path}`,
  group: 'Roof',
  sheet: 'Results',
  ...changes,
});

export const COLUMN_FACTS: readonly LedgerFact[] = [
  {
    fact: 'addResultColumns keeps the order and form of earlier columns',
    holds: async ({ ledger, openAgain }) => {
      // Each account has its own columns.
      expect(await ledger.resultColumns()).toEqual([]);
      const first = [column('b'), column('a', { keyedBy: 'x' })];
      await ledger.addResultColumns(first);
      const later = [
        column('a', { title: 'Another' }),
        column('c'),
        column('b', { list: 'summary.pools', sheet: 'Pools' }),
      ];
      await ledger.addResultColumns(later);
      expect(await (await openAgain()).resultColumns()).toEqual([...first, ...later.slice(1)]);
      expect(await (await openAgain('another')).resultColumns()).toEqual([]);
    },
  },
];
