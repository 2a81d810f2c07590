import { formatCount, html, escapeInvisible } from '../../domain/text.ts';
import { sentence } from '../../domain/sentences.ts';
import { describeTrend, describeRiskChanges, directionSince, GRAVE_WEIGHT } from '../attention/judge.ts';
import { leafText } from '../table-cells.ts';
import { changeCell, describeDisagreement } from '../changes.ts';
import type { FlatRecord } from '../flatten.ts';
import { hazardsOf, roofConditionOf } from '../house-counts.ts';
import type { JudgedProject, ResultPhoto } from '../model.ts';
import { type OpenCase, newReportOutcome } from '../highlights.ts';
import { EARLIER_MATCH } from '../tables/changes.ts';
import { addressOf, describeOut, renewalLabel } from '../tables/shared-columns.ts';
import { roofAge } from '../tables/roofs.ts';
import { comparedPhotos, labeledPhotos, photosOfFinding, photosOfItem } from '../photos.ts';
import { agentInWords } from './lists.ts';
import { dateOf, day, element, link, dollars, pagePart, smallPhoto, wrapClass } from './markup.ts';
import { linkTarget, tableCellText } from '../workbook.ts';

export type Facets = ReturnType<typeof facetsOf>;

export type HouseOnPage = Readonly<ReturnType<typeof houseOnPage>>;

/** `bytes` if its small version is inside the page. */
type PhotoOnPage = Readonly<{
  photo: ResultPhoto;
  bytes: Uint8Array | null;
  isEarlier: boolean;
}>;

export function houseOnPage(judged: JudgedProject, photos: readonly PhotoOnPage[]) {
  const facets = facetsOf(judged);
  const { projectId } = judged.project;
  return {
    projectId,
    /** Replaced inspections come last. */
    rank: judged.replacedBy === null ? judged.points : -1,
    facets,
    row: rowOf(judged, facets),
    section: sectionOf(judged, photos),
  };
}

function facetsOf(judged: JudgedProject) {
  const { project, level, action, riskChanges, record, reports, replacedBy } = judged;
  const { order, status } = project;
  // Figures count only the later inspection.
  const counts = replacedBy === null;
  const canBeDecided = reports.length > 0 && counts && status !== 'Project Canceled';
  return {
    level: level ?? '',
    fresh: project.isNew ? 'yes' : '',
    tonight: newReportOutcome(judged),
    changed: (counts && directionSince(riskChanges)) || '',
    change: escapeInvisible(describeRiskChanges(riskChanges)),
    roofAge: counts ? escapeInvisible(roofAge(judged)) : '',
    state: escapeInvisible(order.state),
    service: escapeInvisible(order.serviceName),
    action: (counts && action) || '',
    status: escapeInvisible(status),
    decision: escapeInvisible(project.decision?.decision ?? ''),
    due: order.dueDate ?? '',
    ...(!canBeDecided && { undecidable: 'yes' }),
    hazard: counts ? hazardsOf(record).map(escapeInvisible) : [],
    roof: counts ? escapeInvisible(roofConditionOf(judged)) : '',
    ...(!counts && { replaced: 'yes' }),
  };
}

export function badges({ level, project }: Pick<JudgedProject, 'level'> & Pick<OpenCase, 'project'>) {
  return `${level === null ? '' : `<span class="level ${level}">${level}</span>`}${project.isNew ? '<span class="new">New</span>' : ''}`;
}

function reasonsOf({ findings, closedOut, project, replacedBy }: JudgedProject) {
  const { ending = closedOut?.join(' '), problems } = project;
  const first =
    ending !== undefined
      ? [`${closedOut === null ? 'Canceled' : 'Closed out'}: ${ending || 'no reason given.'}`]
      : replacedBy === null
        ? []
        : [`Re-inspected: project ${replacedBy} replaces this one.`];
  return [...first, ...findings.map(({ reason }) => reason), ...problems];
}

function rowOf(judged: JudgedProject, facets: Facets) {
  const { project, points, suggestion, replacedBy } = judged;
  const { order, status } = project;
  const [why = ''] = reasonsOf(judged);
  const suggested =
    suggestion === null || replacedBy !== null
      ? ''
      : `${html(suggestion)}<span class="soft"> ${html(renewalLabel(order))}</span>`;
  const cell = (label: string, value: string | undefined) =>
    `<td data-label="${label}"${wrapClass(value)}>${html(value ?? '')}</td>`;
  const row = pagePart('house-row', {
    facets: html(JSON.stringify(facets)),
    points,
    badges: badges(judged),
    shownPoints: points || '',
    wrap: wrapClass(`${addressOf(order)} ${order.insuredName}`),
    id: html(project.projectId),
    address: html(addressOf(order)),
    insured: html(order.insuredName),
    policy: cell('Policy', order.policyNumber ?? order.inspectionNumber),
    why: html(why),
    suggested,
    coverage: order.dwellingCoverage ?? '',
    dollars: dollars(order.dwellingCoverage),
    service: cell('Service', order.serviceName),
    status: cell('Status', status),
    due: html(order.dueDate ?? ''),
    dueDate: html(dateOf(order.dueDate)),
  });
  return `${row}\n`;
}

