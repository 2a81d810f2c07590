import { accountKey, readBaseUrl } from './base-url.ts';
import { createCalls } from './calls.ts';
import { deliverableMethods } from './deliverable-methods.ts';
import { createTransport } from './exchange.ts';
import { CONNECT_TIMEOUT_MS, REQUEST_TIMEOUT_MS, SOCKETS_MAX } from './limits.ts';
import { projectMethods } from './project-methods.ts';
import type { ServiceClient, ServiceClientOptions } from './service-client.ts';
import { createTokenSource } from './token-source.ts';

export type * from './service-client.ts';

/** Connects nothing yet. Throws ExplainedError (2) where the base URL is not one to send credentials to. */
export function createServiceClient(options: ServiceClientOptions): ServiceClient {
  const baseUrl = readBaseUrl(options.baseUrl);
  const transport = createTransport({
    timeoutMs: options.timeoutMs ?? REQUEST_TIMEOUT_MS,
    connectTimeoutMs: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    socketsMax: options.maxConcurrency ?? SOCKETS_MAX,
  });
  const { clientId, clientSecret, username, password, clock, sleep, random, log, signal } = options;
  const tokens = createTokenSource({ transport, baseUrl, clientId, clientSecret, username, password, clock, sleep, random, log, signal });
  const calls = createCalls({ transport, tokens, baseUrl, clock, log, signal });
  return {
    account: accountKey(baseUrl, clientId, username),
    ...projectMethods(calls),
    ...deliverableMethods(calls),
    close: () => transport.close(),
  };
}
