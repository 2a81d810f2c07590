import type { Note } from '../domain/row.ts';
import { formatCount } from '../domain/text.ts';
import { sentence } from '../domain/sentences.ts';
import type { KnownProject, OrderLookup, OrderRecord, NewRow } from '../ledger/ledger.ts';
import { isScratch } from '../ledger/scratch-ledger.ts';
import type { TextSpool } from '../ops/text-spool.ts';
import type { FileReport } from '../submit/claimed-files.ts';
import { describeForecast, type RowForecast } from '../submit/duplicate-forecast.ts';
import { describeChoice, changeChoices } from '../submit/order-changes.ts';
import type { OrderingRules } from '../submit/row-decision.ts';

export type CheckedFile = Omit<FileReport, 'outcome'> &
  Readonly<{
    outcome: 'checked' | 'unreadable' | 'to-confirm';
    notes: readonly Note[];
    columnDescriptions: readonly string[];
    repaired: number;
    lines: RowLines;
    lists: Readonly<Record<'forecast' | 'problems' | 'repairs', TextSpool>> | null;
  }>;

const LISTED_MAX = 60;

const NAMED_MAX = 4;

interface RowLine {
  readonly places: string[];
  count: number;
  readonly alone: string;
  readonly shared: string;
}

export class RowLines {
  readonly #lines = new Map<string, RowLine>();
  omitted = 0;
  repeats = 0;
  comeTwice = 0;
  duplicates = 0;

  add(
    { record, outcome, orderId, problems }: NewRow,
    forecast: RowForecast | null,
    rules: OrderingRules,
    lookup: ForecastLookup,
  ) {
    const { place } = record;
    if (outcome === 'repeat') this[orderId !== null && isScratch({ id: orderId }) ? 'comeTwice' : 'repeats'] += 1;
    const lacking = problems.filter(({ rule }) => rule === 'required-column-missing');
    const shown =
      lacking.length < 2
        ? problems
        : [
            { ...lacking[0], message: sentence('check/no-columns') },
            ...problems.filter((one) => !lacking.includes(one)),
          ];
    for (const { cell, severity, message } of shown) {
      const at = cell ?? `row ${place.rowNumber}`;
      const shared = message.replace(` (${at})`, '');
      this.#add(place.sheet, at, `${severity}: ${message}`, `${severity}: ${shared}`);
    }
    if (forecast === null) return;
    // For repeats and rejections, a problem already says it.
    if (forecast.service.answer === 'created' || forecast.decision.kind !== 'order') return;
    this.duplicates += 1;
    const words = `forecast: ${describeForecast(forecast, rules, lookup) ?? ''}`;
    this.#add(place.sheet, `row ${place.rowNumber}`, words, words);
  }

  #add(sheet: string, at: string, alone: string, shared: string) {
    const key = `${sheet}\n${shared}`;
    const line = this.#lines.get(key);
    if (line !== undefined) {
      if (line.count < NAMED_MAX) line.places.push(at);
      line.count += 1;
    } else if (this.#lines.size < LISTED_MAX) {
      this.#lines.set(key, { places: [`${sheet} ${at}`], count: 1, alone, shared });
    } else {
      this.omitted += 1;
    }
  }

  texts() {
    return [...this.#lines.values()].map(({ places, count, alone, shared }) => {
      const more = count > places.length ? ` and ${count - places.length} more` : '';
      return `  ${places.join(', ')}${more}  ${count === 1 ? alone : shared}`;
    });
  }
}

export const UNREADABLE_FILE = {
  outcome: 'unreadable',
  rows: { read: 0, accepted: 0, rejected: 0 },
  corrections: null,
  codes: [],
  notes: [],
  columnDescriptions: [],
  repaired: 0,
  lines: new RowLines(),
  lists: null,
} as const;

/** Yields the JSON document in pieces: `{ files: [{ …, forecast, problems, repairs }], exitCode }`. */
export function* checkedFilesJson(files: readonly CheckedFile[], exitCode: number) {
  yield '{\n  "files": [';
  for (const [index, { name, outcome, rows, corrections, codes, reason, notes, lists }] of files.entries()) {
    const said = { notes: notes.map(({ text }) => text), noteCodes: notes.map(({ code }) => code) };
    const head = JSON.stringify({ name, outcome, rows, corrections, codes, reason, ...said }, null, 2)
      .slice(0, -2)
      .replaceAll('\n', '\n    ');
    yield `${index === 0 ? '' : ','}\n    ${head}`;
    for (const list of ['forecast', 'problems', 'repairs'] as const) yield* listJson(list, lists?.[list] ?? null);
    yield '\n    }';
  }
  yield `\n  ],\n  "exitCode": ${exitCode}\n}\n`;
}

