import { type Clock, type Random, silentLog, type Sleep } from '../../src/domain/ports.ts';
import { createCalls, type ServiceClient, serviceMethods } from '../../src/service/client.ts';
import type { Transport } from '../../src/service/exchange.ts';
import { createTokenSource } from '../../src/service/tokens.ts';

/** The real client, all but its sockets. */
export function simulatedClient(
  transport: Transport,
  baseUrl: URL,
  world: { readonly clock: Clock; readonly sleep: Sleep; readonly random: Random; readonly signal: AbortSignal },
): ServiceClient {
  const credentials = { clientId: 'client', clientSecret: 'secret', username: 'us', password: 'password' };
  const tokens = createTokenSource({ transport, baseUrl, ...credentials, ...world, log: silentLog });
  const calls = createCalls({ transport, tokens, baseUrl, clock: world.clock, log: silentLog });
  return { account: 'simulation', ...serviceMethods(calls), close() {} };
}
