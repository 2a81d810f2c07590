import { resolve } from 'node:path';
import type { Command } from 'commander';
import { SCENARIO_NAMES, scenariosText } from '../sandbox/faults/scenarios.ts';
import { unspecifiedText } from '../sandbox/unspecified.ts';
import { ACCOUNT_TEMPLATES, type SandboxOptions } from '../sandbox/options.ts';
import type { TextFlags } from './sandbox-command.ts';
import { wrapLines } from './terminal.ts';

type SandboxFlags = Omit<SandboxOptions, 'sftp'> &
  TextFlags &
  Readonly<{
    data?: string;
    firstId?: string;
    progress: boolean;
    latency: number;
    workspace: string;
    json?: boolean;
  }>;

export function addSandboxHelp(program: Command) {
  const sandbox = program.commands.find((command) => command.name() === 'sandbox');
  const choices: Readonly<Record<string, readonly string[]>> = {
    scenario: SCENARIO_NAMES,
    accountTemplate: ACCOUNT_TEMPLATES,
  };
  for (const option of sandbox?.options ?? []) {
    const names = choices[option.attributeName()];
    if (names !== undefined) option.choices(names);
  }
  sandbox
    ?.addHelpText('after', wrapLines(`\nScenarios:\n${scenariosText()}`, 80))
    .addHelpText('after', wrapLines(`\nOptions (--option), the default first:\n${unspecifiedText()}`, 80));
}

export async function sandboxFromFlags(flags: SandboxFlags) {
  const {
    progress,
    latency,
    json = false,
    sftp,
    sftpHostKey,
    user,
    option,
    data,
    firstId,
    workspace,
    ...options
  } = flags;
  const { sandboxCommand } = await import('./sandbox-command.ts');
  // Without `--no-…`, the data file decides whether its projects move.
  const choices = {
    ...options,
    dataFile: data === undefined ? undefined : resolve(workspace, data),
    firstProjectId: firstId,
    ...(!progress && { autoProgress: false }),
    latencyMs: latency,
  };
  return sandboxCommand(choices, json, { sftp, sftpHostKey, user, option });
}
