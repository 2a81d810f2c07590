import { houseKey } from '../../domain/identity.ts';
import { attributeText } from '../house-counts.ts';
import { dayAndTime } from '../html/markup.ts';
import type { JudgedProject, NightOnRecord } from '../model.ts';
import { FIXED_SHEETS, count, money, percent, text, wrapped } from '../workbook.ts';
import { compareBands } from './roofs.ts';
import { column, type Table } from './table.ts';

export interface HouseGroup {
  readonly by: string;
  readonly name: string;
  houses: number;
  high: number;
  /** Coverage A of the houses rated High, each once; absent if none states it. */
  atRisk?: number;
}

export const PORTFOLIO_TABLE: Table<HouseGroup> = {
  name: FIXED_SHEETS.portfolio,
  frozenColumns: 2,
  tabColor: '1F3864',
  columns: [
    column('By', 14, text, 'by'),
    column('Group', 34, wrapped, 'name'),
    column('Houses', 10, count, 'houses'),
    column('High', 10, count, 'high'),
    {
      ...column('Share of High', 22, percent, ({ houses, high }) => Math.round((1000 * high) / houses) / 10),
      bar: true,
    },
    column('Coverage A at risk', 18, money, 'atRisk'),
  ],
};

const FACTS: Readonly<Record<string, (judged: JudgedProject) => string | undefined>> = {
  All: () => 'inspected houses',
  State: ({ project }) => project.order.state,
  Agent: ({ project }) => project.order.agentName,
  'Age of roof': ({ record }) => attributeText(record, 'summary.roof.estAge'),
  'Year built': yearsOf,
};

const BANDED = new Set(['Age of roof', 'Year built']);
export const NOT_STATED = 'not stated';
export const PER_NIGHT = 'Night, all reports';

export class Portfolio {
  readonly #groups = new Map<string, HouseGroup>();
  readonly #insured = new Set<string>();
  /** Of inspections, as the page's numbers count them. */
  readonly reports = { all: 0, isNew: 0, isShownAgain: 0 };

  add(judged: JudgedProject) {
    if (!judged.isInspected || judged.replacedBy !== null) return;
    const { order, isNew, isShownAgain } = judged.project;
    if (isShownAgain) {
      this.reports.isShownAgain += 1;
      return;
    }
    this.reports.all += 1;
    if (isNew) this.reports.isNew += 1;
    for (const [by, factOf] of Object.entries(FACTS)) {
      const name = factOf(judged) || NOT_STATED;
      const key = JSON.stringify([by, name]);
      const group = this.#groups.get(key) ?? { by, name, houses: 0, high: 0 };
      this.#groups.set(key, group);
      group.houses += 1;
      if (judged.level !== 'High') continue;
      group.high += 1;
      const house = key + houseKey(order);
      if (order.dwellingCoverage === undefined || this.#insured.has(house)) continue;
      this.#insured.add(house);
      group.atRisk = (group.atRisk ?? 0) + order.dwellingCoverage;
    }
  }

  /** Bands in order, others by risk, without facts that no house states. Empty if no house was inspected. */
  groups(nights: readonly NightOnRecord[]) {
    if (this.#groups.size === 0) return [];
    const byFact = Map.groupBy(this.#groups.values(), ({ by }) => by);
    return [
      ...[...byFact].flatMap(([by, groups]) =>
        groups.every(({ name }) => name === NOT_STATED)
          ? []
          : groups.toSorted(
              (a, b) =>
                (BANDED.has(by) ? compareBands(a.name, b.name) : 0) ||
                b.high - a.high ||
                b.houses - a.houses ||
                a.name.localeCompare(b.name),
            ),
      ),
      ...nights.flatMap(({ publishedAt, night }) =>
        night?.newReports
          ? [{ by: PER_NIGHT, name: dayAndTime(publishedAt), houses: night.newReports, high: night.high }]
          : [],
      ),
    ];
  }
}

const BAND_YEARS = 20;
const BANDS_FROM = 1940;

function yearsOf({ record, project }: JudgedProject) {
  const found = record.values.get('summary.yearBuilt')?.leaf;
  const year = (typeof found === 'number' && found) || project.order.yearBuilt;
  if (!year) return undefined;
  const first = Math.floor(year / BAND_YEARS) * BAND_YEARS;
  return first < BANDS_FROM ? `before ${BANDS_FROM}` : `${first}–${first + BAND_YEARS - 1}`;
}
