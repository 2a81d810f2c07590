import { SUPPLEMENTAL_SERVICES } from '../document.ts';
import { attributesOf, CONDITIONS, dynamic, imagesOf, nullable, type SummaryAttribute } from './attribute.ts';

const project = attributesOf('Project', 'project');
const time = { unit: 'epoch seconds' } as const;

/** Document: Report summary, "Attributes inside `project`". */
export const PROJECT_ATTRIBUTES: readonly SummaryAttribute[] = [
  project.number('id', 'id', 'Project the report belongs to.'),
  project.text('inspectionNumber', 'inspection number', 'Inspection number of the order.'),
  project.text('serviceName', 'service', 'The service that was ordered.'),
  project.text('insuredName', 'insured', 'Name of the insured.'),
  project.number('inspectionTime', 'inspected', 'When the property was inspected.', time),
  project.number('completionTime', 'completed', 'When the inspection was completed.', time),
  project.text('policyNumber', 'policy number', 'Policy number of the order.'),
  project.texts('supplementalServices', 'supplemental services', 'Services ordered on top.', { ...dynamic, values: SUPPLEMENTAL_SERVICES }),
  project.boolean('isRenewal', 'renewal', 'Whether the policy is a renewal rather than new.', nullable),
  project.text('address.streetAddress', 'street', 'Street part of the property address.'),
  project.text('address.city', 'city', 'City of the property.'),
  project.text('address.state', 'state', 'State of the property.'),
  project.text('address.country', 'country', 'Country of the property.'),
  project.number('address.zipcode', 'ZIP code as reported', 'ZIP code as the report holds it: a number, so a leading zero is lost. The order knows better.'),
];

const property = attributesOf('Property', 'summary');
const recommendation = attributesOf('Recommendation', '');

/** Document: Report summary, the top level of `summary`. What it says stands "below" stands below here too. */
export const PROPERTY_ATTRIBUTES: readonly SummaryAttribute[] = [
  property.number('yearBuilt', 'year built', 'Year the building was built, four digits.', { unit: 'year' }),
  property.number('lotSize', 'lot size', 'Size of the lot in acres.', { unit: 'acres' }),
  property.number('livingArea', 'living area', 'Living area in square feet.', { unit: 'sq ft' }),
  property.texts('addlStructures', 'additional structures', 'Further structures on the lot.', {
    values: ['Storage Shed', 'Barn', 'Garden', 'Horse Stable', 'Gazebo', 'Guest House', 'Pergola', 'Boat Dock'],
  }),
  property.texts('hazards', 'hazards', 'Hazards seen, in words.'),
  property.objects('recommendations', 'recommendations', 'What the inspector recommends, with images.', {
    items: [recommendation.text('text', 'text', 'The recommendation in words.'), imagesOf('Recommendation')],
  }),
];

const risk = attributesOf('Risk', 'summary.risk');

/** Document: Report summary, **risk**. */
export const RISK_ATTRIBUTES: readonly SummaryAttribute[] = [
  risk.text('overallCondition', 'overall condition', 'Overall condition of the risk.', { ...dynamic, values: [...CONDITIONS, 'Closeout'] }),
  risk.text('areaEconomy', 'area economy', 'How the economy of the area develops.', { ...dynamic, values: ['Stable', 'Improving', 'Declining'] }),
  risk.text('neighborhood', 'neighborhood', 'Kind of neighborhood.', {
    ...dynamic,
    values: ['Urban', 'Suburban', 'Rural', 'Remote', 'Commercial', 'Commercial & Residential'],
  }),
  risk.boolean('gatedCommunity', 'gated community', 'The property lies in a gated community.'),
  risk.boolean('locatedOnPavedRoad', 'on a paved road', 'The property lies on a paved road.'),
  risk.boolean('isolatedDwelling', 'isolated dwelling', 'The dwelling stands isolated.'),
  risk.boolean('seasonalDwelling', 'seasonal dwelling', 'The dwelling is used for a season only.'),
  risk.boolean('vacant', 'vacant', 'The property is vacant.'),
  risk.boolean('rental', 'rental', 'The property is rented out.'),
  risk.text('businessOperation', 'business operation', 'Business seen on the property.', {
    ...dynamic,
    values: ['None observed', 'Farming', 'Gardening', 'Professional Services'],
  }),
  risk.boolean('hasBusinessOperation', 'has business operation', 'A business is run on the property.'),
  risk.boolean('forSale', 'for sale', 'The property is for sale.', nullable),
  risk.boolean('inaccessible', 'inaccessible', 'The property was inaccessible for inspection.', nullable),
  risk.number('hazardScore', 'hazard score', 'Score of the hazards counted from the report.', { ...nullable, unit: 'score' }),
  risk.boolean('hasCrops', 'crops', 'Crops grow on the property.', nullable),
  risk.boolean('hasHorses', 'horses', 'Horses are kept on the property.', nullable),
  risk.text('waterBody.type', 'water body', 'Kind of water body nearby.', {
    ...nullable,
    ...dynamic,
    values: ['None observed', 'Lake', 'River', 'Creek', 'Ocean', 'Pond', 'Bay', 'Bayou', 'Gully'],
  }),
  risk.text('waterBody.distance', 'distance to water', 'Distance to the water body.', {
    ...nullable,
    ...dynamic,
    values: ['less than 500 ft', '500 ft ~ 1000 ft', '1000 ft ~ 2000 ft', '2000 ft ~ 1 mile', 'greater than 1 mile'],
  }),
];

const community = attributesOf('Community', 'summary.community');
const fire = attributesOf('Fire protection', 'summary.fireProtection');

/** Document: Report summary, **community**, all nullable. */
export const COMMUNITY_ATTRIBUTES: readonly SummaryAttribute[] = [
  community.number('numResidentialUnits', 'residential units', 'Number of residential units.', { ...nullable, unit: 'count' }),
  community.number('numBldg', 'buildings', 'Number of buildings.', { ...nullable, unit: 'count' }),
  community.boolean('hasBalcony', 'balcony', 'There are balconies.', nullable),
  community.boolean('petsAllowed', 'pets allowed', 'Pets are allowed.', nullable),
  community.boolean('hasTennisCourt', 'tennis court', 'There is a tennis court.', nullable),
  community.boolean('hasPlayground', 'playground', 'There is a playground.', nullable),
  community.boolean('hasBasketballCourt', 'basketball court', 'There is a basketball court.', nullable),
];

/** Document: Report summary, **fireProtection**. */
export const FIRE_PROTECTION_ATTRIBUTES: readonly SummaryAttribute[] = [
  fire.number('code', 'code', 'Fire protection code.', nullable),
  fire.text('nearestFireStation.title', 'nearest station', 'Name of the nearest fire station.'),
  fire.text('nearestFireStation.type', 'type of station', 'Type of the nearest fire station.'),
  fire.text('nearestFireStation.distance', 'distance to station', 'Distance to the nearest fire station.'),
  fire.text('nearestFireHydrant.distance', 'distance to hydrant', 'Distance to the nearest fire hydrant.'),
];
