import type { Cell } from '../../domain/row.ts';
import { cellText, isBlank, quoted } from '../cells.ts';
import type { FieldKind, OrderField } from '../fields.ts';
import { coerceAmountNumber, coerceAmountText, coerceYear } from './amount.ts';
import { coerceBoolean, coerceChoice, coerceList } from './choice.ts';
import { value, wrong } from './coercion.ts';
import type { Coercion, CoercionContext } from './coercion.ts';
import { coerceDateCell, coerceDateText } from './date.ts';
import { coerceId } from './identifier.ts';
import { coerceCountry, coerceState } from './place.ts';
import { coerceText, oneLine } from './plain-text.ts';
import { coerceZip } from './zip.ts';

/** What people write into a cell to say that there is nothing to write. */
const NOTHING = /^(?:n\/?a|n\.a\.|#n\/a|none|nil|null|-+|\u2013|\u2014)$/i;

/** Kinds whose words are for people: there, "N/A" and "-" are sent as typed. */
const KEEPS_NOTHING_WORDS: ReadonlySet<FieldKind> = new Set(['text']);

const LONGEST_CELL = 32_767;

function saysNothing(field: OrderField, text: string): boolean {
  return !field.required && !KEEPS_NOTHING_WORDS.has(field.kind) && NOTHING.test(text);
}

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
      return context.field.kind === 'date'
        ? coerceDateCell(cell)
        : wrong('cell-became-date', `the cell holds the date ${cellText(cell)}, perhaps because the spreadsheet took what was typed for a date. Format the cell as text and type it again.`);
    case 'boolean':
      return coerceBooleanCell(cell.value, context.field);
    case 'number':
      return coerceNumberCell(cell, context);
    case 'text':
      return coerceTextCell(cell, context);
  }
}

function coerceBooleanCell(held: boolean, field: OrderField): Coercion {
  if (field.kind === 'boolean') return value(held);
  return wrong('cell-holds-boolean', `the cell holds the truth value ${held ? 'TRUE' : 'FALSE'}, which is no ${field.title}. Write the value itself.`);
}

function coerceNumberCell(cell: Extract<Cell, { kind: 'number' }>, context: CoercionContext): Coercion {
  switch (context.field.kind) {
    case 'id':
      return coerceId(cell);
    case 'phone':
      return coercePhoneNumber(cell);
    case 'zip':
      return coerceZip(cell, context.state);
    case 'date':
      return coerceDateCell(cell);
    case 'money':
      return coerceAmountNumber(cell.value, 'dollars');
    case 'area':
      return coerceAmountNumber(cell.value, 'square feet');
    case 'year':
      return coerceYear(cell.raw);
    case 'boolean':
      return coerceBoolean(cell.raw, context.field.words);
    case 'text':
    case 'email':
      return value(cell.raw);
    case 'state':
    case 'country':
    case 'enum':
    case 'list':
      return coerceWords(cell.raw, context);
  }
}

/** Digits of a number cell, exact up to what a spreadsheet keeps. */
function coercePhoneNumber(cell: Extract<Cell, { kind: 'number' }>): Coercion {
  if (/^\d{1,15}$/.test(cell.raw)) return value(cell.raw);
  if (Number.isSafeInteger(cell.value) && cell.value > 0 && cell.value < 1e15) return value(String(cell.value), 'the digits of the number, written out');
  return wrong('phone-format', `the cell holds the number ${quoted(cell.raw)}, which is no phone number. Format the cell as text and type it again.`);
}

function coerceTextCell(cell: Extract<Cell, { kind: 'text' }>, context: CoercionContext): Coercion {
  const { field } = context;
  if (cell.text.length > LONGEST_CELL) {
    return wrong('text-too-long', `the cell holds ${String(cell.text.length)} characters; no more than ${String(LONGEST_CELL)} fit into a cell. Shorten it.`);
  }
  const { text } = oneLine(cell.text);
  if (saysNothing(field, text)) return { kind: 'empty', why: `${quoted(text)} was read as nothing to say` };
  switch (field.kind) {
    case 'id':
      return coerceId(cell);
    case 'zip':
      return coerceZip(cell, context.state);
    case 'text':
    case 'phone':
    case 'email':
      return coerceText(cell.text);
    case 'list':
      return coerceList(cell.text.trim(), field.values ?? []);
    case 'state':
    case 'country':
    case 'enum':
    case 'date':
    case 'year':
    case 'boolean':
    case 'money':
    case 'area':
      return coerceWords(text, context);
  }
}

/** Texts for which white space inside does not matter. */
function coerceWords(text: string, { field, dateOrder, today }: CoercionContext): Coercion {
  switch (field.kind) {
    case 'state':
      return coerceState(text);
    case 'country':
      return coerceCountry(text);
    case 'enum':
      return coerceChoice(text, field.values ?? []);
    case 'date':
      return coerceDateText(text, dateOrder, today);
    case 'year':
      return coerceYear(text);
    case 'boolean':
      return coerceBoolean(text, field.words);
    case 'money':
      return coerceAmountText(text, 'dollars');
    case 'area':
      return coerceAmountText(text, 'square feet');
    case 'list':
      return coerceList(text, field.values ?? []);
    case 'text':
    case 'id':
    case 'zip':
    case 'phone':
    case 'email':
      return coerceText(text);
  }
}
