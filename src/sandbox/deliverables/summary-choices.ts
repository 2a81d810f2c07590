import type { NotShown } from '../not-shown.ts';
import type { Summary } from './summary.ts';

/** A summary the way that was chosen where the document shows neither values nor fields: names of factors, and what attachedStructures holds. */
export function asChosen(made: Summary, { factorNames, attachedStructures }: Pick<NotShown, 'factorNames' | 'attachedStructures'>): Summary {
  const summary = { ...made.summary };
  if (factorNames === 'words') mapItems(summary, 'factors', (factor) => ({ ...factor, ...('name' in factor ? { name: inWords(String(factor.name)) } : {}) }));
  if (attachedStructures === 'more' && isObject(summary.hover)) {
    summary.hover = { ...summary.hover };
    mapItems(summary.hover, 'hoverTla', (item) =>
      isObject(item.attachedStructures) ? { ...item, attachedStructures: { ...item.attachedStructures, attachedPorches: { count: 1, totalArea: 120 } } } : item,
    );
  }
  return { ...made, summary };
}

function mapItems(holder: unknown, name: string, change: (item: Record<string, unknown>) => unknown): void {
  if (!isObject(holder)) return;
  const items = holder[name];
  if (Array.isArray(items)) holder[name] = items.map((item: unknown) => (isObject(item) ? change(item) : item));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `YARD_DEBRIS`: `Yard debris`. */
function inWords(code: string): string {
  const words = code.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
