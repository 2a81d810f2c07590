import { expect, test } from 'vitest';
import { stableName } from '../../../src/intake/stable-name.ts';

test.each([
  [
    [
      'Smith orders 2026-03-05.xlsx',
      'SMITH_ORDERS_March.csv',
      'smith orders (2).xlsx',
      'Copy of Smith Orders 5th Nov.xlsx',
      'Smith orders final.csv',
    ],
    'smith orders',
  ],
  [['2026-03-05.csv', '20260306.csv', '05 March.xlsx'], ''],
  [['weekly7.csv', 'weekly 12.csv'], 'weekly'],
  [['März-Aufträge 03.csv'], 'märz aufträge'],
  [['orders.v2.xlsx'], 'orders v'],
])('finds that %j have %j in common', (names, stable) => {
  expect(new Set(names.map(stableName))).toEqual(new Set([stable]));
});

test('keeps a word that only begins like a month', () => {
  expect(stableName('Marchetti mayor.csv')).toBe('marchetti mayor');
});
