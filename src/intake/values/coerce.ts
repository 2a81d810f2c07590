import { z } from 'zod';
import { cellText, isBlank, quoted, type Cell, type DateCell, type NumberCell } from '../../domain/cells.ts';
import { lowerFirst } from '../../domain/text.ts';
import { type FieldKind, type OrderField, inputHint } from '../fields.ts';
import { pattern, vocabulary } from '../vocabulary.ts';
import {
  type AmountUnit,
  coerceAmountNumber,
  coerceAmountText,
  coerceThousands,
  coerceYear,
  zeroAsUnknown,
} from './amount.ts';
import { coerceBoolean, coerceChoice, coerceList } from './choice.ts';
import { ruleAndMessage, sentence } from '../../domain/sentences.ts';
import { addressPatterns, withoutComma } from './address-text.ts';
import { type Coercion, type CoercionContext, value, wrong } from './coercion.ts';
import { coerceDateCell, coerceDateNumber, coerceDateText } from './date.ts';
import {
  coerceIdNumber,
  coerceIdText,
  coercePolicyNumber,
  coercePhoneNumber,
  coercePhoneText,
  holdsSeveralNumbers,
  numberAsText,
  wholeDigits,
} from './identifier.ts';
import { coerceCountry, coerceState, coerceZipNumber, coerceZipText } from './place.ts';
import {
  inNarrowCharacters,
  inPlainCharacters,
  cleanText,
  joinReasons,
  withoutEntities,
  withoutTextFormula,
} from './plain-text.ts';
import { describeCell } from './shown.ts';

/** Keep every character, and any length. */
const FREE_TEXT = new Set<FieldKind>(['text', 'email']);

const LONGEST_CELL = 32_767;
const LONGEST_WORDS = 1000;

/** Without `number`, the digits are read as text. */
type Kind = Readonly<{
  text: (text: string, context: CoercionContext) => Coercion;
  number?: (cell: NumberCell, context: CoercionContext) => Coercion;
}>;

function amount(unit: AmountUnit): Kind {
  const read = (text: string, { evidence: { hasCommas }, field, inThousands }: CoercionContext) =>
    zeroAsUnknown(
      inThousands === true ? coerceThousands(text, hasCommas) : coerceAmountText(text, unit, hasCommas),
      text,
      field,
    );
  return {
    text: read,
    number: (cell, context) =>
      context.inThousands === true
        ? read(cell.raw, context)
        : zeroAsUnknown(coerceAmountNumber(cell, unit), cell.raw, context.field),
  };
}

const KINDS: Readonly<Record<FieldKind, Kind>> = {
  text: { text: coerceText, number: numberAsText },
  id: {
    text: (text, { field }) => (field.name === 'policyNumber' ? coercePolicyNumber(text) : coerceIdText(text)),
    number: coerceIdNumber,
  },
  zip: {
    text: (text, { state }) => coerceZipText(text, state),
    number: (cell, { state }) => coerceZipNumber(cell, state),
  },
  state: { text: coerceState },
  country: { text: coerceCountry },
  date: { text: coerceDateText, number: coerceDateNumber },
  year: {
    text: (text, context) => notFuture(coerceYear(text), context),
    number: (cell, context) => notFuture(coerceYear(wholeDigits(cell) ?? cell.raw), context),
  },
  enum: { text: (text, { field, words }) => coerceChoice(text, field.values ?? [], words) },
  list: { text: (text, { field, words }) => coerceList(text, field.values ?? [], words) },
  boolean: { text: (text, { field }) => coerceBoolean(text, field.name) },
  money: amount('dollars'),
  area: amount('square feet'),
  phone: { text: coercePhoneText, number: coercePhoneNumber },
  email: { text: coerceEmail, number: numberAsText },
};

function notFuture(read: Coercion, { today }: CoercionContext) {
  const isFuture = read.kind === 'value' && Number(read.value) > Number(today.slice(0, 4));
  return isFuture ? wrong('year-built-future', { year: Number(read.value) }) : read;
}

