import { nearestOf } from '../nearest.ts';

/** What agencies write for the listed values. A hint for a person: it never decides a value. */
const USUAL_WORDS: Readonly<Record<string, readonly string[]>> = {
  'Roof Only': ['roof', 'roof inspection', 'roof certification', 'roof cert'],
  Exterior: ['exterior only', 'ext', 'drive by', 'driveby', 'exterior inspection', 'curbside'],
  '4-Point': ['four point', '4pt', '4 pt', 'fourpoint', '4-point inspection', '4p'],
  'Premium 4-Point': ['premium', 'premium four point', 'premium 4pt'],
  'High Value Premium 4-point': [
    'high value', 'hv', 'high value home', 'hvh', 'high value 4-point', 'high value 4pt', 'high value premium', 'hv premium', 'hv premium 4-point',
    'hv premium 4pt', 'hv 4-point', 'hv 4pt', 'hvp',
  ],
  Snap360: ['snap', '360', 'snap 360 inspection'],
  'Photo Only Inspection': ['photo', 'photos', 'photo only', 'photos only'],
  'Self Exterior Underwriting': ['self exterior', 'self inspection exterior', 'self-inspection'],
  'Self 4-Point Underwriting': ['self 4-point', '4-point self', 'self four point'],
  'Commercial Property Insurance': ['commercial', 'commercial property', 'cp', 'bop', 'business owners', 'commercial package', 'cpp'],
  'Homeowners Insurance': ['homeowner', 'home', 'ho', 'ho3', 'ho-3', 'ho5', 'ho6', 'ho8', 'home owners', 'personal home', 'dwelling', 'dwelling fire', 'dp1', 'dp2', 'dp3', 'condo owners'],
  'Farm & Ranch Insurance': ['farm', 'ranch', 'farm and ranch', 'farm ranch', 'farmowners', 'farm owners'],
  Habitational: ['apartment', 'apartments', 'apartment building', 'hoa', 'condo association'],
  Restaurant: ['bar', 'diner', 'cafe', 'tavern'],
  Garage: ['auto repair', 'auto service', 'body shop'],
  'Gas Station': ['fuel station', 'convenience store with gas', 'service station'],
  'General Commercial': ['office', 'retail', 'warehouse', 'store', 'commercial building', 'lro'],
  'Residential Single Family': ['single family', 'sfr', 'sfh', 'sfd', 'sf', 'single family home', 'single family dwelling', 'single family detached', 'house', '1 family', 'one family'],
  'Residential Condo': ['condo', 'condominium', 'condo unit'],
  'Residential Townhouse': ['townhouse', 'townhome', 'town home', 'row house', 'rowhome', 'row home'],
  'Residential Multi Family': ['duplex', 'triplex', 'fourplex', 'quadplex', 'multi family', 'mf', 'mfr', '2 family', 'two family', '3 family', '4 family'],
  'Mobile Home': ['mobile', 'manufactured', 'manufactured home', 'mh', 'trailer', 'modular'],
  'RC Report': ['rc', 'rce', 'rct', 'replacement cost', 'replacement cost report', 'replacement cost estimate', 'itv'],
  Wildfire: ['brush', 'brushfire', 'fire', 'wildfire report'],
  Sinkhole: ['sink hole report', 'sinkhole report'],
};

function bare(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}

const BY_WORD: ReadonlyMap<string, string> = new Map(Object.entries(USUAL_WORDS).flatMap(([allowed, words]) => words.map((word) => [bare(word), allowed] as const)));

/** The allowed value that was probably meant: what agencies call so, or the one that looks nearest. */
export function likelyValue(text: string, values: readonly string[]): string | undefined {
  const usual = BY_WORD.get(bare(text));
  return usual !== undefined && values.includes(usual) ? usual : nearestOf(text, values);
}