/** The page's script unpacks `noscript`; its search reads `h3`, `.who`, `dd` and `li`. */
function sectionOf(judged: JudgedProject, photos: readonly PhotoOnPage[]) {
  const { project } = judged;
  const { order } = project;
  const policy = order.policyNumber === undefined ? '' : ` · policy ${order.policyNumber}`;
  const inspection = order.inspectionNumber === undefined ? '' : ` · inspection ${order.inspectionNumber}`;
  const who = `${order.insuredName} · project ${project.projectId}${policy}${inspection}`;
  const section = pagePart('house', {
    id: html(project.projectId),
    address: html(addressOf(order)),
    badges: badges(judged),
    who: html(who),
    links: links(judged),
    photos: strip(photos),
    parts: [reasons, now, recommendations, pools, disagreements, ordered].map((part) => part(judged)),
    changes: [before(judged), compared(judged)],
  });
  return `${section}\n`;
}

function links({ reports, project }: JudgedProject) {
  const listed = [
    ...reports.flatMap(({ path, type }) => (path === null ? [] : [link(path, type || 'Report')])),
    ...(project.photosPath === null || project.photos.length > 0
      ? []
      : [link(project.photosPath, formatCount(project.photoCount, 'photo'))]),
  ];
  return listed.length === 0 ? '<p class="soft">No report yet.</p>' : `<p>${listed.join(' · ')}</p>`;
}

function strip(photos: readonly PhotoOnPage[]) {
  const shown = photos.map(({ photo, bytes, isEarlier }) => smallPhoto(photo, bytes, isEarlier));
  return element('div', shown, ' class="strip" tabindex="0" role="group" aria-label="Photos"');
}

function block(title: string, content: string) {
  return content === '' ? '' : `<section><h4>${title}</h4>${content}</section>`;
}

const PHOTOS_OF_A_LINE_MAX = 4;

/** The page's styles give them a text, so that the search does not find it. */
function photoLinks(photos: readonly ResultPhoto[]) {
  const shown = photos.slice(0, PHOTOS_OF_A_LINE_MAX);
  return shown
    .map(({ path, description = '' }) => {
      const name = shown.length > 1 && description !== '' ? `photo: ${description}` : 'photo';
      return ` <a class="see" href="${html(linkTarget(path))}" aria-label="${html(name)}"></a>`;
    })
    .join('');
}

function list(texts: readonly string[]) {
  return element(
    'ul',
    texts.map((text) => `<li>${html(text)}</li>`),
  );
}

/** The search does not combine their words with those of other lines. */
const APART = new Set(['Roof, remaining life', 'Roof, age', 'Year built', 'Living area, sq ft', 'Note']);

function facts(entries: readonly (readonly [name: string, ...values: readonly (string | undefined)[]])[]) {
  const terms = entries.flatMap(([name, ...values]) => {
    const shown = values
      .filter(Boolean)
      .map((value = '') => `<dd${APART.has(name) ? ' class="apart"' : ''}>${html(value)}</dd>`);
    return shown.length === 0 ? [] : [`<dt>${name}</dt>${shown.join('')}`];
  });
  return element('dl', terms);
}

const CONDITIONS = [
  ['Roof', 'roof.overallCondition'],
  ['Roof, remaining life', 'roof.estLife'],
  ['Roof, age', 'roof.estAge'],
  ['Building', 'bldg.overallCondition'],
  ['Exterior', 'exterior.overallCondition'],
  ['Interior', 'interior.overallCondition'],
  ['Year built', 'yearBuilt'],
  ['Living area, sq ft', 'livingArea'],
  ['Pets', 'exterior.petType'],
] as const;

function reasons(judged: JudgedProject) {
  const findings = new Map(judged.findings.map((finding) => [finding.reason, finding]));
  const why = reasonsOf(judged).map((reason) => {
    const finding = findings.get(reason);
    const isGrave = finding !== undefined && finding.weight >= GRAVE_WEIGHT;
    const decides = reason === judged.actionReason;
    const photos = finding === undefined ? '' : photoLinks(labeledPhotos(judged, photosOfFinding(judged, finding)));
    return `<li${isGrave ? ' class="grave"' : ''}>${decides ? `<strong>${html(reason)} → ${judged.action}</strong>` : html(reason)}${photos}</li>`;
  });
  return block('Why it needs a look', element('ul', why, ' class="reasons"'));
}

function now(judged: JudgedProject) {
  const { suggestion, project, record, points, isOverdue, riskChanges } = judged;
  const direction = directionSince(riskChanges);
  const { decision, by, notes } = project.decision ?? {};
  const found = facts([
    ['Suggested action', suggestion ?? ''],
    ['Another inspection', describeOut(judged)],
    ['Changed', direction && `${direction} than before`, ...riskChanges.map(describeTrend)],
    ['Term', renewalLabel(project.order)],
    ['Attention points', points === 0 ? '' : String(points)],
    ['Decision', [decision, by && `by ${by}`, notes].filter(Boolean).join(', ')],
    ['Status', isOverdue ? `${project.status}, overdue` : project.status],
    ...CONDITIONS.map(([name, path]) => [name, textAt(record, `summary.${path}`)] as const),
    ['Hazards', hazardsOf(record).join(', ')],
  ]);
  return block('Now', found);
}

