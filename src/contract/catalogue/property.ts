import { SUPPLEMENTAL_SERVICES } from '../document.ts';
import {
  attributesOf,
  CONDITIONS,
  dynamic,
  examples,
  imagesOf,
  nullable,
  type SummaryAttribute,
  SYSTEM_UPDATE_STATUSES,
} from './attribute.ts';

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
  project.texts('supplementalServices', 'supplemental services', 'Services ordered on top.', {
    ...dynamic,
    values: SUPPLEMENTAL_SERVICES,
  }),
  project.boolean('isRenewal', 'renewal', 'Whether the policy is a renewal rather than new.', nullable),
  project.text('address.streetAddress', 'street', 'Street part of the property address.'),
  project.text('address.city', 'city', 'City of the property.'),
  project.text('address.state', 'state', 'State of the property.'),
  project.text('address.country', 'country', 'Country of the property.'),
  project.number(
    'address.zipcode',
    'ZIP code as reported',
    'ZIP code as the report holds it: a number, so a leading zero is lost. The order knows better.',
  ),
];

const property = attributesOf('Property', 'summary');
const recommendation = attributesOf('Recommendation', '');

/** Document: Report summary, the top level of `summary`. What it says stands "below" stands below here too. */
export const PROPERTY_ATTRIBUTES: readonly SummaryAttribute[] = [
  property.number('yearBuilt', 'year built', 'Year the building was built, four digits.', { unit: 'year' }),
  property.number('lotSize', 'lot size', 'Size of the lot in acres.', { unit: 'acres' }),
  property.number('livingArea', 'living area', 'Living area in square feet.', { unit: 'sq ft' }),
  property.texts('addlStructures', 'additional structures', 'Further structures on the lot.', {
    ...examples,
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
  risk.text('overallCondition', 'overall condition', 'Overall condition of the risk.', {
    ...dynamic,
    values: [...CONDITIONS, 'Closeout'],
  }),
  risk.text('areaEconomy', 'area economy', 'How the economy of the area develops.', {
    ...dynamic,
    values: ['Stable', 'Improving', 'Declining'],
  }),
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
  risk.number('hazardScore', 'hazard score', 'Score of the hazards counted from the report.', {
    ...nullable,
    unit: 'score',
  }),
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
  community.number('numResidentialUnits', 'residential units', 'Number of residential units.', {
    ...nullable,
    unit: 'count',
  }),
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

const appliance = attributesOf('Appliance', '');
const recall = attributesOf('Recall', '');
const classAction = attributesOf('Class action', '');

/** Document: Report summary, "recallData item (all strings)". */
const RECALL_ITEMS: readonly SummaryAttribute[] = [
  recall.text('recallNumber', 'number', 'Number of the recall.'),
  recall.text('hazard', 'hazard', 'The hazard the recall is about.'),
  recall.text('dueTo', 'due to', 'What the hazard is due to.'),
  recall.text('fix', 'fix', 'How it is fixed.'),
  recall.text('recallUrl', 'page', 'Page about the recall.', { unit: 'url' }),
  recall.text('dateRecalled', 'recalled', 'Date of the recall.', { unit: 'date' }),
  recall.text('dateStartedBeingSold', 'sold from', 'Date from which it was sold.', { unit: 'date' }),
  recall.text('dateStoppedBeingSold', 'sold until', 'Date until which it was sold.', { unit: 'date' }),
  recall.text('customerRecallStatus', 'customer status', 'How the customer stands to the recall.', {
    ...examples,
    values: ['FIXED'],
  }),
];

/** Document: Report summary, "classActionLawsuit item (all strings)". */
const CLASS_ACTION_ITEMS: readonly SummaryAttribute[] = [
  classAction.text('caseName', 'case name', 'Name of the case.'),
  classAction.text('caseNumber', 'case number', 'Number of the case.'),
  classAction.text('caseCountry', 'country', 'Country of the case.'),
  classAction.text('caseDistrict', 'district', 'District of the case.'),
  classAction.text('claimDeadline', 'claim deadline', 'Last day for a claim.', { unit: 'date' }),
  classAction.text('classActionDescription', 'description', 'What the case is about.'),
  classAction.text('classActionUrl', 'page', 'Page about the case.', { unit: 'url' }),
  classAction.text('classActionStatus', 'status', 'How the case stands.'),
];

/** Document: Report summary, "interior.appliances item". */
const APPLIANCE_ITEMS: readonly SummaryAttribute[] = [
  appliance.text('productType', 'product', 'Kind of appliance.', {
    ...examples,
    values: [
      'Air Conditioner',
      'Clothes Dryer',
      'Dishwasher',
      'Furnace/Air Handler',
      'Range / Stove / Oven',
      'Refrigerator',
      'Washing Machine',
    ],
  }),
  appliance.text('subProductType', 'sub-product', 'Kind of appliance, finer.'),
  appliance.text('brand', 'brand', 'Brand of the appliance.'),
  appliance.text('modelNumber', 'model number', 'Model number.'),
  appliance.text('serialNumber', 'serial number', 'Serial number.'),
  appliance.number('manufacturedYear', 'year made', 'Year it was made.', { unit: 'year' }),
  appliance.number('manufacturedMonth', 'month made', 'Month it was made.', { unit: 'month' }),
  appliance.number('age', 'age', 'Age in years, perhaps with decimals.', { unit: 'years' }),
  appliance.number('remainingLife', 'remaining life', 'Years of life left, perhaps with decimals.', { unit: 'years' }),
  appliance.number('failureRiskScore', 'failure risk score', 'Higher means more likely to fail.', { unit: 'score' }),
  appliance.number(
    'failureRiskScoreIfRecallFixed',
    'failure risk score if recall fixed',
    'The failure risk once the recall is fixed.',
    { unit: 'score' },
  ),
  appliance.objects('recallData', 'recalls', 'Recalls of the appliance.', { items: RECALL_ITEMS }),
  appliance.objects('classActionLawsuit', 'class actions', 'Class action lawsuits about the appliance.', {
    items: CLASS_ACTION_ITEMS,
  }),
];

const interior = attributesOf('Interior', 'summary.interior');
const plumbing = attributesOf('Plumbing', 'summary.interior.plumbing');
const electric = attributesOf('Electric', 'summary.interior.electric');
const heating = attributesOf('Heating and cooling', 'summary.interior.heatingCooling');

const updateStatus = { ...dynamic, values: SYSTEM_UPDATE_STATUSES } as const;
const yearUpdated = { ...nullable, unit: 'year' } as const;

/** Document: Report summary, **interior**. */
export const INTERIOR_ATTRIBUTES: readonly SummaryAttribute[] = [
  interior.text('overallCondition', 'overall condition', 'Overall condition inside.', {
    ...dynamic,
    values: CONDITIONS,
  }),
  interior.boolean('hasVisibleLeaks', 'visible leaks', 'Leaks are visible inside.'),
  interior.boolean('hasExistingDamage', 'existing damage', 'There is damage inside.'),
  plumbing.boolean('noShutoffValve', 'no shutoff valve', 'There is no shutoff valve.'),
  plumbing.boolean('hasOldWaterHeater', 'old water heater', 'The water heater is older than 15 years.'),
  plumbing.boolean(
    'hasPoorWaterHeaterCondition',
    'water heater in poor condition',
    'The water heater is in poor condition.',
  ),
  plumbing.boolean('hasGalvanizedPipes', 'galvanized pipes', 'There are galvanized pipes.'),
  plumbing.boolean('hasIneligiblePlumbing', 'ineligible plumbing', 'The plumbing is of an ineligible kind.'),
  plumbing.boolean('isUpdated', 'updated', 'The plumbing was updated.', nullable),
  plumbing.number('yearUpdated', 'year updated', 'Year the plumbing was updated.', yearUpdated),
  plumbing.text('systemUpdateStatus', 'update status', 'How far the plumbing was updated.', updateStatus),
  electric.boolean(
    'hasIneligiblePanel',
    'ineligible panel',
    'The panel is of an ineligible kind: split bus, fuse box, certain brands.',
  ),
  electric.text('panelBrand', 'panel brand', 'Manufacturer of the main panel.'),
  electric.boolean('isUpdated', 'updated', 'The electric system was updated.', nullable),
  electric.number('yearUpdated', 'year updated', 'Year the electric system was updated.', yearUpdated),
  electric.text('systemUpdateStatus', 'update status', 'How far the electric system was updated.', updateStatus),
  heating.boolean('hasSpaceHeater', 'space heater', 'There is a space heater.', nullable),
  heating.boolean('hasWoodStove', 'wood stove', 'There is a wood stove.', nullable),
  heating.boolean('isUpdated', 'updated', 'Heating and cooling were updated.', nullable),
  heating.number('yearUpdated', 'year updated', 'Year heating and cooling were updated.', yearUpdated),
  heating.text('systemUpdateStatus', 'update status', 'How far heating and cooling were updated.', updateStatus),
  interior.counts('floorplan.room', 'rooms', 'Number of rooms by kind; other kinds occur.', {
    unit: 'count',
    keys: ['bedroom', 'bathroom', 'closet'],
  }),
  interior.flags('floorplan.hasDamage', 'damage', 'Damage by kind of room.', {
    keys: [
      'bedroom',
      'bathroom',
      'closet',
      'foyer',
      'livingRoom',
      'familyRoom',
      'diningRoom',
      'breakfastRoom',
      'kitchen',
      'officeOrStudyRoom',
      'laundryRoom',
      'attic',
      'garage',
    ],
  }),
  interior.text('waterHeater.serialNumber', 'water heater serial number', 'Serial number of the water heater.'),
  interior.text('waterHeater.age', 'water heater age', 'Age of the water heater.'),
  interior.boolean(
    'burglarAlarm.hasCentralBurglarAlarm',
    'central burglar alarm',
    'There is a central burglar alarm.',
    nullable,
  ),
  interior.boolean('fireAlarm.hasCentralFireAlarm', 'central fire alarm', 'There is a central fire alarm.', nullable),
  interior.texts('comments', 'comments', 'Comments on the interior.'),
  interior.objects('appliances', 'appliances', 'Each appliance, with its recalls and class actions.', {
    items: APPLIANCE_ITEMS,
  }),
];

const findings = attributesOf('Findings', 'summary');
const factor = attributesOf('Factor', '');
const history = attributesOf('History', '');
const hover = attributesOf('3D model', '');
const floor = attributesOf('Floor', '');

/** Document: Report summary, **factors**. */
const FACTOR_ITEMS: readonly SummaryAttribute[] = [
  factor.text('text', 'text', 'The factor in words.'),
  factor.text('name', 'name', 'Canonical key of the kind of factor; the set of names may grow.', dynamic),
  factor.text('direction', 'direction', 'On which side of the building.', nullable),
  imagesOf('Factor', nullable),
  factor.text('component', 'component', 'The building component where the hazard was found.', nullable),
  factor.text('location', 'location', 'Component and direction in one; `N/A` when the component is null.'),
];

/** Document: Report summary, **hover**. Of `attachedStructures` the document shows `attachedGarages` only, and not its fields. */
const HOVER_ITEMS: readonly SummaryAttribute[] = [
  hover.objects('livingAreas.floors.entities', 'floors', 'Each floor with its area.', {
    items: [
      floor.number('area', 'area', 'Area of the floor in square feet.', { unit: 'sq ft' }),
      floor.text('identifier', 'identifier', 'Identifier of the floor.'),
      floor.text('label', 'label', 'Label of the floor.', nullable),
      floor.boolean('measured', 'measured', 'Yes where the area was measured, No where it was estimated.'),
      floor.number('floor', 'floor', 'Which floor it is.'),
    ],
  }),
  hover.number('livingAreas.floors.totalArea', 'total area', 'Sum of the floor areas in square feet.', {
    unit: 'sq ft',
  }),
  hover.details(
    'attachedStructures.attachedGarages',
    'attached garages',
    'Measurements and details of attached garages, by name.',
  ),
];

/** Document: Report summary, **factors**, **closeoutReasons**, **history** and **hover**. */
export const FINDINGS_ATTRIBUTES: readonly SummaryAttribute[] = [
  findings.objects('factors', 'factors', 'Hazards found, with the component and the place.', { items: FACTOR_ITEMS }),
  findings.texts('closeoutReasons', 'closeout reasons', 'Why the inspection was closed out.', {
    ...dynamic,
    values: [
      'Inspection was denied by the insured.',
      'Pilot was denied on location.',
      'Insured stated he/she cancelled the policy, and declined the inspection.',
      'Cancellation is confirmed.',
      'Unable to reach insured after multiple attempts. Inspection is closed out.',
      'The insured said this policy is canceled. Inspection is closed out.',
      'Inspection was denied by the insured who was unaware of this insurance policy.',
      'Inspection was denied by the insured, considering it unnecessary.',
      'Inspection was denied by the insured, stating it was previously completed by someone else.',
      'Inspection was denied by the insured without providing a specific reason.',
    ],
  }),
  findings.objects('history', 'history', 'Earlier inspections.', {
    items: [
      history.text('dateInspected', 'inspected', 'Date of the earlier inspection.', { unit: 'date' }),
      history.text('policyNumber', 'policy number', 'Policy number of the earlier inspection.'),
      imagesOf('History'),
    ],
  }),
  findings.objects('hover.hoverTla', '3D model', 'Measurements from the 3D model.', { items: HOVER_ITEMS }),
];
