import type { SummaryAttribute } from './catalogue-types.ts';
import { BUILDING_ATTRIBUTES } from './catalogue/building.ts';
import { EXTERIOR_ATTRIBUTES } from './catalogue/exterior.ts';
import { FINDINGS_ATTRIBUTES } from './catalogue/findings.ts';
import { INTERIOR_ATTRIBUTES } from './catalogue/interior.ts';
import { PROJECT_ATTRIBUTES } from './catalogue/project.ts';
import { COMMUNITY_ATTRIBUTES, FIRE_PROTECTION_ATTRIBUTES, PROPERTY_ATTRIBUTES, RISK_ATTRIBUTES } from './catalogue/property.ts';
import { ROOF_ATTRIBUTES } from './catalogue/roof.ts';

/** Every attribute of the document's section "Report summary", in the document's order. Paths and titles are unique. */
export const SUMMARY_CATALOGUE: readonly SummaryAttribute[] = [
  ...PROJECT_ATTRIBUTES,
  ...PROPERTY_ATTRIBUTES,
  ...RISK_ATTRIBUTES,
  ...BUILDING_ATTRIBUTES,
  ...ROOF_ATTRIBUTES,
  ...EXTERIOR_ATTRIBUTES,
  ...INTERIOR_ATTRIBUTES,
  ...COMMUNITY_ATTRIBUTES,
  ...FIRE_PROTECTION_ATTRIBUTES,
  ...FINDINGS_ATTRIBUTES,
];
