import { formatCount, html } from '../../domain/text.ts';
import type { Highlights } from '../highlights.ts';
import { type HouseGroup, NOT_STATED, PER_NIGHT, PORTFOLIO_TABLE } from '../tables/portfolio.ts';
import { type TableCell, tableCellText } from '../workbook.ts';
import { bar, dollars, pagePart, renderSection } from './markup.ts';

const SHOWN_MAX = 12;
export function portfolioPart(groups: readonly HouseGroup[], { all, isNew, isShownAgain }: Highlights['reports']) {
  const again = isShownAgain === 0 ? '' : `, without the ${isShownAgain} shown again from earlier nights`;
  const news = all === isNew ? ', all with a new report' : `, ${isNew} of them with a new report`;
  const figures = [...Map.groupBy(groups, ({ by }) => by)].map(figure);
  const parts = { inspections: formatCount(all, 'inspection'), news, again, figures };
  return renderSection('portfolio-head', 'Portfolio', figures.length === 0 ? '' : pagePart('portfolio', parts));
}

function figure([by, groups]: readonly [string, readonly HouseGroup[]]) {
  const shown = groups.slice(0, SHOWN_MAX);
  const columns = PORTFOLIO_TABLE.columns
    .slice(2)
    .filter(({ cell }) => shown.some((group) => cell(group) !== undefined));
  const head = columns.map(
    ({ title }) => `<th scope="col" class="number">${by === PER_NIGHT && title === 'Houses' ? 'Reports' : title}</th>`,
  );
  const rows = shown.map(
    (group) =>
      `<tr><th scope="row">${linkOf(group)}</th>${columns.map(({ cell }) => `<td class="number">${content(cell(group))}</td>`).join('')}</tr>`,
  );
  const cut =
    groups.length > SHOWN_MAX
      ? `<p class="soft">The first ${SHOWN_MAX} of ${groups.length}; the workbook has all.</p>`
      : '';
  return pagePart('portfolio-figure', { by, head, rows, cut });
}

/** The address of the list of their houses. */
const LISTS: Readonly<Record<string, string>> = { State: 'state=', Agent: 'q=', 'Age of roof': 'roofAge=' };

function linkOf({ by, name }: HouseGroup) {
  const list = name === NOT_STATED ? undefined : LISTS[by];
  return list === undefined ? html(name) : `<a href="?${list}${encodeURIComponent(name)}#projects">${html(name)}</a>`;
}

function content(cell: TableCell | undefined) {
  if (cell === undefined) return '·';
  const value = Number(cell.value);
  if (cell.format.endsWith('percent')) return `${tableCellText(cell)} ${bar(value)}`;
  return cell.format === 'grouped' ? value.toLocaleString('en-US') : dollars(value);
}
