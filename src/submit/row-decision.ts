import { format } from 'date-fns/format';
import {
  addressKey,
  contentReference,
  identityKind,
  identityOf,
  isCommercial,
  isSameHouse,
  keyOfRenewal,
  keyOfRepeat,
  numbersIn,
  payloadHash,
  policyKey,
  subjectKey,
} from '../domain/identity.ts';
import {
  hasDetails,
  type OrderPayload,
  type Problem,
  type Repair,
  type RowOutcome,
  rowProblem,
  type SheetLayout,
} from '../domain/row.ts';
import type { FileTransaction } from '../ledger/files.ts';
import type { OrderLookup, ProjectEnd, RowKeys } from '../ledger/lookups.ts';
import type { NewOrder, OrderRecord } from '../ledger/orders.ts';
import type { NewRow, RowSummary } from '../ledger/rows.ts';
import { isScratchOrder } from '../ledger/scratch-ledger.ts';
import { repeatNews, type RepeatReason } from '../ledger/store.ts';
import { couldBeTheSameBesidesNumber, type KnownRows } from './known-rows.ts';
import { changedWarning, choicesFor, differencesOf } from './order-changes.ts';
import { type DatedOrder, repeatOrRenewal, termOf } from './repeat-or-renewal.ts';

export type OnDuplicate = 'link' | 'skip' | 'reject' | 'create';
export type WhenNoKey = 'mark' | 'mint' | 'hold';

export interface OrderingRules {
  readonly onDuplicate: OnDuplicate;
  readonly whenNoKey: WhenNoKey;
  /** In days after the newest order of its identity; null: no row is a renewal. */
  readonly renewalAfterDays: number | null;
}

export type RowDecision =
  | {
      readonly kind: 'order';
      readonly order: NewOrder;
      readonly repairs: readonly Repair[];
      readonly warnings: readonly Problem[];
    }
  /** `news`: reported once. `identity`: an additional identity for the order. */
  | {
      readonly kind: 'repeat';
      readonly of: Repeated;
      readonly why: string;
      readonly news?: Told | undefined;
      readonly identity?: string | undefined;
    }
  | { readonly kind: 'rejection'; readonly problems: readonly Problem[]; readonly of: Repeated | null };

/** The subject of the news, and the code of the advice. */
interface Told {
  readonly subject: string;
  readonly rule: string;
}

export interface Repeated {
  readonly order: OrderRecord;
  /** False: another order at a commercial row's address. */
  readonly sameIdentity: boolean;
}

type ValidRow = Extract<RowOutcome, { kind: 'order' }>;

/** The keys of orders that a row may repeat. */
export function rowKeysOf({ payload }: ValidRow): RowKeys {
  return {
    identity: identityOf(payload),
    policyKey: policyKey(payload),
    addressKey: isCommercial(payload) ? addressKey(payload) : null,
    subjectKey: subjectKey(payload),
  };
}

/** Decides, from the ledger alone, whether a valid row is a new order, repeats a recorded one, or goes back. */
export function decideRow(row: ValidRow, rules: OrderingRules, windowStart: number, ledger: OrderLookup): RowDecision {
  const keyless = identityKind(row.payload) === 'address';
  if (keyless && rules.whenNoKey === 'hold') return { kind: 'rejection', problems: [noKeyProblem()], of: null };
  const identity = identityOf(row.payload);
  const grounds = { rules, windowStart, ledger };
  const existing = findExisting(row, grounds);
  if (existing === null) return newOrder(row, identity, row.allowDuplication === true, grounds);
  const { repeated, why, news } = existing;
  const wish = wishOf(row, rules.onDuplicate);
  const clash = row.allowDuplication === true || !repeated.sameIdentity ? null : clashWith(row, existing, ledger);
  if (clash !== null && wish !== 'create') return { kind: 'rejection', problems: [clash], of: null };
  if (clash === null && existing.renewal !== null && row.allowDuplication !== true)
    return renewalOf(row, repeated.order, existing.renewal, grounds);
  switch (wish) {
    case 'link':
    case 'skip':
      return { kind: 'repeat', of: repeated, why, news, identity: existing.isKnownByNumbers ? undefined : identity };
    case 'reject':
      return { kind: 'rejection', problems: [repeatProblem(why)], of: repeated };
    case 'create':
      return orderAgain(row, identity, repeated.order, grounds);
  }
}

