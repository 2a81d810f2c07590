import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { diskFull, ExplainedError, messageOf } from '../../domain/errors.ts';

/** SQLite's primary result codes. */
const IO_ERROR = 10;
const DAMAGED: ReadonlySet<number> = new Set([11, 26]);
const FULL = 13;

/** What SQLite cannot go on with is no fault of the program: a full disk, a damaged file, a disk that fails. */
export function explainingDiskFaults<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (failure) {
    throw explained(path, failure);
  }
}

function explained(path: string, failure: unknown): unknown {
  if (!(failure instanceof Error && 'errcode' in failure && typeof failure.errcode === 'number')) return failure;
  const code = failure.errcode & 0xff;
  if (DAMAGED.has(code)) return ledgerDamaged(path, failure.message, failure);
  if (code === FULL || (code === IO_ERROR && isFull(path))) return diskFull(`the ledger ${path} cannot grow`, failure);
  if (code !== IO_ERROR) return failure;
  return new ExplainedError(`The ledger ${path} cannot be read or written: ${messageOf(failure)}.`, {
    exitCode: 2,
    hint: 'The disk fails, or is not there: look after it, then run `inspection-batch verify`. Nothing that was on record is lost by this run.',
    cause: failure,
  });
}

export function ledgerDamaged(path: string, what: string, cause?: unknown): ExplainedError {
  return new ExplainedError(`The ledger ${path} is damaged: ${what}. Nothing was sent.`, {
    exitCode: 2,
    hint: 'Run `inspection-batch recover --from BACKUP` with the latest backup; where there is none, `inspection-batch recover` makes a new ledger of archive/ and what the service knows. The damaged one is kept. docs/operations.md has the whole procedure.',
    cause,
  });
}

const LITTLE_BYTES = 1_000_000;

/** SQLite tells some writes to a full disk as an input/output error. */
function isFull(path: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize < LITTLE_BYTES;
  } catch {
    return false;
  }
}
