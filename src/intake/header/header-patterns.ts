import { z } from 'zod';
import { pattern as anyCase, vocabulary } from '../vocabulary.ts';

const patterns = z.record(z.string(), z.string());
const cased = z.string().transform((text) => new RegExp(text, 'u'));
const read = vocabulary(
  'header-patterns',
  z.strictObject({
    person: z.array(z.string()),
    others: z.array(z.string()),
    addresses: z.record(
      z.enum([
        'mail',
        'property',
        'insured',
        'other',
        'ofName',
        'whose',
        'anyPlace',
        'loosePlace',
        'anyAddress',
        'anyHouse',
        'ofProperty',
        'ofRisk',
        'ofOwner',
        'located',
        'weak',
        'another',
        'people',
        'notInsured',
      ]),
      z.string(),
    ),
    parts: patterns,
    placeFields: patterns,
    names: z.strictObject({
      insured: z.string(),
      agent: z.string(),
      contact: z.string(),
      several: anyCase,
      numberAndDate: anyCase,
      firm: anyCase,
      parts: patterns,
    }),
    brackets: patterns,
    held: patterns,
    notHeld: patterns,
    looks: z.record(z.enum(['street', 'date', 'zip', 'phone', 'email', 'person', 'number', 'amount']), cased),
    callingOrder: z.array(cased),
    conditions: z.strictObject({ whole: anyCase, inFront: anyCase, behind: anyCase, bracketed: anyCase }),
    groups: z.strictObject({ otherAddress: anyCase, policy: anyCase, kinds: anyCase, tails: z.string() }),
    words: z.record(
      z.enum([
        'otherKinds',
        'otherDates',
        'askedDates',
        'otherAmounts',
        'transactions',
        'serviceTails',
        'titleWords',
        'titleLimits',
      ]),
      anyCase,
    ),
    thousands: anyCase,
    otherUnit: anyCase,
    unsent: patterns,
  }),
)();

function pattern(text: string) {
  const others = text.replaceAll('{others}', () => read.others.join('|'));
  return new RegExp(others.replaceAll('{person}', () => read.person.join('|')));
}

function compiled<Key extends string>(texts: Readonly<Record<Key, string>>) {
  const entries = Object.entries<string>(texts).map(([key, text]) => [key, pattern(text)]);
  // Headers such as `Constructor` are no keys.
  return { __proto__: null, ...Object.fromEntries(entries) } as unknown as Record<Key, RegExp>;
}

type Patterns = Readonly<Partial<Record<string, RegExp>>>;

export const headerPatterns = {
  addresses: compiled(read.addresses),
  parts: compiled(read.parts) as Patterns,
  placeFields: compiled(read.placeFields) as Patterns,
  brackets: compiled(read.brackets) as Patterns,
  held: compiled(read.held) as Patterns,
  notHeld: compiled(read.notHeld) as Patterns,
  unsent: Object.entries(read.unsent).map(([advice, text]) => ({ advice, pattern: pattern(text) })),
  looks: read.looks,
  callingOrder: read.callingOrder,
  names: read.names,
  conditions: read.conditions,
  groups: { ...read.groups, tails: new RegExp(read.groups.tails, 'gi') },
  words: { ...read.words, titleWords: new RegExp(read.words.titleWords, 'gi') },
  thousands: read.thousands,
  otherUnit: read.otherUnit,
};