/** The row outranks the config. */
function wishOf(row: ValidRow, onDuplicate: OnDuplicate): OnDuplicate {
  if (row.allowDuplication === true) return 'create';
  return row.allowDuplication === false && onDuplicate === 'create' ? 'link' : onDuplicate;
}

interface Grounds {
  readonly rules: OrderingRules;
  readonly windowStart: number;
  readonly ledger: OrderLookup;
}

interface Existing {
  readonly repeated: Repeated;
  readonly why: string;
  readonly news?: Told | undefined;
  /** The date of the renewed term; null for a repeat. */
  readonly renewal: string | null;
  /** False if only house, service and insured match. */
  readonly isKnownByNumbers: boolean;
}

function findExisting(row: ValidRow, grounds: Grounds): Existing | null {
  const { payload } = row;
  const { windowStart, ledger } = grounds;
  const keys = rowKeysOf(row);
  const ofIdentity = ledger.ordersOf(keys);
  const same = existingAmong(row, ofIdentity, grounds);
  const ofSubject =
    same !== null && same.renewal === null
      ? null
      : existingAmong(
          row,
          ledger.ordersOfSubject(keys.subjectKey, windowStart).filter((order) => lacksNumbers(payload, order, ledger)),
          grounds,
        );
  // Its renewal may have been ordered with other numbers. Nothing renews an order known only by its house.
  const found = ofSubject !== null && ofSubject.renewal === null ? ofSubject : same;
  if (!isCommercial(payload) || (found !== null && found.renewal === null)) return found;
  const neighbour = ledger.findOrderAtAddress(addressKey(payload), windowStart);
  return neighbour === null
    ? found
    : {
        repeated: { order: neighbour, sameIdentity: false },
        why: `This address was ordered within the past 30 days, and the service takes a commercial property there for a duplicate: ${orderInWords(neighbour, ledger)}.`,
        renewal: null,
        isKnownByNumbers: true,
      };
}

/** Orders for another inspection count only if there are no others. */
function existingAmong(row: ValidRow, orders: readonly OrderRecord[], grounds: Grounds): Existing | null {
  const { payload } = row;
  const { ledger, rules } = grounds;
  const identity = identityOf(payload);
  const own = orders.filter((order) => !isForAnother(payload, order, ledger));
  const candidates = (own.length > 0 ? own : orders).map((order) => ({
    order,
    dates: [order.payload, ...(order.projectId === null ? [] : [amendedPayload(order, ledger)])],
    // Living orders first; of those, the ones with the row's own identity.
    rank: (endOf(order, ledger) === null ? 0 : 2) + (order.identity === identity ? 0 : 1),
  }));
  const [first, ...rest] = candidates.toSorted((one, other) => one.rank - other.rank);
  if (first === undefined) return null;
  const isDated = identityKind(payload) === 'policy' && Boolean(payload.policyEffectiveDate);
  const found =
    isDated && hasKeyOf(payload, first.order, ledger)
      ? ({ kind: 'repeat', of: first, isSame: true } as const)
      : repeatOrRenewal(payload, [first, ...rest], rules.renewalAfterDays);
  const { order } = found.of;
  const isKnownByNumbers = hasKeyOf(payload, order, ledger);
  const words = isKnownByNumbers
    ? sameIdentityWords(payload)
    : 'This service for this insured at this address, with numbers where one of the two has none,';
  const age =
    order.createdAt >= grounds.windowStart
      ? ''
      : ' The service compares only the past 30 days, and would not see that it is the same.';
  const told =
    found.kind === 'repeat' ? newsOf(row, found.of, { isSame: found.isSame, isKnownByNumbers }, grounds) : null;
  return {
    repeated: { order, sameIdentity: true },
    why: `${words} ${isScratchOrder(order) ? 'came before' : 'is on record already'}: ${orderInWords(order, ledger)}.${age}${told === null ? '' : ` ${told.words}`}`,
    news:
      told === null
        ? undefined
        : { subject: repeatNews(order.id, told.reason, told.date), rule: `repeat-${told.reason}` },
    renewal: found.kind === 'renewal' ? found.date : null,
    isKnownByNumbers,
  };
}

