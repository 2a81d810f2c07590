import { describe, expect, test } from 'vitest';
import { columnKeys, type KnownLayout } from '../../../../src/domain/layout.ts';
import { readAnswers } from '../../../../src/intake/layout/answer-workbook.ts';
import { type IntakeOptions, readSource } from '../../../../src/intake/read-orders.ts';
import { type CellLike, collected, inMemorySource } from '../../../support/in-memory-source.ts';
import { ORDER_COLUMNS } from '../../../support/order-columns.ts';

type Rows = readonly (readonly CellLike[])[];

/** A table of two orders without some columns. */
function without(left: readonly string[], more: Readonly<Record<string, string>> = {}): Rows {
  const columns = Object.entries({ ...ORDER_COLUMNS, 'Policy number': 'HO-00482', ...more }).filter(
    ([header]) => !left.includes(header),
  );
  const row = (at: number) => columns.map(([header, held]) => (header === 'Policy number' ? `${held}${at}` : held));
  return [columns.map(([header]) => header), row(1), row(2)];
}

function confirmed(rows: Rows, columns: KnownLayout['columns'], file?: string): KnownLayout {
  return { by: 'confirmed', keys: columnKeys((rows[0] ?? []).map(String)), columns, words: [], file };
}

async function read(
  sheets: Readonly<Record<string, Rows>>,
  options: Partial<IntakeOptions> = {},
  name = 'november.xlsx',
) {
  const source = inMemorySource(sheets);
  await using reading = await readSource(source, name, { headers: {}, today: '2026-11-01', ...options });
  const rows = await collected(reading.rows());
  return {
    ...reading,
    asked: reading.questions.flatMap(({ columns }) => columns.map(({ key, proposal }) => [key, proposal])),
    holds: reading.questions.flatMap(({ columns }) => columns.map(({ holds }) => holds)),
    sent: rows.map((row) => (row.kind === 'order' ? row.payload : row.problems.map(({ rule }) => rule))),
    repairs: rows.map(({ repairs }) => repairs.filter(({ cell }) => cell === '')),
  };
}

const SERVICE = '=serviceName=';
const LIST = without(['Service']);

