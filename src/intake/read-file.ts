import { readOrders } from './read-orders.ts';
import type { FileReading, IntakeOptions } from './read-orders.ts';
import { openSpreadsheet } from './readers/open-spreadsheet.ts';

export type { FileReading, IntakeOptions } from './read-orders.ts';

/**
 * Opens a spreadsheet and finds its orders. `displayName` is the file's name as it was dropped; the path may be a snapshot under another.
 * Throws UnreadableFileError, whose message is a sentence for the person who dropped it.
 */
export async function readOrderFile(path: string, displayName: string, options: IntakeOptions): Promise<FileReading> {
  const source = await openSpreadsheet(path, displayName);
  try {
    return await readOrders(source, displayName, options);
  } catch (thrown) {
    await source[Symbol.asyncDispose]();
    throw thrown;
  }
}
