/** Formulas that several cells share: only the first of them holds the text. */
export class SharedFormulas {
  readonly #texts = new Map<string, string>();

  /**
   * The formula's text; for a cell that merely refers to a shared one, the text as the first cell has it.
   * @param type the `t` attribute of `<f>`. @param sharedIndex its `si` attribute.
   */
  textOf(text: string, type: string | undefined, sharedIndex: string | undefined): string {
    if (type !== 'shared' || sharedIndex === undefined) return text;
    if (text === '') return this.#texts.get(sharedIndex) ?? '';
    this.#texts.set(sharedIndex, text);
    return text;
  }
}