/** Null if there is nothing to tell. Another date makes new news. */
function newsOf(
  { payload }: ValidRow,
  { order, dates }: { readonly order: OrderRecord } & DatedOrder,
  { isSame, isKnownByNumbers }: { readonly isSame: boolean; readonly isKnownByNumbers: boolean },
  { windowStart, ledger }: Grounds,
): { readonly reason: RepeatReason; readonly words: string; readonly date?: string } | null {
  const end = endOf(order, ledger);
  if (end !== null) return { reason: end, words: `${ENDED[end]}: to order it again, put Yes under "Allow duplicate".` };
  const otherwise = 'if another inspection is wanted, put Yes under "Allow duplicate".';
  if (!isKnownByNumbers)
    return {
      reason: 'without-numbers',
      words: `One of the two rows lacks numbers that the other has, and it is taken for the same order: ${otherwise}`,
    };
  const date = termOf(payload);
  if (date === null)
    return order.createdAt >= windowStart
      ? null
      : {
          reason: 'undated',
          words: `The row has no date that could show whether it is for a new term: ${otherwise}`,
        };
  if (isSame) return null;
  const was = dates.map((each) => termOf(each)).find((each) => each !== null) ?? 'not dated';
  return {
    reason: 'other-date',
    date,
    words: `The row is dated ${date}, and that order ${was}, which is not a renewal: ${otherwise}`,
  };
}

const ENDED: Readonly<Record<ProjectEnd, string>> = {
  canceled: 'That project was canceled',
  'closed-out': 'That project was closed out without an inspection',
  'given-up': 'That project was given up, and is not followed any more',
};

function endOf({ projectId }: OrderRecord, ledger: OrderLookup): ProjectEnd | null {
  return projectId === null ? null : ledger.endOfProject(projectId);
}

/** The same policy and date for another house or service, or the same number for another house. */
function isForAnother(payload: OrderPayload, order: OrderRecord, ledger: OrderLookup): boolean {
  switch (identityKind(payload)) {
    case 'policy':
      return !isSameInspection(payload, order, ledger);
    case 'inspection':
      return isNumberUsedTwice(payload, order, ledger);
    case 'address':
      return false;
  }
}

/** Whether an order has the row's key, as ordered or as amended; without a key, house, service and insured decide. */
function hasKeyOf(payload: OrderPayload, order: OrderRecord, ledger: OrderLookup): boolean {
  const kind = identityKind(payload);
  return [order.payload, amendedPayload(order, ledger)]
    .map((ordered) => withoutMinted(ordered, order))
    .some(
      (ordered) =>
        identityKind(ordered) === kind && (kind === 'address' || identityOf(ordered) === identityOf(payload)),
    );
}

/** For the same house, service and insured: whether only one side lacks numbers. */
function lacksNumbers(payload: OrderPayload, order: OrderRecord, ledger: OrderLookup): boolean {
  const numbersOf = ({ inspectionNumber, policyNumber, policyEffectiveDate }: OrderPayload): readonly string[] =>
    // With a policy number, the date is part of the key.
    [inspectionNumber, policyNumber, policyNumber && policyEffectiveDate].map((number) => number ?? '');
  const [mine, theirs] = [numbersOf(payload), numbersOf(withoutMinted(amendedPayload(order, ledger), order))];
  const lacks = (one: readonly string[], other: readonly string[]): boolean =>
    one.every((number, index) => number === '' || number === other[index]) && one.join() !== other.join();
  if (!lacks(mine, theirs) && !lacks(theirs, mine)) return false;
  // A row with other numbers may already be tied to this order.
  return !ledger
    .alsoKnownBy(order)
    .some((identity) =>
      numbersIn(identity).some(
        (known, index) => theirs[index] === '' && known !== '' && mine[index] !== '' && known !== mine[index],
      ),
    );
}

function withoutMinted(payload: OrderPayload, { reference }: OrderRecord): OrderPayload {
  return reference !== null && payload.inspectionNumber === reference ? { ...payload, inspectionNumber: '' } : payload;
}

function amendedPayload({ payload, projectId }: OrderRecord, ledger: OrderLookup): OrderPayload {
  return projectId === null ? payload : { ...payload, ...ledger.amendedPolicy(projectId) };
}

