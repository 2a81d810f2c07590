import { PROJECT_STATUSES, type ProjectSearchItem, SEARCH_LIMIT_MAX } from '../contract/document.ts';
import { ExplainedError, workLeftError, usageErrorOf } from '../domain/errors.ts';
import { propertyOf } from '../domain/identity.ts';
import { silentLog } from '../domain/ports.ts';
import type { OrderPayload } from '../domain/row.ts';
import type { ProjectStory } from '../ledger/ledger.ts';
import { loadConfig } from '../ops/config.ts';
import { loadEnvironment } from '../ops/environment.ts';
import { SYSTEM } from '../ops/system.ts';
import { workspaceAt } from '../ops/workspace.ts';
import { inspectLedger } from '../upkeep/guarded-ledger.ts';
import { csvTable } from '../results/csv-and-jsonl.ts';
import { accountNamed, createServiceClient, type ServiceClient } from '../service/client.ts';
import type { ReadOutcome } from '../service/outcome.ts';
import {
  ACCOUNT_SEARCH_PAGES_MAX,
  MalformedResponse,
  readOrThrow,
  searchPages,
  ServiceUnavailable,
} from '../service/reads.ts';
import { success, commandResult, tableOf } from './terminal.ts';
import { exitCodeOf } from '../night/exit-codes.ts';
import { listenForStop } from '../night/stop-signal.ts';
import { projectStory } from './status-stories.ts';
import { sentence } from '../domain/sentences.ts';

type Desk = Awaited<ReturnType<typeof openDesk>>;

/** Takes no lock. `ledger` is null if it belongs to another account. */
async function openDesk(workspaceDir: string) {
  const workspace = workspaceAt(workspaceDir);
  const environment = await loadEnvironment(workspace.root, await loadConfig(workspace.root));
  await using opened = new AsyncDisposableStack();
  const { signal } = opened.use(listenForStop());
  const world = { ...SYSTEM, signal };
  const client = createServiceClient({ ...environment, ...world, log: silentLog });
  opened.defer(() => client.close());
  const { ledger } = await inspectLedger(workspace, accountNamed(environment));
  if (ledger !== null) opened.use(ledger);
  const resources = opened.move();
  return {
    ...world,
    client,
    ledger,
    ask: <T>(read: (client: ServiceClient) => Promise<ReadOutcome<T>>) =>
      readOrThrow(() => read(client), world).catch(throwAsWorkLeft),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

export function throwAsWorkLeft(failure: unknown, code = 'service-unavailable', what = ''): never {
  if (!(failure instanceof ServiceUnavailable)) throw failure;
  throw workLeftError(code, what + failure.message, 'Nothing was changed. Run it again later.', failure);
}

export type ProjectsFlags = Readonly<{
  workspace: string;
  status?: string;
  policy?: string;
  inspection?: string;
  service?: string;
  createdSince?: number;
  createdBefore?: number;
  from?: string;
  bundles: boolean;
  limit: number;
  csv?: boolean;
}>;

export async function projectsCommand(flags: ProjectsFlags) {
  await using desk = await openDesk(flags.workspace);
  const { items, isMore } = await found(flags, desk);
  const listed = [];
  for (const item of items) listed.push(listedProject(item, (await desk.ledger?.storyOfProject(item.id)) ?? null));
  if (flags.csv) {
    const cells = listed.map((one) => Object.values(CSV_COLUMNS).map((field) => one[field]));
    return success(csvTable(Object.keys(CSV_COLUMNS), cells), { projects: listed });
  }
  const list =
    listed.length === 0
      ? 'The service lists no such project.'
      : tableOf(listed, {
          Project: 'project',
          Status: 'status',
          Number: ({ policyNumber, inspectionNumber }) => policyNumber || inspectionNumber,
          Property: 'property',
          Here: 'here',
        });
  const next = String(BigInt(items.at(-1)?.id ?? 0) + 1n);
  return success(isMore ? sentence('project/more', { list, next }) : list, { projects: listed, isMore });
}

/** The service may have statuses that the document does not list. */
async function checkStatus(status: string | undefined, { ledger }: Desk) {
  const seen = (await ledger?.statusCounts()) ?? [];
  const known = new Set<string>([...PROJECT_STATUSES, ...seen.map((one) => one.status)]);
  if (status !== undefined && !known.has(status))
    throw usageErrorOf('status-unknown', { status, known: [...known].join(', ') });
}

async function found(flags: ProjectsFlags, desk: Desk) {
  const query = {
    status: flags.status,
    policyNumber: flags.policy,
    inspectionNumber: flags.inspection,
    serviceName: flags.service,
    // The document names no unit; only seconds fit int32.
    createdTimeStart: seconds(flags.createdSince),
    createdTimeEnd: seconds(flags.createdBefore),
    ...(!flags.bundles && { includeBundleProjects: false }),
  };
  const items = [];
  const limit = Math.min(SEARCH_LIMIT_MAX, flags.limit + 1);
  const pages = searchPages(query, BigInt(parseProjectId(flags.from ?? '0')), desk, ACCOUNT_SEARCH_PAGES_MAX, limit);
  try {
    for await (const page of pages) {
      items.push(...page);
      if (items.length > flags.limit) break;
    }
  } catch (failure) {
    if (failure instanceof MalformedResponse) await checkStatus(flags.status, desk);
    throwAsWorkLeft(failure);
  }
  if (items.length === 0) await checkStatus(flags.status, desk);
  return { items: items.slice(0, flags.limit), isMore: items.length > flags.limit };
}

function seconds(at: number | undefined) {
  return at === undefined ? undefined : Math.floor(at / 1000);
}

const CSV_COLUMNS = {
  'Project ID': 'project',
  Status: 'status',
  'Policy number': 'policyNumber',
  'Inspection number': 'inspectionNumber',
  Service: 'serviceName',
  Street: 'streetAddress',
  City: 'city',
  State: 'state',
  ZIP: 'zipcode',
  Here: 'here',
} as const;

function listedProject(item: ProjectSearchItem, story: ProjectStory | null) {
  const { streetAddress, city, state, zipcode, serviceName, status, policyNumber, inspectionNumber } = item;
  const texts = { status, policyNumber, inspectionNumber, serviceName, streetAddress, city, state, zipcode };
  type Texts = Record<keyof typeof texts, string>;
  const shown = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, text ?? ''])) as Texts;
  const [property, here] = [propertyOf(item), describeStoredFiles(story)];
  return { project: item.id, ...shown, property, here, orders: story?.orderIds ?? [] };
}

