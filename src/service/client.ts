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
import { parseLenient } from '../contract/json.ts';
import { usageErrorOf } from '../domain/errors.ts';
import type { Optional, RunContext } from '../domain/ports.ts';
import type { OrderPayload } from '../domain/row.ts';
import { type ServiceAccount, serviceAccount } from '../domain/service-account.ts';
import { readServiceAddress } from '../domain/service-address.ts';
import {
  type HttpResponse,
  createTransport,
  type Exchange,
  type Failure,
  guardWriteRequests,
  type OpenResponse,
  type Transport,
  urlOf,
} from './exchange.ts';
import {
  type CreateOutcome,
  createOutcomeOf,
  onlyItem,
  serviceMessage,
  parseStrictly,
  type ReadOutcome,
  readOutcomeOf,
} from './outcome.ts';
import { type RedirectResult, type OpenFile, openFileOutcome, openFollowing } from './redirects.ts';
import { createTokenSource, type Credentials, type TokenSource, withToken } from './tokens.ts';

const REQUEST_TIMEOUT_MS = 60_000;
const CONNECT_TIMEOUT_MS = 10_000;
const SOCKETS_MAX = 16;

export type ServiceClientOptions = Credentials &
  Omit<RunContext, 'signal'> &
  Readonly<{ baseUrl: string }> &
  Optional<{
    timeoutMs: number;
    connectTimeoutMs: number;
    /** Per host. */
    maxConcurrency: number;
    /** Ends waits for a token and reads in flight, never a create or update that was sent. */
    signal: AbortSignal;
    /** Asked before each changing request; if false, nothing is sent. */
    maySend: () => boolean;
  }>;

/** The service's default for `allowDuplication` orders twice, so it is always sent. */
export type CreatePayload = OrderPayload & { readonly allowDuplication: boolean };

/** A read rejects with the signal's reason at once. */
export type ReadOptions = Pick<ServiceClientOptions, 'signal'>;

/** The document does not give the unit of the times. */
export type ProjectQuery = Optional<{
  status: string;
  policyNumber: string;
  inspectionNumber: string;
  serviceName: string;
  /** Inclusive. */
  createdTimeStart: number;
  /** Exclusive. */
  createdTimeEnd: number;
  /** Digits, inclusive. */
  startId: string;
  /** 0 to 500; the service's default is 100. */
  limit: number;
  includeBundleProjects: boolean;
}>;

export type ProjectStatus = Readonly<{
  id: string;
  status: string;
}>;

export type UpdatedProject = Pick<ProjectDetail, 'id' | keyof UpdateProjectRequest>;

export interface ReportUrl {
  readonly url: string;
}

export type RawSummary = Readonly<{
  bytes: Buffer;
  report: ReportSummary;
}>;

/**
 * IDs are digits as text. Each method sends one request, or a second one after a 401; callers repeat with `repeatRead`
 * and `decideRetry`. Without a token throws ExplainedError (`usage`: credentials, `work-left`: no service); then
 * nothing was sent.
 */
export interface ServiceClient {
  readonly account: string;
  createProject(payload: CreatePayload): Promise<CreateOutcome>;
  getProject(projectId: string, options?: ReadOptions): Promise<ReadOutcome<ProjectDetail>>;
  /** An empty text clears a field; an absent field is unchanged. */
  updateProject(projectId: string, body: UpdateProjectRequest): Promise<ReadOutcome<UpdatedProject>>;
  getStatus(projectId: string, options?: ReadOptions): Promise<ReadOutcome<ProjectStatus>>;
  /** After `transient` it may have been done: ask `getStatus`. */
  putStatus(projectId: string, body: StatusUpdateRequest): Promise<ReadOutcome<ProjectStatus>>;
  /** By ID ascending. Only an empty page is the last. */
  searchProjects(query: ProjectQuery, options?: ReadOptions): Promise<ReadOutcome<readonly ProjectSearchItem[]>>;
  listReports(projectId: string, options?: ReadOptions): Promise<ReadOutcome<readonly ReportReference[]>>;
  /** Signed: never store or log it, and never send it the token. */
  getReportUrl(reportId: string, options?: ReadOptions): Promise<ReadOutcome<ReportUrl>>;
  getReportSummary(reportId: string, options?: ReadOptions): Promise<ReadOutcome<RawSummary>>;
  listImages(projectId: string, options?: ReadOptions): Promise<ReadOutcome<readonly ImageReference[]>>;
  /** Sends the token to the service's origin only. Read the stream to its end or destroy it. */
  openReportFile(
    reportId: string,
    options?: ReadOptions & { readonly compressed?: boolean },
  ): Promise<ReadOutcome<OpenFile>>;
  openImageFile(imageId: string, options?: ReadOptions): Promise<ReadOutcome<OpenFile>>;
  close(): void;
}

