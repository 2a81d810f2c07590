/** An option of the sandbox that makes no sense or cannot be used, and what to do about it. */
export class OptionProblem extends TypeError {
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.name = 'OptionProblem';
    this.hint = hint;
  }
}