function describeStoredFiles(story: ProjectStory | null) {
  if (story === null) return '';
  if (story.orderIds.length > 0) return `order ${story.orderIds.join(', ')}`;
  return story.isGivenUp ? 'no longer followed' : 'followed';
}

export function parseProjectId(text: string) {
  if (!/^\d{1,19}$/.test(text)) throw usageErrorOf('not-a-project-id', { text });
  return BigInt(text).toString();
}

type Shown = NonNullable<Awaited<ReturnType<typeof shownAt>>>;

/** Works with the service or the ledger alone. */
export async function showCommand(text: string, workspaceDir: string) {
  const id = parseProjectId(text);
  await using desk = await openDesk(workspaceDir);
  const story = (await desk.ledger?.storyOfProject(id)) ?? null;
  const answer = await shownAt(id, desk).catch((failure: unknown) => {
    if (story === null || !(failure instanceof ExplainedError) || failure.kind !== 'work-left') throw failure;
    return failure;
  });
  const [away, shown] = answer instanceof ExplainedError ? [answer.message, null] : [null, answer];
  if (shown === null && story === null) throw usageErrorOf('project-unknown', { id });
  const recorded = story && (await recordedOf(story, desk));
  const lines = shown === null ? [] : comparison(shown, recorded);
  const differs = recorded === null ? [] : lines.filter(({ isSame }) => !isSame).map(({ field }) => field);
  const history = story && projectStory(story);
  const parts = [
    ...(away === null ? [] : [sentence('project/away', { away })]),
    ...(shown === null
      ? away === null
        ? [`The service does not know project ${id}.`]
        : []
      : [sideBySide(lines, recorded !== null)]),
    ...(history === null ? [sentence('project/not-on-record', { id })] : [history.text]),
  ];
  const json = { project: id, service: shown, ledger: history?.json ?? null, differs };
  return commandResult(exitCodeOf({ workLeft: away !== null }), parts.join('\n\n'), json);
}

async function shownAt(id: string, desk: Desk) {
  const detail = await desk.ask((client) => client.getProject(id));
  if (detail === null) return null;
  const status = await desk.ask((client) => client.getStatus(id));
  const reports = (await desk.ask((client) => client.listReports(id))) ?? [];
  const images = (await desk.ask((client) => client.listImages(id))) ?? [];
  return {
    detail,
    status: status?.status ?? null,
    reports: reports.map(({ id: reportId, type }) => ({ id: reportId, type })),
    images: images.length,
  };
}

async function recordedOf(story: ProjectStory, { ledger }: Desk) {
  const [orderId] = story.orderIds;
  const ordered = orderId === undefined ? story.details : (await ledger?.order(orderId))?.payload;
  const payload: Partial<OrderPayload> = { ...ordered, ...(await ledger?.amendedDetails(story.project.id)) };
  return { story, payload };
}

const COMPARED = [
  ['service', 'serviceName'],
  ['policy number', 'policyNumber'],
  ['inspection number', 'inspectionNumber'],
  ['effective date', 'policyEffectiveDate'],
  ['due date', 'dueDate'],
  ['insured', 'insuredName'],
  ['street', 'streetAddress'],
  ['city', 'city'],
  ['state', 'state'],
  ['ZIP', 'zipcode'],
  ['policy type', 'policyType'],
  ['house type', 'houseType'],
] as const;

function comparison(
  { detail, status, reports, images }: Shown,
  recorded: Awaited<ReturnType<typeof recordedOf>> | null,
) {
  const kept = (kind: string) =>
    new Set(recorded?.story.artifacts.flatMap((one) => (one.kind === kind ? one.serviceId : []))).size;
  const pairs: readonly (readonly [string, string | null | undefined, string | undefined])[] = [
    ['status', status, recorded?.story.project.status],
    ...COMPARED.map(([title, field]) => [title, detail[field], recorded?.payload[field]] as const),
    ['reports', String(reports.length), String(kept('report'))],
    ['photos', String(images), String(kept('image'))],
  ];
  return pairs
    .map(([field, service, here]) => ({ field, service: service?.trim() ?? '', here: here?.trim() ?? '' }))
    .filter(({ service, here }) => service !== '' || here !== '')
    .map((line) => ({ ...line, isSame: line.service === line.here }));
}

function sideBySide(lines: ReturnType<typeof comparison>, isOnRecord: boolean) {
  return tableOf(lines, {
    ...(isOnRecord && { '': ({ isSame }: (typeof lines)[number]) => (isSame ? '' : '*') }),
    Field: 'field',
    'At the service': 'service',
    ...(isOnRecord && { 'On record here': 'here' }),
  });
}
