import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { upperFirst } from '../../domain/text.ts';
import { formatList } from '../../domain/cells.ts';
import { messageOf, usageErrorOf } from '../../domain/errors.ts';
import { packageFolder } from '../../ops/system.ts';
import { strictMap, textSchema, readYamlList } from '../yaml-list.ts';
import { type Condition, ConditionError, parseCondition, pathsOf } from './condition.ts';

const CATEGORIES = ['roof', 'building', 'liability', 'occupancy', 'fire', 'water', 'order'] as const;
export type Category = (typeof CATEGORIES)[number];

/** The strictest first. */
export const ACTIONS = ['non-renew', 'decline or cancel', 'refer', 're-inspect', 'recommend repairs'] as const;
export type Action = (typeof ACTIONS)[number];
export const POLICY_ENDING_ACTIONS = ACTIONS.slice(0, 2);

type Weight = Readonly<{ kind: 'fixed'; points: number } | { kind: 'each'; points: number; max: number }>;

export type AttentionRule = Readonly<{
  /** As written; identifies the rule. */
  when: string;
  condition: Condition;
  weight: Weight;
  category: Category;
  because: string;
  action: Action | null;
  about: string;
  /** Attributes of list items for the reason. */
  show: readonly string[];
  /** Counts only if no other rule about the report does. */
  isFallback: boolean;
  isBetter: boolean;
}>;

export type AttentionLevels = z.output<typeof levelsSchema>;
export type LevelLimits = AttentionLevels['high'];

export type AttentionConfig = Readonly<{
  rules: readonly AttentionRule[];
  /** Of what a report says got better: without points. */
  improvements: readonly AttentionRule[];
  levels: AttentionLevels;
  /** For new business: the action to suggest instead of each of these. */
  newBusiness: Readonly<Partial<Record<Action, Action>>>;
}>;

export const DEFAULT_RULES_FILE = join(packageFolder(), 'templates/attention.yaml');

/** Throws ExplainedError (2). */
export async function loadAttention(path: string | null): Promise<AttentionConfig> {
  const own = readAttention(await readFile(DEFAULT_RULES_FILE, 'utf8'), 'templates/attention.yaml', null);
  if (path === null) return own;
  const text = await readFile(path, 'utf8').catch((failure: unknown) => {
    throw usageErrorOf('attention-rules-not-readable', { failure: messageOf(failure) });
  });
  return readAttention(text, path, own);
}

/**
 * `name` is for messages. `defaults` fill gaps of older files, by the rule's attribute. Throws ExplainedError (2) that
 * lists every problem with its line.
 */
export function readAttention(text: string, name: string, defaults: AttentionConfig | null): AttentionConfig {
  const file = readYamlList(text, 'rules');
  const all = file.items.flatMap((item) => {
    const rule = file.read(item, ruleSchema);
    try {
      return rule === null ? [] : [ruleOf(rule, defaults?.rules ?? [])];
    } catch (failure) {
      if (!(failure instanceof ConditionError)) throw failure;
      file.note(item, `the condition “${rule?.when ?? ''}” ${failure.message}`);
      return [];
    }
  });
  const held = file.node('levels');
  const levels = held === undefined && defaults !== null ? defaults.levels : file.read(held, levelsSchema);
  const instead = file.node('newBusiness');
  const newBusiness = (instead === undefined ? defaults?.newBusiness : file.read(instead, newBusinessSchema)) ?? {};
  const [rules = [], improvements = []] = [false, true].map((each) => all.filter(({ isBetter }) => isBetter === each));
  const config = levels && { rules, improvements, levels: withInstead(levels, newBusiness), newBusiness };
  return file.finish(config, (problems) => usageErrorOf('attention-rules-wrong', { name, problems }));
}

/** The action that replaces another for new business gives a house the same level. */
function withInstead({ high, medium, ...others }: AttentionLevels, instead: AttentionConfig['newBusiness']) {
  const extended = (limits: LevelLimits) => ({
    ...limits,
    actions: limits.actions && [...new Set(limits.actions.flatMap((action) => [action, instead[action] ?? action]))],
  });
  return { ...others, high: extended(high), medium: extended(medium) };
}

