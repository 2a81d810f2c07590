import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { templateText } from '../../../src/contract/template-data.ts';

interface House {
  readonly markup: string;
  readonly amount?: number;
}

type Match = (house: House) => Readonly<Record<'text' | 'label', string>> | undefined;

interface Search {
  readonly matcher: (query: string) => Match;
  readonly comparison: (query: string) => { readonly match: Match; readonly says: string } | undefined;
  readonly corrected: (query: string) => string;
}

function searchOf(houses: readonly string[], inPage: readonly House[] = houses.map((markup) => ({ markup }))): Search {
  return (runInNewContext(`${templateText('page/search.js')}; openSearch`) as (some: typeof inPage) => Search)(inPage);
}

/** The lines that a search shows, house by house. */
function found(query: string, ...houses: readonly string[]): readonly string[] {
  const inPage = houses.map((markup) => ({ markup }));
  const { matcher, corrected } = searchOf(houses, inPage);
  return inPage.flatMap((house) => matcher(corrected(query))(house)?.text ?? []);
}

const fact = (name: string, value: string, attributes = ''): string => `<dt>${name}</dt><dd${attributes}>${value}</dd>`;
const note = (text: string): string => fact('Note', text, ' class="apart"');
const DOG = '<li class="grave">Liability: aggressive dog</li>';

