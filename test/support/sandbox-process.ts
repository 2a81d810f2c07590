import type { FaultRule } from '../../src/sandbox/faults/faults.ts';
import type { ScenarioName } from '../../src/sandbox/faults/scenarios.ts';
import { type CommandOptions, type Ended, startCommand, type StartedCommand } from './command-line.ts';
import { waitUntil } from './wait-until.ts';

/** What GET /audit of the control server tells; only what tests ask for. */
export interface Audit {
  readonly projects: number;
  readonly creates: number;
  readonly doubles: readonly unknown[];
  /** By route, then by outcome: `{ 'POST /v1/project': { 200: 3 } }`. */
  readonly requests: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly tokens: { readonly password: number; readonly refresh_token: number; readonly refused: number };
  readonly authorizationAtFilesOrigin: number;
  readonly faults: readonly { readonly rule: FaultRule; readonly bites: number }[];
  readonly internalErrors: readonly string[];
}

/** A project as the sandbox holds it. */
export interface SandboxProject {
  readonly id: number;
  readonly status: string;
  readonly request: Readonly<Record<string, unknown>>;
}

/** What a test does with a sandbox. */
export interface SandboxControls {
  /** The lines it printed, in `.env` form. */
  readonly lines: string;
  readonly baseUrl: string;
  readonly controlUrl: string;
  audit(): Promise<Audit>;
  projects(): Promise<readonly SandboxProject[]>;
  advance(seconds: number): Promise<void>;
  /** Puts these faults in place of those that were on. */
  faults(rules: readonly FaultRule[]): Promise<void>;
  /** Begins a scenario, in place of the faults that were on. */
  scenario(name: ScenarioName): Promise<void>;
}

/** `inspection-batch sandbox` as a process of its own. Disposing of it stops it. */
export interface SandboxProcess extends SandboxControls, AsyncDisposable {
  /** Stops it as a person does, with SIGTERM, and tells how it ended. */
  stop(): Promise<Ended>;
}

/** Starts the built command's sandbox on ports that are free, and waits until it serves. */
export async function startSandboxProcess(
  args: readonly string[] = [],
  options: CommandOptions = {},
): Promise<SandboxProcess> {
  const started = startCommand(['sandbox', ...args], options);
  const lastLine = /^INSPECTION_SANDBOX_CONTROL_URL=.*\n/m;
  await until(() => lastLine.test(started.stdoutSoFar), started);
  const stop = async (): Promise<Ended> => {
    started.kill('SIGTERM');
    return started.ended;
  };
  return {
    ...controlsOf(started.stdoutSoFar),
    stop,
    async [Symbol.asyncDispose]() {
      await stop();
    },
  };
}

/** The controls of the sandbox that printed these lines. */
export function controlsOf(lines: string): SandboxControls {
  const valueOf = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(lines)?.[1] ?? '';
  const controlUrl = valueOf('INSPECTION_SANDBOX_CONTROL_URL');
  return {
    lines,
    baseUrl: valueOf('INSPECTION_BASE_URL'),
    controlUrl,
    audit: async () => (await control(`${controlUrl}/audit`)) as Audit,
    projects: async () => ((await control(`${controlUrl}/projects`)) as { projects: SandboxProject[] }).projects,
    advance: async (advanceSeconds) => void (await control(`${controlUrl}/time`, { advanceSeconds })),
    faults: async (rules) => void (await control(`${controlUrl}/faults`, rules)),
    scenario: async (name) => void (await control(`${controlUrl}/scenario`, { name })),
  };
}

async function control(url: string, body?: unknown): Promise<unknown> {
  const request =
    body === undefined
      ? {}
      : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const answer = await fetch(url, request);
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

/** Looks again and again until something holds. Throws once the command is over, since then it never will. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  meanwhile: Pick<StartedCommand, 'isOver' | 'ended'>,
): Promise<void> {
  if (!(await holdsMeanwhile(holds, meanwhile)))
    throw new Error(`it was over too soon: ${JSON.stringify(await meanwhile.ended)}`);
}

/** Kills a command as soon as something holds; false where it came to its own end before. */
export async function killOnce(holds: () => boolean | Promise<boolean>, command: StartedCommand): Promise<boolean> {
  if (!(await holdsMeanwhile(holds, command))) return false;
  command.kill('SIGKILL');
  return (await command.ended).signal === 'SIGKILL';
}

async function holdsMeanwhile(
  holds: () => boolean | Promise<boolean>,
  meanwhile: Pick<StartedCommand, 'isOver'>,
): Promise<boolean> {
  let held = false;
  await waitUntil('the right moment', async () => {
    held = await holds();
    return held || meanwhile.isOver;
  });
  return held;
}
