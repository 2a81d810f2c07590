import { type CreateProjectRequest, createProjectRequest } from '../../src/contract/document.ts';
import { stringifyExactJson } from '../../src/contract/json.ts';
import type { Sleep } from '../../src/domain/ports.ts';
import { projectDetailOf, searchItemOf } from '../../src/sandbox/sandbox.ts';
import { ProjectStore, type Project } from '../../src/sandbox/project-store.ts';
import { errorBodyOf, Refusal } from '../../src/sandbox/refusal.ts';
import { checkedBody, checkedId, checkedQuery } from '../../src/sandbox/request-checks.ts';
import { SeededRandom } from '../../src/sandbox/seeded-random.ts';
import type { HttpResponse, Exchange, HttpRequest, Transport } from '../../src/service/exchange.ts';
import type { CreateFault, FaultPlan, ReadFault } from './faults.ts';
import type { ForeignProject, Service } from './schedule.ts';

/** A process that talks to the service: what it has not sent when it dies is never sent. */
export interface Caller {
  readonly died: Promise<void>;
}

/** What the service saw of one create. */
export interface CreateSeen {
  readonly tag: string;
  readonly body: CreateProjectRequest;
  readonly by: Caller;
}

/** Whoever watches the creates; told by the service, not by the runner. */
export interface Watch {
  sent(create: CreateSeen): void;
  /** The answer goes back. `proven`: by the document's words it says that this request made nothing, or shows what it made. */
  answered(create: CreateSeen, proven: boolean): void;
  searched(
    query: { readonly inspectionNumber: string | undefined; readonly policyNumber: string | undefined },
    arrivedAt: number,
  ): void;
}

const GIVE_UP_MS = 60_000;
const TOKEN_MS = 600_000;
const OUR_ACTOR = 'us';
export const BASE_URL = new URL('https://service.example');

/** The sandbox's store and rules behind a transport, without a socket: lost, late, lagging and lying on demand. */
export class SimulatedService {
  readonly store: ProjectStore;
  readonly #clock: { now(): number; readonly sleep: Sleep };
  readonly #service: Service;
  readonly #faults: FaultPlan;
  readonly #watch: Watch;
  readonly #random: SeededRandom;
  readonly #visibleFrom = new Map<bigint, number>();
  readonly #tokens = new Map<string, number>();
  #tokensIssued = 0;
  #foreign: ForeignProject[] = [];

  constructor(
    clock: { now(): number; readonly sleep: Sleep },
    seed: string,
    service: Service,
    faults: FaultPlan,
    watch: Watch,
  ) {
    this.#clock = clock;
    this.#service = service;
    this.#faults = faults;
    this.#watch = watch;
    this.#random = new SeededRandom(seed, 'service');
    const rules = {
      seed,
      environment: 'production',
      autoProgress: false,
      progressHours: { min: 1, max: 2 },
      canceledShare: 0,
      initialStatus: 'Project Created',
    } as const;
    this.store = new ProjectStore({
      rules,
      firstId: service.firstId,
      clock,
      keylessAreDuplicates: service.keylessAreDuplicates,
    });
  }

  /** Others place these while requests come in. */
  expect(foreign: readonly ForeignProject[]): void {
    this.#foreign.push(...foreign);
  }

  /** It has been there for long: every search shows it. */
  hold(foreign: ForeignProject): void {
    this.#visibleFrom.set(this.#place(foreign).id, 0);
  }

