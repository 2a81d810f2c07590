import type { SummaryAttribute } from './catalogue/attribute.ts';
import { BUILDING_ATTRIBUTES, EXTERIOR_ATTRIBUTES, ROOF_ATTRIBUTES } from './catalogue/building.ts';
import {
  COMMUNITY_ATTRIBUTES,
  FINDINGS_ATTRIBUTES,
  FIRE_PROTECTION_ATTRIBUTES,
  INTERIOR_ATTRIBUTES,
  PROJECT_ATTRIBUTES,
  PROPERTY_ATTRIBUTES,
  RISK_ATTRIBUTES,
} from './catalogue/property.ts';

/**
 * Every attribute of the document's section "Report summary", in the document's order. Paths and titles are unique. A new attribute is added in
 * `catalogue/`, in the file of its section; columns, HTML report, sandbox and OpenAPI follow from it.
 */
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

const BY_PATH: ReadonlyMap<string, SummaryAttribute> = new Map(
  SUMMARY_CATALOGUE.map((attribute) => [attribute.path, attribute]),
);

/** The attribute at a path, such as `summary.roof.hasTarp`; undefined where the document lists none there. */
export function attributeAt(path: string): SummaryAttribute | undefined {
  return BY_PATH.get(path);
}
