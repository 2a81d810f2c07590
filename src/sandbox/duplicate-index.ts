import { DUPLICATE_WINDOW_DAYS, type CreateProjectRequest } from '../contract/project.ts';
import { Postings } from './postings.ts';

/** What of an order searches and the duplicate rules compare. */
export interface ProjectKeys {
  readonly policyNumber: string | undefined;
  readonly policyEffectiveDate: string | undefined;
  readonly inspectionNumber: string | undefined;
  readonly serviceName: string;
  readonly insuredBy: string | undefined;
  /** As `addressKey` makes it. */
  readonly address: string;
}

export function keysOf(request: CreateProjectRequest): ProjectKeys {
  const { policyNumber, policyEffectiveDate, inspectionNumber, serviceName, insuredBy } = request;
  return { policyNumber, policyEffectiveDate, inspectionNumber, serviceName, insuredBy, address: addressKey(request) };
}

/** Which rule of the document (Errors, Duplicate-project rules) found a duplicate. */
export type DuplicateRule = 'policy number and effective date' | 'inspection number' | 'commercial address';

/** Which projects a duplicate check looks at. */
interface Known {
  readonly now: number;
  /** Those at places below it. */
  readonly end: number;
  readonly at: (place: number) => { readonly createdAt: number; readonly policyEffectiveDate: string | undefined };
}

const WINDOW_MS = DUPLICATE_WINDOW_DAYS * 86_400_000;

/** Finds projects by their keys, and duplicates by the document's rules, without looking at every project. A place is a project's number in the order of creation. */
export class DuplicateIndex {
  readonly byInspectionNumber = new Postings();
  readonly byPolicyNumber = new Postings();
  readonly #byAddress = new Postings();
  /** By place: the number of its processed-by and insured-by. */
  readonly #scopes: number[] = [];
  readonly #scopeNumbers = new Map<string, number>();
  readonly #keylessAreDuplicates: boolean;

  /** `keylessAreDuplicates`: rule 2 read literally, so that projects with neither number are compared as well. */
  constructor(keylessAreDuplicates: boolean) {
    this.#keylessAreDuplicates = keylessAreDuplicates;
  }

  /** Takes in the project at the next place. */
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
   * The newest duplicate of a request, or undefined. Rules 1 to 4 of the document: only projects of the past 30 days (the thirtieth day
   * included) with the same actor and insured-by; by inspection number where the request has one, else by policy number and effective
   * date; a commercial request by address too, whatever the other project's policy type. With neither number there is nothing to compare
   * (READING 4), and so no duplicate, unless the index was made to read rule 2 literally.
   */
  find(request: CreateProjectRequest, actor: string, { now, end, at }: Known): { readonly rule: DuplicateRule; readonly place: number } | undefined {
    const scope = this.#scopeOf(actor, request.insuredBy);
    const newest = (index: Postings, key: string, agrees: (place: number) => boolean = () => true): number | undefined => {
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
      const place = newest(this.byPolicyNumber, request.policyNumber ?? '', (other) => (at(other).policyEffectiveDate ?? '') === effective);
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

/** Case, white space and punctuation do not make another address; of a ZIP code the first five digits count. */
export function addressKey(request: Pick<CreateProjectRequest, 'streetAddress' | 'city' | 'state' | 'zipcode'>): string {
  return `${comparable(request.streetAddress)}|${comparable(request.city)}|${request.state}|${request.zipcode.slice(0, 5)}`;
}

/** Text as it is compared: without regard to case, white space and punctuation. */
export function comparable(text: string): string {
  // Nearly all text is plain, and for plain text there is a shorter way to the same end.
  if (/^[ -~]*$/.test(text)) return text.toLowerCase().replaceAll(/[^a-z\d]+/g, ' ').trim();
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\p{P}\p{S}\s]+/gu, ' ')
    .trim();
}
