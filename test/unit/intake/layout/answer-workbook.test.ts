import { expect, test } from 'vitest';
import { readSource } from '../../../../src/intake/read-orders.ts';
import { useOf } from '../../../../src/intake/header/name-parts.ts';
import { readAnswers } from '../../../../src/intake/layout/answer-workbook.ts';
import { collected, inMemorySource } from '../../../support/in-memory-source.ts';
import { ORDER_COLUMNS } from '../../../support/order-columns.ts';

type Answers = Readonly<Record<string, string>>;

async function answered(answers: Answers) {
  const lines = Object.entries(answers).map(([column, said]) => [said, `t#${column}`]);
  return readAnswers(inMemorySource({ Columns: [['Is read as', '_key'], ...lines] }), 'answer.xlsx');
}

test.each<Answers>([
  { borrowerfirstname: 'Insured name', borrowerlastname: 'Insured name' },
  { contactfirst: 'Insured name', contactmiddleinitial: 'Insured name', contactlast: 'Insured name' },
  { sellerfirstname: 'Agent name', sellerlastname: 'Agent name' },
  { name1: 'Insured name', name2: 'Insured name' },
  { forenames: 'Insured name', borrowerlastname: 'Insured name' },
])('takes one field for the parts of a name (%#)', async (answers) => {
  const field = Object.values(answers)[0] === 'Agent name' ? 'agentName' : 'insuredName';
  const [answer] = await answered(answers);
  expect(Object.values(answer?.columns ?? {})).toEqual(Object.keys(answers).map(() => field));
});

test.each([
  [['name1', 'name2'], 'insuredName', 2],
  [['forenames', 'borrowerlastname'], 'insuredName', 2],
  [['firstname', 'borrowerfirstname'], 'insuredName', 1],
  [['firstaddress', 'lastaddress'], 'streetAddress', 1],
] as const)('%j read as %s have %i uses', (columns, field, count) => {
  expect(new Set(columns.map((column) => useOf(column, field))).size).toBe(count);
});

test.each([
  { 'Resident Last Name': 'Vega', 'Resident First Name': 'Marisol' },
  { 'Title 1': 'Marisol', 'Title 2': 'Vega' },
  { 'Resident Last Name': 'Vega', Forenames: 'Marisol' },
])('reads both columns as one name (%#)', async (names) => {
  const columns = Object.entries<string>({
    ...ORDER_COLUMNS,
    'Policy number': 'HO-0048213',
    ...names,
  }).filter(([header]) => header !== 'Insured name');
  const headers = columns.map(([header]) => header);
  const keys = headers.map((header) => header.toLowerCase().replaceAll(' ', ''));
  const parts = Object.fromEntries(
    Object.keys(names).map((header) => [header.toLowerCase().replaceAll(' ', ''), 'insuredName']),
  );
  const knownLayouts = [{ by: 'confirmed', keys, columns: parts, words: [] }] as const;
  const source = inMemorySource({ S: [headers, columns.map(([, held]) => held)] });
  const reading = await readSource(source, 'orders.xlsx', { headers: {}, today: '2026-11-01', knownLayouts });
  expect([reading.questions, await collected(reading.rows())]).toMatchObject([
    [],
    [{ kind: 'order', payload: { insuredName: 'Marisol Vega' } }],
  ]);
});
