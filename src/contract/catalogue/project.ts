import type { SummaryAttribute } from '../catalogue-types.ts';
import { SUPPLEMENTAL_SERVICES } from '../project.ts';
import { attributesOf, dynamic, nullable } from './attribute-builders.ts';

const { text, number, boolean, texts } = attributesOf('Project', 'project');
const time = { unit: 'epoch seconds' } as const;

/** Document: Report summary, "Attributes inside `project`". */
export const PROJECT_ATTRIBUTES: readonly SummaryAttribute[] = [
  number('id', 'id', 'Project the report belongs to.'),
  text('inspectionNumber', 'inspection number', 'Inspection number of the order.'),
  text('serviceName', 'service', 'The service that was ordered.'),
  text('insuredName', 'insured', 'Name of the insured.'),
  number('inspectionTime', 'inspected', 'When the property was inspected.', time),
  number('completionTime', 'completed', 'When the inspection was completed.', time),
  text('policyNumber', 'policy number', 'Policy number of the order.'),
  texts('supplementalServices', 'supplemental services', 'Services ordered on top.', { ...dynamic, values: SUPPLEMENTAL_SERVICES }),
  boolean('isRenewal', 'renewal', 'Whether the policy is a renewal rather than new.', nullable),
  text('address.streetAddress', 'street', 'Street part of the property address.'),
  text('address.city', 'city', 'City of the property.'),
  text('address.state', 'state', 'State of the property.'),
  text('address.country', 'country', 'Country of the property.'),
  number('address.zipcode', 'ZIP code as reported', 'ZIP code as the report holds it: a number, so a leading zero is lost. The order knows better.'),
];
