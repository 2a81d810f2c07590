import type { SummaryAttribute } from '../../contract/catalogue-types.ts';
import { SeededRandom } from '../seeded-random.ts';
import type { Inspection } from './inspection.ts';

/** How often an account's template leaves an attribute out. */
const LEFT_OUT_SHARE = 0.03;

const OUTSIDE = ['risk', 'bldg', 'roof', 'exterior', 'fireProtection', 'yearBuilt', 'lotSize', 'livingArea', 'addlStructures'];
const FOUND = ['hazards', 'recommendations', 'factors'];

/**
 * Which attributes a report holds (document: "only fields in the customized template appear"): whole sections by service and report
 * type, and a few attributes that the account, which is to say the seed, has left out.
 */
export function templateOf(inspection: Inspection, reportType: string): (attribute: Pick<SummaryAttribute, 'path'>) => boolean {
  const sections = new Set(sectionsOf(inspection, reportType));
  return ({ path }) => {
    const [root, section = ''] = path.split('.');
    if (root === 'project') return true;
    if (inspection.closeout) return ['summary.closeoutReasons', 'summary.risk.overallCondition', 'summary.risk.inaccessible'].includes(path);
    switch (inspection.accountTemplate ?? 'standard') {
      case 'full':
        return path !== 'summary.closeoutReasons';
      case 'slim':
        return sections.has(section) && SLIM.has(path);
      case 'standard':
        return sections.has(section) && (path.endsWith('.overallCondition') || !isLeftOut(inspection.seed, path));
    }
  };
}

/** What a small account pays for. */
const SLIM: ReadonlySet<string> = new Set([
  'summary.yearBuilt',
  'summary.livingArea',
  'summary.hazards',
  'summary.factors',
  'summary.risk.overallCondition',
  'summary.risk.hazardScore',
  'summary.bldg.numStories',
  'summary.bldg.construction',
  'summary.roof.overallCondition',
  'summary.roof.estLife',
  'summary.roof.hasTarp',
  'summary.exterior.overallCondition',
  'summary.exterior.hasSwimmingPool',
  'summary.exterior.hasDogPresent',
  'summary.interior.overallCondition',
]);

function sectionsOf({ project }: Inspection, reportType: string): string[] {
  const { serviceName, houseType, policyType, isRenewal } = project.request;
  const history = isRenewal === true ? ['history'] : [];
  if (reportType === 'Premium Damage Assessment Report') return ['risk', 'roof', 'exterior', 'factors'];
  const shared = policyType === 'Commercial Property Insurance' || /Condo|Townhouse|Multi Family/.test(houseType) ? ['community'] : [];
  switch (serviceName) {
    case 'Roof Only':
      return ['risk', 'roof', 'yearBuilt', ...FOUND, ...history];
    case 'Photo Only Inspection':
      return ['risk', 'yearBuilt', 'livingArea'];
    case 'Exterior':
    case 'Snap360':
    case 'Self Exterior Underwriting':
      return [...OUTSIDE, ...FOUND, ...history, ...shared];
    case '4-Point':
    case 'Self 4-Point Underwriting':
      return [...OUTSIDE, 'interior', ...FOUND, ...history, ...shared];
    case 'Premium 4-Point':
    case 'High Value Premium 4-point':
      return [...OUTSIDE, 'interior', 'hover', ...FOUND, ...history, ...shared];
  }
}

const leftOut = new Map<string, boolean>();

/** Drawn once for a seed and path, because every report asks. */
function isLeftOut(seed: string, path: string): boolean {
  const key = `${seed}\u0000${path}`;
  let answer = leftOut.get(key);
  if (answer === undefined) leftOut.set(key, (answer = new SeededRandom(seed, 'template', path).chance(LEFT_OUT_SHARE)));
  return answer;
}
