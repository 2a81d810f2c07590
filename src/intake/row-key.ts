import type { RowPlace } from '../domain/row.ts';

/** Which row of which file a row of a corrections workbook was made from. */
export interface RowKey {
  readonly file: string;
  readonly sheet: string;
  readonly rowNumber: number;
  /** The beginning of the file's SHA-256, which tells files of one name apart; null in keys written before it was part of them. */
  readonly content: string | null;
}

/** How much of a file's hash its rows' keys hold. */
const KEY_HASH_LENGTH = 12;

/** The hidden key of a row: `<file>#<sheet>#<row>#<beginning of the file's hash>`. */
export function rowKey(fileHash: string, { file, sheet, rowNumber }: RowPlace): string {
  const part = (text: string): string => text.replaceAll('%', '%25').replaceAll('#', '%23');
  return `${part(file)}#${part(sheet)}#${String(rowNumber)}#${fileHash.slice(0, KEY_HASH_LENGTH)}`;
}

const KEY = /^([^#]+)#([^#]*)#(\d{1,10})(?:#([0-9a-f]{12}))?$/;

/** What a key says, or null where it is none. */
export function parseRowKey(key: string): RowKey | null {
  const [, file, sheet, rowNumber, content] = KEY.exec(key) ?? [];
  if (file === undefined || sheet === undefined) return null;
  const whole = (text: string): string => text.replaceAll('%23', '#').replaceAll('%25', '%');
  return { file: whole(file), sheet: whole(sheet), rowNumber: Number(rowNumber), content: content ?? null };
}