function renewalOf(row: ValidRow, renewed: OrderRecord, date: string, grounds: Grounds): RowDecision {
  const { ledger } = grounds;
  const key = keyOfRenewal(identityOf(row.payload), date);
  const before = ledger.findLivingOrder(key);
  if (before !== null)
    return {
      kind: 'repeat',
      of: { order: before, sameIdentity: true },
      why: `This renewal is on record already: ${orderInWords(before, ledger)}.`,
    };
  const decision = newOrder(row, key, false, grounds);
  if (decision.kind !== 'order') return decision;
  const message = `A renewal of ${renewed.projectId === null ? `order ${renewed.id}` : `project ${renewed.projectId}`}: ${orderInWords(renewed, ledger)}.`;
  return {
    ...decision,
    order: { ...decision.order, renews: renewed.id },
    warnings: [rowProblem('warning', 'renewal', message), ...decision.warnings],
  };
}

function sameIdentityWords(payload: OrderPayload): string {
  switch (identityKind(payload)) {
    case 'inspection':
      return `Inspection number ${payload.inspectionNumber ?? ''}`;
    case 'policy':
      return `Policy number ${payload.policyNumber ?? ''} with effective date ${payload.policyEffectiveDate ?? '(none)'}`;
    case 'address':
      return `This service for this insured at this address`;
  }
}

/** Why a row with an order's key goes back all the same, with the choices; null if it is a repeat. */
function clashWith(row: ValidRow, { repeated: { order }, renewal }: Existing, ledger: OrderLookup): Problem | null {
  const { payload } = row;
  if (isForAnother(payload, order, ledger)) {
    const toProblem = identityKind(payload) === 'policy' ? policyUsedTwiceProblem : numberUsedTwiceProblem;
    return toProblem(payload, order, ledger);
  }
  // The row went back before that order, which was wanted as a second one.
  const wasMeantAsSecond =
    renewal === null &&
    order.rowWish === true &&
    row.record.correctsRow !== null &&
    differencesOf(order, payload).length > 0;
  return wasMeantAsSecond ? meantAsSecondProblem(payload, order, ledger) : null;
}

function isSameInspection(payload: OrderPayload, order: OrderRecord, ledger: OrderLookup): boolean {
  return order.payload.serviceName === payload.serviceName && isAtHouseOf(payload, order, ledger);
}

function isAtHouseOf(payload: OrderPayload, order: OrderRecord, ledger: OrderLookup): boolean {
  // Only the address key survives when details are forgotten.
  return hasDetails(order.payload)
    ? isSameHouse(payload, order.payload)
    : ledger.findOrderAtAddress(addressKey(payload), 0)?.id === order.id;
}

/** Address, insured and policy number all differ: a repeat would leave the row's house without an inspection. */
function isNumberUsedTwice(
  payload: OrderPayload,
  { payload: ordered, projectId }: OrderRecord,
  ledger: OrderLookup,
): boolean {
  if (couldBeTheSameBesidesNumber(namesIn(payload), namesIn(ordered))) return false;
  return (
    projectId === null ||
    !couldBeTheSameBesidesNumber(namesIn(payload), namesIn({ ...ordered, ...ledger.amendedPolicy(projectId) }))
  );
}

/** Empty if the order's details are forgotten: then not comparable. */
function namesIn({ inspectionNumber = '', policyNumber = '', insuredName, streetAddress }: OrderPayload): RowSummary {
  return { inspectionNumber, policyNumber, insuredName, streetAddress };
}

export function orderInWords(order: Pick<OrderRecord, 'id' | 'projectId' | 'createdAt'>, ledger: OrderLookup): string {
  const place = ledger.placeOfOrder(order);
  const row = place === null ? `order ${order.id}` : `row ${place.rowNumber} of sheet ${place.sheet} in ${place.file}`;
  if (isScratchOrder(order)) return row;
  const when = format(order.createdAt, 'yyyy-MM-dd');
  return order.projectId === null
    ? `${row}, on record since ${when}`
    : `${row}, ordered on ${when} as project ${order.projectId}`;
}

