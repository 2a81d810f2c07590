import type { Clock, Random, Sleep } from '../../src/domain/ports.ts';
import { silentLog } from '../../src/domain/ports.ts';
import { createCalls } from '../../src/service/calls.ts';
import type { ServiceClient } from '../../src/service/client.ts';
import { deliverableMethods } from '../../src/service/deliverable-methods.ts';
import type { Transport } from '../../src/service/exchange.ts';
import { projectMethods } from '../../src/service/project-methods.ts';
import { createTokenSource } from '../../src/service/token-source.ts';

/** The real client, all but its sockets. */
export function simulatedClient(transport: Transport, baseUrl: URL, world: { readonly clock: Clock; readonly sleep: Sleep; readonly random: Random; readonly signal: AbortSignal }): ServiceClient {
  const credentials = { clientId: 'client', clientSecret: 'secret', username: 'us', password: 'password' };
  const tokens = createTokenSource({ transport, baseUrl, ...credentials, ...world, log: silentLog });
  const calls = createCalls({ transport, tokens, baseUrl, clock: world.clock, log: silentLog });
  return { account: 'simulation', ...projectMethods(calls), ...deliverableMethods(calls), close() {} };
}
