/**
 * The exports of `inspection-batch/client` (docs/library.md): the service's client and document, and readers of
 * deliveries. Clock, sleep, randomness and log have defaults here.
 */
import { silentLog } from './domain/ports.ts';
import { SYSTEM } from './ops/system.ts';
import type { SandboxCredentials } from './sandbox/options.ts';
import { createServiceClient, type ServiceClient, type ServiceClientOptions } from './service/client.ts';
import type { ReadOutcome } from './service/outcome.ts';
import { type ReadContext, repeatRead as repeatReadWith } from './service/retry.ts';

export * from './contract/document.ts';
export { JSON_LIMITS, JsonBeyondLimits, parseExactJson, stringifyExactJson } from './contract/json.ts';
export type { AttributeType, AttributeUnit, SummaryAttribute } from './contract/summary-attributes.ts';
export { SUMMARY_CATALOG } from './contract/summary-attributes.ts';
export {
  type DeliveryIndex,
  deliveryIndex,
  type FinishedProject,
  finishedProject,
  type ResultLine,
  resultLine,
} from './domain/delivery.ts';
export { ExplainedError, type ExplainedKind } from './domain/errors.ts';
export type { Clock, Log, LogFields, Random, RunContext, Sleep } from './domain/ports.ts';
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
export { readDeliveryIndex, readResults } from './ops/read-delivery.ts';
export type { CreateOutcome, ReadOutcome } from './service/outcome.ts';
export type { OpenFile } from './service/redirects.ts';
export type { ReadContext } from './service/retry.ts';

const QUIET_MACHINE = { ...SYSTEM, log: silentLog };

/**
 * The service's address and credentials; a running `Sandbox` has both. The machine provides the rest. Nothing is
 * logged.
 */
export type ClientOptions = Partial<Omit<ServiceClientOptions, 'baseUrl' | keyof SandboxCredentials>> &
  Readonly<{
    /** https, or http to loopback; without `/v1`. */
    baseUrl: string;
    credentials: SandboxCredentials;
  }>;

/** Does not connect. Throws ExplainedError (`usage`) if the base URL must not get credentials. */
export function createClient({ baseUrl, credentials, ...options }: ClientOptions): ServiceClient {
  const { clientId, clientSecret, username, password } = credentials;
  return createServiceClient({ ...QUIET_MACHINE, ...options, baseUrl, clientId, clientSecret, username, password });
}

/**
 * Repeats a read while its failure may pass, with growing waits or those the service asks for, and returns the last
 * outcome. Never use it for `createProject`: only a search settles a create with an unknown outcome.
 */
export async function repeatRead<T>(
  read: () => Promise<ReadOutcome<T>>,
  context: Partial<ReadContext> = {},
): Promise<ReadOutcome<T>> {
  return repeatReadWith(read, { ...QUIET_MACHINE, ...context });
}
