import { readFile } from 'node:fs/promises';
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, stringify } from 'yaml';
import type { SummaryAttribute } from '../contract/summary-catalogue.ts';
import { SUMMARY_CATALOGUE } from '../contract/summary-catalogue.ts';
import { ExplainedError, messageOf } from '../domain/errors.ts';
import type { ResultColumn } from '../domain/project.ts';
import { nearestName } from '../domain/text.ts';
import { catalogueIndex, isKeyed } from './flatten.ts';
import type { AttributeColumn, Layout, TableLayout } from './columns.ts';

export interface ChosenColumn {
  /** As in the column Source of the sheet Fields. */
  readonly source: string;
  readonly title?: string;
  readonly group?: string;
}

export interface ColumnChoice {
  readonly columns: readonly ChosenColumn[];
  /** Whether unlisted columns follow. */
  readonly others: 'shown' | 'hidden';
}

/** `onRecord`: earlier workbooks' columns. Throws ExplainedError (2) that lists every problem with its line. */
export async function loadColumnChoice(
  path: string | null,
  onRecord: readonly ResultColumn[],
): Promise<ColumnChoice | null> {
  if (path === null) return null;
  const text = await readFile(path, 'utf8').catch((failure: unknown) => {
    throw new ExplainedError('columns-not-readable', `The choice of columns cannot be read: ${messageOf(failure)}`, {
      kind: 'usage',
      hint: 'Check results.columns in config.yaml.',
      cause: failure,
    });
  });
  return readColumnChoice(text, path, onRecord);
}

/** `name` is for messages. Throws ExplainedError (2). */
export function readColumnChoice(text: string, name: string, onRecord: readonly ResultColumn[] = []): ColumnChoice {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const problems = document.errors.map(
    (error) => `line ${error.linePos?.[0].line ?? 1}: ${error.message.split('\n')[0] ?? ''}`,
  );
  const root = document.contents;
  const list = isMap(root) ? root.get('columns', true) : undefined;
  const others: unknown = isMap(root) ? (root.get('others') ?? 'shown') : 'shown';
  if (problems.length === 0 && !isSeq(list)) problems.push('line 1: there is no list named “columns”');
  if (others !== 'shown' && others !== 'hidden') problems.push('“others” is neither shown nor hidden');
  const columns: ChosenColumn[] = [];
  const seen = new Set<string>();
  const known = knownSources(onRecord);
  for (const item of isSeq(list) ? list.items : []) {
    const line = lines.linePos((item as Node).range?.[0] ?? 0).line;
    const column = chosenColumn(item);
    if (typeof column === 'string') problems.push(`line ${line}: ${column}`);
    else if (seen.has(column.source)) problems.push(`line ${line}: ${column.source} comes twice`);
    else {
      seen.add(column.source);
      columns.push(column);
      if (!known.has(column.source))
        problems.push(
          `line ${line}: ${column.source} is not a source that is known; the nearest is ${nearestName(column.source, known.names)}`,
        );
    }
  }
  if (problems.length > 0) {
    throw new ExplainedError(
      'columns-wrong',
      `${name} cannot be used:\n${problems.map((problem) => `  ${problem}`).join('\n')}`,
      {
        kind: 'usage',
        hint: '`inspection-batch results columns` writes a file to start from.',
      },
    );
  }
  return { columns, others: others === 'hidden' ? 'hidden' : 'shown' };
}

function knownSources(onRecord: readonly ResultColumn[]): {
  readonly names: readonly string[];
  has(source: string): boolean;
} {
  const keyed: string[] = [];
  const below = (attributes: readonly SummaryAttribute[], prefix: string): readonly string[] =>
    attributes.flatMap((attribute) => {
      const path = prefix + attribute.path;
      if (isKeyed(attribute)) keyed.push(`${path}.`);
      return [path, ...below(attribute.items ?? [], `${path}[].`)];
    });
  const names = [...below(SUMMARY_CATALOGUE, ''), ...onRecord.map(sourceOf)];
  const all = new Set(names);
  return { names, has: (source) => all.has(source) || keyed.some((prefix) => source.startsWith(prefix)) };
}

