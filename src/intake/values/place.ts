import { US_STATES } from '../../contract/document.ts';
import { quoted } from '../cells.ts';
import { nearestOf } from '../nearest.ts';
import { type Coercion, suggestion, value, wrong } from './coercion.ts';

function letters(text: string): string {
  return text.toLowerCase().replace(/[^a-z]+/g, '');
}

/** Names people write in full or in the old abbreviations; each stands for one state. */
const CODES_BY_NAME: ReadonlyMap<string, string> = new Map([
  ...Object.entries(US_STATES).map(([code, name]) => [letters(name), code] as const),
  ...Object.entries({
    ala: 'AL', ariz: 'AZ', ark: 'AR', calif: 'CA', cal: 'CA', colo: 'CO', conn: 'CT', del: 'DE', washingtondc: 'DC', fla: 'FL', ill: 'IL',
    ind: 'IN', kan: 'KS', kans: 'KS', mass: 'MA', mich: 'MI', minn: 'MN', miss: 'MS', mont: 'MT', neb: 'NE', nebr: 'NE', nev: 'NV', ncarolina: 'NC',
    ndakota: 'ND', okla: 'OK', ore: 'OR', oreg: 'OR', penn: 'PA', penna: 'PA', scarolina: 'SC', sdakota: 'SD', tenn: 'TN', tex: 'TX', wash: 'WA',
    nhampshire: 'NH', njersey: 'NJ', nmexico: 'NM', nmex: 'NM', nyork: 'NY', wvirginia: 'WV', wvirg: 'WV', pennsylv: 'PA', okl: 'OK', mississ: 'MS',
    wva: 'WV', wis: 'WI', wisc: 'WI', wyo: 'WY', usvirginislands: 'VI', virginislands: 'VI',
  }),
]);

/** The two letters of a state, whatever way it is written; undefined for what is none. */
export function stateCode(text: string): string | undefined {
  const bare = letters(text);
  const code = bare.toUpperCase();
  return code.length === 2 && code in US_STATES ? code : CODES_BY_NAME.get(bare);
}

/** A state by its two letters; names in full become codes. */
export function coerceState(text: string): Coercion {
  if (/^[A-Z]{2}$/.test(text) && text in US_STATES) return value(text);
  const code = stateCode(text);
  if (code !== undefined) return value(code, letters(text).length === 2 ? 'a state is sent as two capital letters' : `${US_STATES[code] ?? code} is sent as its two letters`);
  const near = nearestOf(text, Object.values(US_STATES));
  return wrong('state-unknown', `${quoted(text)} is not a US state. Write its two letters, such as FL.${suggestion(near)}`);
}

const UNITED_STATES = new Set(['us', 'usa', 'unitedstates', 'unitedstatesofamerica', 'theunitedstates', 'america']);

/** The service knows one country. */
export function coerceCountry(text: string): Coercion {
  if (text === 'US') return value('US');
  if (UNITED_STATES.has(letters(text))) return value('US', 'the United States are sent as US');
  return wrong('country-us-only', `${quoted(text)} cannot be ordered: only addresses in the United States are inspected. Write US, or leave the cell empty.`);
}
