/** The service itself, as a local sandbox: the face of this room. It builds the state, attaches the routes to four servers and starts them. */
import type { FastifyInstance } from 'fastify';
import { type Controlled, controlRoutes } from './control-server.ts';
import { attachCommits } from './data-file.ts';
import { deliverableRoutes, filesRoutes } from './deliverable-routes.ts';
import { Deliverables } from './deliverables/deliverables.ts';
import { attachFaults, elsewhereRoutes, type FaultSurroundings } from './faults/fault-answers.ts';
import { FaultPlan } from './faults/faults.ts';
import { scenarioOf } from './faults/scenarios.ts';
import { createHttpServer, listen } from './http-server.ts';
import { attachDeprecation, attachErrorCodes } from './not-shown.ts';
import type { SandboxCredentials, SandboxOptions, SandboxSettings } from './options.ts';
import { projectRoutes } from './project-routes.ts';
import { documentRoutes } from './openapi/docs-page.ts';
import { SftpDelivery } from './sftp/sftp-delivery.ts';
import { type SandboxState, stateOf } from './state.ts';
import { checkRole, tokenRoute } from './tokens.ts';
import { realDelay, repeatEvery } from './virtual-clock.ts';

/** A running sandbox. Its servers are different origins. */
export interface Sandbox {
  /** The service: the document's `{base_url}`, without `/v1`. */
  readonly baseUrl: string;
  /** Where signed URLs lead. */
  readonly filesUrl: string;
  /** Audit, time, statuses and faults: paths go behind it. It ends with the token that the control server asks for. */
  readonly controlUrl: string;
  readonly environment: 'staging' | 'production';
  readonly credentials: SandboxCredentials;
  /** Stops listening and cuts what is still open. */
  close(): Promise<void>;
}

/** The control server is reached from this machine only, wherever the service listens. */
const CONTROL_HOST = '127.0.0.1';
const INTERNAL_ERRORS_KEPT_MAX = 100;
/** How often it looks for projects to deliver and for files that were taken away, in real time. */
const SFTP_CHECK_MS = 1000;

/** Starts the service as the document specifies it, over real HTTP. Throws TypeError on senseless options, and what listening throws. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const state = stateOf(options);
  const { settings, data } = state;
  const internalErrors: string[] = [];
  const onFault = (thrown: unknown): void => {
    const text = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    if (internalErrors.length < INTERNAL_ERRORS_KEPT_MAX) internalErrors.push(text);
  };
  data?.flushRegularly(onFault);
  const deliverables = new Deliverables(settings, state.projects);
  const delivery = sftpDelivery(state, deliverables);
  const controlled: Controlled = { ...state, faults: new FaultPlan(settings.seed, state.clock), internalErrors, delivery };
  const scenario = scenarioOf(settings.scenario);
  controlled.faults.setRules([...(scenario?.rules ?? []), ...(options.faults ?? [])], options.scenario);
  const server = (): FastifyInstance => {
    const app = createHttpServer(onFault);
    if (data !== undefined) attachCommits(app, data, onFault);
    return app;
  };

  const api = serviceServer(server(), controlled, deliverables);
  const files = server();
  observe(files, controlled);
  filesRoutes(files, deliverables, state.urls, controlled.filesOrigin);
  const elsewhere = server();
  elsewhereRoutes(elsewhere, controlled.elsewhere);
  const control = server();
  controlRoutes(control, controlled, state.controlToken);

  const servers = [api, files, elsewhere, control];
  const deliveries = delivery && repeatEvery(SFTP_CHECK_MS, async () => await delivery.check());
  const close = async (): Promise<void> => {
    deliveries?.stop();
    await delivery?.close();
    await Promise.all(servers.map((server) => server.close()));
    data?.close();
  };
  try {
    const [baseUrl, filesUrl, controlUrl] = [
      await listen(api, settings.host, options.port ?? 0),
      await listen(files, settings.host, options.filesPort ?? 0),
      `${await listen(control, CONTROL_HOST, options.controlPort ?? 0)}/${state.controlToken}`,
    ];
    controlled.elsewhere.origin = await listen(elsewhere, settings.host, 0);
    state.urls.origin = filesUrl;
    return { baseUrl, filesUrl, controlUrl, environment: settings.environment, credentials: settings.credentials, close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

/** The service itself: the token endpoint, and behind a bearer token everything else. */
function serviceServer(app: FastifyInstance, controlled: Controlled, deliverables: Deliverables): FastifyInstance {
  const { settings, projects, tokens, urls } = controlled;
  const { notShown } = settings;
  observe(app, controlled);
  if (notShown.errorCodes === 'present') attachErrorCodes(app);
  if (notShown.deprecation === 'announced') attachDeprecation(app);
  if (settings.latencyMs > 0) attachLatency(app, settings.latencyMs / 2);
  documentRoutes(app);
  void app.register(async (open) => {
    tokenRoute(open, tokens, notShown);
  });
  void app.register(async (closed) => {
    closed.addHook('onRequest', async (request) => {
      checkRole(tokens.userOf(request.headers.authorization), request);
    });
    if (notShown.quotaPerMinute > 0) attachFaults(closed, faultSurroundings(controlled, quotaPlan(settings, controlled.clock)));
    projectRoutes(closed, controlled);
    deliverableRoutes(closed, projects, deliverables, urls, notShown);
  });
  return app;
}

