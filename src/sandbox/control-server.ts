import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { CreateProjectRequest } from '../contract/document.ts';
import { comparableAddress, comparableText } from './duplicates.ts';
import { type FaultPlan, faultRule } from './faults/faults.ts';
import { SCENARIO_NAMES, findScenario, SCENARIOS } from './faults/scenarios.ts';
import type { Project, ProjectStore } from './project-store.ts';
import { Refusal, sentence } from './refusal.ts';
import { type ProjectPath, requestedProject } from './request-checks.ts';
import type { SftpDelivery } from './sftp/sftp-delivery.ts';
import type { SandboxState } from './state.ts';
import type { VirtualClock } from './virtual-clock.ts';

export type ControlledSandbox = SandboxState &
  Readonly<{
    faults: FaultPlan;
    delivery: SftpDelivery | undefined;
    internalErrors: readonly string[];
  }>;

const timeChange = z.strictObject({
  advanceSeconds: z.number().nonnegative().optional(),
  scale: z.number().nonnegative().optional(),
  freeze: z.literal(true).optional(),
  unfreeze: z.literal(true).optional(),
});
const statusChange = z.strictObject({ status: z.string().min(1) });
const scenarioChange = z.strictObject({ name: z.enum(SCENARIO_NAMES) });
const bundleChange = z.strictObject({ bundled: z.boolean() });

/**
 * The sandbox's own endpoints on their own port. Paths begin with the control token; other host names get a 403, to
 * keep web pages out.
 */
export function addControlRoutes(app: FastifyInstance, controlled: ControlledSandbox, token: string) {
  app.addHook('onRequest', async ({ headers: { host }, url }) => {
    if (!isThisMachine(host)) throw new Refusal(403, sentence('control-host'));
    if (!url.startsWith(`/${token}/`)) throw new Refusal(401, sentence('control-token'));
  });
  void app.register(async (behindToken) => routes(behindToken, controlled), { prefix: `/${token}` });
}

function isThisMachine(host: string | undefined) {
  const { hostname = '' } = URL.parse(`http://${host ?? ''}`) ?? {};
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

function routes(app: FastifyInstance, controlled: ControlledSandbox) {
  const { projects, faults, clock } = controlled;

  app.get('/audit', () => auditOf(controlled));

  app.get('/audit/created', () => ({
    created: projects.all().map(({ id, actor, createdAt, request }) => ({
      id,
      actor,
      createdAt: new Date(createdAt).toISOString(),
      identity: identityOf(request),
      allowDuplication: request.allowDuplication ?? null,
    })),
  }));

  app.get('/projects', () => ({ projects: projects.all().map((project) => describe(project, projects)) }));

  app.post<ProjectPath>('/projects/:projectId/status', ({ params, body }) => {
    const project = requestedProject(projects, params);
    return describe(projects.setStatus(project, checked(statusChange, body).status, 'control'), projects);
  });

  app.post<ProjectPath>('/projects/:projectId/bundle', ({ params, body }) => {
    return describe(
      projects.setBundled(requestedProject(projects, params), checked(bundleChange, body).bundled),
      projects,
    );
  });

  app.get('/time', () => timeOf(clock));

  app.post('/time', ({ body }) => {
    const { freeze, unfreeze, scale, advanceSeconds } = checked(timeChange, body);
    if (freeze) clock.setFrozen(true);
    if (unfreeze) clock.setFrozen(false);
    if (scale !== undefined) clock.setScale(scale);
    if (advanceSeconds !== undefined) clock.advance(advanceSeconds * 1000);
    return timeOf(clock);
  });

  app.get('/faults', () => ({ scenario: faults.scenario, faults: faults.report() }));

  app.post('/faults', ({ body }) => {
    faults.setRules(checked(z.array(faultRule), body));
    return { faults: faults.report() };
  });

  app.delete('/faults', () => {
    faults.setRules([]);
    return { faults: [] };
  });

  app.post('/sftp/check', async () => {
    if (controlled.delivery === undefined) throw new Refusal(404, 'No SFTP server is configured.');
    await controlled.delivery.check();
    return controlled.delivery.report;
  });

  app.get('/scenario', () => ({ name: faults.scenario, scenarios: SCENARIOS }));

  app.post('/scenario', ({ body }) => {
    const { name } = checked(scenarioChange, body);
    faults.setRules(findScenario(name)?.rules ?? [], name);
    return { name, faults: faults.report() };
  });
}

function auditOf(sandbox: ControlledSandbox) {
  const { clock, projects, tokens, faults, requests, filesOrigin, elsewhere, delivery, internalErrors } = sandbox;
  const all = projects.all();
  return {
    time: new Date(clock.now()).toISOString(),
    projects: all.length,
    creates: all.length,
    byActor: Object.fromEntries([...Map.groupBy(all, ({ actor }) => actor)].map(([actor, own]) => [actor, own.length])),
    doubles: doubledOrders(all),
    requests,
    tokens: { ...tokens.issued, asked: tokens.issued.password + tokens.issued.refresh_token + tokens.issued.refused },
    authorizationAtFilesOrigin: filesOrigin.authorization,
    authorizationElsewhere: elsewhere.authorization,
    requestsElsewhere: elsewhere.requests,
    scenario: faults.scenario,
    faults: faults.report(),
    bites: faults.bitten(),
    sftp: delivery?.report ?? null,
    internalErrors,
  };
}

function timeOf(clock: VirtualClock) {
  const now = clock.now();
  return { now, iso: new Date(now).toISOString(), scale: clock.scale, frozen: clock.frozen };
}

function describe(project: Project, projects: ProjectStore) {
  const { id, request, actor, createdAt, bundled, statusesSet, updates } = project;
  return { id, status: projects.statusOf(project), actor, createdAt, bundled, request, statusesSet, updates };
}

function checked<Schema extends z.ZodType>(schema: Schema, body: unknown) {
  const result = schema.safeParse(body);
  if (!result.success) throw new Refusal(400, z.prettifyError(result.error));
  return result.data;
}

/**
 * Orders placed more than once without `allowDuplication: true`, of any age and actor: equal by inspection number, else
 * policy number and date, else address, service and insured.
 */
function doubledOrders(projects: readonly Project[]) {
  const orders = projects.filter(({ request }) => request.allowDuplication !== true);
  return [...Map.groupBy(orders, ({ request }) => identityOf(request))].flatMap(([identity, same]) =>
    termsOf(same).flatMap((term) => (term.length > 1 ? [{ identity, projectIds: term.map(({ id }) => id) }] : [])),
  );
}

const TERM_MS_MIN = 300 * 24 * 60 * 60 * 1000;

function termsOf(projects: readonly Project[]) {
  const dateOf = ({ request }: Project) => Date.parse(request.policyEffectiveDate || request.dueDate || '') || 0;
  const terms: Project[][] = [[]];
  let before = 0;
  for (const project of projects.toSorted((a, b) => dateOf(a) - dateOf(b))) {
    if (before > 0 && dateOf(project) - before >= TERM_MS_MIN) terms.push([]);
    terms.at(-1)?.push(project);
    before = dateOf(project);
  }
  return terms;
}

function identityOf(request: CreateProjectRequest) {
  if (request.inspectionNumber) return `inspection number ${request.inspectionNumber}`;
  if (request.policyNumber)
    return `policy number ${request.policyNumber}, effective ${request.policyEffectiveDate ?? '(no date)'}`;
  return `address ${comparableAddress(request)}, service ${request.serviceName}, insured ${comparableText(request.insuredName)}`;
}
