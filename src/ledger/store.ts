import type { Clock } from '../domain/ports.ts';
import type { Connection } from './driver.ts';

/** One step of a story. */
export interface Step {
  readonly at: number;
  readonly run: string | null;
  readonly subject: 'file' | 'order' | 'project' | 'delivery' | 'run';
  readonly subjectId: string;
  readonly event: string;
  readonly detail: Readonly<Record<string, unknown>> | null;
}

/** What every page of the ledger needs: the connection, the clock, and the run that is writing. */
export interface Book {
  readonly connection: Connection;
  readonly clock: Clock;
  /** The service account the ledger was opened for. */
  readonly account: string;
  /** The run going on; null for commands that are not runs. */
  run: string | null;
}

/** Adds a step, inside the transaction that takes it. */
export function addStep(book: Book, subject: Step['subject'], subjectId: string | number, event: string, detail?: Readonly<Record<string, unknown>>): void {
  book.connection.run(
    'INSERT INTO steps (account, at, run, subject, subject_id, event, detail) VALUES (?, ?, ?, ?, ?, ?, ?)',
    book.account,
    book.clock.now(),
    book.run,
    subject,
    String(subjectId),
    event,
    detail === undefined ? null : JSON.stringify(detail),
  );
}