/** Gives a wanted repeat a content-based identity, so that dropping the row once more makes no third order. */
function orderAgain(row: ValidRow, identity: string, existing: OrderRecord, grounds: Grounds): RowDecision {
  const { rules, ledger } = grounds;
  const isOver = (order: OrderRecord): boolean => row.allowDuplication === true && isCanceled(order, ledger);
  if (
    existing.allowDuplication &&
    !isOver(existing) &&
    hashOf(existing) === payloadHash(finalPayload(row.payload, existing.identity, rules).payload)
  ) {
    return {
      kind: 'repeat',
      of: { order: existing, sameIdentity: true },
      why: `This very row is on record already: ${orderInWords(existing, ledger)}.`,
    };
  }
  // Next to a neighbor at a commercial address, the row's own identity is still free.
  const isFree = ledger.findLivingOrder(identity) === null && ledger.findOrderedAgain(identity) === null;
  const again = isFree ? identity : keyOfRepeat(identity, row.payload);
  for (let time = 2, key = again; ; time += 1, key = `${again}#${time}`) {
    const before = ledger.findLivingOrder(key);
    if (before === null) return newOrder(row, key, true, grounds);
    if (!isOver(before))
      return {
        kind: 'repeat',
        of: { order: before, sameIdentity: true },
        why: `This very row was ordered again already: ${orderInWords(before, ledger)}.`,
      };
  }
}

function hashOf({ payload, payloadHash: kept }: OrderRecord): string {
  return hasDetails(payload) ? payloadHash(payload) : kept;
}

function isCanceled(order: OrderRecord, ledger: OrderLookup): boolean {
  return endOf(order, ledger) === 'canceled';
}

function newOrder(
  row: ValidRow,
  identity: string,
  allowDuplication: boolean,
  { rules, windowStart, ledger }: Grounds,
): RowDecision {
  const { payload, reference, repairs } = finalPayload(row.payload, identity, rules);
  const policy = policyKey(row.payload);
  return {
    kind: 'order',
    repairs,
    warnings: policyWarnings(row.payload, policy, windowStart, ledger),
    order: {
      identity,
      addressKey: addressKey(row.payload),
      policyKey: policy,
      subjectKey: subjectKey(row.payload),
      renews: null,
      payload,
      get payloadHash() {
        return payloadHash(payload);
      },
      allowDuplication,
      rowWish: row.allowDuplication ?? null,
      reference,
    },
  };
}

/** The payload of every attempt, with a reference if the service has no key of its own for the order. */
export function finalPayload(
  payload: OrderPayload,
  identity: string,
  rules: OrderingRules,
): { readonly payload: OrderPayload; readonly reference: string | null; readonly repairs: readonly Repair[] } {
  if (identityKind(payload) !== 'address') return { payload, reference: null, repairs: [] };
  const reference = contentReference({ identity, payload });
  if (rules.whenNoKey === 'mint') {
    const why =
      'The row has neither an inspection number nor a policy number: this reference was made from its content.';
    return {
      payload: { ...payload, inspectionNumber: reference },
      reference,
      repairs: [{ field: 'inspectionNumber', column: '', cell: '', held: '', sent: reference, why }],
    };
  }
  const note = payload.note === undefined ? `[ref ${reference}]` : `${payload.note} [ref ${reference}]`;
  const why =
    'The row has neither an inspection number nor a policy number: this reference lets the order be found again.';
  return {
    payload: { ...payload, note },
    reference,
    repairs: [{ field: 'note', column: '', cell: '', held: payload.note ?? '', sent: note, why }],
  };
}

