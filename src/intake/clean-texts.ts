import type { FieldKind, OrderField } from './fields.ts';
import type { ColumnEvidence, FieldValue } from './values/coercion.ts';

/** Kinds of which a column repeats itself, and that are read from the cell, the column and today alone. */
const REPEATING: ReadonlySet<FieldKind> = new Set(['state', 'country', 'date', 'year', 'enum', 'list', 'boolean', 'money', 'area']);

/** More would cost more memory than time is won. */
const KEPT_MAX = 2000;

interface Column {
  readonly evidence: ColumnEvidence;
  readonly values: Map<string, FieldValue>;
}

/**
 * Texts that were read without anything to say of them, and their values: the next such cell of the column need not be read again. Most
 * cells of a large file are such ones.
 */
export class CleanTexts {
  readonly #columns = new Map<number, Column>();

  get(columnIndex: number, text: string, evidence: ColumnEvidence): FieldValue | undefined {
    const column = this.#columns.get(columnIndex);
    return column?.evidence === evidence ? column.values.get(text) : undefined;
  }

  set(columnIndex: number, { kind }: OrderField, text: string, evidence: ColumnEvidence, value: FieldValue): void {
    if (!REPEATING.has(kind)) return;
    let column = this.#columns.get(columnIndex);
    // What the whole column shows may have come to light in between.
    if (column?.evidence !== evidence) this.#columns.set(columnIndex, (column = { evidence, values: new Map() }));
    if (column.values.size < KEPT_MAX) column.values.set(text, value);
  }
}
