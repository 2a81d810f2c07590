import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { hasCode } from './system.ts';

/** Which process on which machine: enough to prove later that it is gone. Null where the system does not tell. */
export interface ProcessIdentity {
  readonly host: string;
  /** The machine's own id: two machines may both be called `localhost`. */
  readonly machineId: string | null;
  /** Changes with every start of the machine. */
  readonly bootId: string | null;
  /** Process ids mean something only within one of these (containers). */
  readonly pidNamespace: string | null;
  readonly pid: number;
  /** In clock ticks since the start of the machine: tells a process from a later one with its pid. */
  readonly startTime: string | null;
}

/** What a pid says about the process behind it, here and now. */
export type ProcessState = { readonly kind: 'gone' } | { readonly kind: 'running'; readonly startTime: string | null };

/** The machine as a lock sees it; a test gives another one. */
export interface ProcessTable {
  readonly self: ProcessIdentity;
  stateOf(pid: number): ProcessState;
}

/** The processes of this machine. */
export function systemProcesses(): ProcessTable {
  const own = stateOf(process.pid);
  return {
    self: {
      host: hostname(),
      machineId: textOf('/etc/machine-id'),
      bootId: textOf('/proc/sys/kernel/random/boot_id'),
      pidNamespace: targetOf('/proc/self/ns/pid'),
      pid: process.pid,
      startTime: own.kind === 'running' ? own.startTime : null,
    },
    stateOf,
  };
}

/**
 * True only when it is certain that the process has ended: on this machine, which has been started anew since, or where no process
 * has that pid, or one that started at another time. Whatever cannot be known counts as alive.
 */
export function isProvenDead(owner: ProcessIdentity, processes: ProcessTable): boolean {
  const { self } = processes;
  if (owner.host !== self.host || owner.machineId !== self.machineId) return false;
  if (owner.bootId !== null && self.bootId !== null && owner.bootId !== self.bootId) return true;
  if (owner.pidNamespace !== self.pidNamespace) return false;
  const state = processes.stateOf(owner.pid);
  if (state.kind === 'gone') return true;
  return owner.startTime !== null && state.startTime !== null && owner.startTime !== state.startTime;
}

/** True where the owner's process cannot be looked at from here: on another machine, or in another container of this one. */
export function isElsewhere(owner: ProcessIdentity, { self }: ProcessTable): boolean {
  return owner.host !== self.host || owner.machineId !== self.machineId || owner.pidNamespace !== self.pidNamespace;
}

function stateOf(pid: number): ProcessState {
  try {
    process.kill(pid, 0);
  } catch (thrown) {
    if (hasCode(thrown, 'ESRCH')) return { kind: 'gone' };
  }
  const stat = textOf(`/proc/${pid}/stat`);
  return stat === null ? { kind: 'running', startTime: null } : readProcessStat(stat);
}

/** `/proc/<pid>/stat`: the state is field 3, the start time field 22. The command, field 2, may hold spaces and brackets. */
export function readProcessStat(stat: string): ProcessState {
  const fromThird = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state] = fromThird;
  // A zombie has ended; nobody has asked for its exit code yet.
  if (state === 'Z' || state === 'X') return { kind: 'gone' };
  return { kind: 'running', startTime: fromThird[19] ?? null };
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim() || null;
  } catch {
    return null;
  }
}

function targetOf(link: string): string | null {
  try {
    return readlinkSync(link);
  } catch {
    return null;
  }
}
