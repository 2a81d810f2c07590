import type { Reading } from '../reading.ts';
import { readXmlPart } from './read-part.ts';
import { isTrue, prefixedAttribute } from './xml-events.ts';

/** What the workbook's own part says. */
export interface WorkbookPart {
  /** In the workbook's order; chart sheets and the like included. */
  readonly sheets: readonly { readonly name: string; readonly visible: boolean; readonly relationshipId: string }[];
  /** Whether days count from 1904-01-01. */
  readonly date1904: boolean;
}

/** Reads the list of sheets and the date system. */
export async function readWorkbookPart(chunks: AsyncIterable<Uint8Array>, partName: string, reading: Reading): Promise<WorkbookPart> {
  const sheets: WorkbookPart['sheets'][number][] = [];
  let date1904 = false;
  let list = '';
  await readXmlPart(
    chunks,
    {
      open(name, attributes, depth) {
        if (depth === 1) list = name;
        if (depth === 1 && name === 'workbookPr') date1904 = isTrue(attributes['date1904']);
        if (depth !== 2 || list !== 'sheets' || name !== 'sheet') return;
        const relationshipId = prefixedAttribute(attributes, 'id') ?? '';
        const visible = !/^(hidden|veryHidden)$/.test(attributes['state'] ?? '');
        sheets.push({ name: attributes['name'] ?? `Sheet${sheets.length + 1}`, visible, relationshipId });
      },
      close() {},
      text() {},
    },
    partName,
    reading,
  );
  return { sheets, date1904 };
}
