/** The service says no, with one of the statuses of the document's section Errors and a message for a person. */
export class Refusal extends Error {
  readonly status: 400 | 401 | 403 | 404 | 409 | 422;

  constructor(status: Refusal['status'], message: string) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
  }
}

/** Refuses a body of another content type than the one wanted. */
export function wrongContentType(wanted: string, given: string | undefined): Refusal {
  return new Refusal(
    400,
    `Content-Type: must be ${wanted}${given === undefined ? '; there is none' : `, not ${given.slice(0, 100)}`}.`,
  );
}

/** The document's error body: `{ error: { message } }`. */
export function errorBodyOf(message: string): string {
  return JSON.stringify({ error: { message } });
}

/** An option of the sandbox that makes no sense or cannot be used, and what to do about it. */
export class OptionProblem extends TypeError {
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.name = 'OptionProblem';
    this.hint = hint;
  }
}