function* listJson(name: string, entries: TextSpool | null) {
  yield `,\n      "${name}": [`;
  let isFirst = true;
  for (const entry of entries?.texts() ?? []) {
    yield `${isFirst ? '' : ','}\n        ${entry}`;
    isFirst = false;
  }
  yield isFirst ? ']' : '\n      ]';
}

export function describeFile(file: CheckedFile) {
  const { name, outcome, rows, corrections, reason, notes, columnDescriptions, repaired, lines } = file;
  if (outcome === 'unreadable') return `${name}: unreadable\n  ${reason ?? ''}`;
  const about = [
    ...columnDescriptions.map((line) => `  columns of ${line}`),
    ...notes.map(({ text }) => `  note: ${text}`),
  ];
  if (outcome === 'to-confirm') return [`${name}: to confirm`, ...about, `  ${reason ?? ''}`].join('\n');
  const { repeats, comeTwice, duplicates } = lines;
  const dismissed = rows.read - rows.accepted - rows.rejected;
  const expected = [
    `${rows.accepted - repeats - comeTwice} can be ordered`,
    duplicates > 0 &&
      sentence('check/duplicate', { duplicates, words: duplicates === 1 ? 'a duplicate' : 'duplicates' }),
    repeats > 0 && `${repeats} already ordered`,
    comeTwice > 0 && `${comeTwice} ${comeTwice === 1 ? 'repeats' : 'repeat'} an earlier row`,
    dismissed > 0 && `${dismissed} dismissed before`,
    `${rows.rejected} to fix`,
  ].filter(Boolean);
  return [
    sentence('check/read', {
      name,
      rows: formatCount(rows.read, 'row'),
      expected: expected.join(', '),
      values: formatCount(repaired, 'value'),
      listed: repaired === 0 ? '' : ' (--json lists them)',
    }),
    ...about,
    ...lines.texts(),
    ...(lines.omitted > 0
      ? [
          sentence('check/more', {
            more: lines.omitted,
            workbook: corrections === null ? '' : sentence('check/workbook'),
          }),
        ]
      : []),
    ...(corrections === null ? [] : [sentence('check/rows-to-fix', { corrections })]),
  ].join('\n');
}

export type ForecastLookup = Pick<OrderLookup, 'placeOfOrder' | 'statusOfProject'>;

export function ordersNamedIn(forecast: RowForecast | null) {
  if (forecast === null) return [];
  const { decision, service } = forecast;
  const repeated = decision.kind === 'order' ? undefined : decision.of?.order.id;
  return [service.answer === 'created' ? undefined : service.of.orderId, repeated].filter((id) => id !== undefined);
}

export function forecastEntry(
  place: Readonly<{ sheet: string; row: number }>,
  forecast: RowForecast,
  { changes = [] }: NewRow,
  rules: OrderingRules,
  lookup: ForecastLookup,
): object {
  const { decision, service } = forecast;
  const of = decision.kind === 'order' ? null : decision.of;
  const choices =
    of === null || changes.length === 0
      ? []
      : changeChoices(changes, of.order, lookup.statusOfProject(of.order.projectId));
  return {
    ...place,
    run: decision.kind,
    allowDuplication: decision.kind === 'order' && decision.order.allowDuplication,
    service:
      service.answer === 'created'
        ? { answer: 'created', rule: null, of: null }
        : {
            answer: service.answer,
            rule: service.rule,
            of: comparedOrder({ ...service.of, id: service.of.orderId }, lookup),
          },
    repeats: of && { ...comparedOrder(of.order, lookup), sameIdentity: of.sameIdentity },
    changes,
    choices: choices.map((choice) => ({ ...choice, text: describeChoice(choice) })),
    text: describeForecast(forecast, rules, lookup),
  };
}

function comparedOrder(
  order: Pick<OrderRecord, 'id'> & Pick<KnownProject, 'projectId' | 'createdAt'>,
  lookup: ForecastLookup,
) {
  const { file = null, sheet = null, rowNumber: row = null } = lookup.placeOfOrder(order) ?? {};
  const isTonights = isScratch(order);
  return {
    file,
    sheet,
    row,
    order: isTonights ? null : order.id,
    project: order.projectId,
    at: isTonights ? null : new Date(order.createdAt).toISOString(),
  };
}
