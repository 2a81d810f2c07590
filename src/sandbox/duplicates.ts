import { type CreateProjectRequest, DUPLICATE_WINDOW_DAYS } from '../contract/document.ts';

export interface ProjectKeys {
  readonly policyNumber: string | undefined;
  readonly policyEffectiveDate: string | undefined;
  readonly inspectionNumber: string | undefined;
  readonly serviceName: string;
  readonly insuredBy: string | undefined;
  readonly address: string;
}

export function keysOf(request: CreateProjectRequest): ProjectKeys {
  const { policyNumber, policyEffectiveDate, inspectionNumber, serviceName, insuredBy } = request;
  return { policyNumber, policyEffectiveDate, inspectionNumber, serviceName, insuredBy, address: addressKey(request) };
}

/** The rule that found a duplicate (document: Errors, Duplicate-project rules). */
export type DuplicateRule = 'policy number and effective date' | 'inspection number' | 'commercial address';

interface Known {
  readonly now: number;
  readonly end: number;
  readonly at: (place: number) => { readonly createdAt: number; readonly policyEffectiveDate: string | undefined };
}

const WINDOW_MS = DUPLICATE_WINDOW_DAYS * 86_400_000;

/** A place is the number in order of creation. */
export class DuplicateIndex {
  readonly byInspectionNumber = new Postings();
  readonly byPolicyNumber = new Postings();
  readonly #byAddress = new Postings();
  /** By place: numbers of processed-by and insured-by. */
  readonly #scopes: number[] = [];
  readonly #scopeNumbers = new Map<string, number>();
  readonly #keylessAreDuplicates: boolean;

  /** `keylessAreDuplicates`: reads rule 2 literally: projects with neither number are duplicates. */
  constructor(keylessAreDuplicates: boolean) {
    this.#keylessAreDuplicates = keylessAreDuplicates;
  }

  add(place: number, actor: string, keys: ProjectKeys): void {
    this.#scopes[place] = this.#scopeOf(actor, keys.insuredBy);
    if (keys.inspectionNumber) this.byInspectionNumber.add(keys.inspectionNumber, place);
    if (this.#compares(keys.policyNumber)) this.byPolicyNumber.add(keys.policyNumber ?? '', place);
    this.#byAddress.add(keys.address, place);
  }

  changePolicyNumber(place: number, from: string | undefined, to: string | undefined): void {
    if (this.#compares(from)) this.byPolicyNumber.remove(from ?? '', place);
    if (this.#compares(to)) this.byPolicyNumber.add(to ?? '', place);
  }

  /**
   * The newest duplicate, or undefined. Rules 1 to 4: within 30 days (inclusive), same actor and insured-by; by
   * inspection number, else policy number and date; a commercial request also by address, for any policy type. For
   * keyless requests see READING 4.
   */
  find(
    request: CreateProjectRequest,
    actor: string,
    { now, end, at }: Known,
  ): { readonly rule: DuplicateRule; readonly place: number } | undefined {
    const scope = this.#scopeOf(actor, request.insuredBy);
    const newest = (
      index: Postings,
      key: string,
      agrees: (place: number) => boolean = () => true,
    ): number | undefined => {
      for (const place of index.downFrom(end, key)) {
        if (now - at(place).createdAt > WINDOW_MS) return undefined;
        if (this.#scopes[place] === scope && agrees(place)) return place;
      }
      return undefined;
    };
    if (request.inspectionNumber) {
      const place = newest(this.byInspectionNumber, request.inspectionNumber);
      if (place !== undefined) return { rule: 'inspection number', place };
    } else if (this.#compares(request.policyNumber)) {
      const effective = request.policyEffectiveDate ?? '';
      const place = newest(
        this.byPolicyNumber,
        request.policyNumber ?? '',
        (other) => (at(other).policyEffectiveDate ?? '') === effective,
      );
      if (place !== undefined) return { rule: 'policy number and effective date', place };
    }
    if (request.policyType === 'Commercial Property Insurance') {
      const place = newest(this.#byAddress, addressKey(request));
      if (place !== undefined) return { rule: 'commercial address', place };
    }
    return undefined;
  }

  #compares(policyNumber: string | undefined): boolean {
    return this.#keylessAreDuplicates || Boolean(policyNumber);
  }

  #scopeOf(actor: string, insuredBy = ''): number {
    const key = `${actor}\u0000${insuredBy}`;
    let scope = this.#scopeNumbers.get(key);
    if (scope === undefined) this.#scopeNumbers.set(key, (scope = this.#scopeNumbers.size));
    return scope;
  }
}

/** Ignores case, spaces and punctuation, and ZIP digits after the fifth. */
export function addressKey(
  request: Pick<CreateProjectRequest, 'streetAddress' | 'city' | 'state' | 'zipcode'>,
): string {
  return `${comparable(request.streetAddress)}|${comparable(request.city)}|${request.state}|${request.zipcode.slice(0, 5)}`;
}

export function comparable(text: string): string {
  if (/^[ -~]*$/.test(text))
    return text
      .toLowerCase()
      .replaceAll(/[^a-z\d]+/g, ' ')
      .trim();
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\p{P}\p{S}\s]+/gu, ' ')
    .trim();
}

/** Ascending. Most keys have one place and need no list. */
export class Postings {
  readonly #places = new Map<string, number | number[]>();

  add(key: string, place: number): void {
    const held = this.#places.get(key);
    if (held === undefined) this.#places.set(key, place);
    else if (typeof held === 'number') this.#places.set(key, held < place ? [held, place] : [place, held]);
    else if ((held.at(-1) ?? -1) < place) held.push(place);
    else held.splice(firstFrom(held, place), 0, place);
  }

  remove(key: string, place: number): void {
    const held = this.#places.get(key);
    if (typeof held === 'object' && held.length > 1) {
      const at = firstFrom(held, place);
      if (held[at] === place) held.splice(at, 1);
    } else this.#places.delete(key);
  }

  /** Descending, below `end`. */
  *downFrom(end: number, key: string): Generator<number> {
    const held = this.#places.get(key) ?? [];
    const list = typeof held === 'number' ? [held] : held;
    for (let at = firstFrom(list, end) - 1; at >= 0; at -= 1) yield list[at] ?? 0;
  }

  /** Ascending. */
  *within(key: string, first: number, end: number): Generator<number> {
    const held = this.#places.get(key) ?? [];
    const list = typeof held === 'number' ? [held] : held;
    for (let at = firstFrom(list, first); at < list.length; at += 1) {
      const place = list[at] ?? end;
      if (place >= end) return;
      yield place;
    }
  }
}

function firstFrom(list: readonly number[], from: number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  return low;
}
