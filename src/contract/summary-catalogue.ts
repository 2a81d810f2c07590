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
 * Every attribute of "Report summary" in the document's order, with unique paths and titles. Add an attribute in
 * `catalogue/`, in its section's file; columns, page, sandbox and OpenAPI follow.
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

/** The attribute at a path, such as `summary.roof.hasTarp`; undefined if the document has none. */
export function attributeAt(path: string): SummaryAttribute | undefined {
  return BY_PATH.get(path);
}
