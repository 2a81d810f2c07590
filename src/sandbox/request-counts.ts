import type { FastifyInstance, FastifyRequest } from 'fastify';

/** The route of a request in the document's notation: `/v1/project/{projectId}`. */
export function routeOf(request: FastifyRequest): string {
  return (request.routeOptions.url ?? '(unknown route)').replaceAll(/:(\w+)/g, (_, name: string) => `{${name}}`);
}

/** How many requests each route got, and what they were answered. */
export class RequestCounts {
  readonly #counts = new Map<string, Map<string, number>>();

  /** Counts every answer of a server. */
  attach(app: FastifyInstance): void {
    app.addHook('onResponse', async (request, reply) => {
      this.count(request, String(reply.statusCode));
    });
  }

  /** `outcome` is a status, or `reset` where the connection was cut instead. */
  count(request: FastifyRequest, outcome: string): void {
    const key = `${request.method} ${routeOf(request)}`;
    let outcomes = this.#counts.get(key);
    if (outcomes === undefined) this.#counts.set(key, (outcomes = new Map()));
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }

  /** Goes on from counts that were reported before. */
  restore(counts: Readonly<Record<string, Readonly<Record<string, number>>>>): void {
    for (const [key, outcomes] of Object.entries(counts)) this.#counts.set(key, new Map(Object.entries(outcomes)));
  }

  report(): Record<string, Record<string, number>> {
    return Object.fromEntries([...this.#counts].map(([key, outcomes]) => [key, Object.fromEntries(outcomes)]));
  }
}
