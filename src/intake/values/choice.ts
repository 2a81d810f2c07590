import { z } from 'zod';
import { formatList, quoted } from '../../domain/cells.ts';
import type { WordMeaning } from '../../domain/layout.ts';
import { nearestOf } from '../../domain/text.ts';
import type { FieldName } from '../fields.ts';
import { pattern, vocabulary } from '../vocabulary.ts';
import { type Coercion, type SenderWords, sentText, suggestion, value, wrong } from './coercion.ts';

const texts = z.array(z.string()).min(1);
const byValue = z.record(z.string(), texts);
const { means, beside, anywhere, perhaps, unclear, yes, no, renewal, newPolicy } = vocabulary(
  'values',
  z.strictObject({
    means: byValue,
    beside: byValue,
    anywhere: texts,
    perhaps: byValue,
    unclear: pattern,
    yes: texts,
    no: texts,
    renewal: texts,
    newPolicy: texts,
  }),
)();
const MEANS = byWord(means);
const BESIDE = Object.entries(beside).map(([about, words]) => ({ about, words: new Set(words) }));
const ANYWHERE = new Set(anywhere);
const PERHAPS = byWord(perhaps);
const YES_AND_NO = answers(yes, no);
const RENEWAL = answers(renewal.map(bare), newPolicy.map(bare));

/** At most one for each field. */
function byWord(lists: Readonly<Record<string, readonly string[]>>) {
  const meant = new Map<string, string[]>();
  for (const [listedValue, words] of Object.entries(lists))
    for (const word of words) meant.set(bare(word), [...(meant.get(bare(word)) ?? []), listedValue]);
  return meant;
}

function answers(forYes: readonly string[], forNo: readonly string[]) {
  return new Map([...forYes, ...forNo].map((word, at) => [word, at < forYes.length] as const));
}

function bare(text: string) {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}

function listKey(text: string) {
  return text.toLowerCase().replace(/[\s_\u2010-\u2015-]+/g, '');
}

export function senderWords(configured: Readonly<Record<string, string>>, confirmed: readonly WordMeaning[] = []) {
  const said = [
    ...confirmed.map((one) => ({ ...one, by: 'as was confirmed' })),
    ...Object.entries(configured).map(([word, value]) => ({ word, value, by: 'as intake.values in config.yaml says' })),
  ];
  return Map.groupBy(said, ({ word }) => listKey(word));
}

function usualMeaning(word: string, values: readonly string[]) {
  const meant = MEANS.get(word) ?? MEANS.get(word.replace(/(?<=.{4})s$/, ''));
  return meant?.find((one) => values.includes(one));
}

const AMONG_OTHERS = /^[\p{L}\p{N}][\p{L}\p{N} .()[\]/-]{0,59}$/u;
const PHRASE_LENGTHS = [4, 3, 2, 1];

/** `Condo (HO6)`, `2-4 Fam`, `Order exterior inspection`: around a value's word, only words that change nothing. */
function meaningAmongOthers(text: string, values: readonly string[]) {
  if (!AMONG_OTHERS.test(text)) return undefined;
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const said = words.map((word) => (word === 'fam' ? 'family' : word));
  return BESIDE.find(({ about, words: harmless }) => {
    if (!values.includes(about)) return false;
    let isNamed = false;
    for (let at = 0, length: number | undefined = 0; at < said.length; at += length) {
      length = PHRASE_LENGTHS.find((count) => {
        const phrase = said.slice(at, at + count);
        if (
          [phrase.join(' '), phrase.join(' ').replace(/^\d+/, '#')].some(
            (one) => harmless.has(one) || ANYWHERE.has(one),
          )
        )
          return true;
        const means = bare(about) === phrase.join('') || usualMeaning(phrase.join(''), [about]) !== undefined;
        isNamed ||= means;
        return means;
      });
      if (length === undefined) return false;
    }
    return isNamed;
  })?.about;
}

