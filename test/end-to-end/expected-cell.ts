/** What DESIGN.md says a value of a summary looks like in the workbook, written down a second time: the first is src/results. */

const NOT_ASSESSED = '–';
const NO_ENTRY = 'none';

/** The value at a path; keys may hold points themselves. Undefined where there is none. */
export function valueAt(held: unknown, path: string): unknown {
  if (path === '') return held;
  if (held === null || typeof held !== 'object' || Array.isArray(held)) return undefined;
  for (const [key, value] of Object.entries(held)) {
    if (path === key) return value;
    if (path.startsWith(`${key}.`)) {
      const found = valueAt(value, path.slice(key.length + 1));
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** The items at a path such as `summary.interior.appliances[].recallData`; those of every list on the way, together. */
export function itemsAt(held: unknown, path: string): readonly unknown[] {
  const [first = '', ...rest] = path.split('[].');
  const value = valueAt(held, first);
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  return rest.length === 0 ? items : items.flatMap((item) => itemsAt(item, rest.join('[].')));
}

/** The text that the workbook should show for a value, as `legalText` tells it. `type` and `unit` are those of the sheet `Fields`. */
export function expectedText(value: unknown, type: string): string {
  if (value === undefined || value === '') return '';
  if (value === null) return NOT_ASSESSED;
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (Array.isArray(value)) {
    if (type === 'count') return String(value.length);
    return value.length === 0 ? NO_ENTRY : value.map((item) => expectedText(item, 'text')).join('; ');
  }
  if (type === 'date') return dateText(value);
  if (type === 'percentage' && typeof value === 'number') return String(Number((value / 100).toPrecision(15)));
  return typeof value === 'object' ? JSON.stringify(value) : `${value as string | number}`;
}

function dateText(value: unknown): string {
  const ms = typeof value === 'number' ? value * 1000 : Date.parse(`${String(value)}T00:00:00Z`);
  return Number.isNaN(ms) ? String(value) : new Date(ms).toISOString();
}
