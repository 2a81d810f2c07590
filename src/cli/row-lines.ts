import type { Problem, RowOutcome, RowPlace } from '../domain/row.ts';
import type { OrderLookup } from '../ledger/lookups.ts';
import { forecastInWords, type RowForecast } from '../submit/duplicate-forecast.ts';
import type { OrderingRules, ToldRow } from '../submit/row-decision.ts';

/** More than these would scroll away on a terminal; the corrections workbook and `--json` hold all of them. */
const LISTED_MAX = 60;

/** What there is to say of single rows, as lines for people: the first ones, and how many there are. */
export class RowLines {
  readonly lines: string[] = [];
  /** Of all lines, those left out too. */
  count = 0;
  repeats = 0;
  duplicates = 0;

  add({ record, outcome, problems }: ToldRow & Pick<RowOutcome, 'record'>, forecast: RowForecast | null, rules: OrderingRules, lookup: OrderLookup): void {
    const { place } = record;
    if (outcome === 'repeat') this.repeats += 1;
    for (const problem of problems) this.#line(() => `  ${placeOf(place, problem)}  ${problem.severity}: ${problem.message}`);
    if (forecast === null) return;
    const { decision, service } = forecast;
    if (service.answer === 'created') return;
    if (decision.kind === 'order') this.duplicates += 1;
    // Of a repeat and of a rejection, the warning above has said what there is to say.
    if (decision.kind === 'order') this.#line(() => `  ${place.sheet} row ${place.rowNumber}  forecast: ${forecastInWords(forecast, rules, lookup) ?? ''}`);
  }

  #line(words: () => string): void {
    if (this.count < LISTED_MAX) this.lines.push(words());
    this.count += 1;
  }
}

function placeOf(place: RowPlace, problem: Problem): string {
  return problem.cell === null ? `${place.sheet} row ${place.rowNumber}` : `${place.sheet} ${problem.cell}`;
}
