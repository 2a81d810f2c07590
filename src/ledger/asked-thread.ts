import { createHash, randomUUID } from 'node:crypto';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { Answer, Answered, Asked, Request, Statement, ThreadOptions } from './postgres-thread.ts';

// A job reads, decides and writes in one turn of the event loop, on PostgreSQL too: a thread owns the connections, and
// a job blocks until it answers. Long waits (write lock, commit, connecting) do not block.

const LOST_MS = 900_000;

/** The prefix of this schema's session names; a name has at most 63 characters. */
export const sessionsOf = (schema: string): string =>
  `inspection-batch ${createHash('sha256').update(schema).digest('hex').slice(0, 8)} `;

/** A new connection's statements. Limits a frozen host's lock to half a minute. */
function sessionOf(schema: string, readOnly: boolean): string {
  return `SET search_path = "${schema}"; SET synchronous_commit = on; SET idle_in_transaction_session_timeout = '30s'; SET lock_timeout = '10min';
    SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3; SET tcp_user_timeout = '25s';
    SET standard_conforming_strings = on; SET client_min_messages = warning; SET default_transaction_isolation = 'read committed';
    SET default_transaction_read_only = ${readOnly ? 'on' : 'off'}`;
}

export class AskedThread {
  readonly #worker: Worker;
  readonly #blocking: MessagePort;
  readonly #waiting: MessagePort;
  readonly #signal = new Int32Array(new SharedArrayBuffer(4));
  #lost: Error | null = null;
  readonly #open = new Map<
    number,
    { readonly resolve: (answer: Answer) => void; readonly reject: (failure: Error) => void }
  >();
  #asked = 0;

  constructor({ url, schema }: { readonly url: string; readonly schema: string }, readOnly: boolean) {
    const blocking = new MessageChannel();
    const waiting = new MessageChannel();
    this.#blocking = blocking.port1;
    this.#waiting = waiting.port1;
    const workerData: ThreadOptions = {
      url,
      session: sessionOf(schema, readOnly),
      name: `${sessionsOf(schema)}${randomUUID()}`,
      blocking: blocking.port2,
      waiting: waiting.port2,
      signal: this.#signal,
    };
    this.#worker = new Worker(
      fileURLToPath(new URL('postgres-thread', import.meta.url)) + extname(import.meta.filename),
      {
        workerData,
        transferList: [blocking.port2, waiting.port2],
        execArgv: ['--disable-warning=ExperimentalWarning'],
      },
    );
    this.#waiting.on('message', ({ id, answer }: Answered) => this.#settle(id, ({ resolve }) => resolve(answer)));
    const lost = (failure: Error): void => {
      this.#lost ??= failure;
      for (const id of this.#open.keys()) this.#settle(id, ({ reject }) => reject(failure));
    };
    this.#worker.on('error', lost);
    this.#worker.on('exit', () => lost(new Error('the thread of the database has ended')));
    this.#worker.unref();
    this.#waiting.unref();
  }

  ask(request: Request): Answer {
    if (this.#lost !== null) throw this.#lost;
    const id = ++this.#asked;
    const seen = Atomics.load(this.#signal, 0);
    this.#waiting.postMessage({ id, request, answer: 'blocked' } satisfies Asked, []);
    // A wakeup may belong to the previous answer.
    while (Atomics.load(this.#signal, 0) === seen) {
      if (Atomics.wait(this.#signal, 0, seen, LOST_MS) === 'timed-out')
        throw new Error('the thread of the database does not answer');
    }
    const answered = receiveMessageOnPort(this.#blocking)?.message as Answered | undefined;
    if (answered?.id !== id) throw new Error('the thread of the database answered another question');
    return answered.answer;
  }

  async later(request: Request): Promise<Answer> {
    if (this.#lost !== null) throw this.#lost;
    const id = ++this.#asked;
    this.#waiting.ref();
    return new Promise((resolve, reject) => {
      this.#open.set(id, { resolve, reject });
      this.#waiting.postMessage({ id, request, answer: 'waiting' } satisfies Asked, []);
    });
  }

  sendAhead(statements: readonly Statement[]): void {
    this.#waiting.postMessage({ id: 0, request: { kind: 'ahead', statements }, answer: 'waiting' } satisfies Asked, []);
  }

  async end(): Promise<void> {
    await this.later({ kind: 'end' });
    this.#waiting.close();
    this.#blocking.close();
    await this.#worker.terminate();
  }

  #settle(
    id: number,
    how: (open: { readonly resolve: (answer: Answer) => void; readonly reject: (failure: Error) => void }) => void,
  ): void {
    const open = this.#open.get(id);
    this.#open.delete(id);
    if (this.#open.size === 0) this.#waiting.unref();
    if (open !== undefined) how(open);
  }
}
