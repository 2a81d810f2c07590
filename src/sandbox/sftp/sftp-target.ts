import { OptionProblem } from '../option-problem.ts';

/** The client's SFTP server (document: Events): an account that may read and write in the folder. */
export interface SftpTarget {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password?: string | undefined;
  /** A private key, in OpenSSH's or PEM form, instead of the password. */
  readonly privateKey?: string | undefined;
  /** The server's key must have this fingerprint, `SHA256:…` as ssh-keygen prints it; any key is taken where it is absent. */
  readonly hostKey?: string | undefined;
  /** Absolute, or relative to where the account begins. */
  readonly folder: string;
}

/** What of a target its address does not hold. */
export type SftpAccess = Pick<SftpTarget, 'password' | 'privateKey' | 'hostKey'>;

const FORM = 'Write it as sftp://user@host:port/folder; the password is read from INSPECTION_SANDBOX_SFTP_PASSWORD.';

/** `sftp://user@host:port/folder`, the folder absolute; `/~/folder` is relative to where the account begins. Throws OptionProblem on another form. */
export function sftpTargetFrom(text: string, access: SftpAccess): SftpTarget {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'sftp:' || url.hostname === '') throw new OptionProblem('--sftp is no address of an SFTP folder.', FORM);
  if (url.password !== '') throw new OptionProblem('--sftp holds a password, which everybody on this machine could read.', FORM);
  if (url.username === '') throw new OptionProblem('--sftp names no user.', FORM);
  if (!access.password && !access.privateKey) {
    throw new OptionProblem('There is no password for --sftp.', 'Set INSPECTION_SANDBOX_SFTP_PASSWORD, or INSPECTION_SANDBOX_SFTP_KEY_FILE to the path of a private key.');
  }
  const path = decodeURIComponent(url.pathname).replace(/(?<=.)\/+$/, '');
  return {
    host: url.hostname.replaceAll(/^\[|\]$/g, ''),
    port: url.port === '' ? 22 : Number(url.port),
    user: decodeURIComponent(url.username),
    folder: path.replace(/^\/~(\/|$)/, '') || (path.startsWith('/~') ? '.' : '/'),
    ...access,
  };
}