function sourceOf({ list, path }: ResultColumn): string {
  return list === '' ? path : `${list}[].${path}`;
}

/** Or the problem. */
function chosenColumn(item: unknown): ChosenColumn | string {
  if (isScalar(item) && typeof item.value === 'string') return { source: item.value };
  if (!isMap(item)) return 'a column has a source, and perhaps a title and a group';
  const held: Record<string, string> = {};
  for (const { key, value } of item.items) {
    const known = ['source', 'title', 'group'].find((candidate) => candidate === (isScalar(key) ? key.value : key));
    if (known === undefined)
      return `the key ${String(isScalar(key) ? key.value : key)} is not known; a column has source, title, group`;
    if (!isScalar(value) || typeof value.value !== 'string' || value.value.trim() === '')
      return `its ${known} is not a text`;
    held[known] = value.value.trim();
  }
  const { source, title, group } = held;
  if (source === undefined) return 'the column has no source';
  return { source, ...(title === undefined ? {} : { title }), ...(group === undefined ? {} : { group }) };
}

export function chosen(layout: Layout, choice: ColumnChoice | null): Layout {
  if (choice === null) return layout;
  return {
    ...chosenTable(layout, '', choice),
    lists: layout.lists.map((list) => ({ ...list, ...chosenTable(list, `${list.path}[].`, choice) })),
  };
}

function chosenTable(
  { columns, spilled }: TableLayout,
  prefix: string,
  { columns: wishes, others }: ColumnChoice,
): TableLayout {
  const listed = wishes.flatMap((wish) =>
    columns
      .filter(
        (column) =>
          prefix + column.path === wish.source ||
          (column.key !== null && prefix + (column.attribute?.path ?? '') === wish.source),
      )
      .map((column) => renamed(column, prefix, wish)),
  );
  const taken = new Set(listed.map(({ path }) => path));
  return {
    columns: [...listed, ...(others === 'shown' ? columns.filter(({ path }) => !taken.has(path)) : [])],
    spilled: others === 'shown' ? spilled : [],
  };
}

function renamed(column: AttributeColumn, prefix: string, { source, title, group }: ChosenColumn): AttributeColumn {
  const whole = prefix + column.path === source;
  const named = title === undefined ? column.title : whole ? title : `${title}, ${column.key ?? ''}`;
  return { ...column, title: named, group: group ?? column.group };
}

const HEAD = `# The columns of the results workbook: what is shown, in which order, under which names.
#
# Change it, and name it in config.yaml:   results: { columns: columns.yaml }
# Take out what you do not want to see and set \`others: hidden\`; or move what matters to the top and leave \`others: shown\`:
# what is not listed then stands behind, and new attributes of the reports are not missed.
# Sources are those of the sheet Fields; the attribute itself (summary.roof.material) stands for all of its keys.

`;

/** The columns on record, else the document's attributes. */
export function columnChoiceToStartFrom(onRecord: readonly ResultColumn[]): string {
  const fromCatalogue = SUMMARY_CATALOGUE.map(({ path, title, group }) => ({ source: path, title, group }));
  const columns =
    onRecord.length === 0
      ? fromCatalogue
      : onRecord.map((column) => ({ source: sourceOf(column), title: column.title, group: column.group }));
  const { attributes } = catalogueIndex(SUMMARY_CATALOGUE);
  const known =
    onRecord.length === 0
      ? ''
      : `# ${columns.filter(({ source }) => attributes.has(source)).length} of ${columns.length} columns are attributes that the service’s document lists.\n`;
  return `${HEAD}${known}others: shown\n${stringify({ columns }, { lineWidth: 0 })}`;
}
