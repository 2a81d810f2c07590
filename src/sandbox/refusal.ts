import { templateTexts } from '../contract/template-data.ts';

const sentences = templateTexts('sandbox/refusals');

export function sentence(name: string, parts: Readonly<Record<string, unknown>> = {}) {
  return (sentences()[name] ?? name).replaceAll(/\{(\w+)\}/g, (_, part: string) => String(parts[part]));
}

export class Refusal extends Error {
  readonly status: 400 | 401 | 403 | 404 | 409 | 422;

  constructor(status: Refusal['status'], message: string) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
  }
}

export function wrongContentType(wanted: string, given: string | undefined) {
  return new Refusal(
    400,
    `Content-Type: must be ${wanted}${given === undefined ? '; there is none' : `, not ${given.slice(0, 100)}`}.`,
  );
}

export function errorBodyOf(message: string) {
  return JSON.stringify({ error: { message } });
}

export class OptionProblem extends TypeError {
  readonly hint: string;

  constructor(name: string, parts?: Readonly<Record<string, unknown>>) {
    super(sentence(name, parts));
    this.name = 'OptionProblem';
    this.hint = sentence(`${name}/hint`, parts);
  }
}