export function meaningOf(
  text: string,
  values: readonly string[],
  words?: SenderWords,
): Readonly<{ value: string; why?: string }> | undefined {
  const own = words?.get(listKey(text))?.find(({ value }) => value !== text && values.includes(value));
  if (own !== undefined) return { value: own.value, why: `${quoted(text)} means ${quoted(own.value)}, ${own.by}` };
  const found = values.find((allowed) => listKey(allowed) === listKey(text));
  if (found !== undefined) return { value: found };
  const usual = usualMeaning(bare(text), values) ?? meaningAmongOthers(text, values);
  if (usual !== undefined) return { value: usual, why: 'the service’s word for it' };
  const parts = itemsOf(text, /[()[\]/,;]/);
  if (parts.length < 2) return undefined;
  const [meant, ...others] = new Set(parts.map((part) => meaningOf(part, values, words)?.value));
  return meant === undefined || others.length > 0
    ? undefined
    : { value: meant, why: `all parts of ${quoted(text)} mean ${quoted(meant)}` };
}

function likelyValue(text: string, values: readonly string[]) {
  if (unclear.test(text)) return undefined;
  return PERHAPS.get(bare(text))?.find((one) => values.includes(one)) ?? nearestOf(text, values);
}

export function coerceChoice(text: string, values: readonly string[], words?: SenderWords) {
  const meant = meaningOf(text, values, words);
  if (meant !== undefined)
    return value(meant.value, meant.why ?? (meant.value === text ? undefined : 'the service’s spelling'));
  const several = listedInside(text, values);
  if (several.length > 1)
    return wrong('value-not-listed/several', { text, names: formatList(several.map((one) => quoted(one))) });
  const proposal = likelyValue(text, values);
  return wrong('value-not-listed', { text, hint: suggestion(proposal), values: values.join(', ') }, proposal);
}

export function isChoice(text: string, values: readonly string[] = []) {
  return meaningOf(text, values) !== undefined;
}

/** The only value that an unlisted word may mean: `Commercial`. */
export function onlyPerhaps(text: string, values: readonly string[]) {
  const [value, ...others] = (PERHAPS.get(bare(text)) ?? []).filter((one) => values.includes(one));
  return others.length === 0 ? value : undefined;
}

export function mayMean(text: string, value: string) {
  return PERHAPS.get(bare(text))?.includes(value) === true;
}

function itemsOf(text: string, separator: RegExp) {
  return text
    .split(separator)
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function listedInside(text: string, values: readonly string[]) {
  const items = itemsOf(text, /[,;|/&+\n]|\band\b/i);
  const named = items.map((item) => meaningOf(item, values)?.value ?? likelyValue(item, values));
  return items.length > 1 && !named.includes(undefined) ? [...new Set(named.filter((one) => one !== undefined))] : [];
}

export function coerceList(text: string, values: readonly string[], words?: SenderWords): Coercion {
  const whole = meaningOf(text, values, words);
  if (whole?.why !== undefined) return value([whole.value], whole.why);
  const items = itemsOf(text, /[,;|/&+\n\r]+|(?<![^\S\n\r])\s+and\s+/i);
  if (items.length === 0) return { kind: 'empty', why: 'it holds separators only' };
  const found = [];
  for (const item of items) {
    const one = meaningOf(item, values, words);
    if (one === undefined) {
      const proposal = likelyValue(item, values);
      return wrong(
        'value-not-listed/list',
        { text: item, hint: suggestion(proposal), values: values.join(', ') },
        items.length === 1 ? proposal : undefined,
      );
    }
    found.push(one);
  }
  const sent = [...new Set(found.map((one) => one.value))];
  const reasons = found.flatMap(({ why }) => why ?? []);
  if (reasons.length > 0) return value(sent, reasons.join('; '));
  return value(sent, sentText(sent) === text ? undefined : 'read as a list, in the service’s spelling');
}

/** Undefined also for a single letter, which could mean something else. */
export function saysRenewal(text: string) {
  const word = bare(text);
  const meant = word.length > 1 ? RENEWAL.get(word) : undefined;
  return meant === undefined ? undefined : meant ? 'renewal' : 'new';
}

export function coerceBoolean(text: string, field: FieldName) {
  // Some programs write 1.0 and 0.0.
  const plain = YES_AND_NO.get(text.toLowerCase().replace(/(?<=^[01])\.0+$|\ufe0f/g, ''));
  const meant = plain ?? (field === 'isRenewal' ? RENEWAL.get(bare(text)) : undefined);
  if (meant === undefined) return wrong('not-yes-or-no', { text });
  const saysSo = plain !== undefined && /^[a-z]{2,}$/i.test(text);
  return value(meant, saysSo ? undefined : `${quoted(text)} means ${meant ? 'Yes' : 'No'}`);
}
