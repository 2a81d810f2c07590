import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { templateText } from '../../../src/contract/template-data.ts';

interface Search {
  readonly matcher: (query: string) => (house: { readonly markup: string }) => { readonly text: string } | undefined;
  readonly corrected: (query: string) => string;
}

/** The lines that a search shows, house by house. */
function found(query: string, ...houses: readonly string[]): readonly string[] {
  const inPage = houses.map((markup) => ({ markup }));
  const search = runInNewContext(`${templateText('page/search.js')}; openSearch`) as (some: typeof inPage) => Search;
  const { matcher, corrected } = search(inPage);
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
