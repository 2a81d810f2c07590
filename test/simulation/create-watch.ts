import type { CreateProjectRequest } from '../../src/contract/document.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { Caller, CreateSeen, Watch } from './simulated-service.ts';

/** Half a day: cron comes once a night. */
const NIGHT_MS = 12 * 3_600_000;

interface Doubt {
  /** The last instant at which a request of this row may have been on its way without a proof of what became of it. */
  readonly since: number;
}

/**
 * Watches every create as it arrives, and holds it against the protocol: the intent is on record, no doubt is younger than the quarantine, a
 * search has been answered after it, and every attempt sends the same.
 */
export class CreateWatch implements Watch {
  readonly violations: string[] = [];
  attempts = 0;
  /** Creates that allow a duplicate, after an attempt of which nobody knows what became of it. */
  repeatedDuplicates = 0;
  readonly #clock: { now(): number };
  readonly #ledger: Ledger;
  readonly #quarantineMs: number;
  readonly #mayDuplicate: (tag: string) => boolean;
  readonly #doubts = new Map<string, Doubt>();
  readonly #inFlight = new Map<string, Caller>();
  readonly #bodies = new Map<string, string>();
  readonly #searches = new Map<string, number>();

  constructor(clock: { now(): number }, ledger: Ledger, quarantineMs: number, mayDuplicate: (tag: string) => boolean) {
    this.#clock = clock;
    this.#ledger = ledger;
    this.#quarantineMs = quarantineMs;
    this.#mayDuplicate = mayDuplicate;
  }

  sent(create: CreateSeen): void {
    const { tag, body, by } = create;
    this.attempts += 1;
    void this.#checkIntent(create);
    if (this.#inFlight.has(tag)) this.#violated(tag, 'is sent while it is under way already');
    this.#inFlight.set(tag, by);
    const doubt = this.#doubts.get(tag);
    if (doubt !== undefined) this.#checkDoubt(tag, body, doubt);
    if (body.allowDuplication !== false && !this.#mayDuplicate(tag))
      this.#violated(tag, 'is sent without saying that no duplicate is wanted');
    const frozen = JSON.stringify({ ...body, allowDuplication: undefined });
    if ((this.#bodies.get(tag) ?? frozen) !== frozen) this.#violated(tag, 'is sent with another payload than before');
    this.#bodies.set(tag, frozen);
  }

  answered({ tag, by }: CreateSeen, proven: boolean): void {
    // A process that died meanwhile, or was taken over for, never hears it: what it had under way stays in doubt.
    if (this.#inFlight.get(tag) !== by) return;
    this.#inFlight.delete(tag);
    if (!proven) this.#doubts.set(tag, { since: this.#clock.now() });
  }

  searched(
    { inspectionNumber, policyNumber }: { inspectionNumber: string | undefined; policyNumber: string | undefined },
    arrivedAt: number,
  ): void {
    this.#searches.set(searchKey(inspectionNumber, policyNumber), arrivedAt);
  }

  /** Another process takes over: whatever was under way, by these callers or by anybody, is in doubt from now on. */
  restarted(callers?: ReadonlySet<Caller>): void {
    for (const [tag, caller] of this.#inFlight) {
      if (callers?.has(caller) === false) continue;
      this.#doubts.set(tag, { since: this.#clock.now() });
      this.#inFlight.delete(tag);
    }
  }

  /** Reads what is on record at this very instant: the ledger answers reads in the turn that asks. */
  async #checkIntent({ tag }: CreateSeen): Promise<void> {
    const submitting = await this.#ledger.ordersIn('submitting', 0, 1000);
    const order = submitting.find(({ payload }) => payload.insuredPhone === tag);
    if (order === undefined || order.attempts === 0 || order.idBound === null)
      this.#violated(tag, 'is sent before its attempt is on record');
  }

  #checkDoubt(
    tag: string,
    { inspectionNumber, policyNumber, allowDuplication }: CreateProjectRequest,
    { since }: Doubt,
  ): void {
    const from = since + this.#quarantineMs;
    if (this.#clock.now() < from)
      this.#violated(tag, `is sent again ${this.#clock.now() - since} ms after it came into doubt`);
    if (allowDuplication !== false) {
      this.repeatedDuplicates += 1;
      if (this.#clock.now() < since + NIGHT_MS)
        this.#violated(tag, 'allows a duplicate and is sent again in the night in which it came into doubt');
    }
    const keys = [
      inspectionNumber && searchKey(inspectionNumber, undefined),
      policyNumber && searchKey(undefined, policyNumber),
    ].filter((key) => typeof key === 'string' && key !== '');
    for (const key of keys.length === 0 ? [searchKey(undefined, undefined)] : keys) {
      if ((this.#searches.get(String(key)) ?? 0) < from)
        this.#violated(tag, 'is sent again without a search after the quarantine');
    }
    this.#doubts.delete(tag);
  }

  #violated(tag: string, what: string): void {
    this.violations.push(`${tag} ${what}`);
  }
}

function searchKey(inspectionNumber: string | undefined, policyNumber: string | undefined): string {
  return JSON.stringify([inspectionNumber ?? null, policyNumber ?? null]);
}
