import type { SummaryAttribute } from '../../contract/catalogue-types.ts';
import { SUMMARY_CATALOGUE } from '../../contract/summary-catalogue.ts';
import type { Inspection } from './inspection.ts';
import type { Summary } from './summary.ts';

/** What a name stands for, in words. */
type Line = readonly [string, string];

/** Lines that belong together, under a title. */
export interface Section {
  readonly title: string;
  readonly lines: readonly Line[];
}

/** The order that the report answers. */
export function orderLines({ project }: Inspection): Line[] {
  const { request } = project;
  return [
    ['Project', project.id === 0n ? 'sample' : String(project.id)],
    ['Inspection number', request.inspectionNumber ?? ''],
    ['Policy', [project.policyNumber, project.policyEffectiveDate].filter(Boolean).join(', effective ')],
    ['Insured', request.insuredName],
    ['Insured by', request.insuredBy ?? ''],
    ['Address', addressOf(request)],
    ['Service', [request.serviceName, ...(request.supplementalServices ?? [])].join(', ')],
    ['Kind of house', `${request.houseType} (${request.policyType})`],
    ['Note', request.note ?? ''],
  ].filter((line): line is [string, string] => line[1] !== '');
}

export function addressOf({ streetAddress, city, state, zipcode }: Inspection['project']['request']): string {
  return `${streetAddress}, ${city}, ${state} ${zipcode}`;
}

/** What an underwriter looks at first. What the template leaves out is not among it. */
export function keyFacts(summary: Summary): Line[] {
  const facts: readonly Line[] = [
    ['Inspected', 'project.inspectionTime'],
    ['Hazard score', 'summary.risk.hazardScore'],
    ['Year built', 'summary.yearBuilt'],
    ['Living area', 'summary.livingArea'],
    ['Stories', 'summary.bldg.numStories'],
    ['Construction', 'summary.bldg.construction'],
    ['Roof', 'summary.roof.material'],
    ['Roof life left', 'summary.roof.estLife'],
    ['Siding', 'summary.exterior.siding'],
  ];
  return facts.map(([name, path]): Line => [name, wordsAt(summary, path)]).filter(([, words]) => words !== '');
}

/** The condition in one word; undefined where the report does not say. */
export function overallCondition(summary: Summary): string | undefined {
  return wordsAt(summary, 'summary.risk.overallCondition') || undefined;
}

/** A row a hazard: where it is, what it is, and what to do about it. */
export function findingRows({ summary }: Summary): string[][] {
  const factors = listOf(summary['factors']);
  const recommendations = listOf(summary['recommendations']);
  return factors.map((factor, index) => [textOf(factor['location']), textOf(factor['text']), textOf(recommendations[index]?.['text'])]);
}

/** Everything else that the summary says, by the catalogue's groups and in its order; what is simply not there is left out. */
export function sectionsOf(summary: Summary): Section[] {
  const sections = new Map<string, Line[]>();
  for (const attribute of SUMMARY_CATALOGUE) {
    if (!attribute.path.startsWith('summary.') || attribute.type === 'objects') continue;
    const value = valueAt(summary, attribute.path);
    const words = value === false ? '' : inWords(attribute, value);
    if (words === '') continue;
    const lines = sections.get(attribute.group) ?? [];
    sections.set(attribute.group, lines);
    const [, name = attribute.title] = attribute.title.split(': ');
    lines.push([capitalised(name), words]);
  }
  return [...sections].map(([title, lines]) => ({ title, lines }));
}

const attributes = new Map<string, SummaryAttribute>(SUMMARY_CATALOGUE.map((attribute) => [attribute.path, attribute]));

function wordsAt(summary: Summary, path: string): string {
  const attribute = attributes.get(path);
  return attribute === undefined ? '' : inWords(attribute, valueAt(summary, path));
}

function valueAt(summary: Summary, path: string): unknown {
  return path.split('.').reduce<unknown>((held, key) => (typeof held === 'object' && held !== null ? Reflect.get(held, key) : undefined), summary);
}

/** A value as a person reads it; empty where there is nothing to say. */
function inWords({ type, unit }: SummaryAttribute, value: unknown): string {
  if (value === undefined) return '';
  if (value === null) return 'not assessed';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value === 'number') return numberInWords(value, unit);
  if (Array.isArray(value)) return value.map(textOf).join('; ');
  if (typeof value !== 'object') return textOf(value);
  const entries = Object.entries(value);
  switch (type) {
    case 'flags':
      return entries.filter(([, held]) => held === true).map(([key]) => spaced(key)).join(', ');
    case 'counts':
      return entries.filter(([, held]) => held !== 0).map(([key, held]) => `${textOf(held)} ${spaced(key)}`).join(', ');
    case 'percentages':
      return entries.map(([key, held]) => `${capitalised(spaced(key))} ${textOf(held)} %`).join(', ');
    case 'text':
    case 'number':
    case 'boolean':
    case 'texts':
    case 'objects':
    case 'details':
      return entries.map(([key, held]) => `${spaced(key)} ${textOf(held)}`).join(', ');
  }
}

function numberInWords(value: number, unit: SummaryAttribute['unit']): string {
  if (unit === 'epoch seconds') return new Date(value * 1000).toISOString().slice(0, 10);
  if (unit === 'sq ft' || unit === 'acres' || unit === 'years') return `${value} ${unit}`;
  return unit === 'percent' ? `${value} %` : String(value);
}

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? (value as Record<string, unknown>[]) : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);
}

/** `livingRoom` as `living room`. */
function spaced(key: string): string {
  return key.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
