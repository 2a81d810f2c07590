/** The service says no, with one of the statuses of the document's section Errors and a message for a person. */
export class Refusal extends Error {
  readonly status: 400 | 401 | 403 | 404 | 409 | 422;

  constructor(status: Refusal['status'], message: string) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
  }
}

/** The document's error body: `{ error: { message } }`. */
export function errorBodyOf(message: string): string {
  return JSON.stringify({ error: { message } });
}
