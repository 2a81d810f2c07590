import { ExplainedError, messageOf } from '../domain/errors.ts';
import type { Trouble } from './postgres-thread.ts';

/** Why there is no connection, for people; what `pg` threw where nothing was asked yet. */
export function failureToConnect(failure: unknown): Error {
  if (failure instanceof ExplainedError) return failure;
  const code = failure instanceof Error && 'code' in failure && typeof failure.code === 'string' ? failure.code : null;
  return explained({ message: messageOf(failure), code, isBroken: true });
}

/** What went wrong in the database, for people. */
export function explained({ message, code, isBroken }: Trouble): Error {
  if (code === '55P03') return new ExplainedError('Another host has been writing to the ledger for ten minutes.', { kind: 'work-left', hint: 'Run it again later: nothing that was on record is lost.' });
  if (code?.startsWith('53') === true && code !== '53300') return new ExplainedError(`The database cannot take more: ${message}.`, { kind: 'work-left', hint: 'Make room on its server, then run it again: nothing that was on record is lost.' });
  if (/^(?:SELF_SIGNED|UNABLE_TO|CERT|DEPTH_ZERO|ERR_TLS_CERT)/.test(code ?? '')) {
    // Behind the semicolon Node.js tells how it is called, which is not up to who reads this.
    return new ExplainedError(`This machine does not trust the certificate of the ledger's database: ${message.replace(/;.*$|\.$/, '')}.`, { kind: 'usage', hint: 'Check the host in INSPECTION_LEDGER_URL. For a certificate authority of your own, add &sslrootcert=/path/ca.pem (docs/fleet.md).' });
  }
  if (/^(?:28|3D|42501|ERR_|ENOTFOUND)/.test(code ?? '')) return new ExplainedError(`The database does not let us in: ${message}.`, { kind: 'usage', hint: 'Check INSPECTION_LEDGER_URL: host, user, password, database, and sslmode.' });
  if (isBroken || code === '53300') return away(message);
  return Object.assign(new Error(message), { code });
}

/** The database cannot be reached, or not be used: `what` happened. */
export function away(what: string): ExplainedError {
  return new ExplainedError(`The ledger's database is away: ${what}.`, { kind: 'work-left', hint: 'Nothing that was on record is lost: run it again when the database is back.' });
}
