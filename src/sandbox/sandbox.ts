import type { FastifyInstance } from 'fastify';
import { controlRoutes, type Controlled } from './control-server.ts';
import { Deliverables } from './deliverables/deliverables.ts';
import { attachFaults, FaultPlan } from './faults.ts';
import { filesRoutes } from './files-server.ts';
import { createHttpServer, listen } from './http-server.ts';
import { settingsOf, type SandboxCredentials, type SandboxOptions, type SandboxSettings } from './options.ts';
import { ProjectStore } from './project-store.ts';
import { RequestCounts } from './request-counts.ts';
import { deliverableRoutes } from './routes/deliverables.ts';
import { projectRoutes } from './routes/projects.ts';
import { tokenRoute } from './routes/token.ts';
import { SignedUrls } from './signed-urls.ts';
import { TokenStore } from './token-store.ts';
import { realDelay, VirtualClock } from './virtual-clock.ts';

export type { SandboxOptions } from './options.ts';

/** A running sandbox. Its three servers are three origins. */
export interface Sandbox {
  /** The service: the document's `{base_url}`, without `/v1`. */
  readonly baseUrl: string;
  /** Where signed URLs lead. */
  readonly filesUrl: string;
  /** Audit, time, statuses and faults. */
  readonly controlUrl: string;
  readonly environment: 'staging' | 'production';
  readonly credentials: SandboxCredentials;
  /** Stops listening and cuts what is still open. */
  close(): Promise<void>;
}

/** The control server asks for no credentials: it is reached from this machine only, wherever the service listens. */
const CONTROL_HOST = '127.0.0.1';
const INTERNAL_ERRORS_KEPT_MAX = 100;

/** Starts the service as the document specifies it, over real HTTP. Throws TypeError on senseless options, and what listening throws. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const settings = settingsOf(options);
  const internalErrors: string[] = [];
  const onFault = (thrown: unknown): void => {
    const text = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    if (internalErrors.length < INTERNAL_ERRORS_KEPT_MAX) internalErrors.push(text);
  };
  const clock = new VirtualClock({ scale: options.timeScale, startAt: options.startAt });
  const controlled: Controlled = {
    clock,
    projects: new ProjectStore(settings, settings.firstProjectId, clock),
    tokens: new TokenStore(settings, clock),
    faults: new FaultPlan(settings.seed, clock),
    requests: new RequestCounts(),
    filesOrigin: { authorization: 0 },
    internalErrors,
  };
  controlled.faults.replace(options.faults ?? []);
  const urls = new SignedUrls(clock);
  const deliverables = new Deliverables(settings.seed, controlled.projects);

  const api = serviceServer(settings, controlled, deliverables, urls, onFault);
  const files = createHttpServer(onFault);
  observe(files, controlled);
  filesRoutes(files, deliverables, urls, controlled.filesOrigin);
  const control = createHttpServer(onFault);
  controlRoutes(control, controlled);

  const servers = [api, files, control];
  const close = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server.close()));
  };
  try {
    const [baseUrl, filesUrl, controlUrl] = [
      await listen(api, settings.host, options.port ?? 0),
      await listen(files, settings.host, options.filesPort ?? 0),
      await listen(control, CONTROL_HOST, options.controlPort ?? 0),
    ];
    urls.origin = filesUrl;
    return { baseUrl, filesUrl, controlUrl, environment: settings.environment, credentials: settings.credentials, close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

/** The service itself: the token endpoint, and behind a bearer token everything else. */
function serviceServer(settings: SandboxSettings, { projects, tokens, faults, requests }: Controlled, deliverables: Deliverables, urls: SignedUrls, onFault: (thrown: unknown) => void): FastifyInstance {
  const app = createHttpServer(onFault);
  observe(app, { faults, requests });
  if (settings.latencyMs > 0) attachLatency(app, settings.latencyMs / 2);
  void app.register(async (open) => {
    tokenRoute(open, tokens);
  });
  void app.register(async (closed) => {
    closed.addHook('onRequest', async (request) => {
      tokens.actorOf(request.headers.authorization);
    });
    projectRoutes(closed, projects, tokens, settings.seed);
    deliverableRoutes(closed, projects, deliverables, urls);
  });
  return app;
}

function observe(app: FastifyInstance, { faults, requests }: Pick<Controlled, 'faults' | 'requests'>): void {
  requests.attach(app);
  attachFaults(app, faults, (request) => requests.count(request, 'reset'));
}

/** Half before the work, half after: a client killed meanwhile has sent an order that was taken, or one that was not. */
function attachLatency(app: FastifyInstance, halfMs: number): void {
  app.addHook('onRequest', async () => await realDelay(halfMs));
  app.addHook('onSend', async (_request, _reply, payload) => {
    await realDelay(halfMs);
    return payload;
  });
}
