/** The client of the service, typed: the face of this room. What a request is (`exchange`), what became of it (`outcome`), when it may leave (`pacer`). */
import {
  type ImageReference,
  type ProjectDetail,
  projectDetailResponse,
  projectImagesResponse,
  projectReportsResponse,
  type ProjectSearchItem,
  projectSearchResponse,
  projectStatusResponse,
  type ReportReference,
  type ReportSummary,
  reportSummaryResponse,
  reportUrlResponse,
  type StatusUpdateRequest,
  type UpdateProjectRequest,
  updateProjectResponse,
} from '../contract/document.ts';
import { parseMended } from '../contract/json.ts';
import { usageError } from '../domain/errors.ts';
import type { RunContext } from '../domain/ports.ts';
import type { OrderPayload } from '../domain/row.ts';
import { type ServiceAccount, serviceAccount } from '../domain/service-account.ts';
import { readServiceAddress } from '../domain/service-address.ts';
import {
  type Answer,
  createTransport,
  type Exchange,
  type Failure,
  onlyWhile,
  type Transport,
  urlOf,
} from './exchange.ts';
import { CONNECT_TIMEOUT_MS, REQUEST_TIMEOUT_MS, SOCKETS_MAX } from './limits.ts';
import {
  type CreateOutcome,
  createOutcomeOf,
  onlyItem,
  ownWords,
  parseStrictly,
  type ReadOutcome,
  readOutcomeOf,
} from './outcome.ts';
import { type Arrival, type OpenFile, openFileOutcome, openFollowing } from './redirects.ts';
import { createTokenSource, type Credentials, type TokenSource, withToken } from './tokens.ts';

export interface ServiceClientOptions extends Credentials, Omit<RunContext, 'signal'> {
  /** https, or http to loopback. */
  readonly baseUrl: string;
  /** How long to wait for an answer once the request is out. Default: 60 s. */
  readonly timeoutMs?: number | undefined;
  /** How long each step of connecting may take. Default: 10 s. */
  readonly connectTimeoutMs?: number | undefined;
  /** Sockets at once for each host. Default: 16. */
  readonly maxConcurrency?: number | undefined;
  /** Ends waits for a token, and reads under way, when the run is stopped; a create or an update that was sent is waited for. */
  readonly signal?: AbortSignal | undefined;
  /** Asked right before what could change something leaves; where it says no, nothing is sent. Default: it may always. */
  readonly maySend?: (() => boolean) | undefined;
}

/** What POST /v1/project is given. What the service does with duplicates is always said: its own default orders twice (READING 2). */
export type CreatePayload = OrderPayload & { readonly allowDuplication: boolean };

/** Ends a read at once; the promise then rejects with the signal's reason. */
export interface ReadOptions {
  readonly signal?: AbortSignal | undefined;
}

/** GET /v1/project (document: search query parameters). The unit of the times is not shown. */
export interface ProjectQuery {
  readonly status?: string | undefined;
  readonly policyNumber?: string | undefined;
  readonly inspectionNumber?: string | undefined;
  readonly serviceName?: string | undefined;
  /** Inclusive. */
  readonly createdTimeStart?: number | undefined;
  /** Exclusive. */
  readonly createdTimeEnd?: number | undefined;
  /** Inclusive, digits. */
  readonly startId?: string | undefined;
  /** 0 … 500; the service's default is 100. */
  readonly limit?: number | undefined;
  readonly includeBundleProjects?: boolean | undefined;
}

export interface ProjectStatus {
  readonly id: string;
  readonly status: string;
}

export interface UpdatedProject {
  readonly id: string;
  readonly policyNumber?: string | null | undefined;
  readonly policyEffectiveDate?: string | null | undefined;
}

export interface ReportUrl {
  readonly url: string;
}

/** A summary as it came, byte for byte, and as it reads. */
export interface RawSummary {
  readonly bytes: Buffer;
  readonly report: ReportSummary;
}