const newBusinessSchema = z.partialRecord(
  z.enum(ACTIONS),
  z.enum(ACTIONS),
  `newBusiness is not a map of actions to actions (${ACTIONS.join(', ')})`,
);

const sentence = (key: string) => textSchema(`the rule has no ${key}`);

const oneOf = <const Choices extends readonly string[]>(key: string, choices: Choices) =>
  z.enum(choices, `its ${key} is none of ${formatList(choices, 'or')}`);

// `yes` is a text in YAML 1.2 and true in 1.1.
const yesOrNo = (key: string) =>
  z
    .union([z.boolean(), z.enum(['yes', 'no'])], `its ${key} is neither yes nor no`)
    .transform((value) => value === true || value === 'yes')
    .default(false);

const EACH = /^(\d+(?:\.\d+)?) each, at most (\d+(?:\.\d+)?)$/;

const ruleSchema = strictMap(
  'a rule',
  {
    when: sentence('when'),
    weight: z.preprocess(
      weightOf,
      z.custom<Weight>(Boolean, 'its weight is not a number above 0, nor such as “3 each, at most 15”'),
    ),
    category: oneOf('category', CATEGORIES).optional(),
    because: sentence('because'),
    action: oneOf('action', ACTIONS).optional(),
    about: sentence('about').optional(),
    show: z.string('its show is not a list of attributes with commas in between').nullish(),
    fallback: yesOrNo('fallback'),
    better: yesOrNo('better'),
  },
  'a rule has the keys when, weight and because',
);

function ruleOf(
  { when, weight, category, because, action, about, show, fallback, better }: z.output<typeof ruleSchema>,
  defaults: readonly AttentionRule[],
) {
  const condition = parseCondition(when);
  const asked = pathsOf(condition);
  const like =
    category === undefined
      ? defaults.find((rule) => pathsOf(rule.condition).some((path) => asked.includes(path)))
      : undefined;
  return {
    when,
    condition,
    weight,
    category: category ?? like?.category ?? 'building',
    because: category === undefined ? because : `${upperFirst(category)}: ${because}`,
    action: action ?? like?.action ?? null,
    about: about ?? like?.about ?? because,
    show: (show ?? '').split(',').flatMap((path) => path.trim() || []),
    isFallback: fallback,
    isBetter: better,
  };
}

function weightOf(value: unknown) {
  if (typeof value === 'number' && value > 0) return { kind: 'fixed', points: value };
  const each = typeof value === 'string' ? EACH.exec(value.trim()) : null;
  return each && { kind: 'each', points: Number(each[1]), max: Number(each[2]) };
}

const pointsOf = (key: string, of: string) => {
  const problem = `${key} of ${of} is not a number from 0 on`;
  return z.number(problem).min(0, problem);
};

const shareOf = (of: string) => {
  const problem = `share of ${of} is not a percentage, such as 10%`;
  return z
    .string(problem)
    .trim()
    .regex(/^\d{1,3}(?:\.\d+)?\s?%$/, problem)
    .transform((percent) => Number.parseFloat(percent) / 100)
    .refine((share) => share <= 1, problem);
};

const limitsOf = (level: string) =>
  strictMap(
    `the level ${level}`,
    {
      points: pointsOf('points', level),
      /** Of the houses, 0 to 1. */
      share: shareOf(level),
      always: pointsOf('always', level),
      /** With any points: a house for which one of them is suggested. */
      actions: z.array(oneOf('action', ACTIONS), `actions of ${level} is not a list`).optional(),
    },
    `the level ${level} is missing; it has points, share and always`,
  );

const levelsSchema = strictMap(
  'levels',
  {
    high: limitsOf('high'),
    medium: limitsOf('medium'),
    low: strictMap('the level low', { points: pointsOf('points', 'low') }, 'the level low is missing; it has points'),
    rankFrom: pointsOf('rankFrom', 'levels'),
  },
  'there is no map named “levels”',
);
