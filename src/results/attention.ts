import { SUMMARY_CATALOGUE } from '../contract/summary-catalogue.ts';
import { catalogueIndex } from './catalogue-index.ts';
import { leafText } from './cell-value.ts';
import type { FlatRecord, Leaf } from './flatten.ts';

/** Why a house needs an underwriter's eye. */
export interface Finding {
  readonly rule: string;
  /** How much it weighs: 25 and more is grave. */
  readonly weight: number;
  /** The attribute it rests on. */
  readonly path: string;
  /** In words, with the attribute and its value. */
  readonly reason: string;
}

/** A named rule over a flattened summary; null where it has nothing to say. */
export interface AttentionRule {
  readonly name: string;
  readonly judge: (record: FlatRecord) => Finding | null;
}

/** From here on a finding, or a house, is marked as grave. */
export const GRAVE_WEIGHT = 25;

/** What the rules find, the heaviest first. */
export function findingsOf(record: FlatRecord, rules: readonly AttentionRule[]): Finding[] {
  return rules
    .flatMap((rule) => rule.judge(record) ?? [])
    .toSorted((a, b) => b.weight - a.weight);
}

/** Fires where a boolean is true. */
export function whenYes(name: string, path: string, weight: number, words: string): AttentionRule {
  return whenWeighed(name, path, words, (leaf) => (leaf === true ? weight : 0));
}

/** Fires where a text is one of these, each with its weight. */
export function whenText(name: string, path: string, weights: Readonly<Record<string, number>>, words: string): AttentionRule {
  const byText = new Map(Object.entries(weights).map(([text, weight]) => [text.toLowerCase(), weight]));
  return whenWeighed(name, path, words, (leaf) => (typeof leaf === 'string' ? (byText.get(leaf.toLowerCase()) ?? 0) : 0));
}

/** Fires where the value weighs more than nothing. */
export function whenWeighed(name: string, path: string, words: string, weigh: (leaf: Leaf) => number): AttentionRule {
  return {
    name,
    judge: (record) => {
      const value = record.values.get(path);
      const weight = value === undefined ? 0 : weigh(value.leaf);
      if (value === undefined || weight <= 0) return null;
      return { rule: name, weight, path, reason: reasonOf(words, path, leafText(value.leaf)) };
    },
  };
}

/** Fires once for the keys of an object that are true, such as the damaged rooms. */
export function whenAnyKey(name: string, path: string, weight: number, words: string): AttentionRule {
  return {
    name,
    judge: (record) => {
      const keys = [...record.values.values()].flatMap((value) => (value.leaf === true && value.key !== null && value.attribute?.path === path ? [value.key] : []));
      return keys.length === 0 ? null : { rule: name, weight, path, reason: reasonOf(words, path, keys.join(', ')) };
    },
  };
}

/** Fires for the items of a list that weigh something; the heaviest counts. */
export function whenItem(
  name: string,
  path: string,
  words: string,
  look: (item: FlatRecord) => { readonly weight: number; readonly value: string } | null,
): AttentionRule {
  return {
    name,
    judge: (record) => {
      const found = (record.lists.get(path)?.items ?? []).flatMap((item) => look(item) ?? []);
      if (found.length === 0) return null;
      const weight = Math.max(...found.map((item) => item.weight));
      return { rule: name, weight, path, reason: reasonOf(words, path, found.map(({ value }) => value).join(' / ')) };
    },
  };
}

/** The text of an item's attribute, or an empty one. */
export function textOf(item: FlatRecord, path: string): string {
  const leaf = item.values.get(path)?.leaf;
  return typeof leaf === 'string' ? leaf : '';
}

function reasonOf(words: string, path: string, value: string): string {
  const title = catalogueIndex(SUMMARY_CATALOGUE).attributes.get(path)?.attribute.title ?? path;
  return `${words} (${title} = ${value})`;
}
