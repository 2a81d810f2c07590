import { quoted } from '../cells.ts';
import { whatToWrite } from '../fields.ts';
import type { OrderField } from '../fields.ts';
import { wrong } from './coercion.ts';
import type { Coercion } from './coercion.ts';

/** What people and programs write into a cell to say that there is nothing to write. */
const NOTHING = /^(?:n\/?a|n\.a\.|<na>|nan|nat|not applicable|\(?none\)?|nil|\(?null\)?|\\n|\(?blank\)?|-+)$/i;
/** What people write for something they do not know yet. */
const NOT_KNOWN = /^(?:t\.?b\.?[da]\.?|to be (?:determined|announced|advised|confirmed)|pending|to follow|unk|unknown|not known|not available|not provided|\?+)$/i;
/** What people write where an insured or an agent has no phone or e-mail, or has not told it. */
const NO_CONTACT = /^no(?:ne|t)?[ -]?(?:e-?mail|phone|telephone|cell)?(?: (?:address|number))?(?: (?:given|provided|available|on file|known))?$/i;
/** What people write into the column of inspection numbers for an order that has none yet. */
const NO_NUMBER_YET = /^(?:x+|new|new (?:order|inspection|request)|see (?:notes?|comments?|remarks?|below|attached)|to be assigned|(?:not(?: yet)? |un)assigned|none yet|not yet|awaiting number)$/i;
/** What people write for "the same as in the row above". */
const DITTO = /^(?:"|''|\u3003|ditto|as above|see above|same|same as above|same as previous)$/i;
/** What a spreadsheet shows, or saves as text, instead of a value. */
const ERROR_TEXT = /^#(?:n\/a|ref!|name\?|div\/0!|null!|value!|num!|spill!|calc!|field!|blocked!|connect!|unknown!|getting_data|#{2,})$|^err:\d{3}$/i;

/** What people write where the value stands elsewhere, or there are several: `See notes`, `Same as mailing`, `Multiple locations - see SOV`. */
const ELSEWHERE =
  /^(?:\(?(?:please |pls )?(?:see|refer to|per|as per|on|listed on)(?: the| my| our)? (?:notes?|comments?|remarks?|instructions|above|below|attach(?:ed|ment)|sov|schedule|spreadsheet|list|file|e-?mail|acord|application|app|policy|dec(?:laration)?s?|map|system|row \d+)\b|same as\b|(?:various|multiple|several)(?: (?:locations?|locs?|addresses|properties|buildings|bldgs|sites|cities|insureds|owners|zips?(?: codes)?|states?))?(?:$|[^\p{L}\d]*(?:see|per|refer)\b))/iu;

const LONGEST_ELSEWHERE = 80;

/** All of the other words above are shorter, and begin so. */
const LONGEST_WORD = 20;
const FIRST_CHARACTER = /^[-#<(\\'"?\u3003abdenpstux]/i;

/**
 * What a word that stands for no value comes to; undefined for everything else. In an optional cell nothing is sent; what identifies an order,
 * says where it goes or how the insured is reached must be a value; a note is for people, and is sent as it was typed.
 */
export function coercePlaceholder(text: string, field: OrderField): Coercion | undefined {
  if (field.required && field.kind === 'text' && text.length <= LONGEST_ELSEWHERE && !DITTO.test(text) && ELSEWHERE.test(text)) return elsewhere(text, field);
  if (text.length > LONGEST_WORD || !FIRST_CHARACTER.test(text)) return undefined;
  if (ERROR_TEXT.test(text)) return wrong('cell-error', `the cell holds the error ${text} instead of a value. Write the value itself.`);
  if (field.name === 'note') return undefined;
  if (DITTO.test(text)) return wrong('value-ditto', `the cell says ${quoted(text)}; rows are ordered one by one, so each needs the value itself.`);
  if (NOTHING.test(text) || (isContact(field) && NO_CONTACT.test(text))) return field.required ? requiredPlaceholder(text, field) : { kind: 'empty', why: `${quoted(text)} was read as nothing to say` };
  if (field.name === 'inspectionNumber' && (NOT_KNOWN.test(text) || NO_NUMBER_YET.test(text))) return noNumberYet(text);
  return NOT_KNOWN.test(text) ? notKnown(text, field) : undefined;
}

function elsewhere(text: string, field: OrderField): Coercion {
  return wrong('value-elsewhere', `${quoted(text)} is no ${field.title.toLowerCase()}. Each row is ordered by itself, for one house. ${whatToWrite(field)}`);
}

function isContact({ kind }: OrderField): boolean {
  return kind === 'phone' || kind === 'email';
}

/** Listed values, states and ZIP codes have rules that say more. */
function requiredPlaceholder(text: string, field: OrderField): Coercion | undefined {
  if (field.kind !== 'text' && !isContact(field)) return undefined;
  return wrong('required-placeholder', `${quoted(text)} is no ${field.title.toLowerCase()}, and an order cannot do without one. ${isContact(field) ? inPlaceOfInsured(field) : whatToWrite(field)}`);
}

/** What to write where the insured has no phone, or no e-mail. */
export function inPlaceOfInsured({ kind }: Pick<OrderField, 'kind'>): string {
  return kind === 'phone'
    ? 'Write the number at which the insured, or somebody who makes the appointment for them, such as the agent, can be reached.'
    : 'Write the address of the insured; where they have none, that of somebody who can tell them, such as the agent.';
}

/** Two rows that share such a word are not the same order. */
function noNumberYet(text: string): Coercion {
  return {
    kind: 'empty',
    why: `${quoted(text)} was read as no inspection number yet`,
    warning: { rule: 'value-not-known', message: `${quoted(text)} is no number and is not sent: the order is known by its policy number and effective date instead, or by its address.` },
  };
}

function notKnown(text: string, field: OrderField): Coercion | undefined {
  if (field.required) return requiredPlaceholder(text, field);
  if (field.kind === 'id' || field.name === 'policyEffectiveDate') {
    return wrong('id-placeholder', `${quoted(text)} is a placeholder, and by ${field.title.toLowerCase()} an order is known. Write the value, or leave the cell empty.`);
  }
  return {
    kind: 'empty',
    why: `${quoted(text)} was read as not known`,
    warning: { rule: 'value-not-known', message: `${quoted(text)} is not sent: the order goes without ${field.title.toLowerCase()}.` },
  };
}
