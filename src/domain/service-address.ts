import { isIPv4 } from 'node:net';

type ServiceAddress = Readonly<
  { kind: 'usable'; baseUrl: string; warning: string | null } | { kind: 'unusable'; problem: string }
>;

/**
 * Allows https, or http to this machine; no credentials, query or fragment; a path is kept. The result has no final
 * slash and no `/v1`. Problems never repeat the text, which may hold a secret.
 */
export function readServiceAddress(text: string): ServiceAddress {
  const url = URL.parse(text.trim());
  if (url === null || url.hostname === '')
    return unusable('is not an address; write one such as https://inspections.example.com');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return unusable('must begin with https://');
  if (url.username !== '' || url.password !== '')
    return unusable('holds a user name or password; leave them out of the address and set their own variables');
  // An empty query or fragment shows only in href.
  if (/[?#]/.test(url.href)) return unusable('holds a ? or a #; leave out everything from there on');
  if (url.protocol === 'http:' && !isLoopback(url))
    return unusable(
      `is plain http to ${url.hostname}, which would send the credentials in the clear; write https:// (http is for this machine itself only)`,
    );
  const path = url.pathname.replace(/(?<!\/)\/+$/, '');
  const pathWithoutVersion = path.replace(/(?<!\/)\/+v1$/, '');
  return {
    kind: 'usable',
    baseUrl: url.origin + pathWithoutVersion,
    warning:
      path === pathWithoutVersion
        ? null
        : 'ends in /v1, which is left off: every path of the service already begins with /v1',
  };
}

function unusable(problem: string): ServiceAddress {
  return { kind: 'unusable', problem };
}

/** Names and numbers that always mean this machine, whatever DNS says. */
export function isLoopback({ hostname }: Pick<URL, 'hostname'>) {
  return hostname === 'localhost' || hostname === '[::1]' || (isIPv4(hostname) && hostname.startsWith('127.'));
}
