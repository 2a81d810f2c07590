import { isBlank, type Cell } from '../../domain/cells.ts';
import type { SheetRow } from '../../domain/row.ts';
import { type FieldName, fieldNamed, NUMBER_FIELDS } from '../fields.ts';
import { isChoice } from '../values/choice.ts';
import { stateCode } from '../values/place.ts';
import { addressText } from '../values/address-text.ts';
import { headerPatterns } from './header-patterns.ts';

export const CHOICES = (['serviceName', 'policyType', 'houseType'] as const).map((name) => fieldNamed(name));

const { looks } = headerPatterns;
export const STREET = looks.street;
const INSURED_VALUE_MIN = 20_000;
const SAME_MAX = 0.5;

function isAmount(text: string, cell: Cell) {
  const amount =
    cell.kind === 'number' ? cell.value : looks.amount.test(text) ? Number(text.replace(/[^\d.]/g, '')) : undefined;
  return amount !== undefined && amount >= INSURED_VALUE_MIN && !looks.date.test(text);
}

type Test = (text: string, cell: Cell) => boolean;

const isDate: Test = (text, cell) => cell.kind === 'date' || looks.date.test(text);

const number: Test = (text, cell) =>
  cell.kind !== 'date' &&
  looks.number.test(text) &&
  !looks.date.test(text) &&
  !looks.zip.test(text) &&
  !looks.phone.test(text);

const TESTS: Readonly<Partial<Record<FieldName, Test>>> = {
  inspectionNumber: number,
  policyNumber: number,
  policyEffectiveDate: isDate,
  dueDate: isDate,
  ...Object.fromEntries(CHOICES.map(({ name, values }) => [name, (text: string) => isChoice(text, values)])),
  streetAddress: (text) => STREET.test(text) && /^\d/.test(text),
  state: (text) => stateCode(text) !== undefined,
  zipcode: (text) => looks.zip.test(text),
  insuredName: (text) => looks.person.test(text) && !CHOICES.some(({ values }) => isChoice(text, values)),
  insuredPhone: (text) => looks.phone.test(text),
  insuredEmail: (text) => looks.email.test(text),
  dwellingCoverage: isAmount,
};

const SHARE_MIN = 0.8;

/** Undefined for fields whose values have no form, such as a city. */
export function looksLike(field: FieldName, index: number, below: readonly SheetRow[]) {
  const test = TESTS[field];
  if (test === undefined) return undefined;
  const filled = below.flatMap(({ cells }) => cells[index] ?? []).filter((cell) => !isBlank(cell));
  const texts = filled.map((cell) => addressText(cell));
  const fitting = filled.filter((cell, at) => test(texts[at] ?? '', cell)).length;
  if (filled.length === 0 || fitting < SHARE_MIN * filled.length) return false;
  // Equal in many rows, they are no numbers of orders, and no insured but an employee.
  const mayRepeat = field === 'insuredName' ? texts.length < 3 : !NUMBER_FIELDS.includes(field);
  return mayRepeat || new Set(texts).size > SAME_MAX * texts.length;
}
