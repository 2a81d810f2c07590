import type { SheetRow } from '../domain/row.ts';
import { cellText, isBlank } from '../intake/cells.ts';
import { fieldNamed, type OrderField } from '../intake/fields.ts';
import { HEADER_SEARCH_ROWS, type OrderTable } from '../intake/header-row.ts';
import { headerDateOrder, type KnownHeaders, normalisedHeader } from '../intake/known-headers.ts';
import { trimmed } from '../intake/values/plain-text.ts';
import type { ProjectKey, UpdateKind } from '../ledger/updates.ts';

/** What a column of a list of updates stands for. */
export type ColumnRole = 'projectId' | 'policyNumber' | 'inspectionNumber' | 'policyEffectiveDate' | 'newPolicyNumber' | 'newEffectiveDate' | 'comment';

export interface UpdateColumn {
  readonly index: number;
  readonly header: string;
}

/** How the rows of a sheet are to be read: by which columns a project is named, and which hold what is new. */
export interface UpdateTable {
  readonly sheetIndex: number;
  readonly sheet: string;
  readonly headerRow: number;
  readonly keys: ReadonlyMap<ProjectKey, UpdateColumn>;
  /** What names the project of a row that `keys` do not name: then it is nothing new. */
  readonly otherwise: UpdateColumn | undefined;
  readonly newPolicyNumber: UpdateColumn | undefined;
  readonly newEffectiveDate: UpdateColumn | undefined;
  readonly comment: UpdateColumn | undefined;
  /** What the evidence of a column of dates is found by. */
  readonly asOrders: OrderTable;
}

const KEYS: readonly ProjectKey[] = ['projectId', 'inspectionNumber', 'policyNumber'];
const PROJECT_HEADERS: ReadonlySet<string> = new Set(['projectid', 'project', 'projectnumber', 'projectno', 'projectnr', 'projid', 'serviceprojectid', 'inspectionprojectid'].map(normalisedHeader));
/** A note to the inspector is no comment on a cancellation: only headers that say so. */
const COMMENT_HEADERS: ReadonlySet<string> = new Set(['comment', 'reason', 'cancellation reason', 'cancel reason', 'cancelation reason', 'reason for cancellation', 'cancellation comment', 'status comment'].map(normalisedHeader));
const NEW = /^(?:new|updated|corrected|correct|changed|amended)[\s_-]+(?=\S)/i;

/** What a header stands for, read as intake reads headers; undefined where it is none of ours. */
function roleOf(header: string, known: KnownHeaders): ColumnRole | undefined {
  if (PROJECT_HEADERS.has(normalisedHeader(header))) return 'projectId';
  if (COMMENT_HEADERS.has(normalisedHeader(header))) return 'comment';
  const plain = roleOfField(known.fieldOf(header));
  if (plain !== undefined) return plain;
  const separate = header.replace(/(?<=^(?:new|updated|corrected))(?=[A-Z])/, ' ');
  if (!NEW.test(separate)) return undefined;
  const role = roleOfField(known.fieldOf(separate.replace(NEW, '')));
  if (role === 'policyNumber') return 'newPolicyNumber';
  return role === 'policyEffectiveDate' ? 'newEffectiveDate' : undefined;
}

function roleOfField(field: OrderField | undefined): 'policyNumber' | 'inspectionNumber' | 'policyEffectiveDate' | undefined {
  const name = field?.name;
  return name === 'policyNumber' || name === 'inspectionNumber' || name === 'policyEffectiveDate' ? name : undefined;
}

/** The table of updates on a sheet, found among its first rows: the row that names a project and the most columns; null where none does. */
export function findUpdateTable(first: readonly SheetRow[], sheetIndex: number, kind: UpdateKind, known: KnownHeaders): UpdateTable | null {
  let best: { readonly row: SheetRow; readonly roles: ReadonlyMap<ColumnRole, UpdateColumn> } | null = null;
  for (const row of first.slice(0, HEADER_SEARCH_ROWS)) {
    const roles = rolesIn(row, known);
    if (KEYS.some((key) => roles.has(key)) && roles.size > (best?.roles.size ?? 0)) best = { row, roles };
  }
  return best === null ? null : tableOf(best.row, best.roles, sheetIndex, kind);
}

/** The first column of each role. */
function rolesIn(row: SheetRow, known: KnownHeaders): ReadonlyMap<ColumnRole, UpdateColumn> {
  const roles = new Map<ColumnRole, UpdateColumn>();
  for (const [index, cell] of row.cells.entries()) {
    if (isBlank(cell)) continue;
    const header = trimmed(cellText(cell));
    const role = roleOf(header, known);
    if (role !== undefined && !roles.has(role)) roles.set(role, { index, header });
  }
  return roles;
}

/**
 * Where a column says that it holds what is new, only such columns do, and the plain ones name the project. Where none says so, the
 * project is named by its ID, else by its inspection number, else by its policy number, and the other columns hold what is new: so a file
 * of orders can be sent as it is.
 */
function tableOf(row: SheetRow, roles: ReadonlyMap<ColumnRole, UpdateColumn>, sheetIndex: number, kind: UpdateKind): UpdateTable {
  const saysNew = kind !== 'amend' || roles.has('newPolicyNumber') || roles.has('newEffectiveDate');
  const strongest = KEYS.find((key) => roles.has(key));
  const isKey = (key: ProjectKey): boolean => saysNew || key !== 'policyNumber' || key === strongest;
  const keys = new Map(KEYS.flatMap((key) => {
    const column = roles.get(key);
    return column === undefined || !isKey(key) ? [] : [[key, column] as const];
  }));
  const newPolicyNumber = saysNew ? roles.get('newPolicyNumber') : keys.has('policyNumber') ? undefined : roles.get('policyNumber');
  const newEffectiveDate = saysNew ? roles.get('newEffectiveDate') : roles.get('policyEffectiveDate');
  const layout = { sheet: row.sheet, headerRow: row.rowNumber, columns: newEffectiveDate === undefined ? [] : [{ ...newEffectiveDate, field: 'policyEffectiveDate' as const }] };
  const dateOrder = newEffectiveDate === undefined ? undefined : headerDateOrder(newEffectiveDate.header);
  const dateOrders = new Map(newEffectiveDate === undefined || dateOrder === undefined ? [] : [[newEffectiveDate.index, dateOrder]]);
  const asOrders: OrderTable = { sheetIndex, layout, columns: new Map(), dateOrders, keyColumn: undefined, missing: [], notes: [] };
  return { sheetIndex, sheet: row.sheet, headerRow: row.rowNumber, keys, otherwise: keys.has('policyNumber') ? undefined : roles.get('policyNumber'), newPolicyNumber, newEffectiveDate, comment: roles.get('comment'), asOrders };
}

/** A field of an order under another title, as a person reads it in a message. */
export function fieldTitled(name: 'policyNumber' | 'policyEffectiveDate', title: string): OrderField {
  const field = fieldNamed(name);
  if (field === undefined) throw new Error(`there is no field ${name}`);
  return { ...field, title };
}
