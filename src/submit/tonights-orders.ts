import { houseKey, payloadHash } from '../domain/identity.ts';
import type { RowPlace } from '../domain/row.ts';
import type { DuplicateKey, KnownProject, KnownProjects, OrderLookup } from '../ledger/lookups.ts';
import type { NewOrder, OrderRecord } from '../ledger/orders.ts';
import type { TextSpool } from '../ops/text-spool.ts';
import { KeyIndex, type KeySpace, keySpace } from './key-index.ts';

/** Whether the service will have a project of its own for an order, once it was sent. */
export type Existence = 'certain' | 'open' | 'none';

/** What an order is found by. */
const BY = { identity: keySpace(1), address: keySpace(2), policy: keySpace(3), policyAtHouse: keySpace(7) };

/** What the service finds it by, among projects with the same insured-by. */
interface ServiceKeys {
  readonly inspection: KeySpace;
  readonly policy: KeySpace;
  readonly address: KeySpace;
}

function serviceKeys(insuredBy: string): ServiceKeys {
  return { inspection: keySpace(4, insuredBy), policy: keySpace(5, insuredBy), address: keySpace(6, insuredBy) };
}

type Kept = Pick<NewOrder, 'identity' | 'payload' | 'reference' | 'allowDuplication' | 'rowWish'>;

/**
 * The orders that tonight's files would place, for a forecast: nothing of them is on record. A few numbers an order stand in memory, its
 * details in the spool. They are known by negative ids, and come after everything on record.
 */
export class TonightsOrders implements OrderLookup, KnownProjects {
  readonly #spool: TextSpool;
  readonly #now: number;
  readonly #index = new KeyIndex();
  /** By order: where its details are in the spool, the number of its file and sheet, its row, and whether the service has it. */
  readonly #detailsAt: number[] = [];
  readonly #sheetOf: number[] = [];
  readonly #rowOf: number[] = [];
  readonly #certain: boolean[] = [];
  readonly #sheets: Omit<RowPlace, 'rowNumber'>[] = [];
  #insuredBy = '';
  #serviceKeys = serviceKeys('');

  constructor(spool: TextSpool, now: number) {
    this.#spool = spool;
    this.#now = now;
  }

  add(order: NewOrder, place: RowPlace, existence: Existence): void {
    const { identity, payload, reference, allowDuplication, rowWish } = order;
    const kept: Kept = { identity, payload, reference, allowDuplication, rowWish };
    const number = this.#detailsAt.push(this.#spool.append(JSON.stringify(kept))) - 1;
    this.#sheetOf.push(this.#sheetNumber(place));
    this.#rowOf.push(place.rowNumber);
    this.#certain.push(existence === 'certain');
    this.#index.set(BY.identity, identity, number);
    this.#index.set(BY.address, order.addressKey, number);
    if (order.policyKey !== null) this.#index.set(BY.policy, order.policyKey, number);
    if (order.policyKey !== null && !payload.inspectionNumber) this.#index.set(BY.policyAtHouse, policyAtHouse(order.policyKey, payload), number);
    if (existence !== 'none') this.#addProject(order, number);
  }

