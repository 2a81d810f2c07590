import { count, text, wrapped } from './cell-value.ts';
import { FIXED_SHEETS } from './list-sheets.ts';
import type { Surprise } from './surprises.ts';
import type { WorkbookWriter } from './workbook-writer.ts';

/** The sheet `Surprises`: what came otherwise than the service's document says; left out where there is nothing. */
export async function writeSurprises(workbook: WorkbookWriter, surprises: readonly Surprise[]): Promise<void> {
  if (surprises.length === 0) return;
  const sheet = workbook.sheet({
    name: FIXED_SHEETS.surprises,
    kind: 'table',
    columns: [
      { title: 'What', width: 20, note: 'In the column of the attribute the value stands as it came.' },
      { title: 'Attribute', width: 36 },
      { title: 'The document says', width: 50 },
      { title: 'What came', width: 50 },
      { title: 'Projects', width: 10, note: 'How many projects have it.' },
      { title: 'One of them', width: 13, note: 'The project ID of one of them.' },
      { title: 'Source', width: 50 },
    ],
    tabColour: 'BF9000',
  });
  for (const { kind, path, attribute, came, projects, projectId } of surprises) {
    await sheet.row([text(kind), wrapped(attribute?.title ?? path), wrapped(expected(attribute)), wrapped(came), count(projects), text(projectId), text(path)]);
  }
}

function expected(attribute: Surprise['attribute']): string {
  if (attribute === undefined) return 'nothing: it is not listed';
  const values = attribute.values === undefined ? '' : `: ${attribute.values.join('; ')}`;
  return `${attribute.type}${attribute.nullable ? ' or null' : ''}${values}`;
}
