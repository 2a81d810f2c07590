/**
 * What integrators import (docs/library.md): a typed client of the service, the service itself as a sandbox, the reader of order spreadsheets,
 * the flattening of report summaries, and the service's document as schemas. Clock, sleep, randomness and log have defaults here.
 */
import { basename } from 'node:path';
import { format } from 'date-fns/format';
import { type RunContext, silentLog } from './domain/ports.ts';
import { type FileReading, type IntakeOptions, readOrderFile } from './intake/read-orders.ts';
import { systemClock, systemRandom, systemSleep } from './ops/system.ts';
import type { SandboxCredentials } from './sandbox/options.ts';
import { createServiceClient, type ServiceClient, type ServiceClientOptions } from './service/client.ts';
import type { ReadOutcome } from './service/outcome.ts';
import { type ReadContext, repeatRead as repeatReadWith } from './service/retry.ts';

export * from './contract/document.ts';
export { JSON_LIMITS, JsonBeyondLimits, parseExactJson, stringifyExactJson } from './contract/json.ts';
export type { AttributeType, AttributeUnit, SummaryAttribute } from './contract/summary-catalogue.ts';
export { SUMMARY_CATALOGUE } from './contract/summary-catalogue.ts';
export { ExplainedError, type ExplainedKind } from './domain/errors.ts';
export type { Clock, Log, LogFields, Random, RunContext, Sleep } from './domain/ports.ts';
export type {
  Cell,
  OrderPayload,
  Problem,
  Repair,
  RowOutcome,
  RowPlace,
  RowRecord,
  SheetLayout,
} from './domain/row.ts';
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
export type {
  CreatePayload,
  ProjectQuery,
  ProjectStatus,
  RawSummary,
  ReadOptions,
  ReportUrl,
  ServiceClient,
  UpdatedProject,
} from './service/client.ts';
export type { CreateOutcome, ReadOutcome } from './service/outcome.ts';
export type { OpenFile } from './service/redirects.ts';
export type { ReadContext } from './service/retry.ts';

const MACHINE: Omit<RunContext, 'signal'> = {
  clock: systemClock,
  sleep: systemSleep,
  random: systemRandom,
  log: silentLog,
};

/** Where the service is, and who asks: a running `Sandbox` is one. What is left out comes from the machine; the log keeps nothing. */
export interface ClientOptions extends Partial<Omit<ServiceClientOptions, 'baseUrl' | keyof SandboxCredentials>> {
  /** https, or http to loopback; without `/v1`. */
  readonly baseUrl: string;
  readonly credentials: SandboxCredentials;
}

/** A typed client of the service. Connects nothing yet. Throws ExplainedError (`usage`) where the base URL is not one to send credentials to. */
export function createClient({ baseUrl, credentials, ...options }: ClientOptions): ServiceClient {
  const { clientId, clientSecret, username, password } = credentials;
  return createServiceClient({ ...MACHINE, ...options, baseUrl, clientId, clientSecret, username, password });
}

/**
 * Does a read again while it fails in a way that may pass, with growing waits or those the service asks for, and gives the last outcome.
 * Never wrap `createProject` in it: a create whose outcome is unknown is settled by a search.
 */
export async function repeatRead<T>(
  read: () => Promise<ReadOutcome<T>>,
  context: Partial<ReadContext> = {},
): Promise<ReadOutcome<T>> {
  return repeatReadWith(read, { ...MACHINE, ...context });
}

/** How a spreadsheet is read. Everything has a default. */
export interface ReadOrdersOptions extends Partial<IntakeOptions> {
  /** The file's name in problems and notes; by default that of the path. */
  readonly name?: string | undefined;
}

/**
 * Opens an .xlsx, .xlsm, .csv or .tsv file and finds its orders; `rows()` gives each data row, an order or a rejection. Sends and writes nothing.
 * Dispose of it (`await using`). Throws UnreadableFileError, whose message is a sentence for the person who made the file.
 */
export async function readOrders(
  path: string,
  { name = basename(path), ...options }: ReadOrdersOptions = {},
): Promise<FileReading> {
  return readOrderFile(path, name, { headers: {}, today: format(systemClock.now(), 'yyyy-MM-dd'), ...options });
}
