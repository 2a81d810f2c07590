import { DatabaseError } from 'pg';
import { ExplainedError, messageOf, usageErrorOf, workLeftErrorOf } from '../domain/errors.ts';

/** `code`: a SQLSTATE or system error. `isBroken`: the connection and its transaction are gone. */
export type DatabaseFailure = Readonly<ReturnType<typeof classifyFailure>>;

/** 57P: the server ends the connection; 08: it is gone; 25P03: the transaction was idle too long. */
const BREAKS = /^(?:08|57P0|25P03)/;

const UNTRUSTED = /^(?:SELF_SIGNED|UNABLE_TO|CERT|DEPTH_ZERO|ERR_TLS_CERT)/;

/** Anything but a server's answer means a lost connection. */
export function classifyFailure(failure: unknown) {
  const code = failure instanceof Error && 'code' in failure && typeof failure.code === 'string' ? failure.code : null;
  return {
    message: messageOf(failure),
    code,
    isBroken: !(failure instanceof DatabaseError) || BREAKS.test(code ?? ''),
  };
}

const GONE =
  /^(?:Connection terminated|timeout exceeded|Query read timeout|Client has encountered a connection error|Client was closed|There was an error establishing an SSL|The server does not support SSL)/i;

/** A fault of the program is returned as thrown. */
export function failureOfQuery(failure: unknown) {
  if (failure instanceof ExplainedError) return failure;
  const trouble = classifyFailure(failure);
  const isOfSystem = /^E[A-Z]/.test(trouble.code ?? '') && trouble.code?.startsWith('ERR_') !== true;
  if (!(failure instanceof DatabaseError) && !UNTRUSTED.test(trouble.code ?? ''))
    return isOfSystem || GONE.test(trouble.message) ? databaseUnavailable(trouble.message) : failure;
  const explained = explainDatabaseFailure(trouble);
  return explained instanceof ExplainedError ? explained : failure;
}

export function failureToConnect(failure: unknown) {
  if (failure instanceof ExplainedError) return failure;
  return explainDatabaseFailure({ ...classifyFailure(failure), isBroken: true });
}

export function explainDatabaseFailure({ message, code, isBroken }: DatabaseFailure) {
  if (code === '55P03') return workLeftErrorOf('ledger-in-use/written');
  if (code?.startsWith('53') && code !== '53300') return workLeftErrorOf('database-full', { message });
  // After the semicolon, Node.js gives advice about its own options.
  const why = message.replace(/;.*$|\.$/, '');
  if (UNTRUSTED.test(code ?? '')) return usageErrorOf('database-certificate-untrusted', { why });
  if (/^(?:28|3D|42501|0A000|ERR_|ENOTFOUND)/.test(code ?? ''))
    return usageErrorOf('database-login-refused', { message });
  if (isBroken || code === '53300') return databaseUnavailable(message);
  return Object.assign(new Error(message), { code });
}

export function databaseUnavailable(what: string) {
  return workLeftErrorOf('database-unavailable', { what });
}