function coerceText(text: string, { field }: CoercionContext) {
  const bare = field.name === 'city' ? withoutComma(text) : text;
  return value(bare, bare === text ? undefined : 'the comma after it was removed');
}

const CLEAN = /^[!#-&(-<>-~](?:[ -~]*[!-~])?$/;

/** If uncertain, `wrong`, with the possible readings or the allowed values. */
export function coerce(cell: Cell | undefined, context: CoercionContext): Coercion {
  if (isBlank(cell)) return { kind: 'empty' };
  switch (cell.kind) {
    case 'error':
      return wrong('cell-error', { code: cell.code });
    case 'formula':
      return wrong('cell-formula-without-value', { cell: cellText(cell) });
    case 'date':
      return coerceDate(cell, context);
    case 'boolean':
      return coerceBooleanCell(cell.value, context.field);
    case 'number':
      return KINDS[context.field.kind].number?.(cell, context) ?? KINDS[context.field.kind].text(cell.raw, context);
    case 'text':
      return coerceTextCell(cell, context);
  }
}

function coerceDate(cell: DateCell, context: CoercionContext) {
  const { field } = context;
  if (field.kind === 'date') return coerceDateCell(cell, context);
  if (field.name === 'note') return value(cellText(cell), 'a date, sent as year-month-day');
  return wrong('cell-became-date', { cell: describeCell(cell) });
}

function coerceBooleanCell(held: boolean, field: OrderField) {
  if (field.kind === 'boolean') return value(held);
  if (field.name === 'note') return value(held ? 'TRUE' : 'FALSE', sentence('repair/truth-value'));
  return wrong('cell-holds-boolean', { word: held ? 'TRUE' : 'FALSE', title: lowerFirst(field.title) });
}

function coerceTextCell(cell: Extract<Cell, { kind: 'text' }>, context: CoercionContext): Coercion {
  const { field } = context;
  if (cell.text.length > LONGEST_CELL) return wrong('text-too-long', { length: cell.text.length, most: LONGEST_CELL });
  if (cell.text.length > LONGEST_WORDS && !FREE_TEXT.has(field.kind))
    return wrong('text-too-long/words', { length: cell.text.length, title: field.title });
  const written = withoutEntities(cell.text);
  if (written.why === undefined && CLEAN.test(cell.text))
    return coercePlaceholder(cell.text, field) ?? KINDS[field.kind].text(cell.text, context);
  // As one line it would not show where the second number begins.
  if (field.kind === 'id' && holdsSeveralNumbers(written.text))
    return wrong('id-several', { text: written.text.replaceAll(/\s+/g, ' ') });
  const line = cleanText(
    field.kind === 'list' ? written.text.replace(/[\r\n]+/g, ';') : written.text,
    field.name === 'note',
  );
  const inside = withoutTextFormula(line.text);
  const plain =
    field.name === 'streetAddress'
      ? inNarrowCharacters(inside.text)
      : FREE_TEXT.has(field.kind)
        ? inside
        : inPlainCharacters(inside.text);
  const why = joinReasons(written.why, line.why, inside.why, plain === inside ? undefined : plain.why);
  if (plain.text === '') return { kind: 'empty', why };
  const read = coercePlaceholder(plain.text, field) ?? KINDS[field.kind].text(plain.text, context);
  if (why === undefined || (read.kind !== 'value' && read.kind !== 'empty')) return read;
  return { ...read, why: joinReasons(why, read.why) };
}

const placeholders = vocabulary(
  'placeholders',
  z.strictObject({
    nothingToSay: pattern,
    notKnown: pattern,
    soon: pattern,
    noContact: pattern,
    noNumberYet: pattern,
    ditto: pattern,
    errors: pattern,
    elsewhere: pattern,
  }),
);
const LONGEST_PLACEHOLDER = 80;
const FIRST_CHARACTER = /^[-.,;#<(\\'"?\u3003abdefnprstuwx1]/i;

/**
 * For words such as `N/A` and `TBD`; undefined for any other text. Optional cells are sent empty; the identity, the
 * address and the insured's contact need a value.
 */
function coercePlaceholder(text: string, field: OrderField): Coercion | undefined {
  const { nothingToSay, notKnown, soon, noContact, noNumberYet, ditto, errors, elsewhere } = placeholders();
  if (
    field.required &&
    field.kind === 'text' &&
    text.length <= LONGEST_PLACEHOLDER &&
    !ditto.test(text) &&
    (elsewhere.test(text) || (field.name === 'streetAddress' && addressPatterns().noHouse.test(text)))
  )
    return wrong('value-elsewhere', { text, title: lowerFirst(field.title), help: inputHint(field) });
  if (text.length > LONGEST_PLACEHOLDER || !FIRST_CHARACTER.test(text)) return undefined;
  if (errors.test(text)) return wrong('cell-error', { code: text });
  if (field.name === 'note' && !nothingToSay.test(text)) return undefined;
  if (ditto.test(text)) return wrong('value-ditto', { text });
  if (nothingToSay.test(text) || (isContact(field) && noContact.test(text)))
    return field.required
      ? requiredPlaceholder(text, field)
      : { kind: 'empty', why: `${quoted(text)} was read as an empty cell` };
  if (field.kind === 'id' && (notKnown.test(text) || (field.name === 'inspectionNumber' && noNumberYet.test(text))))
    // A shared placeholder does not make two rows the same order.
    return {
      kind: 'empty',
      why: `${quoted(text)} was read as no number yet`,
      warning: ruleAndMessage('value-not-known/number', { text }),
    };
  return notKnown.test(text) || (field.name === 'dueDate' && soon.test(text)) ? valueNotKnown(text, field) : undefined;
}

function isContact({ kind }: OrderField) {
  return kind === 'phone' || kind === 'email';
}

function requiredPlaceholder(text: string, field: OrderField) {
  if (field.kind !== 'text' && !isContact(field)) return undefined;
  return wrong('required-placeholder', placeholderMessageParts(text, field));
}

export function placeholderMessageParts(text: string, field: OrderField) {
  return {
    text,
    title: lowerFirst(field.title),
    help: isContact(field) ? sentence(field.kind === 'phone' ? 'phone-wanted' : 'email-wanted') : inputHint(field),
  };
}

function valueNotKnown(text: string, field: OrderField): Coercion | undefined {
  if (field.required) return requiredPlaceholder(text, field);
  if (field.name === 'policyEffectiveDate')
    return wrong('id-placeholder/field', { text, title: lowerFirst(field.title) });
  return {
    kind: 'empty',
    why: `${quoted(text)} means not known`,
    warning: ruleAndMessage('value-not-known', { text, title: lowerFirst(field.title) }),
  };
}

const PUNCTUATION_BEHIND = /^([^\s@,;:]+@[^\s@,;:]*[^\s@,;:.])[.,;:]+$/;

const ADDRESS_IN_BRACKETS = /^([^<>()[\]]*)[<([]\s*(?:mailto:)?([^\s<>()[\]@,;]+@[^\s<>()[\]@,;]+)\s*[>)\]][.,;]?$/i;

function coerceEmail(text: string) {
  const [, before = '', inBrackets] = ADDRESS_IN_BRACKETS.exec(text) ?? [];
  if (inBrackets !== undefined && (!before.includes('@') || before.trim().toLowerCase() === inBrackets.toLowerCase()))
    return value(inBrackets, 'the address in the brackets');
  const isLink = /^mailto:./i.test(text);
  const address = isLink ? text.replace(/^mailto:/i, '').replace(/\?.*$/, '') : text;
  const bare = PUNCTUATION_BEHIND.exec(address)?.[1];
  return value(
    bare ?? address,
    joinReasons(
      isLink ? 'the "mailto:" of a link was removed' : undefined,
      bare === undefined ? undefined : sentence('repair/punctuation'),
    ),
  );
}
