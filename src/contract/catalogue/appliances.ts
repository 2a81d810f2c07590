import type { SummaryAttribute } from '../catalogue-types.ts';
import { attributesOf } from './attribute-builders.ts';

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
export const APPLIANCE_ITEMS: readonly SummaryAttribute[] = [
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
