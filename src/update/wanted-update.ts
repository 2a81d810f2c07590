import type { ProjectKey, UpdateRequest, UpdateSource } from '../ledger/updates.ts';

/** Something that a person wrote to name a project; `any` where they did not say what it is. */
export interface NameOfProject {
  readonly key: ProjectKey | 'any';
  readonly text: string;
}

/** What a person asks for. All the names are to mean the same project. */
export interface WantedUpdate {
  readonly names: readonly NameOfProject[];
  readonly request: UpdateRequest;
  readonly source: UpdateSource;
  /** Why it cannot be read, in sentences; empty where it can. */
  readonly problems: readonly string[];
}

const PREFIXES: readonly (readonly [RegExp, ProjectKey])[] = [
  [/^project:/i, 'projectId'],
  [/^policy:/i, 'policyNumber'],
  [/^inspection:/i, 'inspectionNumber'],
];

/** A name as it stands on the command line: `100017`, `HO-4471902`, or with what it is before it, `policy:4471902`. */
export function nameFromText(text: string): NameOfProject {
  for (const [prefix, key] of PREFIXES) if (prefix.test(text)) return { key, text: text.replace(prefix, '').trim() };
  return { key: 'any', text: text.trim() };
}