/**
 * The service, typed. Ids are digits as text. Every method sends once, or once more after a 401; repeating is the caller's, by `repeatRead` and
 * `retryDelay`. Every method may throw ExplainedError when no token is to be had (`usage`: credentials, `work-left`: away); then its request was not handled.
 */
export interface ServiceClient {
  /** A short key of the account as the settings name it: address, client id and user name. */
  readonly account: string;
  /** POST /v1/project. What it throws, it throws before the create was sent, or after a 401 that proves it was not handled. */
  createProject(payload: CreatePayload): Promise<CreateOutcome>;
  getProject(projectId: string, options?: ReadOptions): Promise<ReadOutcome<ProjectDetail>>;
  /** An empty text clears a field; a field left out stays. */
  updateProject(projectId: string, body: UpdateProjectRequest): Promise<ReadOutcome<UpdatedProject>>;
  getStatus(projectId: string, options?: ReadOptions): Promise<ReadOutcome<ProjectStatus>>;
  /** The status afterwards. After `transient` it may have been done: `getStatus` tells. */
  putStatus(projectId: string, body: StatusUpdateRequest): Promise<ReadOutcome<ProjectStatus>>;
  /** One page, by id ascending. Only an empty page is the last. */
  searchProjects(query: ProjectQuery, options?: ReadOptions): Promise<ReadOutcome<readonly ProjectSearchItem[]>>;
  listReports(projectId: string, options?: ReadOptions): Promise<ReadOutcome<readonly ReportReference[]>>;
  /** A signed URL for the report's file. It is temporary, and must be neither stored nor logged (READING 12); the token must not travel there. */
  getReportUrl(reportId: string, options?: ReadOptions): Promise<ReadOutcome<ReportUrl>>;
  getReportSummary(reportId: string, options?: ReadOptions): Promise<ReadOutcome<RawSummary>>;
  listImages(projectId: string, options?: ReadOptions): Promise<ReadOutcome<readonly ImageReference[]>>;
  /** Redirects are followed by hand, without the token elsewhere. The stream is to be read to its end or destroyed. */
  openReportFile(
    reportId: string,
    options?: ReadOptions & { readonly compressed?: boolean },
  ): Promise<ReadOutcome<OpenFile>>;
  openImageFile(imageId: string, options?: ReadOptions): Promise<ReadOutcome<OpenFile>>;
  /** Closes every socket, also those in use. */
  close(): void;
}

/** Connects nothing yet. Throws ExplainedError (`usage`) where the base URL is not one to send credentials to. */
export function createServiceClient(options: ServiceClientOptions): ServiceClient {
  const baseUrl = readBaseUrl(options.baseUrl);
  const transport = onlyWhile(
    options.maySend ?? (() => true),
    createTransport({
      timeoutMs: options.timeoutMs ?? REQUEST_TIMEOUT_MS,
      connectTimeoutMs: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
      socketsMax: options.maxConcurrency ?? SOCKETS_MAX,
    }),
  );
  const tokens = createTokenSource({ ...options, transport, baseUrl });
  return {
    account: serviceAccount(baseUrl, options.clientId, options.username).key,
    ...serviceMethods(createCalls({ ...options, transport, tokens, baseUrl })),
    close: () => transport.close(),
  };
}

/** The base URL, checked. Throws ExplainedError (`usage`), which never repeats the text: it may hold a password. */
export function readBaseUrl(text: string): URL {
  const address = readServiceAddress(text);
  if (address.kind === 'usable') return new URL(address.baseUrl);
  throw usageError(
    'base-url-wrong',
    `The service's base URL ${address.problem}.`,
    'Set INSPECTION_BASE_URL to something like https://api.example.com.',
  );
}

/** The account that settings name, without asking the service. Throws as `readBaseUrl` does. */
export function accountNamed({
  baseUrl,
  clientId,
  username,
}: Pick<ServiceClientOptions, 'baseUrl' | 'clientId' | 'username'>): ServiceAccount {
  return serviceAccount(readBaseUrl(baseUrl), clientId, username);
}

