import { hash } from 'node:crypto';
import { isLoopback } from './service-address.ts';

export type ServiceAccount = Readonly<{
  key: string;
  /** The base URL; on this machine without its port, so that a sandbox is one account on any port. */
  address: string;
  clientId: string;
  username: string;
}>;

/**
 * `base` is from `readServiceAddress`. User and client are compared exactly: only the service knows whether case
 * matters.
 */
export function serviceAccount(base: URL, clientId: string, username: string) {
  const address = addressOf(base, isLoopback(base) ? '' : base.port);
  return { key: keyOf(address, clientId, username), address, clientId, username };
}

const PORT_MAX = 65_535;

/** The key that an earlier version gave this account, which included the port on this machine; null if none. */
export function legacyAccountKey({ address, clientId, username }: ServiceAccount, keys: readonly string[]) {
  const base = new URL(address);
  if (!isLoopback(base) || keys.length === 0) return null;
  const found = new Set<string>();
  for (let port = 1; port <= PORT_MAX; port += 1) {
    const key = keyOf(addressOf(base, String(port)), clientId, username);
    if (keys.includes(key)) found.add(key);
  }
  return keys.find((key) => found.has(key)) ?? null;
}

function addressOf({ protocol, hostname, pathname }: URL, port: string) {
  return `${protocol}//${hostname}${port === '' ? '' : `:${port}`}${pathname.replace(/\/$/, '')}`;
}

function keyOf(address: string, clientId: string, username: string) {
  return hash('sha256', JSON.stringify([address, clientId, username])).slice(0, 16);
}
