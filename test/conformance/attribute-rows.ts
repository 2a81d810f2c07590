import { expect } from 'vitest';
import { ATTRIBUTE_LINES } from './attribute-lines.ts';
import { collectedSummaries } from './collected-summaries.ts';
import type { Row } from './row.ts';

const JSON_TYPES: Readonly<Record<string, string>> = {
  String: 'string',
  Number: 'number',
  Double: 'number',
  Boolean: 'boolean',
  List: 'array',
  Object: 'object',
};
const SECTION = /^(project|risk|bldg|roof|exterior|interior)\./;
/** Its nullability stands among its values: "Absent or null when none observed." */
const NULLABLE_IN_WORDS = 'bldg.windProtections';

interface Named {
  /** As the document writes it: `risk.waterBody.type`. */
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
}

/** What a line says of values or keys. */
type Listed =
  | { readonly kind: 'dynamic' | 'closed' | 'keys'; readonly texts: readonly string[]; readonly inner?: string }
  | undefined;

/** A line of the document's tables, read as a person reads it: names that share a beginning, one type or one each, a list of values. */
function read(line: string): { readonly attributes: readonly Named[]; readonly listed: Listed } {
  const [names = '', types = '', words = ''] = line.replace(/ \|$/, '').split(' | ');
  const parts = names.replaceAll(/ \([^)]*\)/g, '').split(/, | \/ /);
  const folder = parts[0]?.replace(/\.\w+$/, '') ?? '';
  const each = types.split(' / ');
  const attributes = parts.map((part, index): Named => {
    const name = SECTION.test(part) ? part : `${folder}.${part}`;
    const type = each.length === parts.length ? (each[index] ?? '') : types;
    return {
      name,
      type: JSON_TYPES[type.split(/,? /)[0] ?? ''] ?? type,
      nullable: type.includes('nullable') || name === NULLABLE_IN_WORDS,
    };
  });
  return { attributes, listed: listedIn(words, parts[0] ?? '') };
}

function listedIn(words: string, first: string): Listed {
  const texts = (list: string): string[] => list.replaceAll('`', '').split(', ');
  const dynamic = /^(?:Values )?(.+); dynamic\.$/.exec(words)?.[1];
  if (dynamic !== undefined) return { kind: 'dynamic', texts: texts(dynamic) };
  const keys = /^(?:Keys (.+); values are percentages|(Boolean) per room type: (.+))\.$/.exec(words);
  if (keys !== null)
    return {
      kind: 'keys',
      texts: texts(keys[1] ?? keys[3] ?? ''),
      inner: keys[2] === undefined ? 'number' : 'boolean',
    };
  if (first === NULLABLE_IN_WORDS || first === 'roof.coveringMaterial')
    return { kind: 'closed', texts: texts(words.replace(/\.( Absent or null when none observed\.)?$/, '')) };
  return undefined;
}

function factOf(attributes: readonly Named[], listed: Listed): string {
  const types = attributes.map(({ type, nullable }) => `${type}${nullable ? ' and null' : ', never null'}`);
  const occurs =
    new Set(types).size === 1
      ? `${attributes.length === 1 ? 'it' : `each of the ${attributes.length}`} occurs, as ${types[0] ?? ''}`
      : `they occur, as ${types.join(' / ')}`;
  switch (listed?.kind) {
    case undefined:
      return occurs;
    case 'dynamic':
      return `${occurs}; mostly listed values`;
    case 'closed':
      return `${occurs}; only listed values`;
    case 'keys':
      return `${occurs}; only listed keys, each a ${listed.inner ?? ''}`;
  }
}

async function valuesOf(name: string): Promise<unknown[]> {
  const path = (name.startsWith('project.') ? name : `summary.${name}`).split('.');
  const held = (await collectedSummaries()).map((root) =>
    path.reduce<unknown>(
      (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
      root,
    ),
  );
  return held.filter((value) => value !== undefined);
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

async function checkLine(attributes: readonly Named[], listed: Listed): Promise<void> {
  for (const { name, type, nullable } of attributes) {
    const values = await valuesOf(name);
    expect({ name, types: [...new Set(values.map(typeOf))].toSorted() }).toEqual({
      name,
      types: nullable ? [type, 'null'].toSorted() : [type],
    });
    if (listed !== undefined)
      checkListed(
        name,
        values.filter((value) => value !== null),
        listed,
      );
  }
}

function checkListed(name: string, values: readonly unknown[], { kind, texts, inner }: NonNullable<Listed>): void {
  const said = kind === 'keys' ? values.flatMap((value) => Object.keys(value as object)) : values.flat().map(String);
  const unlisted = said.filter((text) => !texts.includes(text));
  expect({
    name,
    said: said.length > 0,
    unlisted: kind === 'dynamic' ? unlisted.length < said.length * 0.15 : unlisted,
  }).toEqual({ name, said: true, unlisted: kind === 'dynamic' ? true : [] });
  if (inner !== undefined)
    expect(values.flatMap((value) => Object.values(value as object)).every((value) => typeof value === inner)).toBe(
      true,
    );
}

/** Document: Report summary, its tables, a row a line. */
export const ATTRIBUTE_ROWS: readonly Row[] = ATTRIBUTE_LINES.map((line) => {
  const { attributes, listed } = read(line);
  return {
    id: `attribute.${attributes[0]?.name ?? line}`,
    sentence: line,
    fact: factOf(attributes, listed),
    check: async () => await checkLine(attributes, listed),
  };
});