/** Document: Endpoints. Answers about another id than the one asked for do not count. */
export function serviceMethods(calls: Calls): Omit<ServiceClient, 'account' | 'close'> {
  const project = '/v1/project/{projectId}';
  const status = '/v1/project/{projectId}/status';
  const statusOf = (id: string) => (json: unknown) => onlyItem(parseStrictly(projectStatusResponse, json)?.project, id);

  return {
    createProject: (payload) => calls.create({ method: 'POST', route: '/v1/project', body: payload }),

    getProject: (id, { signal } = {}) =>
      calls.read({ method: 'GET', route: project, id, signal }, (json) =>
        onlyItem(parseMended(projectDetailResponse, json)?.project, id),
      ),

    updateProject: (id, body) =>
      calls.read({ method: 'PUT', route: project, id, body }, (json) =>
        onlyItem(parseMended(updateProjectResponse, json)?.project, id),
      ),

    getStatus: (id, { signal } = {}) => calls.read({ method: 'GET', route: status, id, signal }, statusOf(id)),

    putStatus: (id, body) => calls.read({ method: 'PUT', route: status, id, body }, statusOf(id)),

    searchProjects: ({ createdTimeStart, createdTimeEnd, ...rest }, { signal } = {}) =>
      calls.read<readonly ProjectSearchItem[]>(
        {
          method: 'GET',
          route: '/v1/project',
          query: { ...rest, 'createdTime.start': createdTimeStart, 'createdTime.end': createdTimeEnd },
          signal,
        },
        (json) => parseMended(projectSearchResponse, json)?.project,
      ),

    listReports: (id, { signal } = {}) =>
      calls.read<readonly ReportReference[]>(
        { method: 'GET', route: '/v1/project/{projectId}/report', id, signal },
        (json) => {
          const item = onlyItem(parseMended(projectReportsResponse, json)?.project, id);
          return item && (item.report ?? []);
        },
      ),

    getReportUrl: (id, { signal } = {}) =>
      calls.read<ReportUrl>({ method: 'GET', route: '/v1/report/{reportId}/url', id, signal }, (json) =>
        parseStrictly(reportUrlResponse, json),
      ),

    getReportSummary: (id, { signal } = {}) =>
      calls.read<RawSummary>(
        { method: 'GET', route: '/v1/report/{reportId}/summary', id, signal },
        (json, { body }) => {
          const report = onlyItem(parseMended(reportSummaryResponse, json)?.report, id);
          return report && { bytes: body, report };
        },
      ),

    listImages: (id, { signal } = {}) =>
      calls.read<readonly ImageReference[]>(
        { method: 'GET', route: '/v1/project/{projectId}/image', id, signal },
        (json) => {
          const item = onlyItem(parseMended(projectImagesResponse, json)?.project, id);
          return item && (item.image ?? []);
        },
      ),

    openReportFile: (id, { signal, compressed } = {}) =>
      calls.openFile({ method: 'GET', route: '/v1/report/{reportId}/file', id, query: { compressed }, signal }),

    openImageFile: (id, { signal } = {}) =>
      calls.openFile({ method: 'GET', route: '/v1/image/{imageId}/file', id, signal }),
  };
}

/** A request in the words of the document: parameters go into the query, `{…}` parts of the path are the ids. */
interface Call {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** The document's own path, such as `/v1/project/{projectId}`: also what the log shows instead of the URL. */
  readonly route: string;
  /** What stands for `{…}` in the route. */
  readonly id?: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: object;
  readonly signal?: AbortSignal | undefined;
}

/** The three ways of asking the service. */
interface Calls {
  create(call: Call): Promise<CreateOutcome>;
  /** `parse` gives undefined for a 2xx that is not what was asked for. */
  read<T>(call: Call, parse: (json: unknown, answer: Answer) => T | undefined): Promise<ReadOutcome<T>>;
  openFile(call: Call): Promise<ReadOutcome<OpenFile>>;
}

interface CallContext extends Pick<RunContext, 'clock' | 'log'> {
  readonly transport: Transport;
  readonly tokens: TokenSource;
  readonly baseUrl: URL;
  /** Ends every read that is not given another. */
  readonly signal?: AbortSignal | undefined;
}