describe('readSource', () => {
  test.each([
    ['Service', SERVICE],
    ['Policy type', '=policyType='],
    ['House type', '=houseType='],
    ['State', '=state='],
  ])('asks for one value of the missing %s, and proposes none', async (title, key) => {
    const { asked, holds, questions } = await read({ S: without([title]) });
    expect([asked, holds, questions[0]?.missing]).toEqual([[[key, null]], [true], [title]]);
  });

  test.each(['Insured name', 'Insured phone', 'Insured email', 'Street address', 'City', 'ZIP code'])(
    'asks for no one value of the missing %s',
    async (title) => {
      expect((await read({ S: without([title]) })).asked).toEqual([]);
    },
  );

  test('asks for no state before the street has a column', async () => {
    const rows = without(['State', 'Street address', 'City', 'ZIP code'], {
      'Steet adress': '118 Oak Ridge Ln',
      'City/State/Zip': 'Tampa, FL 33609',
    });
    expect((await read({ S: rows })).asked).toEqual([['steetadress', 'streetAddress']]);
  });

  test('takes the confirmed values for all rows, each with a repair', async () => {
    const rows = without(['Service', 'Policy type', 'House type', 'State']);
    const columns = {
      [SERVICE]: 'Exterior',
      '=policyType=': 'Homeowners Insurance',
      '=houseType=': 'Residential Condo',
      '=state=': 'FL',
    };
    const { asked, sent, repairs } = await read({ S: rows }, { knownLayouts: [confirmed(rows, columns)] });
    const all = { serviceName: 'Exterior', houseType: 'Residential Condo', state: 'FL' };
    expect([asked, sent]).toMatchObject([[], [all, all]]);
    expect(repairs[1]).toContainEqual(expect.objectContaining({ field: 'serviceName', sent: 'Exterior', held: '' }));
  });

  test('says in the map that a value was confirmed', async () => {
    const { columnDescriptions } = await read(
      { S: LIST },
      { knownLayouts: [confirmed(LIST, { [SERVICE]: 'Exterior' })] },
    );
    expect(columnDescriptions.at(-1)).toMatch(/Service → "Exterior"$/);
  });

  test('knows the layout with moved columns', async () => {
    const moved = LIST.map((row) => row.toReversed());
    const { sent } = await read({ S: moved }, { knownLayouts: [confirmed(LIST, { [SERVICE]: 'Exterior' })] });
    expect(sent).toMatchObject([{ serviceName: 'Exterior' }, { serviceName: 'Exterior' }]);
  });

  test('prefers a column, even one with blank cells', async () => {
    const rows = without([]).map((row, at) => (at === 2 ? row.with(7, '') : row));
    const { asked, sent } = await read({ S: rows }, { knownLayouts: [confirmed(rows, { [SERVICE]: 'Exterior' })] });
    expect([asked, sent]).toMatchObject([[], [{ serviceName: '4-Point' }, ['required-empty']]]);
  });

  test('prefers the service of a title', async () => {
    const { sent } = await read({ Roof: LIST }, { knownLayouts: [confirmed(LIST, { [SERVICE]: 'Exterior' })] });
    expect(sent).toMatchObject([{ serviceName: 'Roof Only' }, { serviceName: 'Roof Only' }]);
  });

  test('asks once if nothing was confirmed, and the rows go back', async () => {
    const { asked, sent } = await read({ S: LIST }, { knownLayouts: [confirmed(LIST, { [SERVICE]: null })] });
    expect([asked, sent]).toEqual([[], [['required-column-missing'], ['required-column-missing']]]);
  });

  test('proposes what was confirmed for a similar layout, and takes nothing', async () => {
    const more = without(['Service'], { Deductible: '1,000' });
    const { asked, sent } = await read({ S: more }, { knownLayouts: [confirmed(LIST, { [SERVICE]: 'Exterior' })] });
    expect([asked, sent[0]]).toEqual([[[SERVICE, 'Exterior']], ['required-column-missing']]);
  });

  test("proposes the service in the file's name", async () => {
    expect((await read({ S: LIST }, {}, 'Exterior orders.xlsx')).asked).toEqual([
      ['=serviceName=Exterior', 'Exterior'],
    ]);
  });

  test.each(['Homeowners renewals January 2027', 'HO3 list', 'Homeowners'])(
    'proposes the policy type of %s',
    async (title) => {
      const rows = [[title], ...without(['Policy type'])];
      expect((await read({ S: rows })).asked).toEqual([['=policyType=Homeowners Insurance', 'Homeowners Insurance']]);
    },
  );

  test("asks again if the file's name says another service", async () => {
    const knownLayouts = [confirmed(LIST, { [SERVICE]: 'Exterior' })];
    const { asked, sent } = await read({ S: LIST }, { knownLayouts }, '4-Point.xlsx');
    expect([asked, sent[0]]).toEqual([[['=serviceName=4-Point', null]], ['required-column-missing']]);
  });

  test("takes what a person said against the file's name", async () => {
    const knownLayouts = [confirmed(LIST, { '=serviceName=4-Point': 'Exterior' })];
    const { asked, sent } = await read({ S: LIST }, { knownLayouts }, '4-Point.xlsx');
    expect([asked, sent[0]]).toMatchObject([[], { serviceName: 'Exterior' }]);
  });

  test.each([
    [['COMMERCIAL PROPERTY - December'], '=policyType=Commercial Property Insurance'],
    [['Homeowners', 'Commercial property'], '=policyType=Commercial Property Insurance/Homeowners Insurance'],
  ])('asks again if lines say another policy type (%#)', async (lines, key) => {
    const [header = [], ...rows] = without(['Policy type']);
    const knownLayouts = [confirmed([header], { '=policyType=': 'Homeowners Insurance' })];
    const sheet = [header, ...rows.flatMap((row, at) => (lines[at] === undefined ? [row] : [[lines[at]], row]))];
    expect((await read({ S: sheet }, { knownLayouts })).asked).toEqual([[key, null]]);
  });

  test('asks about another file in the inbox itself', async () => {
    const knownLayouts = [confirmed(LIST, { [SERVICE]: 'Exterior' }, 'october.xlsx')];
    expect((await read({ S: LIST }, { knownLayouts })).asked).toEqual([]);
    expect((await read({ S: LIST }, { knownLayouts }, 'jones list.xlsx')).asked).toEqual([[SERVICE, 'Exterior']]);
  });

  test('asks once about sheets of one layout', async () => {
    const { questions } = await read({ North: LIST, South: LIST });
    expect(questions).toMatchObject([{ sheet: 'North, South', columns: [{ key: SERVICE }] }]);
  });

  test('lets the rows of a whole sheet be ordered meanwhile', async () => {
    const { holds, sent } = await read({ A: without([]), B: LIST });
    expect([holds, sent[0]]).toMatchObject([[false], { serviceName: '4-Point' }]);
  });

  test('asks even if newLayout is go', async () => {
    expect((await read({ S: LIST }, { newLayout: 'go' })).asked).toEqual([[SERVICE, null]]);
  });

  test.each([
    ['the confirmed value still counts', 'Exterior', [{ serviceName: 'Exterior' }]],
    ['another was confirmed since', '4-Point', [['required-column-missing']]],
  ])('reads a row that came back if %s', async (_, now, expected) => {
    const [header = [], row = []] = LIST;
    const key = 'november.xlsx#S#2#0123456789ab';
    const { keys } = confirmed(LIST, {});
    const known = { ...Object.fromEntries(keys.map((one) => [one, null])), [SERVICE]: 'Exterior' };
    const { sent } = await read(
      {
        S: [
          [...header, '_row'],
          [...row, key],
        ],
        '!Lists': [['Corrections workbook'], [JSON.stringify({ keys, known })]],
      },
      { knownLayouts: [confirmed(LIST, { [SERVICE]: now })] },
      'november - to fix.xlsx',
    );
    expect(sent).toMatchObject(expected);
  });
});

describe('readAnswers', () => {
  const answered = (key: string, said: string) =>
    readAnswers(
      inMemorySource({
        Columns: [
          ['Is read as', '_key'],
          [said, `t#${key}`],
        ],
      }),
      'answer.xlsx',
    );

  test.each([
    [SERVICE, 'Exterior', 'Exterior'],
    [SERVICE, '4pt', '4-Point'],
    ['=state=', 'Florida', 'FL'],
    [SERVICE, '', null],
    [SERVICE, '(not sent)', null],
  ])('reads %s, answered "%s"', async (key, said, expected) => {
    expect((await answered(key, said))[0]?.columns).toEqual({ [key]: expected });
  });

  test.each([
    [SERVICE, 'Policy number'],
    ['=insuredName=', 'Ann Lee'],
  ])('refuses %s answered as %s', async (key, said) => {
    await expect(answered(key, said)).rejects.toMatchObject({ code: 'answer-not-taken' });
  });
});