function sftpDelivery({ settings, projects, data }: SandboxState, deliverables: Deliverables): SftpDelivery | undefined {
  if (settings.sftp === undefined) return undefined;
  const delivery = new SftpDelivery(settings.sftp, projects, deliverables, data?.value('sftp deliveries'));
  data?.keep('sftp deliveries', () => delivery.record());
  return delivery;
}

function observe(app: FastifyInstance, controlled: Controlled): void {
  controlled.requests.attach(app);
  attachFaults(app, faultSurroundings(controlled, controlled.faults));
}

function faultSurroundings({ requests, tokens, elsewhere, clock }: Controlled, plan: FaultPlan): FaultSurroundings {
  return {
    plan,
    clock,
    onLost: (request, outcome) => requests.count(request, outcome),
    userOf: (request) => tokens.holderOf(request.headers.authorization) ?? '',
    elsewhere: () => elsewhere.origin,
  };
}

/** The service's own quota: unlike a fault, it does not heal. */
function quotaPlan({ seed, notShown }: SandboxSettings, clock: { now(): number }): FaultPlan {
  const plan = new FaultPlan(seed, clock);
  plan.setRules([{ kind: 'quota', limit: notShown.quotaPerMinute, perSeconds: 60, retryAfterAs: notShown.retryAfter }]);
  return plan;
}

/** Half before the work, half after: a client killed in between has sent an order that was accepted, or one that was not. */
function attachLatency(app: FastifyInstance, halfMs: number): void {
  app.addHook('onRequest', async () => await realDelay(halfMs));
  app.addHook('onSend', async (_request, _reply, payload) => {
    await realDelay(halfMs);
    return payload;
  });
}

/** What a client needs to know of a running sandbox, in `.env` form: the five `INSPECTION_…` variables and the control server's address. */
export function environmentLines(sandbox: Pick<Sandbox, 'baseUrl' | 'controlUrl' | 'credentials'>): string {
  const { clientId, clientSecret, username, password } = sandbox.credentials;
  const variables = {
    INSPECTION_BASE_URL: sandbox.baseUrl,
    INSPECTION_CLIENT_ID: clientId,
    INSPECTION_CLIENT_SECRET: clientSecret,
    INSPECTION_USERNAME: username,
    INSPECTION_PASSWORD: password,
    INSPECTION_SANDBOX_CONTROL_URL: sandbox.controlUrl,
  };
  return Object.entries(variables)
    .map(([name, value]) => `${name}=${/^[\w@.:/+-]*$/.test(value) ? value : JSON.stringify(value)}\n`)
    .join('');
}
