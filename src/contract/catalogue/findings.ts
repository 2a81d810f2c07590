import { attributesOf, dynamic, imagesOf, nullable, type SummaryAttribute } from './attribute.ts';

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
  hover.number('livingAreas.floors.totalArea', 'total area', 'Sum of the floor areas in square feet.', { unit: 'sq ft' }),
  hover.details('attachedStructures.attachedGarages', 'attached garages', 'Measurements and details of attached garages, by name.'),
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
