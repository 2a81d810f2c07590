import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import {
  CANCELABLE_STATUSES,
  createProjectRequest,
  SELF_INSPECTION_SERVICE_NAMES,
  updateProjectRequest,
} from '../contract/document.ts';
import { type ControlledSandbox, addControlRoutes } from './control-server.ts';
import { attachCommits } from './data-file.ts';
import { deliverableRoutes, filesRoutes } from './deliverable-routes.ts';
import { type Deliverables, deliverablesOf } from './deliverables/deliverables.ts';
import { attachFaults, detourRoutes, type FaultContext } from './faults/fault-answers.ts';
import { FaultPlan, laggingDuplicate, laggingSearch } from './faults/faults.ts';
import { findScenario } from './faults/scenarios.ts';
import { countRequest, createHttpServer, listen } from './http-server.ts';
import { attachDeprecation, attachErrorCodes, type Unspecified, withErrorCode } from './unspecified.ts';
import { documentRoutes } from './openapi/api-pages.ts';
import type { SandboxCredentials, SandboxOptions } from './options.ts';
import type { Project, ProjectStore } from './project-store.ts';
import { Refusal, sentence } from './refusal.ts';
import { checkedBody, checkedQuery, type ProjectPath, requestedProject, statusUpdateSchema } from './request-checks.ts';
import { SeededRandom } from './seeded-random.ts';
import { deliverBySftp } from './sftp/sftp-delivery.ts';
import { stateOf } from './state.ts';
import { templateData } from '../contract/template-data.ts';
import { checkRole, addTokenRoute } from './tokens.ts';
import { realDelay, repeatEvery } from './virtual-clock.ts';

export type Sandbox = Readonly<{
  baseUrl: string;
  filesUrl: string;
  /** Ends with the control token. */
  controlUrl: string;
  environment: 'staging' | 'production';
  credentials: SandboxCredentials;
  close(): Promise<void>;
}>;

const CONTROL_HOST = '127.0.0.1';
const INTERNAL_ERRORS_KEPT_MAX = 100;
const SFTP_CHECK_MS = 1000;

