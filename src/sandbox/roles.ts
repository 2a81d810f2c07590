import type { FastifyRequest } from 'fastify';
import { OptionProblem } from './option-problem.ts';
import { Refusal } from './refusal.ts';

/** A platform user of the client. */
export interface SandboxUser {
  readonly username: string;
  readonly password: string;
  /** What the user may do; everything by default. */
  readonly role?: Role | undefined;
}

/** The document shows no roles: these are enough to meet a 403 in every place. */
const MAY: Readonly<Record<Role, (method: string, route: string) => boolean>> = {
  full: () => true,
  'read-only': (method) => method === 'GET',
  'no-search': (method, route) => !(method === 'GET' && route === '/v1/project'),
  none: () => false,
};

export const ROLES = ['full', 'read-only', 'no-search', 'none'] as const;
export type Role = (typeof ROLES)[number];

/** Throws Refusal 403 where the user's role does not allow the request. */
export function checkRole({ username, role = 'full' }: Pick<SandboxUser, 'username' | 'role'>, request: FastifyRequest): void {
  if (MAY[role](request.method, request.routeOptions.url ?? '')) return;
  throw new Refusal(403, `Permission denied: the role of ${username} is ${role}.`);
}

/** `NAME:PASSWORD` or `NAME:PASSWORD:ROLE`, as on a command line. Throws OptionProblem on another form. */
export function userFrom(text: string): SandboxUser {
  const [, username, password, role] = /^([^:]+):(.+?)(?::(full|read-only|no-search|none))?$/.exec(text) ?? [];
  if (username === undefined || password === undefined) {
    throw new OptionProblem('A user is a name and a password, perhaps a role, with colons in between.', `Such as --user ann:pass:read-only. Roles: ${ROLES.join(', ')}.`);
  }
  return { username, password, role: ROLES.find((known) => known === role) };
}