  #place({ payload, ourAccount }: ForeignProject): Project {
    return this.store.create({ ...payload, state: 'FL', allowDuplication: true }, ourAccount ? OUR_ACTOR : 'them');
  }

  /** Our own way to it. */
  connect(caller: Caller): Transport {
    return {
      exchange: (request) => this.#exchange(request, caller),
      open: () => Promise.reject(new Error('this simulation has no files')),
      close() {},
    };
  }

  async #exchange(request: HttpRequest, caller: Caller): Promise<Exchange> {
    const { pathname } = request.url;
    if (this.#foreign.length > 0 && this.#random.chance(0.1))
      this.#foreign.splice(0, 1).forEach((foreign) => this.#made(this.#place(foreign)));
    if (request.method === 'POST' && pathname === '/v1/project') return this.#create(request, caller);
    return this.#read(request);
  }

  async #create(request: HttpRequest, caller: Caller): Promise<Exchange> {
    const body = JSON.parse(request.body ?? '') as CreateProjectRequest;
    const seen: CreateSeen = { tag: body.insuredPhone, body, by: caller };
    this.#watch.sent(seen);
    await this.#latency();
    // A token that is not accepted proves that nothing was done; then no other fault can strike.
    const exchange = this.#knows(request)
      ? await this.#createWith(this.#faults.forCreate(), body, caller)
      : refusal(401, 'The token is not valid.');
    await this.#latency();
    this.#watch.answered(seen, isProof(exchange));
    return exchange;
  }

  async #createWith(fault: CreateFault | null, body: CreateProjectRequest, caller: Caller): Promise<Exchange> {
    switch (fault) {
      case null:
        return this.#commit(body);
      case 'not sent':
        return { kind: 'failed', sent: 'no', reason: 'the connection was refused' };
      case 'lost before':
        return this.#givenUp(caller);
      case 'reset before':
        return cut;
      case '500 before':
        return refusal(500, 'Something went wrong.');
      case '503 before':
        return refusal(503, 'Later.');
      case '504 before':
        return refusal(504, 'Gateway timeout.');
      case '408 after':
        return this.#committedThen(body, refusal(408, 'Timeout.'));
      case '500 after':
        return this.#committedThen(body, refusal(500, 'Something went wrong.'));
      case '504 after':
        return this.#committedThen(body, page(504));
      case 'timeout after':
        this.#commit(body);
        return this.#givenUp(caller);
      case 'reset after':
        return this.#committedThen(body, cut);
      case 'garbled after':
        return this.#committedThen(body, answer(200, '{"project":[{"id":'));
      case 'page after':
        return this.#committedThen(body, page(200));
      case 'redirect after':
        return this.#committedThen(body, page(302));
      case 'late after 504':
        this.#commitLate(body);
        return page(504);
      case 'late after timeout': {
        const given = await this.#givenUp(caller);
        this.#commitLate(body);
        return given;
      }
      case '429':
        return refusal(429, 'Slower.', this.#random.chance(0.5) ? { 'retry-after': '2' } : {});
      case '401':
        this.#tokens.clear();
        return refusal(401, 'The token is not valid.');
      case '403':
        return refusal(403, 'You may not.');
      case 'foreign 401 after':
        return this.#committedThen(body, page(401));
      case 'foreign 403 after':
        return this.#committedThen(body, page(403));
      case 'foreign 429 before':
        return page(429);
      case 'delivered twice':
        return this.#deliveredTwice(body);
    }
  }

  /**
   * Something in between repeats the request by itself. Where the service has no key for the order, nobody could help that; nor where a
   * search does not show our own project, but that of another user with the same key.
   */
  #deliveredTwice(body: CreateProjectRequest): Exchange {
    const { duplicateLagMs, searchLagMsMax } = this.#service;
    const keyed =
      Boolean(body.inspectionNumber ?? body.policyNumber) &&
      body.allowDuplication === false &&
      duplicateLagMs === 0 &&
      searchLagMsMax === 0;
    const first = this.#commit(body);
    return keyed ? this.#commit(body) : first;
  }

  #committedThen(body: CreateProjectRequest, exchange: Exchange): Exchange {
    this.#commit(body);
    return exchange;
  }

  /** The client stops waiting, or dies while it waits. */
  async #givenUp({ died }: Caller): Promise<Exchange> {
    await Promise.race([this.#clock.sleep(GIVE_UP_MS), died]);
    return { kind: 'failed', sent: 'maybe', reason: 'no answer in time' };
  }

  #commitLate(body: CreateProjectRequest): void {
    const { latenessMsMax } = this.#service;
    // Close to the bound more often than not: that is where a protocol breaks.
    const ms = Math.floor(
      latenessMsMax * (this.#random.chance(0.6) ? 1 - this.#random.next() * 0.1 : this.#random.next()),
    );
    void this.#clock.sleep(ms).then(() => this.#commit(body));
  }

  #commit(body: CreateProjectRequest): HttpResponse {
    return answering(() => {
      const order = checkedBody(createProjectRequest, body, 422);
      const { duplicateLagMs } = this.#service;
      const duplicate =
        order.allowDuplication === false
          ? this.store.duplicateOf(order, OUR_ACTOR, this.#clock.now() - duplicateLagMs)
          : undefined;
      if (duplicate !== undefined) throw new Refusal(409, `Duplicate project: ${duplicate.project.id}.`);
      const project = this.#made(this.store.create(order, OUR_ACTOR));
      return { project: [projectDetailOf(project, 'simulation', 'null')] };
    });
  }

  #made(project: Project): Project {
    const { searchLagMsMax } = this.#service;
    this.#visibleFrom.set(
      project.id,
      this.#clock.now() + Math.floor(searchLagMsMax * (this.#random.chance(0.5) ? 1 : this.#random.next())),
    );
    return project;
  }

  async #read(request: HttpRequest): Promise<Exchange> {
    const arrivedAt = this.#clock.now();
    await this.#latency();
    const fault = this.#faults.forRead();
    const exchange = this.#readWith(fault, request, arrivedAt);
    await (fault === 'timeout' ? this.#clock.sleep(GIVE_UP_MS) : this.#latency());
    return exchange;
  }

  #readWith(fault: ReadFault | null, request: HttpRequest, arrivedAt: number): Exchange {
    switch (fault) {
      case 'timeout':
        return { kind: 'failed', sent: 'maybe', reason: 'no answer in time' };
      case 'reset':
        return cut;
      case '500':
      case '503':
      case '504':
        return refusal(Number(fault), 'Not now.');
      case '429':
        return refusal(429, 'Slower.', { 'retry-after': '1' });
      case '401':
        if (request.url.pathname === '/v1/oauth/token') break;
        this.#tokens.clear();
        return refusal(401, 'The token is not valid.');
      case 'garbled':
        return answer(200, '{"project":[{"id"');
      case 'page':
        return page(200);
      case 'short page':
      case 'items twice':
      case null:
        break;
    }
    if (request.url.pathname === '/v1/oauth/token') return this.#token();
    if (!this.#knows(request)) return refusal(401, 'The token is not valid.');
    return answering(() => this.#found(request.url, fault, arrivedAt));
  }

  #found({ pathname, searchParams }: URL, fault: ReadFault | null, arrivedAt: number): object {
    if (pathname === '/v1/project') return this.#search(Object.fromEntries(searchParams), fault, arrivedAt);
    const [, , , id = '', part] = pathname.split('/');
    const project = this.store.find(checkedId(id, 'projectId'));
    if (project === undefined) throw new Refusal(404, `There is no project ${id}.`);
    if (part === 'status') return { project: [{ id: project.id, status: this.store.statusOf(project) }] };
    return { project: [projectDetailOf(project, 'simulation', this.#service.absentInDetail)] };
  }

  #search(parameters: Record<string, string>, fault: ReadFault | null, arrivedAt: number): object {
    const query = checkedQuery(parameters, 'seconds');
    const now = this.#clock.now();
    const visible = this.store
      .search({ ...query, limit: Number.MAX_SAFE_INTEGER })
      .filter(({ id }) => (this.#visibleFrom.get(id) ?? 0) <= now);
    const shown = visible.slice(0, Math.min(query.limit, fault === 'short page' ? 1 : this.#service.pageMax));
    const items = shown.map((project) => searchItemOf(project, this.store.statusOf(project), this.#service.searchItem));
    this.#watch.searched({ inspectionNumber: query.inspectionNumber, policyNumber: query.policyNumber }, arrivedAt);
    return { project: fault === 'items twice' ? items.flatMap((item) => [item, item]) : items };
  }

  #token(): HttpResponse {
    this.#tokensIssued += 1;
    const token = `token-${this.#tokensIssued}`;
    this.#tokens.set(`Bearer ${token}`, this.#clock.now() + TOKEN_MS);
    return answer(
      200,
      JSON.stringify({
        access_token: token,
        token_type: 'bearer',
        refresh_token: `refresh ${this.#tokensIssued}`,
        expires_in: TOKEN_MS / 1000,
      }),
    );
  }

  #knows({ headers }: HttpRequest): boolean {
    return (this.#tokens.get(headers['authorization'] ?? '') ?? 0) > this.#clock.now();
  }

  async #latency(): Promise<void> {
    await this.#clock.sleep(this.#random.integer(1, this.#service.latencyMsMax));
  }
}

const cut: Exchange = { kind: 'failed', sent: 'maybe', reason: 'the connection was cut' };

function answer(status: number, body: string, headers: Record<string, string> = {}): HttpResponse {
  return {
    kind: 'answer',
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: Buffer.from(body),
  };
}

function refusal(status: number, message: string, headers: Record<string, string> = {}): HttpResponse {
  return answer(status, errorBodyOf(message), headers);
}

/** Something in between answers. */
function page(status: number): HttpResponse {
  return { kind: 'answer', status, headers: { 'content-type': 'text/html' }, body: Buffer.from('<html>no</html>') };
}

function answering(work: () => object): HttpResponse {
  try {
    return answer(200, stringifyExactJson(work()));
  } catch (failure) {
    if (failure instanceof Refusal) return refusal(failure.status, failure.message);
    throw failure;
  }
}

/** RELIABILITY: only these say what became of a create. */
function isProof(exchange: Exchange): boolean {
  if (exchange.kind === 'failed') return exchange.sent === 'no';
  const inOwnWords = exchange.headers['content-type'] === 'application/json';
  const { status } = exchange;
  if (status === 200) return exchange.body.toString().endsWith('}]}');
  return inOwnWords && [400, 401, 403, 404, 405, 409, 413, 415, 422, 429].includes(status);
}
