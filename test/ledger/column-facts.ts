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
    fact: 'columns of the results keep the order in which they were given, and what they were first; each account has its own',
    holds: async ({ ledger, openAgain }) => {
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