/** The service compares policy and date only for rows without a number, within 30 days (READING 3, 5). */
function policyWarnings(
  payload: OrderPayload,
  policy: string | null,
  windowStart: number,
  ledger: OrderLookup,
): readonly Problem[] {
  const other = policy === null ? null : ledger.findOrderOfPolicy(policy);
  if (other === null || (other.payload.inspectionNumber ?? '') === (payload.inspectionNumber ?? '')) return [];
  const seen = !payload.inspectionNumber && other.createdAt >= windowStart;
  const under = other.payload.inspectionNumber
    ? `under inspection number ${other.payload.inspectionNumber}`
    : 'without an inspection number';
  const isElsewhere = !isAtHouseOf(payload, other, ledger);
  const ofWhat = isElsewhere
    ? ', for another house'
    : other.payload.serviceName === payload.serviceName
      ? ''
      : `, for another service, ${other.payload.serviceName}`;
  // Never suggest canceling the order of another house or service.
  const unseen =
    ofWhat === ''
      ? 'The service does not see this as a duplicate: if it is one, cancel one of the two.'
      : 'Both are ordered.';
  const message =
    `Policy ${payload.policyNumber ?? ''} with the same effective date ${isScratchOrder(other) ? 'came before' : 'is on record already'} ${under}${ofWhat}: ${orderInWords(other, ledger)}. ` +
    (seen ? 'The service takes this row, which has no inspection number, for a duplicate of it.' : unseen);
  return [
    rowProblem('warning', 'policy-ordered-under-another-number', message, {
      field: 'inspectionNumber',
      value: payload.inspectionNumber ?? '',
    }),
  ];
}

function policyUsedTwiceProblem(payload: OrderPayload, order: OrderRecord, ledger: OrderLookup): Problem {
  const { streetAddress, city, serviceName } = order.payload;
  const begins = `${sameIdentityWords(payload)} ${isScratchOrder(order) ? 'came before' : 'was ordered'}`;
  const where = orderInWords(order, ledger);
  if (isAtHouseOf(payload, order, ledger)) {
    const message = `${begins} for this house with another service, ${serviceName}: ${where}. If ${payload.serviceName} is wanted as well, put Yes under "Allow duplicate"; if not, remove the row.`;
    return rowProblem('error', 'policy-used-for-another-service', message);
  }
  const house = hasDetails(order.payload)
    ? `another house, ${streetAddress}, ${city}`
    : 'another house, whose details are no longer kept';
  const message =
    `${begins} for ${house}: ${where}. If the house of this row is to be inspected as well, put Yes under "Allow duplicate", or give the row an inspection number of its own. ` +
    'If it is the same house, write its address as it was ordered; if the row is a mistake, remove it.';
  return rowProblem('error', 'policy-used-for-another-house', message);
}

function meantAsSecondProblem(payload: OrderPayload, order: OrderRecord, ledger: OrderLookup): Problem {
  const message =
    `While this row waited to be corrected, another one with Yes under "Allow duplicate" was ordered: ${sameIdentityWords(payload)}, ${orderInWords(order, ledger)}. ` +
    'If this one is to be ordered as well, put Yes under "Allow duplicate" here too; if that order is enough, remove the row.';
  return rowProblem('error', 'ordered-while-it-waited', message);
}

function noKeyProblem(): Problem {
  return rowProblem(
    'error',
    'no-key',
    'The row has neither an inspection number nor a policy number, so the service could not tell a second order from the first. Give it one of the two.',
  );
}

function repeatProblem(why: string): Problem {
  return rowProblem(
    'error',
    'duplicate',
    `${why} If a second inspection is wanted, put Yes under "Allow duplicate"; otherwise remove the row.`,
  );
}

function numberUsedTwiceProblem(
  { inspectionNumber = '' }: OrderPayload,
  order: OrderRecord,
  ledger: OrderLookup,
): Problem {
  const { streetAddress, city, insuredName } = order.payload;
  const message =
    `Inspection number ${inspectionNumber} ${isScratchOrder(order) ? 'came before for another house' : 'was used for another house'}: ${streetAddress}, ${city}, of ${insuredName} (${orderInWords(order, ledger)}). ` +
    'Neither address nor insured nor policy number is the same, so this row is not taken for a repeat of it. Give it an inspection number of its own, or, if it is the same order, correct what differs. ' +
    'If both are to be ordered under this number, put Yes under "Allow duplicate".';
  return rowProblem('error', 'number-used-twice', message, { field: 'inspectionNumber', value: inspectionNumber });
}

type ToldRow = Pick<NewRow, 'outcome' | 'problems' | 'repairs' | 'changes' | 'news'>;

/** `decision`: null if the row is wrong. */
export interface DecidedRow {
  readonly row: NewRow;
  readonly decision: RowDecision | null;
}

/**
 * Turns a row into its record, and records a new order. `known` reports whether it was ordered before with other
 * numbers.
 */