  #addProject({ payload, addressKey: address }: NewOrder, number: number): void {
    const { insuredBy = '', inspectionNumber, policyNumber = '', policyEffectiveDate = '' } = payload;
    const keys = this.#keysOf(insuredBy);
    if (inspectionNumber) this.#index.set(keys.inspection, inspectionNumber, number);
    this.#index.set(keys.policy, dated(policyNumber, policyEffectiveDate), number);
    this.#index.set(keys.address, address, number);
  }

  findLivingOrder(identity: string): OrderRecord | null {
    return this.#record(this.#index.get(BY.identity, identity));
  }

  findOrderAtAddress(address: string): OrderRecord | null {
    return this.#record(this.#index.get(BY.address, address));
  }

  findOrderOfPolicy(policy: string): OrderRecord | null {
    return this.#record(this.#index.get(BY.policy, policy));
  }

  findOrderOfPolicyAt(policy: string, house: Parameters<OrderLookup['findOrderOfPolicyAt']>[1]): OrderRecord | null {
    return this.#record(this.#index.get(BY.policyAtHouse, policyAtHouse(policy, house)));
  }

  placeOfOrder({ id }: Pick<OrderRecord, 'id'>): RowPlace | null {
    const number = -id - 1;
    const sheet = this.#sheets[this.#sheetOf[number] ?? -1];
    return sheet === undefined ? null : { ...sheet, rowNumber: this.#rowOf[number] ?? 0 };
  }

  statusOfProject(): null {
    return null;
  }

  amendedPolicy(): object {
    return {};
  }

  withInspectionNumber(inspectionNumber: string, { insuredBy }: DuplicateKey): KnownProject | null {
    return this.#project(this.#index.get(this.#keysOf(insuredBy).inspection, inspectionNumber));
  }

  withPolicy(policyNumber: string, effectiveDate: string, { insuredBy }: DuplicateKey): KnownProject | null {
    return this.#project(this.#index.get(this.#keysOf(insuredBy).policy, dated(policyNumber, effectiveDate)));
  }

  atAddress(address: string, { insuredBy }: DuplicateKey): KnownProject | null {
    return this.#project(this.#index.get(this.#keysOf(insuredBy).address, address));
  }

  /** Most rows of a file have the same insured-by as the row before. */
  #keysOf(insuredBy: string): ServiceKeys {
    if (this.#insuredBy !== insuredBy) {
      this.#insuredBy = insuredBy;
      this.#serviceKeys = serviceKeys(insuredBy);
    }
    return this.#serviceKeys;
  }

  #project(number: number | undefined): KnownProject | null {
    return number === undefined ? null : { orderId: -number - 1, projectId: null, createdAt: this.#now, certain: this.#certain[number] === true };
  }

  #record(number: number | undefined): OrderRecord | null {
    if (number === undefined) return null;
    const kept = JSON.parse(this.#spool.read(this.#detailsAt[number] ?? 0)) as Kept;
    return {
      ...kept,
      id: -number - 1,
      state: 'ready',
      payloadHash: payloadHash(kept.payload),
      attempts: 0,
      idBound: null,
      uncertainSince: null,
      projectId: null,
      reason: null,
      createdAt: this.#now,
    };
  }

  #sheetNumber({ file, sheet }: RowPlace): number {
    const last = this.#sheets.at(-1);
    return last !== undefined && last.file === file && last.sheet === sheet ? this.#sheets.length - 1 : this.#sheets.push({ file, sheet }) - 1;
  }
}

function policyAtHouse(policy: string, house: Parameters<OrderLookup['findOrderOfPolicyAt']>[1]): string {
  return `${policy}\u0000${houseKey(house)}\u0000${house.serviceName}`;
}

function dated(policyNumber: string, effectiveDate: string): string {
  return `${policyNumber}\u0000${effectiveDate}`;
}

/** Tonight's orders in front of those on record: they are the newer ones. */
export function inFrontOf(tonight: TonightsOrders, onRecord: { readonly lookup: OrderLookup; readonly knownProjects: KnownProjects } | null): OrderLookup & KnownProjects {
  if (onRecord === null) return tonight;
  const { lookup, knownProjects } = onRecord;
  return {
    findLivingOrder: (identity) => tonight.findLivingOrder(identity) ?? lookup.findLivingOrder(identity),
    findOrderAtAddress: (address, since) => tonight.findOrderAtAddress(address) ?? lookup.findOrderAtAddress(address, since),
    findOrderOfPolicy: (policy) => tonight.findOrderOfPolicy(policy) ?? lookup.findOrderOfPolicy(policy),
    findOrderOfPolicyAt: (policy, house) => tonight.findOrderOfPolicyAt(policy, house) ?? lookup.findOrderOfPolicyAt(policy, house),
    placeOfOrder: (order) => (order.id < 0 ? tonight : lookup).placeOfOrder(order),
    statusOfProject: (projectId) => lookup.statusOfProject(projectId),
    amendedPolicy: (projectId) => lookup.amendedPolicy(projectId),
    withInspectionNumber: (inspectionNumber, key) => tonight.withInspectionNumber(inspectionNumber, key) ?? knownProjects.withInspectionNumber(inspectionNumber, key),
    withPolicy: (policyNumber, effectiveDate, key) => tonight.withPolicy(policyNumber, effectiveDate, key) ?? knownProjects.withPolicy(policyNumber, effectiveDate, key),
    atAddress: (address, key) => tonight.atAddress(address, key) ?? knownProjects.atAddress(address, key),
  };
}

