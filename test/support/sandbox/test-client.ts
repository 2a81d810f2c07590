import { parseExactJson } from '../../../src/contract/json.ts';
import { startSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import type { SandboxOptions } from '../../../src/sandbox/options.ts';

/** An answer, its body parsed where it is JSON. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: unknown;
}

/** A plain client for the sandbox's own tests: it follows no redirects and repeats nothing. */
export class TestClient {
  readonly sandbox: Sandbox;
  #token = '';

  constructor(sandbox: Sandbox) {
    this.sandbox = sandbox;
  }

  /** Starts a sandbox and logs in. Use it with `await using`: that closes the sandbox. */
  static async start(options: SandboxOptions = {}): Promise<TestClient> {
    const client = new TestClient(await startSandbox(options));
    await client.logIn();
    return client;
  }

  /** The header with the present token. */
  get authorization(): string {
    return `Bearer ${this.#token}`;
  }

  async logIn(
    user: { readonly username: string; readonly password: string } = this.sandbox.credentials,
  ): Promise<void> {
    const { body } = await this.token({ grant_type: 'password', username: user.username, password: user.password });
    this.#token = (body as { access_token: string }).access_token;
  }

  async token(
    form: Record<string, string>,
    basic = `${this.sandbox.credentials.clientId}:${this.sandbox.credentials.clientSecret}`,
  ): Promise<Answer> {
    const headers = { authorization: `Basic ${Buffer.from(basic).toString('base64')}` };
    return await answerOf(
      await fetch(`${this.sandbox.baseUrl}/v1/oauth/token`, {
        method: 'POST',
        headers,
        body: new URLSearchParams(form),
      }),
    );
  }

  async call(method: string, path: string, body?: unknown): Promise<Answer> {
    const json =
      body === undefined
        ? {}
        : {
            headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' },
            body: JSON.stringify(body),
          };
    return await answerOf(
      await fetch(`${this.sandbox.baseUrl}${path}`, {
        method,
        redirect: 'manual',
        headers: { authorization: `Bearer ${this.#token}` },
        ...json,
      }),
    );
  }

  async control(method: string, path: string, body?: unknown): Promise<Answer> {
    const json =
      body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    return await answerOf(await fetch(`${this.sandbox.controlUrl}${path}`, { method, ...json }));
  }

  /** Creates a project and gives its id. */
  async create(changes: Record<string, unknown> = {}): Promise<string> {
    const answer = await this.call('POST', '/v1/project', order(changes));
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
    return String(projectsIn(answer)[0]?.id);
  }

  async setStatus(id: string, status: string): Promise<void> {
    await this.control('POST', `/projects/${id}/status`, { status });
  }

  async status(id: string): Promise<unknown> {
    return projectsIn(await this.call('GET', `/v1/project/${id}/status`))[0]?.status;
  }

  async advance(seconds: number): Promise<void> {
    await this.control('POST', '/time', { advanceSeconds: seconds });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.sandbox.close();
  }
}

/** A valid create request. */
export function order(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    streetAddress: '12 Oak Street',
    city: 'Cambridge',
    state: 'MA',
    zipcode: '02139',
    serviceName: '4-Point',
    policyType: 'Homeowners Insurance',
    houseType: 'Residential Single Family',
    insuredName: 'Ann Lee',
    insuredPhone: '555-0100',
    insuredEmail: 'ann@insured.example',
    ...changes,
  };
}

/** The entries of `{ project: [ … ] }`. */
export function projectsIn(answer: Answer): Record<string, unknown>[] {
  return (answer.body as { project: Record<string, unknown>[] }).project;
}

/** The message of `{ error: { message } }`; undefined when the body has another form. */
export function errorIn(answer: Answer): string | undefined {
  const { error } = (answer.body ?? {}) as { error?: { message?: unknown } };
  return typeof error?.message === 'string' ? error.message : undefined;
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  return { status: response.status, headers: response.headers, text, body: isJson ? parseExactJson(text) : undefined };
}