describe('openSearch', () => {
  test('finds a reason and not a note that denies it', () => {
    expect(found('dog', DOG, note('No dog.'), note('never dogs, gate 12'))).toEqual(['Liability: aggressive dog']);
  });

  test('finds the words of a note, and shows that it is one', () => {
    expect(found('no dog', note('No dog.'))).toEqual(['Note: No dog.']);
    expect(found('gate code', note('Gate code 12'))).toEqual(['Note: Gate code 12']);
  });

  test('does not join words of a note with words of other lines', () => {
    const roof = '<li>Roof: tarp</li>';
    expect(found('roof 20', roof + note('20 minutes away'))).toEqual([]);
    expect(found('roof away', roof + note('20 minutes away'))).toEqual([]);
  });

  test('finds an age by its name and value', () => {
    const age = fact('Roof, age', '15 - 20 years', ' class="apart"');
    const life = fact('Roof, life left', '1 ~ 5 years', ' class="apart"');
    expect(found('roof age 20', age + life, life)).toEqual(['Roof, age: 15 - 20 years']);
    expect(found('roof life 5', age, age + life)).toEqual(['Roof, life left: 1 ~ 5 years']);
  });

  test('finds by worse what became worse, not what a report says of long ago', () => {
    const said = 'Roof: worse since the last inspection';
    const reported = `<li>${said}</li>`;
    const turn = 'worse than before (+ roof: tarp)';
    const better = fact('Changed', 'better than before');
    expect(found('worse', reported, reported + fact('Changed', turn), better)).toEqual([`Changed: ${turn}`]);
    expect([found('worse', reported), found(said, reported)]).toEqual([[], [said]]);
  });

  const roofs = ['less than 1 year', '5 - 10 years', '20 - 30 years', '25+ years'].map((age) => fact('Roof, age', age));
  const asked = (query: string, ...houses: readonly string[]): readonly [readonly string[], string | undefined] => [
    found(query, ...houses).map((line) => line.replace(/^.*: /, '')),
    searchOf(houses).comparison(searchOf(houses).corrected(query))?.says,
  ];

  test.each([
    'roof older than 20',
    'roofs over 20 years',
    'Roof age over 20',
    '20+ year old roof',
    'roof 20 years old',
    'roof 20 years',
    '20 year roof',
    '20-year-old roof',
  ])('takes %s for the age of the roof', (query) => {
    const heater = '<li>Water: heater older than 20 years</li><h3>20 Old Mill Rd</h3>';
    expect(asked(query, heater, ...roofs)).toEqual([['20 - 30 years', '25+ years'], '']);
  });

  test('says what the reports know of an age that none has', () => {
    const [, ...young] = roofs.slice(0, 2);
    const highest = 'The highest value in these reports is “5 - 10 years”.';
    const [older, old, none] = ['roof older than 20', 'old roof', 'No report here has a value for it.'];
    expect(asked(older, ...young)).toEqual([[], highest]);
    const unsure = 'For 1 it is not known exactly: their reports say “20 - 30 years”.';
    expect(asked('roof over 24', ...roofs)).toEqual([['25+ years'], unsure]);
    expect(asked(old, ...young)[0]).toEqual(['5 - 10 years']);
    expect(asked(old, '<h3>1 Old Mill Rd</h3>')).toEqual([[], none]);
  });

  test('compares coverage and the age of the house, and nothing unknown', () => {
    const inPage = [{ markup: fact('Coverage A, B, C', '$500,000, –, –'), amount: 500_000 }, { markup: DOG }];
    const { comparison } = searchOf([], inPage);
    const compared = comparison('coverage over 400,000');
    expect(inPage.map((house) => compared?.match(house)?.label)).toEqual([expect.any(String), undefined]);
    const built = ['1950', '2020'].map((year) => fact('Year built', year));
    const [house, heater, shown] = ['house older than 50 years', 'heater older than 15', 'heater older than 15 years'];
    expect(asked(house, ...built)).toEqual([['1950'], '']);
    expect(asked(heater, `<li>Water: ${shown}</li>`)[0]).toEqual([shown]);
    const none = 'The reports have no value for “dogs” that can be compared.';
    expect(asked('dogs over 20', DOG)).toEqual([[], none]);
  });

  test('takes years that are not the age of a roof or house as words', () => {
    for (const words of ['roof 5 - 10 years', 'less than 1 year', 'heater 15 years', 'roof less than 1 year'])
      expect(searchOf([DOG]).corrected(words)).toBe(words);
    expect(searchOf([DOG]).corrected('house 50 years')).toBe('house older than 50 years');
  });

  test('finds no fact by its name alone', () => {
    expect(found('fence', fact('Fence', 'No'))).toEqual([]);
  });

  test('finds a lack by its words, not where it is denied', () => {
    expect(found('pool no fence', fact('Pool without a fence', 'No'))).toEqual([]);
    expect(found('no fence', fact('Fence', 'No'))).toEqual(['Fence: No']);
  });

  test('takes a short word whole if any house has it', () => {
    const street = '<h3>7081 Dogwood Ln</h3>';
    expect(found('dog', street, street + DOG, '<li>Dogs: two</li>')).toEqual([
      'Liability: aggressive dog',
      'Dogs: two',
    ]);
    expect(found('liability dog', street + DOG, `${street}<li>Liability: tree house</li>`)).toEqual([
      'Liability: aggressive dog',
    ]);
    expect(found('dog', street)).toEqual(['7081 Dogwood Ln']);
  });

  test.each([
    ['tarp', '<h3>7 Tarpon Rd</h3>', '<p class="soft who">Barnaby Tarpley</p>', 'Roof: tarp'],
    ['vacant', '<h3>3138 Vacanti St</h3>', '<h3>1 Vacanti St</h3>', 'Vacant'],
    ['pool no fence', '<h3>82 Poolside Ct</h3>', '<h3>1 Poolside Ct</h3><li>No fence</li>', 'Pool: no fence'],
    ['rail', '<h3>7 Railroad St</h3>', '<h3>1 Rail St</h3><li>Railing: loose</li>', 'Handrails missing'],
  ])('shows %s in a reason before a name that contains it', (query, name, another, reason) => {
    const lines = found(query, `${name}<li>${reason}</li>`, another);
    expect(lines[0]).toBe(reason);
    expect(lines.join()).not.toMatch(/Tarp|Vacanti|Poolside/);
  });

  test('finds a name that contains a word of no reason', () => {
    expect(found('tarp', '<h3>7 Tarpon Rd</h3>', '<li>Roof: holes</li>')).toEqual(['7 Tarpon Rd']);
  });

  test('joins words of different reasons', () => {
    expect(found('vacant tarp', '<li>Vacant</li><li>Roof: tarp</li>')).toEqual(['Vacant']);
  });
});
