import { isProjectId } from '../contract/document.ts';
import { type Parts, reasonFor } from '../domain/sentences.ts';
import type {
  Ledger,
  OrderRecord,
  NamedProject,
  ProjectKey,
  UpdateRequest,
  UpdateSource,
  UpdateReason,
} from '../ledger/ledger.ts';
import { isNotFinal } from '../ledger/orders.ts';

type NameOfProject = Readonly<{
  key: ProjectKey | 'any';
  text: string;
}>;

/** All names must mean the same project. */
export type WantedUpdate = Readonly<{
  names: readonly NameOfProject[];
  request: UpdateRequest;
  source: UpdateSource;
  problems: readonly string[];
}>;

const PREFIXES: readonly (readonly [RegExp, ProjectKey])[] = [
  [/^project:/i, 'projectId'],
  [/^policy:/i, 'policyNumber'],
  [/^inspection:/i, 'inspectionNumber'],
];

export function parseProjectReference(text: string): NameOfProject {
  for (const [prefix, key] of PREFIXES) if (prefix.test(text)) return { key, text: text.replace(prefix, '').trim() };
  return { key: 'any', text: text.trim() };
}

/** `named` is null for an ID that no recorded order has. */
type FoundProject = Readonly<
  { kind: 'one'; projectId: string; named: NamedProject | null } | ({ kind: 'not found' } & UpdateReason)
>;

const TITLES: Readonly<Record<ProjectKey, string>> = {
  projectId: 'project ID',
  policyNumber: 'policy number',
  inspectionNumber: 'inspection number',
};
const LISTED_MAX = 10;

/** An unrecorded ID may still exist at the service. */
export async function findNamedProject(
  names: readonly NameOfProject[],
  ledger: Pick<Ledger, 'projectsNamed'>,
): Promise<FoundProject> {
  let meant: readonly NamedProject[] | null = null;
  const seen = [];
  for (const name of names) {
    const projects = await projectsOf(name, ledger);
    const words = formatName(name);
    if (projects.length === 0) {
      const isId = (name.key === 'any' || name.key === 'projectId') && isProjectId(name.text);
      if (isId && names.length === 1) return { kind: 'one', projectId: BigInt(name.text).toString(), named: null };
      return notFound('project-not-on-record', { words });
    }
    const both: readonly NamedProject[] =
      meant === null
        ? projects
        : meant.filter(({ projectId }) => projects.some((other) => other.projectId === projectId));
    if (both.length === 0) return notFound('names-disagree', { seen: seen.join(', '), words });
    meant = both;
    seen.push(words);
  }
  const [project, second] = meant ?? [];
  if (project === undefined) return notFound('no-project-named', {});
  if (second !== undefined)
    return notFound('several-projects', {
      seen: seen.join(', '),
      count: meant?.length ?? 0,
      projects: formatProjects(meant ?? []),
    });
  return { kind: 'one', projectId: project.projectId, named: project };
}

/** An unsettled order with these names could mean another project. */
export async function unsettledOrder(names: readonly NameOfProject[], ledger: Pick<Ledger, 'ordersLike'>) {
  let meant: readonly OrderRecord[] | null = null;
  for (const name of names) {
    const orders = await unsettledWith(name, ledger);
    meant = meant === null ? orders : meant.filter(({ id }) => orders.some((other) => other.id === id));
  }
  const order = meant?.[0];
  if (order === undefined) return null;
  const { id, state } = order;
  return reasonFor('order-unsettled', { id, state, names: names.map(formatName).join(', ') });
}

async function unsettledWith({ key, text }: NameOfProject, ledger: Pick<Ledger, 'ordersLike'>) {
  const like = (inspectionNumber: string, policyNumber: string) =>
    ledger.ordersLike({ inspectionNumber, policyNumber, addressKey: '' });
  const wanted = (of: ProjectKey) => (key === of || key === 'any' ? text : '');
  return (await like(wanted('inspectionNumber'), wanted('policyNumber'))).filter(isNotFinal);
}

async function projectsOf({ key, text }: NameOfProject, ledger: Pick<Ledger, 'projectsNamed'>) {
  const found = new Map<string, NamedProject>();
  for (const each of key === 'any' ? PREFIXES.map(([, own]) => own) : [key]) {
    if (each === 'projectId' && !isProjectId(text)) continue;
    for (const project of await ledger.projectsNamed(each, text)) found.set(project.projectId, project);
  }
  return [...found.values()];
}

function formatName({ key, text }: NameOfProject) {
  return key === 'any' ? `"${text}"` : `${TITLES[key]} ${text}`;
}

function formatProjects(projects: readonly NamedProject[]) {
  const words = projects
    .slice(0, LISTED_MAX)
    .map(({ projectId, status, property }) => `${projectId} (${status}, ${property})`);
  return [...words, ...(projects.length > LISTED_MAX ? ['…'] : [])].join('; ');
}

function notFound(code: string, parts: Parts): FoundProject {
  return { kind: 'not found', ...reasonFor(code, parts) };
}
