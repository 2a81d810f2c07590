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
/** Of the state and the policy type. */
const SAYING_NOTHING = { 'ZIP code': '00000', 'House type': 'Other', 'Policy number': 'A-00482' };

describe('readSource', () => {
  test.each([
    ['Service', SERVICE],
    ['Policy type', '=policyType='],
    ['House type', '=houseType='],
    ['State', '=state='],
  ])('asks for one value of the missing %s, and proposes none', async (title, key) => {
    const { asked, holds, questions } = await read({ S: without([title], SAYING_NOTHING) });
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

  test.each(['Commercial', 'Commercial lines', 'CPP'])(
    'asks again about the policy type under a tab %s',
    async (tab) => {
      const rows = without(['Policy type']);
      const knownLayouts = [confirmed(rows, { '=policyType=': 'Homeowners Insurance' })];
      const { asked, sent } = await read({ [tab]: rows }, { knownLayouts });
      expect([asked, sent[0]]).toEqual([
        [['=policyType=Commercial Property Insurance', null]],
        ['required-column-missing'],
      ]);
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
    [['Homeowners', 'Commercial property'], '=policyType=Commercial Property Insurance'],
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

/** The rows with titles between them; `-`: one of the two rows. */
function titled(left: string, lines: readonly string[], more: Readonly<Record<string, string>> = {}): Rows {
  const [header = [], row = [], other = row] = without([left], more);
  let count = 0;
  return [header, ...lines.map((line) => (line === '-' ? ((count += 1) % 2 === 1 ? row : other) : [line]))];
}

const SECTIONS = titled('Service', ['EXTERIORS', '-', '-', '4 POINTS', '-', 'Other', '-']);
const TOLD = { [`${SERVICE}Exterior`]: 'Exterior', [`${SERVICE}4-Point`]: '4-Point' };

describe('readSource with titles above groups of rows', () => {
  test('asks once for each title, and for the rows without one', async () => {
    const { questions, holds } = await read({ S: SECTIONS });
    expect(questions[0]?.columns.map(({ letter, key, proposal }) => [letter, key, proposal])).toEqual([
      ['rows below EXTERIORS (2)', `${SERVICE}Exterior`, 'Exterior'],
      ['rows below 4 POINTS (1)', `${SERVICE}4-Point`, '4-Point'],
      ['other rows (1)', `${SERVICE}(others)`, null],
    ]);
    expect(holds).toEqual([true, true, true]);
  });

  test('reads titles with the count of their rows', async () => {
    const counted = titled('Service', ['EXTERIORS (2)', '-', '-', 'ROOF ONLY (1)', '-']);
    const { questions } = await read({ S: counted });
    expect(questions[0]?.columns.map(({ proposal }) => proposal)).toEqual(['Exterior', 'Roof Only']);
  });

  test('takes the answer for each title, up to the next line', async () => {
    const { asked, sent, repairs } = await read(
      { S: SECTIONS },
      { knownLayouts: [confirmed(SECTIONS, { ...TOLD, [`${SERVICE}(others)`]: null })] },
    );
    expect([asked, sent]).toMatchObject([
      [],
      [
        { serviceName: 'Exterior' },
        { serviceName: 'Exterior' },
        { serviceName: '4-Point' },
        ['row-hardly-filled'],
        ['required-column-missing'],
      ],
    ]);
    expect(repairs[0]).toMatchObject([{ field: 'serviceName', held: 'EXTERIORS', sent: 'Exterior' }]);
  });

  test('takes nothing for rows without a title that was confirmed for all rows', async () => {
    const { asked, sent } = await read(
      { S: SECTIONS },
      { knownLayouts: [confirmed(SECTIONS, { [SERVICE]: 'Exterior' })] },
    );
    expect(asked.map(([key]) => key)).toEqual([`${SERVICE}4-Point`, `${SERVICE}(others)`]);
    expect(sent.at(-1)).toEqual(['required-column-missing']);
  });

  test.each([
    ['Policy type', 'Homeowners', 'Commercial property', '=policyType='],
    ['House type', 'CONDOS', 'Townhouses', '=houseType='],
    ['State', 'FLORIDA', 'TX', '=state='],
  ])('asks for the %s below titles', async (field, one, other, key) => {
    const { asked } = await read({ S: titled(field, [one, '-', other, '-']) });
    expect(asked.map(([line, proposal]) => line === `${key}${proposal ?? ''}`)).toEqual([true, true]);
  });

  test('keeps the outer title below an inner one', async () => {
    const lines = ['HOMEOWNERS', 'EXTERIORS', '-', '4 POINTS', '-', 'FARM', '-'];
    const [header = [], ...rows] = titled('Service', lines);
    const at = header.indexOf('Policy type');
    const sheet = [header, ...rows].map((row) => (row.length > 1 ? row.toSpliced(at, 1) : row));
    const { questions } = await read({ S: sheet });
    expect(questions[0]?.columns.map(({ letter }) => letter)).toEqual([
      'rows below EXTERIORS (1)',
      'rows below 4 POINTS (1)',
      'other rows (1)',
      'rows below HOMEOWNERS (2)',
      'rows below FARM (1)',
    ]);
  });

  test('asks about a title that contradicts the tab', async () => {
    const { asked } = await read({ Roof: SECTIONS });
    expect(asked.map(([key]) => key)).toEqual([`${SERVICE}Exterior`, `${SERVICE}4-Point`]);
  });

  test('prefers a column to the titles', async () => {
    const [header = [], row = []] = without([]);
    const { asked, sent } = await read({ S: [header, ['EXTERIORS'], row] });
    expect([asked, sent]).toMatchObject([[], [{ serviceName: '4-Point' }]]);
  });

  test.each([
    ['the answer', TOLD, ['Exterior']],
    ['the title, without an answer', {}, ['EXTERIORS']],
  ])('adds a column with %s to rows that come back', async (_, columns, expected) => {
    const rows = titled('Service', ['EXTERIORS', '-'], { 'Policy number': 'HO-00482', 'Insured email': 'none' });
    const source = inMemorySource({ S: rows });
    const knownLayouts = [confirmed(rows, columns)];
    await using reading = await readSource(source, 'a.xlsx', { headers: {}, today: '2026-11-01', knownLayouts });
    const added = reading.layouts[0]?.columns.at(-1);
    expect(added).toMatchObject({ header: 'Service', field: 'serviceName' });
    const [back] = await collected(reading.rows());
    expect([back?.record.cells[added?.index ?? 0]]).toMatchObject(expected.map((text) => ({ text })));
  });

  test('takes no value below the last of too many lines', async () => {
    const many = Array.from({ length: 998 }, () => 'EXTERIORS');
    const lines = ['EXTERIORS', '-', ...many, '-', 'EXTERIORS', 'Other', '-'];
    const rows = titled('Service', lines);
    const { asked, sent } = await read({ S: rows }, { knownLayouts: [confirmed(rows, TOLD)] });
    expect(asked.map(([key]) => key)).toEqual([`${SERVICE}(others)`]);
    expect([sent[0], sent.at(-1)]).toMatchObject([{ serviceName: 'Exterior' }, ['required-column-missing']]);
  });

  test('takes a title for no row of an order', async () => {
    const rows = [...without([]), ['ROOF ONLY']];
    expect((await read({ S: rows })).sent).toHaveLength(2);
  });
});

describe('readSource with titles that say a value', () => {
  test('asks for a value for each sheet that names one', async () => {
    const rows = without(['State']);
    const { questions } = await read({ FL: rows, 'TX inspections': rows, Louisiana: rows });
    expect(questions[0]?.columns.map(({ letter, proposal }) => [letter.split(' of ')[1], proposal])).toEqual([
      ['FL', 'FL'],
      ['TX inspections', 'TX'],
      ['Louisiana', 'LA'],
    ]);
  });

  test.each(['Hi', 'in', 'December by state', 'Ok or not'])('takes %s for no state', async (name) => {
    expect((await read({ [name]: without(['State'], SAYING_NOTHING) })).asked).toEqual([['=state=', null]]);
  });

  test.each([
    ['House type', 'MOBILE HOMES to inspect', 'Mobile Home'],
    ['House type', 'HO6 Condo unit owners', 'Residential Condo'],
    ['Service', 'please order exteriors on these, all are homeowners. thx', 'Exterior'],
    ['Policy type', 'please order exteriors on these, all are homeowners. thx', 'Homeowners Insurance'],
    ['Service', 'premium 4-point due in May', 'Premium 4-Point'],
  ])('proposes the %s that %s says', async (field, title, expected) => {
    const { asked, questions } = await read({ S: [[title], ...without([field])] });
    expect([asked.map(([, proposal]) => proposal), questions[0]?.missing]).toEqual([[expected], []]);
  });

  test.each(['exteriors, no roofs', 'exteriors unless new'])('proposes no service for %s', async (title) => {
    expect((await read({ S: [[title], ...LIST] })).asked.map(([, proposal]) => proposal)).toEqual([null]);
  });

  test('proposes the value of a plain title, next to one with limits', async () => {
    const [header = [], ...rows] = without(['Policy type']);
    const { asked } = await read({ S: [['All homeowners'], header, ...rows, ['Commercial & Personal Lines CSR']] });
    expect(asked.map(([, proposal]) => proposal)).toEqual(['Homeowners Insurance']);
  });

  test('takes a confirmed value for a file that says nothing, with a note', async () => {
    const knownLayouts = [confirmed(LIST, { [`${SERVICE}4-Point`]: '4-Point' })];
    const { asked, sent, notes } = await read({ S: LIST }, { knownLayouts }, 'december list.csv');
    expect([asked, sent[0]]).toMatchObject([[], { serviceName: '4-Point' }]);
    expect(notes).toContainEqual(expect.objectContaining({ code: 'value-for-all' }));
  });

  test('asks if earlier files had different values', async () => {
    expect((await read({ S: LIST }, { knownLayouts: [confirmed(LIST, TOLD)] })).asked).toEqual([[SERVICE, null]]);
  });

  test('lists no column next to a value that the file says', async () => {
    const list = [['COMMERCIAL PROPERTY'], ...without(['Policy type'], { Contact: 'Beth Kovacs' })];
    const { asked, questions } = await read({ S: list });
    expect([asked.map(([key]) => key), questions[0]?.missing]).toEqual([
      ['=policyType=Commercial Property Insurance'],
      [],
    ]);
  });

  test('lists no column of names for a kind', async () => {
    const [header = [], row = []] = without(['Policy type'], { ...SAYING_NOTHING, Park: '' });
    const rows = ['Ann', 'Bea', 'Cleo', 'Dora', 'Eve'].map((name) => row.with(header.indexOf('Park'), name));
    expect((await read({ S: [header, ...rows] })).asked).toEqual([['=policyType=', null]]);
    const same = rows.map((one) => one.with(header.indexOf('Park'), 'Gold'));
    expect((await read({ S: [header, ...same] })).asked.map(([key]) => key)).toContain('park');
  });
});

describe('readSource with rows that leave one value', () => {
  const filled = (left: string, header: string, texts: readonly string[]) => {
    const [titles = [], row = []] = without([left], { 'Policy number': 'A-00482' });
    return [titles, ...texts.map((text) => row.with(titles.indexOf(header), text))];
  };
  const proposed = async (rows: Rows, tab = 'S') => (await read({ [tab]: rows })).asked.map(([, proposal]) => proposal);

  test.each([
    ['Homeowners Insurance', ['SFR', 'Condo', 'Mobile home']],
    ['Commercial Property Insurance', ['Apartments', 'Office', '']],
    ['Homeowners Insurance', ['SFR', 'Chalet']],
    [null, ['SFR', 'Restaurant']],
    [null, ['Other', 'Other']],
    [null, ['Chalet', '']],
    [null, [...Array.from({ length: 40 }, () => 'SFR'), 'Restaurant']],
  ])('proposes the policy type %s (%#)', async (expected, houses) => {
    expect(await proposed(filled('Policy type', 'House type', houses))).toEqual([expected]);
  });

  test('proposes no policy type against the numbers of policies', async () => {
    expect(await proposed(filled('Policy type', 'Policy number', ['BOP 4471902', 'HO 1']))).toEqual([null]);
  });

  test.each([
    ['Commercial', [], 'Commercial Property Insurance'],
    ['S', ['Homeowners', 'CPP 4471902'], 'Homeowners Insurance'],
  ])('prefers what titles say (%#)', async (tab, titles, expected) => {
    const rows = [...titles.map((title) => [title]), ...without(['Policy type'])];
    expect(await proposed(rows, tab)).toEqual([expected]);
  });

  test.each([
    ['FL', ['33609', '34471-1234']],
    ['NJ', ['08753', '7042']],
    [null, ['33609', '30303']],
    [null, ['06390']],
    [null, [...Array.from({ length: 40 }, () => '33609'), '30303']],
  ])('proposes the state %s (%#)', async (expected, zips) => {
    expect(await proposed(filled('State', 'ZIP code', zips))).toEqual([expected]);
  });

  test('takes no value without an answer', async () => {
    expect((await read({ S: without(['Policy type']) })).sent[0]).toEqual(['required-column-missing']);
  });

  test('gives back a row whose ZIP code is not in the state of all rows', async () => {
    const rows = filled('State', 'ZIP code', ['33609', '30303']);
    const { sent } = await read({ S: rows }, { knownLayouts: [confirmed(rows, { '=state=': 'FL' })] });
    expect(sent).toMatchObject([{ state: 'FL' }, ['zipcode-not-in-state']]);
  });

  test('asks for the house type of each sheet that names a form', async () => {
    const rows = without(['Policy type', 'House type']);
    const { questions } = await read({ HO3: rows, HO6: rows, DP3: rows });
    const lines = questions[0]?.columns.map(({ letter, header, proposal }) => [letter, header, proposal]);
    expect(lines).toEqual([
      ['all rows', 'Policy type', 'Homeowners Insurance'],
      ['all rows of HO3', 'House type', null],
      ['all rows of HO6', 'House type', null],
      ['all rows of DP3', 'House type', null],
    ]);
  });

  test('takes the house type of each sheet that names a form', async () => {
    const rows = without(['House type']);
    const columns = { '=houseType=HO3': 'Residential Single Family', '=houseType=HO6': 'Residential Condo' };
    const { asked, sent } = await read({ HO3: rows, HO6: rows }, { knownLayouts: [confirmed(rows, columns)] });
    expect([asked, sent[0], sent[2]]).toMatchObject([
      [],
      { houseType: 'Residential Single Family' },
      { houseType: 'Residential Condo' },
    ]);
  });

  test('gives rows that came back the value of their sheet', async () => {
    const [header = [], row = []] = without(['House type']);
    const houses = { HO3: 'Residential Single Family', HO6: 'Residential Condo' };
    const { keys } = confirmed([header], {});
    const lists = Object.entries(houses).map(([sheet, value]) => [
      JSON.stringify({ sheet, keys, known: { '=houseType=': value } }),
    ]);
    const back = (sheet: string) => [
      [...header, '_row'],
      [...row, `november.xlsx#${sheet}#2#0123456789ab`],
    ];
    const columns = Object.fromEntries(Object.entries(houses).map(([sheet, value]) => [`=houseType=${sheet}`, value]));
    const { sent } = await read(
      { HO3: back('HO3'), HO6: back('HO6'), '!Lists': [['Corrections workbook'], ...lists] },
      { knownLayouts: [confirmed([header], columns)] },
      'november - to fix.xlsx',
    );
    expect(sent).toMatchObject(Object.values(houses).map((houseType) => ({ houseType })));
  });

  test('asks nothing again about sheets that were answered as one', async () => {
    const rows = without(['House type']);
    const knownLayouts = [confirmed(rows, { '=houseType=': 'Residential Condo' })];
    expect((await read({ HO3: rows, HO6: rows }, { knownLayouts })).asked).toEqual([]);
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
