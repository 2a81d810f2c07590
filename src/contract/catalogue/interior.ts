import type { SummaryAttribute } from '../catalogue-types.ts';
import { APPLIANCE_ITEMS } from './appliances.ts';
import { attributesOf, CONDITIONS, dynamic, nullable, SYSTEM_UPDATE_STATUSES } from './attribute-builders.ts';

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
