import type { FastifyInstance } from 'fastify';
import { errorBodyOf } from '../refusal.ts';

/**
 * Lets no answer of a server leave before all that happened until then is on record, so that nothing is ever told that a restart could
 * lose. Where it cannot be put on record the answer is 500, and `onFault` hears why: attach it before the faults.
 */
export function attachCommits(app: FastifyInstance, data: { committed(): Promise<void> | undefined }, onFault: (thrown: unknown) => void): void {
  app.addHook('onSend', async (_request, reply, payload) => {
    try {
      await data.committed();
      return payload;
    } catch (failure) {
      onFault(failure);
      reply.code(500).type('application/json');
      return errorBodyOf('Internal error.');
    }
  });
}