export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const state = stateOf(options);
  const { settings, database } = state;
  const internalErrors: string[] = [];
  const onFault = (thrown: unknown) => {
    const text = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    if (internalErrors.length < INTERNAL_ERRORS_KEPT_MAX) internalErrors.push(text);
  };
  database.flushRegularly(onFault);
  const deliverables = deliverablesOf(settings, state.projects);
  const delivery = settings.sftp && deliverBySftp(settings.sftp, state.projects, deliverables, database);
  const controlled: ControlledSandbox = {
    ...state,
    faults: new FaultPlan(settings.seed, state.clock),
    internalErrors,
    delivery,
  };
  const scenario = findScenario(settings.scenario);
  controlled.faults.setRules([...(scenario?.rules ?? []), ...(options.faults ?? [])], options.scenario);
  const server = (finished?: Parameters<typeof createHttpServer>[1]) => {
    const app = createHttpServer(onFault, finished);
    attachCommits(app, database, onFault);
    return app;
  };

  const api = serviceServer(
    server(settings.notShown.errorCodes === 'present' ? withErrorCode : undefined),
    controlled,
    deliverables,
  );
  const files = server();
  observe(files, controlled);
  filesRoutes(files, deliverables, state.urls, controlled.filesOrigin);
  const elsewhere = server();
  detourRoutes(elsewhere, controlled.elsewhere);
  const control = server();
  addControlRoutes(control, controlled, state.controlToken);

  const servers = [api, files, elsewhere, control];
  const deliveries = delivery && repeatEvery(SFTP_CHECK_MS, () => delivery.check());
  const close = async () => {
    deliveries?.stop();
    await delivery?.close();
    await Promise.all(servers.map((server) => server.close()));
    database.close();
  };
  try {
    const { host, environment, credentials } = settings;
    const baseUrl = await listen(api, host, options.port);
    const filesUrl = await listen(files, host, options.filesPort);
    const controlUrl = `${await listen(control, CONTROL_HOST, options.controlPort)}/${state.controlToken}`;
    controlled.elsewhere.origin = await listen(elsewhere, host);
    state.urls.origin = filesUrl;
    return { baseUrl, filesUrl, controlUrl, environment, credentials, close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

function serviceServer(app: FastifyInstance, controlled: ControlledSandbox, deliverables: Deliverables) {
  const { settings, projects, tokens, urls } = controlled;
  const { notShown } = settings;
  observe(app, controlled);
  if (notShown.errorCodes === 'present') attachErrorCodes(app);
  if (notShown.deprecation === 'announced') attachDeprecation(app);
  if (settings.latencyMs > 0) attachLatency(app, settings.latencyMs / 2);
  documentRoutes(app, notShown);
  void app.register(async (open) => addTokenRoute(open, tokens, notShown));
  void app.register(async (closed) => {
    closed.addHook('onRequest', async (request) => checkRole(tokens.userOf(request.headers.authorization), request));
    if (notShown.quotaPerMinute > 0) attachFaults(closed, faultHost(controlled, quotaPlan(controlled)));
    projectRoutes(closed, controlled);
    deliverableRoutes(closed, projects, deliverables, urls, notShown);
  });
  return app;
}

function observe(app: FastifyInstance, controlled: ControlledSandbox) {
  app.addHook('onResponse', async (request, reply) => {
    countRequest(controlled.requests, request, String(reply.statusCode));
  });
  attachFaults(app, faultHost(controlled, controlled.faults));
}

function faultHost({ requests, tokens, elsewhere, clock }: ControlledSandbox, plan: FaultPlan): FaultContext {
  return {
    plan,
    clock,
    onLost: (request, outcome) => countRequest(requests, request, outcome),
    userOf: (request) => tokens.holderOf(request.headers.authorization) ?? '',
    elsewhere: () => elsewhere.origin,
  };
}

function quotaPlan({ settings, clock }: ControlledSandbox) {
  const { quotaPerMinute, retryAfter } = settings.notShown;
  const plan = new FaultPlan(settings.seed, clock);
  plan.setRules([{ kind: 'quota', limit: quotaPerMinute, perSeconds: 60, retryAfterAs: retryAfter }]);
  return plan;
}

/** Half before the work and half after: a client killed in between has sent an accepted order, or none. */
function attachLatency(app: FastifyInstance, halfMs: number) {
  app.addHook('onRequest', () => realDelay(halfMs));
  app.addHook('onSend', async (_request, _reply, payload) => {
    await realDelay(halfMs);
    return payload;
  });
}

export function environmentLines(sandbox: Pick<Sandbox, 'baseUrl' | 'controlUrl' | 'credentials'>) {
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

function projectRoutes(app: FastifyInstance, { projects, tokens, faults, clock, settings }: ControlledSandbox) {
  const { seed, notShown } = settings;
  const named = ({ params }: { params: ProjectPath['Params'] }) => requestedProject(projects, params);
  app.post('/v1/project', (request) => {
    const order = checkedBody(createProjectRequest, request.body, notShown.failedValidation);
    const actor = tokens.actorOf(request.headers.authorization);
    // The document's default is true: without the field, an order may be placed twice.
    const duplicate =
      order.allowDuplication === false
        ? laggingDuplicate(faults, request, clock.now(), (knownUntil) => projects.duplicateOf(order, actor, knownUntil))
        : undefined;
    if (duplicate !== undefined)
      throw new Refusal(409, sentence('duplicate', { id: duplicate.project.id, rule: duplicate.rule }));
    return { project: [projectDetailOf(projects.create(order, actor), seed, 'null')] };
  });

  app.get('/v1/project', (request) => {
    const asked = checkedQuery(request.query, notShown.createdTimeUnit);
    const found = laggingSearch(faults, request, clock.now(), asked, (query) => projects.search(query));
    return { project: found.map((project) => searchItemOf(project, projects.statusOf(project), notShown.searchItem)) };
  });

  app.get<ProjectPath>('/v1/project/:projectId', (request) => ({
    project: [projectDetailOf(named(request), seed, notShown.absentInDetail)],
  }));

  app.put<ProjectPath>('/v1/project/:projectId', (request) => {
    const project = projects.update(
      named(request),
      checkedBody(updateProjectRequest, request.body, notShown.failedValidation),
      tokens.actorOf(request.headers.authorization),
    );
    const { policyNumber = '', policyEffectiveDate = '' } = project;
    return { project: [{ id: idOf(project), policyNumber, policyEffectiveDate }] };
  });

  app.get<ProjectPath>('/v1/project/:projectId/status', (request) => statusAnswer(projects, named(request)));

  app.put<ProjectPath>('/v1/project/:projectId/status', (request) => {
    const project = named(request);
    const { value, comment } = checkedBody(statusUpdateSchema, request.body, notShown.failedValidation);
    const from = projects.statusOf(project);
    // Document: States and transitions. The status code of a refusal is an option.
    const froms = value === 'Client Received' ? ['Returned to Client'] : CANCELABLE_STATUSES;
    if (!froms.includes(from)) {
      const allowed = froms.map((status) => `"${status}"`).join(', ');
      throw new Refusal(notShown.refusedTransition, sentence('transition', { id: project.id, from, value, allowed }));
    }
    const actor = tokens.actorOf(request.headers.authorization);
    return statusAnswer(projects, projects.setStatus(project, value, 'client', { actor, comment }));
  });
}

function statusAnswer(projects: ProjectStore, project: Project) {
  return { project: [{ id: idOf(project), status: projects.statusOf(project) }] };
}

const stateCentres = templateData('sandbox/states', z.record(z.string(), z.tuple([z.number(), z.number()])));

const MIDDLE: readonly [number, number] = [39.8, -98.6];

function idOf({ id }: Project) {
  return id <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(id) : id;
}

/** `absent`: how isRenewal and supplementalServices look if the order omitted them. */
export function projectDetailOf(project: Project, seed: string, absent: Unspecified['absentInDetail']) {
  const { request } = project;
  const random = new SeededRandom(seed, 'detail', project.id);
  const [lat, lng] = stateCentres()[request.state] ?? MIDDLE;
  const self = SELF_INSPECTION_SERVICE_NAMES.includes(request.serviceName);
  const code = self ? random.code(6) : '';
  const { policyNumber, policyEffectiveDate } = project;
  return {
    id: idOf(project),
    ...request,
    policyNumber,
    policyEffectiveDate,
    allowDuplication: undefined,
    country: request.country ?? 'US',
    // Document: only these two are null if absent, in responses to creates.
    ...(absent === 'null' && {
      isRenewal: request.isRenewal ?? null,
      supplementalServices: request.supplementalServices ?? null,
    }),
    lat: Number((lat + random.next() - 0.5).toFixed(6)),
    lng: Number((lng + random.next() - 0.5).toFixed(6)),
    operatingCompany: 'Sandbox Inspection Services',
    inspectionCode: code,
    inspectionLink: self ? `https://self-inspection.example/start/${code}` : '',
  };
}

export function searchItemOf(project: Project, status: string, fields: Unspecified['searchItem']) {
  const { streetAddress, city, state, zipcode, country = 'US', serviceName, ...others } = project.request;
  const item = { id: idOf(project), streetAddress, city, state, zipcode, country, serviceName, status };
  if (fields === 'older') return item;
  const { policyNumber = '', policyEffectiveDate = '' } = project;
  const { inspectionNumber = '', insuredName } = others;
  const newer = { ...item, policyNumber, inspectionNumber };
  return fields === 'newer' ? newer : { ...newer, policyEffectiveDate, insuredName };
}