export function decidedRow(
  outcome: RowOutcome,
  transaction: FileTransaction,
  rules: OrderingRules,
  windowStart: number,
  layouts: readonly SheetLayout[],
  known?: Pick<KnownRows, 'orderedBefore'>,
): DecidedRow {
  const { record } = outcome;
  const layout = layouts.find(({ sheet }) => sheet === record.place.sheet);
  const summary = summaryOf(outcome, layout);
  if (outcome.kind === 'rejection')
    return {
      row: {
        record,
        summary,
        outcome: 'rejection',
        orderId: null,
        problems: outcome.problems,
        repairs: outcome.repairs,
      },
      decision: null,
    };
  const decided = decideRow(outcome, rules, windowStart, transaction);
  const before =
    decided.kind !== 'order' || wishOf(outcome, rules.onDuplicate) === 'create'
      ? null
      : (known?.orderedBefore({ record, summary }) ?? null);
  const decision: RowDecision = before === null ? decided : { kind: 'rejection', problems: [before], of: null };
  return {
    row: {
      record,
      summary,
      orderId: orderIdOf(decision, transaction),
      ...tell(outcome, decision, transaction, layout),
    },
    decision,
  };
}

function orderIdOf(decision: RowDecision, transaction: FileTransaction): number | null {
  switch (decision.kind) {
    case 'order':
      return transaction.addOrder(decision.order);
    case 'repeat':
      if (decision.identity !== undefined) transaction.addIdentity(decision.identity, decision.of.order);
      return decision.of.order.id;
    case 'rejection':
      return null;
  }
}

function tell(
  row: Extract<RowOutcome, { kind: 'order' }>,
  decision: RowDecision,
  ledger: OrderLookup,
  layout: SheetLayout | undefined,
): ToldRow {
  const { warnings, repairs } = row;
  if (decision.kind === 'order')
    return {
      outcome: 'order',
      problems: [...warnings, ...decision.warnings],
      repairs: [...repairs, ...decision.repairs],
    };
  const { changes, told } =
    decision.of === null ? { changes: [], told: [] } : changesOf(row, decision.of, ledger, layout);
  const common = { repairs, ...(changes.length === 0 ? {} : { changes }) };
  if (decision.kind === 'repeat') {
    const { why, news } = decision;
    return {
      ...common,
      ...(news !== undefined && { news: news.subject }),
      outcome: 'repeat',
      problems: [...warnings, rowProblem('warning', news?.rule ?? 'repeat', why), ...told],
    };
  }
  return { ...common, outcome: 'rejection', problems: [...decision.problems, ...told, ...warnings] };
}

function changesOf(
  { payload }: Extract<RowOutcome, { kind: 'order' }>,
  { order, sameIdentity }: Repeated,
  ledger: OrderLookup,
  layout: SheetLayout | undefined,
) {
  if (!sameIdentity || !hasDetails(order.payload)) return { changes: [], told: [] };
  const standing = { ...order, payload: amendedPayload(order, ledger) };
  // A column that the file lacks is no change.
  const columns = new Set<string | null>(layout?.columns.map(({ field }) => field));
  const changes = differencesOf(standing, payload).filter(({ field, now }) => now !== '' || columns.has(field));
  if (changes.length === 0) return { changes, told: [] };
  const status = order.projectId === null ? null : ledger.statusOfProject(order.projectId);
  return { changes, told: [changedWarning(changes, choicesFor(changes, order, status))] };
}

function summaryOf(outcome: RowOutcome, layout: SheetLayout | undefined): RowSummary {
  const held = (field: keyof RowSummary): string => {
    if (outcome.kind === 'order') return outcome.payload[field] ?? '';
    const column = layout?.columns.find((candidate) => candidate.field === field);
    const cell = column === undefined ? undefined : outcome.record.cells[column.index];
    if (cell === undefined) return '';
    return cell.kind === 'text' ? cell.text : cell.kind === 'number' || cell.kind === 'date' ? cell.raw : '';
  };
  const agentName = held('agentName');
  return {
    policyNumber: held('policyNumber'),
    inspectionNumber: held('inspectionNumber'),
    insuredName: held('insuredName'),
    streetAddress: held('streetAddress'),
    ...(agentName === '' ? {} : { agentName }),
  };
}
