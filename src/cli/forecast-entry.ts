import type { KnownProject, OrderLookup } from '../ledger/lookups.ts';
import type { OrderRecord } from '../ledger/orders.ts';
import { forecastInWords, type RowForecast } from '../submit/duplicate-forecast.ts';
import { choiceInWords, choicesFor } from '../submit/order-changes.ts';
import type { OrderingRules, ToldRow } from '../submit/row-decision.ts';

/** An order that a row is compared with. One of tonight's files has neither number nor time nor project yet. */
interface ComparedOrder {
  readonly file: string | null;
  readonly sheet: string | null;
  readonly row: number | null;
  readonly order: number | null;
  readonly project: string | null;
  /** When it was ordered, ISO 8601. */
  readonly at: string | null;
}

/** A row's entry in the `forecast` of `check --json` (docs/spreadsheets.md). */
export function forecastEntry(place: { readonly sheet: string; readonly row: number }, forecast: RowForecast, { changes = [] }: ToldRow, rules: OrderingRules, lookup: OrderLookup): object {
  const { decision, service } = forecast;
  const of = decision.kind === 'order' ? null : decision.of;
  const status = of === null || of.order.projectId === null ? null : lookup.statusOfProject(of.order.projectId);
  const choices = of === null || changes.length === 0 ? [] : choicesFor(changes, of.order, status);
  return {
    ...place,
    run: decision.kind,
    allowDuplication: decision.kind === 'order' && decision.order.allowDuplication,
    service: service.answer === 'created' ? { answer: 'created', rule: null, of: null } : { answer: service.answer, rule: service.rule, of: comparedOrder({ ...service.of, id: service.of.orderId }, lookup) },
    repeats: of === null ? null : { ...comparedOrder(of.order, lookup), sameIdentity: of.sameIdentity },
    changes,
    choices: choices.map((choice) => ({ ...choice, text: choiceInWords(choice) })),
    text: forecastInWords(forecast, rules, lookup),
  };
}

function comparedOrder(order: Pick<OrderRecord, 'id'> & Pick<KnownProject, 'projectId' | 'createdAt'>, lookup: OrderLookup): ComparedOrder {
  const place = lookup.placeOfOrder(order);
  const isTonights = order.id < 0;
  return {
    file: place?.file ?? null,
    sheet: place?.sheet ?? null,
    row: place?.rowNumber ?? null,
    order: isTonights ? null : order.id,
    project: order.projectId,
    at: isTonights ? null : new Date(order.createdAt).toISOString(),
  };
}
