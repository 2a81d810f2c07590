import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { HOUSE_TYPES_BY_POLICY_TYPE, SUPPLEMENTAL_SERVICES } from '../../../src/contract/document.ts';
import { templateData } from '../../../src/contract/template-data.ts';
import { vocabulary } from '../../../src/intake/vocabulary.ts';
import { EXAMPLE, readTable, TITLES, unreadHeaders } from '../../support/every-header.ts';

const FOLDER = join(import.meta.dirname, '../../../templates/vocabulary');
const NAMES = readdirSync(FOLDER).map((name) => name.replace(/\.yaml$/, ''));

test('reads a list by its name and refuses another shape', () => {
  expect(vocabulary('not-ordered', z.looseObject({}))()).toEqual(
    parse(readFileSync(join(FOLDER, 'not-ordered.yaml'), 'utf8')),
  );
  expect(vocabulary('not-ordered', z.array(z.string()))).toThrow(/expected array/);
});

test.each(NAMES)('repeats no entry in the lists of %s', (name) => {
  const repeated = (held: unknown): readonly unknown[] =>
    Array.isArray(held)
      ? held.filter((entry, at) => held.indexOf(entry) !== at)
      : typeof held === 'object' && held !== null
        ? Object.values(held).flatMap(repeated)
        : [];
  expect(repeated(vocabulary(name, z.unknown())())).toEqual([]);
});

// All of them are read in test/proof/corpus/every-header.test.ts.
test.each(TITLES)('reads a sample of the headers of $name in a file', async (field) => {
  expect(await unreadHeaders(field, (headers) => headers.filter((_header, index) => index % 16 === 0))).toEqual([]);
});

test('reads every usual word in a file as its value', async () => {
  const { means } = vocabulary('values', z.looseObject({ means: z.record(z.string(), z.array(z.string())) }))();
  const column = (name: string): number => TITLES.findIndex((field) => field.name === name);
  for (const [listed, words] of Object.entries(means)) {
    const { name } = TITLES.find(({ values }) => values?.includes(listed)) ?? { name: '' };
    const [policyType = 'Homeowners Insurance'] =
      Object.entries(HOUSE_TYPES_BY_POLICY_TYPE).find(
        ([type, houses]) => type === listed || houses.some((house) => house === listed),
      ) ?? [];
    const [houseType = ''] =
      name === 'houseType' ? [listed] : HOUSE_TYPES_BY_POLICY_TYPE[policyType as 'Homeowners Insurance'];
    const row = EXAMPLE.with(column('policyType'), policyType).with(column('houseType'), houseType);
    const sent = SUPPLEMENTAL_SERVICES.some((service) => service === listed) ? [listed] : listed;
    const rows = words.map((word, at) => row.with(column(name), word).with(column('inspectionNumber'), `N-${at}`));
    const outcomes = await readTable(
      TITLES.map(({ title }) => title),
      rows,
    );
    expect(outcomes.map((outcome) => outcome.kind === 'order' && outcome.payload[name as 'serviceName'])).toEqual(
      words.map(() => sent),
    );
  }
});

test('holds each sentence that the code names, and no other', () => {
  const folder = join(import.meta.dirname, '../../../src');
  const source = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n');
  const named = new Set([...source.matchAll(/'([a-z\d-]+(?:\/[a-z\d-]+)?)'/g)].map(([, code]) => code));
  const sentences = templateData('messages/sentences', z.record(z.string(), z.string()))();
  const held = Object.keys(sentences);
  for (const [, code] of Object.values(sentences)
    .join('\n')
    .matchAll(/\{(\w+[-/][\w/-]+)\}/g))
    named.add(code);
  // The code names some by their second part. A hint is found by the code of its sentence.
  const nameOf = (code: string): string =>
    code
      .replace(/\/several$|^(?:changed-after-ordering|repeat-not-ordered)\//, '')
      .replace(/(?:\/|(?<=\/.*)-)hint$/, '');
  // Others are put together from a first part in a template and the rest: words of the code, or a number.
  const firstParts = [...source.matchAll(/`([a-z][a-z/-]*[/-])\$\{/g)].map(([, part = '']) => part);
  const words = new Set(source.match(/\w+(?:-\w+)*/g));
  const isNamed = (code: string): boolean =>
    [code, nameOf(code)].some((name) => named.has(name)) ||
    firstParts.some((part) => code.startsWith(part) && isRest(code.slice(part.length)));
  const isRest = (rest: string): boolean => words.has(rest) || isNamed(rest);
  expect(held.filter((code) => !isNamed(code) && !/^\w+\/elsewhere$/.test(code))).toEqual([]);
  const called = source.matchAll(
    /\b(?:wrong|sentence|unreadable|damagedFile|tooLarge|(?:usage|workLeft)ErrorOf)\(\s*(?:reading, )?'([^']+)'/g,
  );
  const refusals = Object.keys(templateData('sandbox/refusals', z.record(z.string(), z.string()))());
  expect(
    [...called]
      .map(([, code = '']) => code)
      .filter((code) => code.includes('-') && !held.includes(code) && !refusals.includes(code)),
  ).toEqual([]);
});
