import { DUPLICATE_WINDOW_DAYS, type CreateProjectRequest } from '../contract/project.ts';

/** What of a project the duplicate rules compare. `index` is its place in the order of creation. */
export interface ComparedProject {
  readonly index: number;
  readonly createdAt: number;
  /** Processed-by: the username of the token it was created with. */
  readonly actor: string;
  readonly request: CreateProjectRequest;
  readonly policyNumber: string | undefined;
  readonly policyEffectiveDate: string | undefined;
}

/** Which rule of the document (Errors, Duplicate-project rules) found a duplicate. */
export type DuplicateRule = 'policy number and effective date' | 'inspection number' | 'commercial address';

const WINDOW_MS = DUPLICATE_WINDOW_DAYS * 86_400_000;

/** The projects of one processed-by and insured-by, by each key; of several with one key, in the order of creation. */
interface Scope {
  readonly byInspection: Map<string, number | number[]>;
  readonly byPolicy: Map<string, number | number[]>;
  readonly byAddress: Map<string, number | number[]>;
}

/** Finds duplicates without looking at every project: each key leads to the projects that have it. */
export class DuplicateIndex {
  readonly #scopes = new Map<string, Scope>();

  add(project: ComparedProject): void {
    const scope = this.#scopeOf(project.actor, project.request);
    const { inspectionNumber } = project.request;
    if (inspectionNumber) insert(scope.byInspection, inspectionNumber, project.index);
    insert(scope.byAddress, addressKey(project.request), project.index);
    this.#addPolicy(scope, project);
  }

  /** Call it before a project's policy number or effective date changes, and `addPolicy` after. */
  removePolicy(project: ComparedProject): void {
    const key = policyKey(project.policyNumber, project.policyEffectiveDate);
    if (key !== undefined) remove(this.#scopeOf(project.actor, project.request).byPolicy, key, project.index);
  }

  addPolicy(project: ComparedProject): void {
    this.#addPolicy(this.#scopeOf(project.actor, project.request), project);
  }

  /**
   * The duplicate of a request, or undefined. Rules 1 to 4 of the document: only projects of the past 30 days (the thirtieth day
   * included) with the same actor and insured-by; by inspection number where the request has one, else by policy number and effective
   * date; a commercial request by address too, whatever the other project's policy type. With neither number there is nothing to compare
   * (READING 4), and so no duplicate.
   */
  find(request: CreateProjectRequest, actor: string, now: number, createdAt: (index: number) => number): { rule: DuplicateRule; index: number } | undefined {
    const scope = this.#scopeOf(actor, request);
    const recent = (indexes: number | number[] | undefined): number | undefined => {
      const newest = typeof indexes === 'object' ? indexes.at(-1) : indexes;
      return newest !== undefined && now - createdAt(newest) <= WINDOW_MS ? newest : undefined;
    };
    if (request.inspectionNumber) {
      const index = recent(scope.byInspection.get(request.inspectionNumber));
      if (index !== undefined) return { rule: 'inspection number', index };
    } else {
      const key = policyKey(request.policyNumber, request.policyEffectiveDate);
      const index = key === undefined ? undefined : recent(scope.byPolicy.get(key));
      if (index !== undefined) return { rule: 'policy number and effective date', index };
    }
    if (request.policyType === 'Commercial Property Insurance') {
      const index = recent(scope.byAddress.get(addressKey(request)));
      if (index !== undefined) return { rule: 'commercial address', index };
    }
    return undefined;
  }

  #addPolicy(scope: Scope, project: ComparedProject): void {
    const key = policyKey(project.policyNumber, project.policyEffectiveDate);
    if (key !== undefined) insert(scope.byPolicy, key, project.index);
  }

  #scopeOf(actor: string, request: CreateProjectRequest): Scope {
    const key = `${actor}\u0000${request.insuredBy ?? ''}`;
    let scope = this.#scopes.get(key);
    if (scope === undefined) {
      scope = { byInspection: new Map(), byPolicy: new Map(), byAddress: new Map() };
      this.#scopes.set(key, scope);
    }
    return scope;
  }
}

/** Case, white space and punctuation do not make another address; of a ZIP code the first five digits count. */
export function addressKey(request: Pick<CreateProjectRequest, 'streetAddress' | 'city' | 'state' | 'zipcode'>): string {
  return `${comparable(request.streetAddress)}|${comparable(request.city)}|${request.state}|${request.zipcode.slice(0, 5)}`;
}

/** Text as it is compared: without regard to case, white space and punctuation. */
export function comparable(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\p{P}\p{S}\s]+/gu, ' ')
    .trim();
}

function policyKey(policyNumber: string | undefined, policyEffectiveDate: string | undefined): string | undefined {
  return policyNumber ? `${policyNumber}\u0000${policyEffectiveDate ?? ''}` : undefined;
}

/** Nearly every key has one project: only the others pay for a list. */
function insert(map: Map<string, number | number[]>, key: string, index: number): void {
  const held = map.get(key);
  if (held === undefined) map.set(key, index);
  else if (typeof held === 'number') map.set(key, [held, index].toSorted(ascending));
  else {
    held.push(index);
    if ((held.at(-2) ?? 0) > index) held.sort(ascending);
  }
}

function remove(map: Map<string, number | number[]>, key: string, index: number): void {
  const held = map.get(key);
  if (typeof held === 'object' && held.length > 1) map.set(key, held.filter((other) => other !== index));
  else map.delete(key);
}

function ascending(a: number, b: number): number {
  return a - b;
}
