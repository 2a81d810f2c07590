/** What integrators import (docs/library.md). */
import { basename } from 'node:path';
import { localDay } from './domain/day.ts';
import { type FileReading, type IntakeOptions, readOrderFile } from './intake/read-orders.ts';
import { systemClock } from './ops/system.ts';

export * from './client.ts';
export type { Cell } from './domain/cells.ts';
export type { OrderPayload, Problem, Repair, RowOutcome, RowPlace, RowRecord, SheetLayout } from './domain/row.ts';
export type { FileReading } from './intake/read-orders.ts';
export { UnreadableFileError } from './intake/readers/row-source.ts';
export {
  flattenSummary,
  type FlatList,
  type FlatRecord,
  type FlatValue,
  type Leaf,
  type Scalar,
} from './results/flatten.ts';
export type { SandboxCredentials, SandboxOptions } from './sandbox/options.ts';
export { environmentLines, startSandbox, type Sandbox } from './sandbox/sandbox.ts';

export interface ReadOrdersOptions extends Partial<IntakeOptions> {
  /** The file's name in problems and notes; by default that of the path. */
  readonly name?: string | undefined;
}

/**
 * Opens an .xlsx, .xlsm, .csv or .tsv file and finds its orders; `rows()` returns each data row, an order or a
 * rejection. Sends and writes nothing. Dispose of it (`await using`). Throws UnreadableFileError with a sentence for
 * the file's author.
 */
export async function readOrders(
  path: string,
  { name = basename(path), ...options }: ReadOrdersOptions = {},
): Promise<FileReading> {
  return readOrderFile(path, name, { headers: {}, today: localDay(systemClock.now()), ...options });
}
