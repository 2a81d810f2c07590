// What the corpus's JavaScript scripts share: see corpus.py, of which this is the same for another language.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const CORPUS = join(import.meta.dirname, '../../test/corpus');
// The writers are installed in a folder of their own, named by CORPUS_PACKAGES: they are no dependency of the project.
export const load = createRequire(join(process.env.CORPUS_PACKAGES ?? process.cwd(), 'package.json'));
export const versionOf = (name) => JSON.parse(readFileSync(join(process.env.CORPUS_PACKAGES ?? process.cwd(), 'node_modules', name, 'package.json'), 'utf8')).version;

export const ORDERS = JSON.parse(readFileSync(join(CORPUS, 'orders.json'), 'utf8'));
export const NAMES = Object.keys(ORDERS);
export const FIELDS = Object.keys(ORDERS.Vega);
export const KEYED = ['policyNumber', 'serviceName', 'policyType', 'houseType', 'streetAddress', 'city', 'state', 'zipcode', 'insuredName', 'insuredPhone', 'insuredEmail'];
export const TITLES = {
  inspectionNumber: 'Inspection number', policyNumber: 'Policy number', policyEffectiveDate: 'Policy effective date', insuredBy: 'Insurance company', division: 'Division',
  serviceName: 'Service', policyType: 'Policy type', houseType: 'House type', streetAddress: 'Street address', city: 'City', state: 'State', zipcode: 'ZIP code', country: 'Country',
  insuredName: 'Insured name', insuredPhone: 'Insured phone', insuredEmail: 'Insured email', dueDate: 'Due date', yearBuilt: 'Year built',
  carrierProvidedLivingArea: 'Living area (sq ft)', dwellingCoverage: 'Dwelling coverage (Cov A)', otherStructureCoverage: 'Other structures coverage (Cov B)',
  contentCoverage: 'Contents coverage (Cov C)', isRenewal: 'Renewal', supplementalServices: 'Supplemental services', agentName: 'Agent name', agentPhone: 'Agent phone',
  agentEmail: 'Agent email', note: 'Note',
};
const DATES = new Set(['policyEffectiveDate', 'dueDate']);

export function written(field, value, typed) {
  if (value === undefined) return typed ? null : '';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (Array.isArray(value)) return value.join(', ');
  if (typed && DATES.has(field)) return new Date(`${value}T00:00:00Z`);
  return typed ? value : String(value);
}

export function table(names = NAMES, fields = FIELDS, typed = true) {
  return [fields.map((field) => TITLES[field]), ...names.map((name) => fields.map((field) => written(field, ORDERS[name][field], typed)))];
}

export const at = (row, sheet = 'Orders') => (sheet === null ? String(row) : `${sheet} ${row}`);
export const sure = (names = NAMES, first = 2, sheet = 'Orders') => names.map((name, place) => ({ at: at(first + place, sheet), is: name }));
export const column = (fields, field) => String.fromCharCode(65 + fields.indexOf(field));

export function save(name, bytes) {
  mkdirSync(join(CORPUS, 'files'), { recursive: true });
  writeFileSync(pathOf(name), bytes);
}
export const pathOf = (name) => join(CORPUS, 'files', name);

// As Python's json writes it: a space after colons and commas.
function dump(value) {
  if (Array.isArray(value)) return `[${value.map(dump).join(', ')}]`;
  if (value !== null && typeof value === 'object') return `{${Object.entries(value).map(([key, held]) => `${JSON.stringify(key)}: ${dump(held)}`).join(', ')}}`;
  return JSON.stringify(value);
}
const listed = (items) => (items.length === 0 ? '[]' : `[\n${items.map((item) => `    ${dump(item)}`).join(',\n')}\n  ]`);

export function expect(name, { what, made, rows = [], fields, notes = [], unreadable }) {
  const lines = [`  "what": ${dump(what)}`, `  "made": ${dump(made)}`];
  if (unreadable === undefined) {
    if (fields !== undefined) lines.push(`  "fields": ${dump(fields)}`);
    lines.push(`  "rows": ${listed(rows)}`);
    if (notes.length > 0) lines.push(`  "notes": ${listed(notes)}`);
  } else lines.push(`  "unreadable": ${dump(unreadable)}`);
  mkdirSync(join(CORPUS, 'expected'), { recursive: true });
  writeFileSync(join(CORPUS, 'expected', `${name}.json`), `{\n${lines.join(',\n')}\n}\n`);
}
