import { createHash } from 'node:crypto';
import { isLoopback } from './service-address.ts';

/** A service account as the settings name it: an address, a client and a user. */
export interface ServiceAccount {
  /** A short key of the other three; it gives nothing away. */
  readonly key: string;
  /** The base URL; on this machine without its port, so that a sandbox is the same account on any. */
  readonly address: string;
  readonly clientId: string;
  readonly username: string;
}

/** The account at a base URL that `readServiceAddress` found usable. User and client count to the letter: only the service knows whether case matters. */
export function serviceAccount(base: URL, clientId: string, username: string): ServiceAccount {
  const address = addressOf(base, isLoopback(base) ? '' : base.port);
  return { key: keyOf(address, clientId, username), address, clientId, username };
}

const PORT_MAX = 65_535;

/** Which of these keys earlier versions kept the account under, with its port on this machine: the first; null where none is of it. */
export function earlierKeyOf({ address, clientId, username }: ServiceAccount, keys: readonly string[]): string | null {
  const base = new URL(address);
  if (!isLoopback(base) || keys.length === 0) return null;
  const found = new Set<string>();
  for (let port = 1; port <= PORT_MAX; port += 1) {
    const key = keyOf(addressOf(base, String(port)), clientId, username);
    if (keys.includes(key)) found.add(key);
  }
  return keys.find((key) => found.has(key)) ?? null;
}

function addressOf({ protocol, hostname, pathname }: URL, port: string): string {
  return `${protocol}//${hostname}${port === '' ? '' : `:${port}`}${pathname.replace(/\/$/, '')}`;
}

function keyOf(address: string, clientId: string, username: string): string {
  return createHash('sha256')
    .update(JSON.stringify([address, clientId, username]))
    .digest('hex')
    .slice(0, 16);
}
