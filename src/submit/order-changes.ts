import { CANCELABLE_STATUSES } from '../contract/document.ts';
import { isSameHouse, comparableNumber } from '../domain/identity.ts';
import { STATUS_NOT_SEEN } from '../domain/project.ts';
import { type OrderPayload, rowProblem } from '../domain/row.ts';
import { fieldNamed, ORDER_FIELDS } from '../intake/fields.ts';
import { sentence } from '../domain/sentences.ts';
import { sentText } from '../intake/values/coercion.ts';
import type { FieldChange, OrderRecord } from '../ledger/ledger.ts';
import { type ReferencedOrder, areTermsApart } from './order-and-project.ts';

/** The only two that the service can update, in any state. */
const UPDATE_FLAGS = new Map([
  ['policyNumber', '--policy-number'],
  ['policyEffectiveDate', '--effective-date'],
]);

export type ChangeChoice = Readonly<
  | { kind: 'amend'; project: string; fields: readonly string[]; command: string }
  /** `status`: null if never seen; only the service knows. */
  | { kind: 'cancel-and-order-again'; project: string; status: string | null }
  | { kind: 'order-again'; project: string }
  | { kind: 'too-late'; project: string; status: string }
  | { kind: 'not-ordered-yet' }
  | { kind: 'wait-until-settled'; order: number }
  | { kind: 'give-up-and-drop-again'; order: number }
  /** Last year's project never becomes this year's. */
  | { kind: 'another-term'; project: string }
  | { kind: 'not-ours' }
>;

/** Absent equals empty. The order of lists and our own reference do not count. */
export function differencesOf(order: ReferencedOrder, row: OrderPayload) {
  const ordered = withoutReference(order);
  return ORDER_FIELDS.flatMap(({ name }) => {
    if (name === 'allowDuplication') return [];
    const [before, now] = [textOf(name, ordered), textOf(name, row)];
    return comparable(name, before) === comparable(name, now) ? [] : [{ field: name, ordered: before, now }];
  });
}

/** Without another letter case, another spelling of the same house or number, lost zeros, and a number that is lacking. */
export function realChangesOf(order: ReferencedOrder, row: OrderPayload) {
  const isHouseAsBefore = isSameHouse(order.payload, row);
  return differencesOf(order, row).filter(({ field, ordered, now }) =>
    field === 'streetAddress' || field === 'city'
      ? !isHouseAsBefore
      : field.endsWith('Number')
        ? now !== '' &&
          (comparableNumber(ordered) !== comparableNumber(now) ||
            (field === 'policyNumber' && now.length > ordered.length))
        : comparable(field, ordered).toLowerCase() !== comparable(field, now).toLowerCase(),
  );
}

function textOf(name: Exclude<(typeof ORDER_FIELDS)[number]['name'], 'allowDuplication'>, payload: OrderPayload) {
  const value = payload[name];
  return value === undefined ? '' : sentText(value);
}

function comparable(name: string, text: string) {
  if (name === 'supplementalServices') return text.split(', ').toSorted().join();
  if (name === 'country') return text === '' ? 'US' : text;
  return text.replaceAll(/\s+/g, ' ').trim();
}

function withoutReference({ payload, reference }: ReferencedOrder) {
  if (reference === null) return payload;
  const { inspectionNumber, note, ...rest } = payload;
  const ownNote = note?.replace(`[ref ${reference}]`, '').trim();
  return {
    ...rest,
    ...(inspectionNumber === undefined || inspectionNumber === reference ? {} : { inspectionNumber }),
    ...(ownNote === undefined || ownNote === '' ? {} : { note: ownNote }),
  };
}

export function changeChoices(
  changes: readonly FieldChange[],
  order: Pick<OrderRecord, 'id' | 'state' | 'projectId' | 'createdAt'>,
  status: string | null,
): readonly ChangeChoice[] {
  switch (order.state) {
    case 'ready':
      return [{ kind: 'not-ordered-yet' }];
    case 'submitting':
    case 'unresolved':
      return [{ kind: 'wait-until-settled', order: order.id }];
    case 'held':
      return [{ kind: 'give-up-and-drop-again', order: order.id }];
    case 'skipped':
    case 'refused':
    case 'abandoned':
      return [{ kind: 'not-ours' }];
    case 'created':
    case 'linked':
      return order.projectId === null
        ? [{ kind: 'not-ours' }]
        : choicesForProject(changes, { ...order, projectId: order.projectId }, status);
  }
}

function choicesForProject(
  changes: readonly FieldChange[],
  { projectId: project, createdAt }: { projectId: string; createdAt: number },
  status: string | null,
): readonly ChangeChoice[] {
  if (status === 'Project Canceled') return [{ kind: 'order-again', project }];
  const isForAnotherTerm = changes.some(
    ({ field, ordered, now }) =>
      (field === 'policyEffectiveDate' || field === 'dueDate') &&
      areTermsApart(ordered === '' ? new Date(createdAt).toISOString() : ordered, now),
  );
  if (isForAnotherTerm) return [{ kind: 'another-term', project }];
  const updatable = changes.filter(({ field }) => UPDATE_FLAGS.has(field));
  const amend: readonly ChangeChoice[] =
    updatable.length === 0
      ? []
      : [
          {
            kind: 'amend',
            project,
            fields: updatable.map(({ field }) => field),
            command: amendCommand(project, updatable),
          },
        ];
  if (updatable.length === changes.length) return amend;
  if (status === null || status === STATUS_NOT_SEEN)
    return [...amend, { kind: 'cancel-and-order-again', project, status: null }];
  const cancel: ChangeChoice = CANCELABLE_STATUSES.includes(status)
    ? { kind: 'cancel-and-order-again', project, status }
    : { kind: 'too-late', project, status };
  return [...amend, cancel];
}

function amendCommand(project: string, changes: readonly FieldChange[]) {
  // For the service, an empty text clears the field.
  const flags = changes.map(
    ({ field, now }) => `${UPDATE_FLAGS.get(field) ?? ''} '${now === '' ? '(clear)' : now.replaceAll("'", `'\\''`)}'`,
  );
  return `inspection-batch amend ${project} ${flags.join(' ')}`;
}

/** `Due date: 2026-11-01 → 2026-12-01` */
export function describeOrderChanges(changes: readonly FieldChange[]) {
  return changes.map(({ field, ordered, now }) => `${titleOf(field)}: ${shown(ordered)} → ${shown(now)}`).join('; ');
}

export function describeChoice(choice: ChangeChoice) {
  const parts =
    choice.kind === 'amend'
      ? { ...choice, fields: choice.fields.map(titleOf).join(' and ') }
      : choice.kind === 'cancel-and-order-again'
        ? { ...choice, status: choice.status === null ? 'not known yet' : `"${choice.status}"` }
        : choice;
  return sentence(`changed-after-ordering/${choice.kind}`, parts);
}

export function changedWarning(changes: readonly FieldChange[], choices: readonly ChangeChoice[]) {
  return rowProblem(
    'warning',
    'changed-after-ordering',
    `${choices[0]?.kind === 'not-ordered-yet' ? 'Differs from the first row of this order' : 'Changed since it was ordered'}. ${describeOrderChanges(changes)}. ${choices.map(describeChoice).join(' ')}`,
  );
}

export function titleOf(field: string) {
  return fieldNamed(field)?.title ?? field;
}

function shown(text: string) {
  return text === '' ? '(empty)' : `"${text}"`;
}
