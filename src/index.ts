/** What integrators import: the service's document as schemas, a typed client of the service, and the service itself as a sandbox. */
export * from './contract/project.ts';
export * from './contract/status.ts';
export * from './contract/report.ts';
export * from './contract/token.ts';
export * from './contract/json.ts';
export type * from './contract/catalogue-types.ts';
export { SUMMARY_CATALOGUE } from './contract/summary-catalogue.ts';
export { createServiceClient } from './service/client.ts';
export type * from './service/service-client.ts';
export type * from './service/outcome.ts';
export { repeatRead } from './service/repeat-read.ts';
export { startSandbox, type Sandbox } from './sandbox/sandbox.ts';
export type { SandboxCredentials, SandboxOptions } from './sandbox/options.ts';
export { environmentLines } from './sandbox/env-lines.ts';
export { systemClock, systemRandom, systemSleep } from './ops/system-clock.ts';
export { silentLog } from './domain/ports.ts';
export { ExplainedError } from './domain/errors.ts';
