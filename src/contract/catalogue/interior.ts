import { attributesOf, CONDITIONS, dynamic, nullable, type SummaryAttribute, SYSTEM_UPDATE_STATUSES } from './attribute.ts';

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
  recall.text('customerRecallStatus', 'customer status', 'How the customer stands to the recall.', { values: ['FIXED'] }),
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
    values: [
      'Air Conditioner', 'Clothes Dryer', 'Dishwasher', 'Furnace/Air Handler', 'Range / Stove / Oven', 'Refrigerator', 'Washing Machine',
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
  appliance.number('failureRiskScoreIfRecallFixed', 'failure risk score if recall fixed', 'The failure risk once the recall is fixed.', { unit: 'score' }),
  appliance.objects('recallData', 'recalls', 'Recalls of the appliance.', { items: RECALL_ITEMS }),
  appliance.objects('classActionLawsuit', 'class actions', 'Class action lawsuits about the appliance.', { items: CLASS_ACTION_ITEMS }),
];

const interior = attributesOf('Interior', 'summary.interior');
const plumbing = attributesOf('Plumbing', 'summary.interior.plumbing');
const electric = attributesOf('Electric', 'summary.interior.electric');
const heating = attributesOf('Heating and cooling', 'summary.interior.heatingCooling');

const updateStatus = { ...dynamic, values: SYSTEM_UPDATE_STATUSES } as const;
const yearUpdated = { ...nullable, unit: 'year' } as const;

/** Document: Report summary, **interior**. */
export const INTERIOR_ATTRIBUTES: readonly SummaryAttribute[] = [
  interior.text('overallCondition', 'overall condition', 'Overall condition inside.', { ...dynamic, values: CONDITIONS }),
  interior.boolean('hasVisibleLeaks', 'visible leaks', 'Leaks are visible inside.'),
  interior.boolean('hasExistingDamage', 'existing damage', 'There is damage inside.'),
  plumbing.boolean('noShutoffValve', 'no shutoff valve', 'There is no shutoff valve.'),
  plumbing.boolean('hasOldWaterHeater', 'old water heater', 'The water heater is older than 15 years.'),
  plumbing.boolean('hasPoorWaterHeaterCondition', 'water heater in poor condition', 'The water heater is in poor condition.'),
  plumbing.boolean('hasGalvanizedPipes', 'galvanized pipes', 'There are galvanized pipes.'),
  plumbing.boolean('hasIneligiblePlumbing', 'ineligible plumbing', 'The plumbing is of an ineligible kind.'),
  plumbing.boolean('isUpdated', 'updated', 'The plumbing was updated.', nullable),
  plumbing.number('yearUpdated', 'year updated', 'Year the plumbing was updated.', yearUpdated),
  plumbing.text('systemUpdateStatus', 'update status', 'How far the plumbing was updated.', updateStatus),
  electric.boolean('hasIneligiblePanel', 'ineligible panel', 'The panel is of an ineligible kind: split bus, fuse box, certain brands.'),
  electric.text('panelBrand', 'panel brand', 'Manufacturer of the main panel.'),
  electric.boolean('isUpdated', 'updated', 'The electric system was updated.', nullable),
  electric.number('yearUpdated', 'year updated', 'Year the electric system was updated.', yearUpdated),
  electric.text('systemUpdateStatus', 'update status', 'How far the electric system was updated.', updateStatus),
  heating.boolean('hasSpaceHeater', 'space heater', 'There is a space heater.', nullable),
  heating.boolean('hasWoodStove', 'wood stove', 'There is a wood stove.', nullable),
  heating.boolean('isUpdated', 'updated', 'Heating and cooling were updated.', nullable),
  heating.number('yearUpdated', 'year updated', 'Year heating and cooling were updated.', yearUpdated),
  heating.text('systemUpdateStatus', 'update status', 'How far heating and cooling were updated.', updateStatus),
  interior.counts('floorplan.room', 'rooms', 'Number of rooms by kind; other kinds occur.', { unit: 'count', keys: ['bedroom', 'bathroom', 'closet'] }),
  interior.flags('floorplan.hasDamage', 'damage', 'Damage by kind of room.', {
    keys: [
      'bedroom', 'bathroom', 'closet', 'foyer', 'livingRoom', 'familyRoom', 'diningRoom', 'breakfastRoom', 'kitchen', 'officeOrStudyRoom',
      'laundryRoom', 'attic', 'garage',
    ],
  }),
  interior.text('waterHeater.serialNumber', 'water heater serial number', 'Serial number of the water heater.'),
  interior.text('waterHeater.age', 'water heater age', 'Age of the water heater.'),
  interior.boolean('burglarAlarm.hasCentralBurglarAlarm', 'central burglar alarm', 'There is a central burglar alarm.', nullable),
  interior.boolean('fireAlarm.hasCentralFireAlarm', 'central fire alarm', 'There is a central fire alarm.', nullable),
  interior.texts('comments', 'comments', 'Comments on the interior.'),
  interior.objects('appliances', 'appliances', 'Each appliance, with its recalls and class actions.', { items: APPLIANCE_ITEMS }),
];
