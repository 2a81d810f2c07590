/** What integrators import: the service's document as schemas, a typed client of the service, and the service itself as a sandbox. */
export * from './contract/document.ts';
export { JSON_LIMITS, JsonBeyondLimits, parseExactJson, stringifyExactJson } from './contract/json.ts';
export type { AttributeType, AttributeUnit, SummaryAttribute } from './contract/catalogue/attribute.ts';
export { SUMMARY_CATALOGUE } from './contract/summary-catalogue.ts';
export { createServiceClient } from './service/client.ts';
export type {
  CreatePayload,
  ProjectQuery,
  ProjectStatus,
  RawSummary,
  ReadOptions,
  ServiceClient,
  ServiceClientOptions,
  UpdatedProject,
} from './service/client.ts';
export type { CreateOutcome, ReadOutcome } from './service/outcome.ts';
export { repeatRead } from './service/retry.ts';
export type { SandboxCredentials, SandboxOptions } from './sandbox/options.ts';
export { environmentLines, startSandbox, type Sandbox } from './sandbox/sandbox.ts';
export { systemClock, systemRandom, systemSleep } from './ops/system.ts';
export { silentLog } from './domain/ports.ts';
export { ExplainedError } from './domain/errors.ts';
