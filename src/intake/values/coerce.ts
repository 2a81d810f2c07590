import type { Cell } from '../../domain/row.ts';
import { cellText, isBlank, quoted } from '../cells.ts';
import type { FieldKind, OrderField } from '../fields.ts';
import { coerceAmountNumber, coerceAmountText, coerceYear } from './amount.ts';
import { coerceBoolean, coerceChoice, coerceList } from './choice.ts';
import { value, wrong } from './coercion.ts';
import type { Coercion, CoercionContext } from './coercion.ts';
import { coerceDateCell, coerceDateNumber, coerceDateText } from './date.ts';
import { numberAsText, wholeDigits } from './digits.ts';
import { coerceEmail } from './email.ts';
import { coerceIdNumber, coerceIdText } from './identifier.ts';
import { coercePhoneNumber, coercePhoneText } from './phone.ts';
import { coercePlaceholder } from './placeholders.ts';
import { coerceCountry, coerceState } from './place.ts';
import { inPlainCharacters, oneLine, reasons, withoutTextFormula } from './plain-text.ts';
import { shownAndHeld } from './shown.ts';
import { coerceZipNumber, coerceZipText } from './zip.ts';

/** Kinds whose every character is kept: they are read by people, and a curly apostrophe belongs to its name. */
const KEEPS_CHARACTERS: ReadonlySet<FieldKind> = new Set(['text', 'email']);

const LONGEST_CELL = 32_767;
/** Kinds whose texts may be long; the others are looked at more closely, and none of them has more characters than these. */
const LONG_KINDS: ReadonlySet<FieldKind> = new Set(['text', 'email']);
const LONGEST_WORDS = 1000;

/** Most texts: nothing around them, nothing unseen inside, no sign in front that says how to read them. */
const CLEAN = /^[!#-&(-<>-~](?:[ -~]*[!-~])?$/;

/**
 * What a cell comes to as a value of a field. Nothing is decided by a guess: what cannot be read for certain is `wrong`, with the
 * readings or the values allowed.
 */
export function coerce(cell: Cell | undefined, context: CoercionContext): Coercion {
  if (isBlank(cell)) return { kind: 'empty' };
  switch (cell.kind) {
    case 'error':
      return wrong('cell-error', `the cell holds the error ${cell.code} instead of a value. Write the value itself.`);
    case 'formula':
      return wrong('cell-formula-without-value', `the cell holds the formula ${quoted(cellText(cell))} whose result is not in the file. Paste the value itself.`);
    case 'date':
      return coerceDate(cell, context);
    case 'boolean':
      return coerceBooleanCell(cell.value, context.field);
    case 'number':
      return coerceNumberCell(cell, context);
    case 'text':
      return coerceTextCell(cell, context);
  }
}

function coerceDate(cell: Extract<Cell, { kind: 'date' }>, context: CoercionContext): Coercion {
  const { field } = context;
  if (field.kind === 'date') return coerceDateCell(cell, context);
  if (field.name === 'note') return value(cellText(cell), 'a date, sent as year-month-day');
  if (field.kind === 'year' && /^(?:1[6-9]|20)\d\d$/.test(cell.raw)) {
    return wrong('cell-became-date', `the cell shows the date ${shownAndHeld(cell)}, but what it counts is ${cell.raw}: a year under a date format. Format the cell as a number, and it shows ${cell.raw}.`);
  }
  return wrong('cell-became-date', `the cell shows the date ${shownAndHeld(cell)}, perhaps because the spreadsheet took what was typed for a date. Format the cell as text and type it again.`);
}

function coerceBooleanCell(held: boolean, field: OrderField): Coercion {
  if (field.kind === 'boolean') return value(held);
  if (field.name === 'note') return value(held ? 'TRUE' : 'FALSE', 'a truth value, sent as the word that the cell shows');
  return wrong('cell-holds-boolean', `the cell holds the truth value ${held ? 'TRUE' : 'FALSE'}, which is no ${field.title}. Write the value itself.`);
}

function coerceNumberCell(cell: Extract<Cell, { kind: 'number' }>, context: CoercionContext): Coercion {
  switch (context.field.kind) {
    case 'id':
      return coerceIdNumber(cell);
    case 'phone':
      return coercePhoneNumber(cell);
    case 'zip':
      return coerceZipNumber(cell, context.state);
    case 'date':
      return coerceDateNumber(cell, context);
    case 'money':
      return coerceAmountNumber(cell, 'dollars');
    case 'area':
      return coerceAmountNumber(cell, 'square feet');
    case 'year':
      return coerceYear(wholeDigits(cell) ?? cell.raw);
    case 'text':
    case 'email':
      return numberAsText(cell);
    case 'boolean':
    case 'state':
    case 'country':
    case 'enum':
    case 'list':
      return coerceWords(cell.raw, context);
  }
}

function coerceTextCell(cell: Extract<Cell, { kind: 'text' }>, context: CoercionContext): Coercion {
  const { field } = context;
  if (cell.text.length > LONGEST_CELL) {
    return wrong('text-too-long', `the cell holds ${String(cell.text.length)} characters; no more than ${String(LONGEST_CELL)} fit into a cell. Shorten it.`);
  }
  if (cell.text.length > LONGEST_WORDS && !LONG_KINDS.has(field.kind)) {
    return wrong('text-too-long', `the cell holds ${String(cell.text.length)} characters, far more than any ${field.title} has. Write the value itself.`);
  }
  if (CLEAN.test(cell.text)) return coercePlaceholder(cell.text, field) ?? coerceWords(cell.text, context);
  // The line breaks of a list stand between its items.
  const line = oneLine(field.kind === 'list' ? cell.text.replace(/[\r\n]+/g, ';') : cell.text, field.name === 'note');
  const inside = withoutTextFormula(line.text);
  const plain = KEEPS_CHARACTERS.has(field.kind) ? inside : inPlainCharacters(inside.text);
  const why = reasons(line.why, inside.why, plain === inside ? undefined : plain.why);
  if (plain.text === '') return why === undefined ? { kind: 'empty' } : { kind: 'empty', why };
  const read = coercePlaceholder(plain.text, field) ?? coerceWords(plain.text, context);
  if (why === undefined || (read.kind !== 'value' && read.kind !== 'empty')) return read;
  return { ...read, why: reasons(why, read.why) ?? why };
}

/** Clean text on one line. */
function coerceWords(text: string, context: CoercionContext): Coercion {
  const { field, evidence, state } = context;
  switch (field.kind) {
    case 'id':
      return coerceIdText(text);
    case 'zip':
      return coerceZipText(text, state);
    case 'phone':
      return coercePhoneText(text);
    case 'state':
      return coerceState(text);
    case 'country':
      return coerceCountry(text);
    case 'enum':
      return coerceChoice(text, field.values ?? [], context.words);
    case 'list':
      return coerceList(text, field.values ?? [], context.words);
    case 'date':
      return coerceDateText(text, context);
    case 'year':
      return coerceYear(text);
    case 'boolean':
      return coerceBoolean(text, field.words);
    case 'money':
      return coerceAmountText(text, 'dollars', evidence.amounts);
    case 'area':
      return coerceAmountText(text, 'square feet', evidence.amounts);
    case 'email':
      return coerceEmail(text);
    case 'text':
      return value(text);
  }
}
