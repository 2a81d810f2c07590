import type { Workbook } from 'exceljs';
import { HOUSE_TYPES_BY_POLICY_TYPE, POLICY_TYPES, SERVICE_NAMES, SUPPLEMENTAL_SERVICES, US_STATES } from '../contract/document.ts';
import { columnLetters } from './cells.ts';
import type { OrderField } from './fields.ts';
import { LISTS_SHEET } from './own-sheets.ts';

/** The names under which the drop-downs find their lists. The house types of the n-th policy type are `HouseTypes_n`. */
const LIST_NAMES = { services: 'Services', policyTypes: 'PolicyTypes', states: 'States', yesNo: 'YesNo', supplements: 'SupplementalServices' } as const;
const HOUSE_TYPES_PREFIX = 'HouseTypes_';

/** Every way of choosing some of the supplemental services, so that a drop-down can offer several at once. */
function supplementChoices(): string[] {
  const choices = SUPPLEMENTAL_SERVICES.reduce<readonly string[][]>((some, service) => some.concat(some.map((chosen) => chosen.concat(service))), [[]]);
  return choices.filter((chosen) => chosen.length > 0).toSorted((a, b) => a.length - b.length).map((chosen) => chosen.join(', '));
}

const LISTS: readonly { readonly name: string; readonly values: readonly string[] }[] = [
  { name: LIST_NAMES.services, values: SERVICE_NAMES },
  { name: LIST_NAMES.policyTypes, values: POLICY_TYPES },
  ...POLICY_TYPES.map((policyType, index) => ({ name: `${HOUSE_TYPES_PREFIX}${String(index + 1)}`, values: HOUSE_TYPES_BY_POLICY_TYPE[policyType] })),
  { name: LIST_NAMES.states, values: Object.keys(US_STATES).toSorted() },
  { name: LIST_NAMES.yesNo, values: ['Yes', 'No'] },
  { name: LIST_NAMES.supplements, values: supplementChoices() },
];

/** Writes the hidden sheet of lists, a column each, with their names; its first cell says what the workbook is. */
export function addLists(workbook: Pick<Workbook, 'addWorksheet' | 'definedNames'>, mark: string): void {
  const sheet = workbook.addWorksheet(LISTS_SHEET, { state: 'hidden' });
  sheet.getCell('A1').value = mark;
  for (const [index, { name, values }] of LISTS.entries()) {
    const letters = columnLetters(index + 1);
    sheet.getCell(`${letters}1`).value = name;
    for (const [position, value] of values.entries()) sheet.getCell(`${letters}${String(position + 2)}`).value = value;
    workbook.definedNames.add(`${LISTS_SHEET}!$${letters}$2:$${letters}$${String(values.length + 1)}`, name);
  }
}

/**
 * Where the drop-down of a field finds its choices: an expression understood by Excel and LibreOffice, undefined for a field without a
 * list. `policyTypeCell` is the cell that decides over the house types; without one, they have no list.
 */
export function choicesOf(field: OrderField, policyTypeCell: string | undefined): string | undefined {
  switch (field.kind) {
    case 'enum':
      if (field.name === 'houseType') return policyTypeCell === undefined ? undefined : `INDIRECT("${HOUSE_TYPES_PREFIX}"&MATCH(${policyTypeCell},${LIST_NAMES.policyTypes},0))`;
      return field.name === 'serviceName' ? LIST_NAMES.services : LIST_NAMES.policyTypes;
    case 'list':
      return LIST_NAMES.supplements;
    case 'boolean':
      return LIST_NAMES.yesNo;
    case 'state':
      return LIST_NAMES.states;
    case 'country':
      return '"US"';
    case 'year':
    case 'money':
    case 'area':
    case 'date':
    case 'text':
    case 'id':
    case 'zip':
    case 'phone':
    case 'email':
      return undefined;
  }
}
