import { join } from 'node:path';
import { template } from '../../contract/template-data.ts';
import { formatCount, html } from '../../domain/text.ts';
import type { Ledger, DeliveredHouse } from '../../ledger/ledger.ts';
import { writeDurably } from '../../ops/durable-files.ts';
import { dayAndTime, link, pagePart, styleAndScript } from '../html/markup.ts';

const nightsTemplate = template('page/nights.html');

const HOUSES_MAX = 20_000;

const LINKS = [
  ['report', 'Report'],
  ['workbook', 'Workbook'],
  ['orders', 'Orders'],
  ['archive', 'Archive'],
] as const;

/**
 * Writes `index.html` in `folder`, which holds all deliveries: each on record, with links, and the houses of all, to
 * search. Replaces the page in one rename.
 */
export async function writeNightsPage(folder: string, ledger: Pick<Ledger, 'deliveriesOnRecord' | 'deliveredHouses'>) {
  const deliveries = (await ledger.deliveriesOnRecord()).toReversed();
  const houses = await ledger.deliveredHouses(HOUSES_MAX);
  const nights = new Map(deliveries.map((delivery) => [delivery.run, delivery]));
  const rows = deliveries.map(({ run, publishedAt, contents, projects, orders, night }) => {
    const links = LINKS.flatMap(([part, title]) => {
      const path = contents[part] ?? null;
      return path === null ? [] : [link(path.replace(/^deliveries\//, ''), title)];
    });
    const { newReports, high, decided, overdue } = night ?? {};
    const counts = Object.entries({
      Projects: projects,
      'New orders': orders,
      'New reports': newReports,
      High: high,
      Decided: decided,
      Overdue: overdue,
    }).map(([label, count]) => `<td class="number" data-label="${label}">${count?.toLocaleString('en-US') ?? ''}</td>`);
    return pagePart('night-row', { at: dayAndTime(publishedAt), counts, links: links.join(' · '), run: html(run) });
  });
  const page = nightsTemplate({
    ...styleAndScript('page/search.js', 'page/nights.js'),
    nights: formatCount(deliveries.length, 'delivery', 'deliveries'),
    rows,
    houses: houses.map((house) => houseRow(house, nights.get(house.run)?.publishedAt ?? null)),
    cut: houses.length < HOUSES_MAX ? '' : `<p class="soft">The search knows the newest ${HOUSES_MAX} projects.</p>`,
  });
  await writeDurably(join(folder, 'index.html'), ['<!doctype html>\n', ...page, '\n'].join(''));
}

function houseRow({ projectId, run, payload }: DeliveredHouse, publishedAt: number | null) {
  const { insuredName, insuredPhone, streetAddress, city, state, policyNumber, inspectionNumber } = payload;
  const project =
    publishedAt === null
      ? projectId
      : `<a href="${encodeURIComponent(run)}/report.html#p${projectId}">${projectId}</a>`;
  const address = [streetAddress, city, state].filter(Boolean).join(', ');
  const cells = [insuredName, address, insuredPhone, policyNumber, inspectionNumber].map((text = '') => html(text));
  const night = publishedAt === null ? '' : dayAndTime(publishedAt);
  return `<tr hidden><td>${[project, ...cells, night].join('</td><td>')}</td></tr>`;
}
