import { readFile } from 'node:fs/promises';
import { stringify } from 'yaml';
import { z } from 'zod';
import { SUMMARY_CATALOG, type SummaryAttribute } from '../contract/summary-attributes.ts';
import { templateText } from '../contract/template-data.ts';
import { messageOf, usageErrorOf } from '../domain/errors.ts';
import type { ResultColumn } from '../domain/project.ts';
import { nearestName } from '../domain/text.ts';
import { catalogIndex, isKeyed } from './flatten.ts';
import type { AttributeColumn, Layout, AttributeColumns } from './tables/report-columns.ts';
import { strictMap, textSchema, readYamlList } from './yaml-list.ts';

const text = (key: string) => textSchema(`its ${key} is not a text`);

const columnSchema = strictMap(
  'a column',
  {
    source: textSchema('the column has no source'),
    title: text('title').optional(),
    group: text('group').optional(),
  },
  'a column has a source, and perhaps a title and a group',
);

type ChosenColumn = z.output<typeof columnSchema>;

export type ColumnChoice = Readonly<{
  columns: readonly ChosenColumn[];
  others: 'shown' | 'hidden';
}>;

/** `onRecord`: earlier workbooks' columns. Throws ExplainedError (2) that lists every problem with its line. */
export async function loadColumnChoice(path: string | null, onRecord: readonly ResultColumn[]) {
  if (path === null) return null;
  const text = await readFile(path, 'utf8').catch((failure: unknown) => {
    throw usageErrorOf('columns-not-readable', { failure: messageOf(failure) });
  });
  return readColumnChoice(text, path, onRecord);
}

/** `name` is for messages. Throws ExplainedError (2). */
export function readColumnChoice(text: string, name: string, onRecord: readonly ResultColumn[] = []) {
  const file = readYamlList(text, 'columns');
  const others = file.read(file.node('others'), othersSchema);
  const known = knownSources(onRecord);
  const columns: ChosenColumn[] = [];
  for (const item of file.items) {
    const column = file.read(
      item,
      z.preprocess((given) => (typeof given === 'string' ? { source: given } : given), columnSchema),
    );
    if (column === null) continue;
    const { source } = column;
    if (columns.some((other) => other.source === source)) file.note(item, `${source} comes twice`);
    else if (!known.has(source))
      file.note(item, `${source} is not a source that is known; the nearest is ${nearestName(source, known.names)}`);
    columns.push(column);
  }
  return file.finish(others === null ? null : { columns, others }, (problems) =>
    usageErrorOf('columns-wrong', { name, problems }),
  );
}

const othersSchema = z
  .enum(['shown', 'hidden'], '“others” is neither shown nor hidden')
  .nullish()
  .transform((others) => others ?? 'shown');

function knownSources(onRecord: readonly ResultColumn[]) {
  const keyed: string[] = [];
  const below = (attributes: readonly SummaryAttribute[], prefix: string): readonly string[] =>
    attributes.flatMap((attribute) => {
      const path = prefix + attribute.path;
      if (isKeyed(attribute)) keyed.push(`${path}.`);
      return [path, ...below(attribute.items ?? [], `${path}[].`)];
    });
  const names = [...below(SUMMARY_CATALOG, ''), ...onRecord.map(sourceOf)];
  const all = new Set(names);
  return { names, has: (source: string) => all.has(source) || keyed.some((prefix) => source.startsWith(prefix)) };
}

function sourceOf({ list, path }: Pick<ResultColumn, 'list' | 'path'>) {
  return list === '' ? path : `${list}[].${path}`;
}

export function chooseColumns(layout: Layout, choice: ColumnChoice | null) {
  if (choice === null) return layout;
  return {
    ...chosenTable(layout, '', choice),
    lists: layout.lists.map((list) => ({ ...list, ...chosenTable(list, `${list.path}[].`, choice) })),
  };
}

function chosenTable(
  { columns, spilled }: AttributeColumns,
  prefix: string,
  { columns: wishes, others }: ColumnChoice,
) {
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

function renamed(column: AttributeColumn, prefix: string, { source, title, group }: ChosenColumn) {
  const whole = prefix + column.path === source;
  const named = title === undefined ? column.title : whole ? title : `${title}, ${column.key ?? ''}`;
  return { ...column, title: named, group: group ?? column.group };
}

export function initialColumnChoice(onRecord: readonly ResultColumn[]) {
  const known = onRecord.length > 0 ? onRecord : SUMMARY_CATALOG.map((attribute) => ({ ...attribute, list: '' }));
  const columns = known.map((column) => ({ source: sourceOf(column), title: column.title, group: column.group }));
  const { attributes } = catalogIndex(SUMMARY_CATALOG);
  const ofDocument =
    onRecord.length === 0
      ? ''
      : `# ${columns.filter(({ source }) => attributes.has(source)).length} of ${columns.length} columns are attributes that the service’s document lists.\n`;
  return `${templateText('workbook/columns-head.txt')}\n${ofDocument}others: shown\n${stringify({ columns }, { lineWidth: 0 })}`;
}