export function createCalls(context: CallContext): Calls {
  const { transport, tokens, baseUrl, clock } = context;
  return {
    async create(call) {
      const exchange = await withToken(tokens, (token) => send(context, call, token), isOwn401);
      return createOutcomeOf(exchange, clock.now());
    },

    async read(asked, parse) {
      const call = asked.method === 'GET' ? { ...asked, signal: asked.signal ?? context.signal } : asked;
      if (!isPathPart(call.id ?? '-')) return noSuchId;
      // Reading twice does no harm, so here any 401 will do.
      const exchange = await withToken(tokens, (token) => send(context, call, token), is401, call.signal);
      return readOutcomeOf(exchange, parse, clock.now());
    },

    async openFile(asked) {
      const call = { ...asked, signal: asked.signal ?? context.signal };
      if (!isPathPart(call.id ?? '-')) return noSuchId;
      const started = clock.now();
      const url = urlOfCall(baseUrl, call);
      const open = (token: string): Promise<Arrival | Failure> => openFollowing(transport, url, token, call.signal);
      const arrival = await withToken(tokens, open, dropIfTokenRefused, call.signal);
      if (arrival.kind === 'failed') {
        record(context, call, arrival, started);
        return {
          kind: 'transient',
          reason: arrival.reason,
          status: null,
          retryAfterMs: null,
          ...(arrival.aboutItem && { aboutItem: true }),
        };
      }
      record(context, call, arrival.answer, started);
      return openFileOutcome(arrival, clock);
    },
  };
}

/** False for what cannot be an id in a path: nothing, dots that would climb out of it, text that cannot be encoded. */
export function isPathPart(part: string): boolean {
  return part !== '' && part !== '.' && part !== '..' && part.isWellFormed();
}

const noSuchId: ReadOutcome<never> = { kind: 'not-found', message: 'this cannot be an id of the service' };

async function send(context: CallContext, call: Call, token: string): Promise<Exchange> {
  const started = context.clock.now();
  const body = call.body === undefined ? undefined : JSON.stringify(withoutNulls(call.body));
  const exchange = await context.transport.exchange({
    method: call.method,
    url: urlOfCall(context.baseUrl, call),
    headers: {
      accept: 'application/json',
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body,
    signal: call.signal,
  });
  record(context, call, exchange, started);
  return exchange;
}

function urlOfCall(baseUrl: URL, call: Call): URL {
  const path = call.route
    .split('/')
    .slice(1)
    .map((part) => (part.startsWith('{') ? (call.id ?? '') : part));
  return urlOf(baseUrl, path, call.query);
}

/** Null is never sent (document: Conventions): a field without a value is left out. */
function withoutNulls(body: object): object {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}

/** One line a request, on the level `debug` where it went smoothly: the route, never the URL; the status, never the body. */
function record(
  { clock, log }: CallContext,
  call: Call,
  exchange: { kind: 'answer'; status: number } | { kind: 'failed'; reason: string },
  started: number,
): void {
  const fields = { route: `${call.method} ${call.route}`, ms: clock.now() - started };
  if (exchange.kind === 'failed') log.warn('service.failed', { ...fields, reason: exchange.reason });
  else if (exchange.status >= 500 || exchange.status === 429)
    log.warn('service.answered', { ...fields, status: exchange.status });
  else log[exchange.status >= 300 ? 'info' : 'debug']('service.answered', { ...fields, status: exchange.status });
}

function is401(exchange: Exchange): boolean {
  return exchange.kind === 'answer' && exchange.status === 401;
}

/** Only this proves that a create was not handled, and may be sent again. */
function isOwn401(exchange: Exchange): boolean {
  return exchange.kind === 'answer' && exchange.status === 401 && ownWords(exchange) !== null;
}

/** Only a 401 from the service itself is about our token, and its body is not needed any more. */
function dropIfTokenRefused(result: Arrival | Failure): boolean {
  const refused = result.kind === 'arrived' && result.atService && result.answer.status === 401;
  if (refused) result.answer.stream.destroy();
  return refused;
}
