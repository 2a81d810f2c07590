import { type AttributeUnit, CONDITION_GRADES, type SummaryAttribute } from '../../contract/summary-attributes.ts';
import type { SeededRandom } from '../seeded-random.ts';

const NULL_SHARE = 0.12;
const UNLISTED_SHARE = 0.015;
const HAZARD_SHARES = [0.003, 0.006, 0.015, 0.05, 0.12];

export type DrawContext = Readonly<{
  random: SeededRandom;
  /** From 0, excellent, to 4, poor. */
  grade: number;
  /** Inside lists, `path` is relative to the item. */
  given: (path: string) => unknown;
}>;

const DRAWN_TOGETHER = /pool|fence|dog/i;

export function valueOf(attribute: SummaryAttribute, drawing: DrawContext) {
  const given = drawing.given(attribute.path);
  if (
    given === false &&
    attribute.nullable &&
    attribute.path.startsWith('summary.') &&
    !DRAWN_TOGETHER.test(attribute.path) &&
    drawing.random.chance(NULL_SHARE)
  )
    return null;
  if (given !== undefined) return given;
  if (attribute.nullable && drawing.random.chance(NULL_SHARE)) return null;
  return drawn(attribute, drawing);
}

function drawn(attribute: SummaryAttribute, drawing: DrawContext): unknown {
  const { random, grade } = drawing;
  const hazardShare = HAZARD_SHARES[grade] ?? 0.05;
  const { values = [], keys = [] } = attribute;
  switch (attribute.type) {
    case 'text':
      return text(attribute, drawing);
    case 'number':
      return (attribute.unit && NUMBERS[attribute.unit]?.(random)) ?? random.integer(0, 4);
    case 'boolean':
      return random.chance(/paved|shutters|porch|hydrant/i.test(attribute.path) ? 0.6 : hazardShare);
    case 'texts':
      return values.length === 0
        ? [`${attribute.group} as expected for its age.`]
        : random.sample(values, random.integer(0, 2));
    case 'percentages':
      return percentages(keys, random);
    case 'counts':
      return Object.fromEntries(keys.map((key) => [key, random.integer(0, 4)]));
    case 'details':
      return {};
    case 'flags':
      return Object.fromEntries(keys.map((key) => [key, random.chance(hazardShare)]));
    case 'objects':
      return Array.from({ length: random.integer(0, 2) }, () =>
        drawItem(attribute, { ...drawing, given: () => undefined }),
      );
  }
}

export function drawItem(attribute: SummaryAttribute, drawing: DrawContext) {
  const item: Record<string, unknown> = {};
  for (const part of attribute.items ?? []) setByPath(item, part.path, valueOf(part, drawing));
  return item;
}

export function setByPath(target: Record<string, unknown>, path: string, value: unknown) {
  const parts = path.split('.');
  const last = parts.pop() ?? path;
  let holder = target;
  for (const part of parts) holder = (holder[part] ??= {}) as Record<string, unknown>;
  holder[last] = value;
}

function text(attribute: SummaryAttribute, { random, grade }: DrawContext) {
  const { values = [], dynamic, path, unit } = attribute;
  if (dynamic && random.chance(UNLISTED_SHARE)) return `Unlisted ${attribute.title.split(': ').at(-1) ?? 'value'}`;
  if (values.includes('Excellent'))
    return CONDITION_GRADES[Math.max(0, Math.min(4, grade + random.integer(-1, 1)))] ?? 'Average';
  if (values.length > 0) return values[Math.floor(random.next() ** 1.6 * values.length)] ?? '';
  if (unit === 'date') return `${random.integer(2012, 2025)}-0${random.integer(1, 9)}-${random.integer(10, 28)}`;
  if (unit === 'url') return `https://recalls.example/${random.code(8).toLowerCase()}`;
  if (/number/i.test(path)) return random.code(10);
  if (/distance/i.test(path)) return `${random.decimal(0.1, 6, 1)} miles`;
  if (/brand/i.test(path)) return random.pick(['Northwind', 'Contoso', 'Fabrikam', 'Adventure Works']);
  if (/age$/i.test(path)) return `${random.integer(1, 20)} years`;
  return `${attribute.title.split(': ').at(-1) ?? attribute.title} ${random.integer(1, 9)}`;
}

const NUMBERS: Readonly<Partial<Record<AttributeUnit, (random: SeededRandom) => number>>> = {
  year: (random) => random.integer(1995, 2024),
  month: (random) => random.integer(1, 12),
  acres: (random) => random.decimal(0.1, 3, 2),
  'sq ft': (random) => random.integer(400, 2400),
  percent: (random) => random.integer(0, 100),
  years: (random) => random.decimal(0, 20, 1),
  score: (random) => random.decimal(0, 10, 2),
  'epoch seconds': (random) => random.integer(1_700_000_000, 1_760_000_000),
};

function percentages(keys: readonly string[], random: SeededRandom) {
  const chosen = random.sample(keys, random.integer(1, 3));
  let left = 100;
  return Object.fromEntries(
    chosen.map((key, index) => {
      const share =
        index === chosen.length - 1 ? left : 5 * random.integer(1, Math.max(1, left / 5 - (chosen.length - index)));
      left -= share;
      return [key, share];
    }),
  );
}