/** Throws ExplainedError (`usage`) if the base URL must not get credentials. */
export function createServiceClient(options: ServiceClientOptions): ServiceClient {
  const baseUrl = readBaseUrl(options.baseUrl);
  const transport = guardWriteRequests(
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

/** Throws ExplainedError (`usage`) without the URL, which may hold a password. */
export function readBaseUrl(text: string) {
  const address = readServiceAddress(text);
  if (address.kind === 'usable') return new URL(address.baseUrl);
  throw usageErrorOf('base-url-wrong', { problem: address.problem });
}

/** Throws as `readBaseUrl`. */
export function accountNamed({
  baseUrl,
  clientId,
  username,
}: Pick<ServiceClientOptions, 'baseUrl' | 'clientId' | 'username'>): ServiceAccount {
  return serviceAccount(readBaseUrl(baseUrl), clientId, username);
}

export function serviceMethods(calls: Calls): Omit<ServiceClient, 'account' | 'close'> {
  const project = '/v1/project/{projectId}';
  const status = '/v1/project/{projectId}/status';
  const get = (route: string, id: string, { signal }: ReadOptions = {}): Call => ({ method: 'GET', route, id, signal });
  const statusOf = (id: string) => (json: unknown) => onlyItem(parseStrictly(projectStatusResponse, json)?.project, id);

  return {
    createProject: (payload) => calls.create({ method: 'POST', route: '/v1/project', body: payload }),

    getProject: (id, options) =>
      calls.read(get(project, id, options), (json) => onlyItem(parseLenient(projectDetailResponse, json)?.project, id)),

    updateProject: (id, body) =>
      calls.read({ method: 'PUT', route: project, id, body }, (json) =>
        onlyItem(parseLenient(updateProjectResponse, json)?.project, id),
      ),

    getStatus: (id, options) => calls.read(get(status, id, options), statusOf(id)),

    putStatus: (id, body) => calls.read({ method: 'PUT', route: status, id, body }, statusOf(id)),

    searchProjects: ({ createdTimeStart, createdTimeEnd, ...rest }, { signal } = {}) =>
      calls.read(
        {
          method: 'GET',
          route: '/v1/project',
          query: { ...rest, 'createdTime.start': createdTimeStart, 'createdTime.end': createdTimeEnd },
          signal,
        },
        (json) => parseLenient(projectSearchResponse, json)?.project,
      ),

    listReports: (id, options) =>
      calls.read(get('/v1/project/{projectId}/report', id, options), (json) => {
        const item = onlyItem(parseLenient(projectReportsResponse, json)?.project, id);
        return item && (item.report ?? []);
      }),

    getReportUrl: (id, options) =>
      calls.read(get('/v1/report/{reportId}/url', id, options), (json) => parseStrictly(reportUrlResponse, json)),

    getReportSummary: (id, options) =>
      calls.read(get('/v1/report/{reportId}/summary', id, options), (json, { body }) => {
        const report = onlyItem(parseLenient(reportSummaryResponse, json)?.report, id);
        return report && { bytes: body, report };
      }),

    listImages: (id, options) =>
      calls.read(get('/v1/project/{projectId}/image', id, options), (json) => {
        const item = onlyItem(parseLenient(projectImagesResponse, json)?.project, id);
        return item && (item.image ?? []);
      }),

    openReportFile: (id, { compressed, ...options } = {}) =>
      calls.openFile({ ...get('/v1/report/{reportId}/file', id, options), query: { compressed } }),

    openImageFile: (id, options) => calls.openFile(get('/v1/image/{imageId}/file', id, options)),
  };
}

type Call = Readonly<{
  method: 'GET' | 'POST' | 'PUT';
  /** Such as `/v1/project/{projectId}`; logged instead of the URL. */
  route: string;
  id?: string;
  query?: Readonly<Record<string, string | number | boolean | undefined>>;
  body?: object;
  signal?: AbortSignal | undefined;
}>;

interface Calls {
  create(call: Call): Promise<CreateOutcome>;
  /** Undefined for an unusable 2xx. */
  read<T>(call: Call, parse: (json: unknown, answer: HttpResponse) => T | undefined): Promise<ReadOutcome<T>>;
  openFile(call: Call): Promise<ReadOutcome<OpenFile>>;
}

type CallContext = Pick<RunContext, 'clock' | 'log'> &
  Readonly<{
    transport: Transport;
    tokens: TokenSource;
    baseUrl: URL;
    signal?: AbortSignal | undefined;
  }>;

export function createCalls(context: CallContext): Calls {
  const { transport, tokens, baseUrl, clock } = context;
  return {
    async create(call) {
      return createOutcomeOf(await withToken(tokens, (token) => send(context, call, token), isOwn401), clock.now());
    },

    async read(asked, parse) {
      const call = asked.method === 'GET' ? { ...asked, signal: asked.signal ?? context.signal } : asked;
      if (!isPathPart(call.id ?? '-')) return noSuchId;
      // A second read does no harm, so any 401 counts.
      const is401 = (refused: Exchange) => refused.kind === 'answer' && refused.status === 401;
      const exchange = await withToken(tokens, (token) => send(context, call, token), is401, call.signal);
      return readOutcomeOf(exchange, parse, clock.now());
    },

    async openFile(asked) {
      const call = { ...asked, signal: asked.signal ?? context.signal };
      if (!isPathPart(call.id ?? '-')) return noSuchId;
      const started = clock.now();
      const url = urlOfCall(baseUrl, call);
      const open = (token: string) => openFollowing(transport, url, token, call.signal);
      const arrival = await withToken(tokens, open, dropIfTokenRefused, call.signal);
      record(context, call, arrival.kind === 'failed' ? arrival : arrival.answer, started);
      if (arrival.kind === 'arrived') return openFileOutcome(arrival, clock);
      const transient = { kind: 'transient', reason: arrival.reason, status: null, retryAfterMs: null } as const;
      return arrival.aboutItem ? { ...transient, aboutItem: true } : transient;
    },
  };
}

export function isPathPart(part: string) {
  return part !== '' && part !== '.' && part !== '..' && part.isWellFormed();
}

const noSuchId: ReadOutcome<never> = { kind: 'not-found', message: 'this cannot be an ID of the service' };

async function send(context: CallContext, call: Call, token: string) {
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

function urlOfCall(baseUrl: URL, call: Call) {
  const path = call.route
    .split('/')
    .slice(1)
    .map((part) => (part.startsWith('{') ? (call.id ?? '') : part));
  return urlOf(baseUrl, path, call.query);
}

/** Document: Conventions. The service never gets null. */
function withoutNulls(body: object) {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}

/** The route and status, never the URL or body. */
function record({ clock, log }: CallContext, call: Call, exchange: Exchange | OpenResponse, started: number) {
  const fields = { route: `${call.method} ${call.route}`, ms: clock.now() - started };
  if (exchange.kind === 'failed') return log.warn('service.failed', { ...fields, reason: exchange.reason });
  const { status } = exchange;
  const level = status >= 500 || status === 429 ? 'warn' : status >= 300 ? 'info' : 'debug';
  log[level]('service.answered', { ...fields, status });
}

function isOwn401(exchange: Exchange) {
  return exchange.kind === 'answer' && exchange.status === 401 && serviceMessage(exchange) !== null;
}

function dropIfTokenRefused(result: RedirectResult | Failure) {
  const refused = result.kind === 'arrived' && result.atService && result.answer.status === 401;
  if (refused) result.answer.stream.destroy();
  return refused;
}