function textAt({ values }: FlatRecord, path: string) {
  const leaf = values.get(path)?.leaf;
  if (leaf == null) return undefined;
  return typeof leaf === 'number' && path !== 'summary.yearBuilt' ? leaf.toLocaleString('en-US') : leafText(leaf);
}

const CHANGES_MAX = 40;

function before({ project: { earlier }, closedOut, isCompared, changes, riskChanges }: JudgedProject) {
  if (earlier === null && riskChanges.length === 0) return '';
  const side = (cell: ReturnType<typeof changeCell>) =>
    html(cell === undefined ? 'not in the report' : tableCellText(cell));
  const rows = changes.slice(0, CHANGES_MAX).map((change) =>
    pagePart('change', {
      title: html(change.title),
      before: side(changeCell(change.before, change)),
      now: side(changeCell(change.now, change)),
    }),
  );
  const further = changes.length - CHANGES_MAX;
  const more = further > 0 ? pagePart('changes-more', { more: further }) : '';
  const table = rows.length === 0 ? '' : pagePart('changes', { rows, more });
  const unchanged = isCompared && rows.length === 0 && riskChanges.length === 0 ? pagePart('unchanged', {}) : '';
  const source =
    earlier === null
      ? 'The earlier inspection is not on record here.'
      : isCompared
        ? `Before: project ${earlier.projectId}, collected on ${day(earlier.at)} (${EARLIER_MATCH[earlier.known]}).`
        : sentence('report/not-compared', {
            project:
              closedOut === null
                ? `The earlier project (${earlier.projectId}, ${EARLIER_MATCH[earlier.known]})`
                : `This project, unlike project ${earlier.projectId} before it,`,
          });
  return block('Before and now', `<p class="soft">${html(source)}</p>${unchanged}${table}`);
}

function itemsOf({ lists }: FlatRecord, path: string) {
  return lists.get(path)?.items ?? [];
}

function recommendations(judged: JudgedProject) {
  const items = itemsOf(judged.record, 'summary.recommendations').flatMap((item) => {
    const text = textAt(item, 'text');
    return text === undefined ? [] : [`<li>${html(text)}${photoLinks(photosOfItem(judged, item))}</li>`];
  });
  return block('Recommendations', element('ul', items));
}

function pools({ record }: JudgedProject) {
  const outside = (name: string) => textAt(record, `summary.exterior.${name}`);
  const each = itemsOf(record, 'summary.exterior.pool').map((pool) =>
    [textAt(pool, 'type') ?? 'Pool', textAt(pool, 'size'), `cage: ${textAt(pool, 'hasCage') ?? 'not assessed'}`]
      .filter((text) => text !== undefined)
      .join(', '),
  );
  if (each.length === 0 && outside('hasSwimmingPool') !== 'Yes') return '';
  const barriers = facts([
    ['Fence', textAt(record, 'summary.bldg.hasFence') ?? 'not assessed'],
    ['Pool without a fence', outside('hasPoolWithoutFence')],
    ['Self-latching gate', outside('hasPoolSelfLatchingGate')],
    ['Diving board or slide', outside('hasDivingBoardOrSlide')],
  ]);
  return block('Pools', list(each) + barriers);
}

function disagreements({ disagreements: found }: JudgedProject) {
  return block('Its reports disagree', list(found.map(describeDisagreement)));
}

function ordered({ project }: JudgedProject) {
  const { order, source } = project;
  const coverages = [order.dwellingCoverage, order.otherStructureCoverage, order.contentCoverage];
  return block(
    'The order',
    facts([
      ['Service', [order.serviceName, ...(order.supplementalServices ?? [])].join(', ')],
      ['Policy type', order.policyType],
      ['House type', order.houseType],
      [
        'Coverage A, B, C',
        coverages.some((amount) => amount !== undefined)
          ? coverages.map((amount) => dollars(amount) || '–').join(', ')
          : '',
      ],
      ['Insured’s phone', order.insuredPhone],
      ['Agent', agentInWords(order)],
      ['Insurance company', order.insuredBy],
      ['Due', dateOf(order.dueDate)],
      ['Note', order.note],
      ['From', source === null ? '' : `${source.file}, row ${source.rowNumber}`],
    ]),
  );
}

function compared(judged: JudgedProject) {
  const pairs = comparedPhotos(judged).map(
    ({ text, photos }) =>
      `<figure><div>${photos.map((photo, index) => smallPhoto(photo, null, index > 0)).join('')}</div><figcaption>${html(text)}</figcaption></figure>`,
  );
  return block('Compared with the previous inspection', element('div', pairs, ' class="pairs"'));
}
