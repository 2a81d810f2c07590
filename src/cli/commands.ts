import { Argument, Command, Option } from 'commander';
import { z } from 'zod';
import { templateData } from '../contract/template-data.ts';
import type { UpdateKind } from '../ledger/ledger.ts';
import type { CommandResult } from './terminal.ts';
import {
  bold,
  type CommonFlags,
  examplesText,
  FLAG_PARSERS,
  type Perform,
  type Print,
  withCommonFlags,
} from './flags.ts';
import type { ProjectsFlags } from './project-commands.ts';
import type { Resolution } from './resolve-command.ts';
import { addSandboxHelp, sandboxFromFlags } from './sandbox-flags.ts';
import { usageErrorOf } from '../domain/errors.ts';

const parserNames = Object.keys(FLAG_PARSERS) as (keyof typeof FLAG_PARSERS)[];

/** Names, flags and texts of all commands are in `templates/cli/commands.yaml`. */
const term = z.preprocess(
  (given) => (typeof given === 'string' ? { text: given } : given),
  z.strictObject({
    text: z.string(),
    default: z.union([z.string(), z.number()]).optional(),
    choices: z.array(z.string()).optional(),
    conflicts: z.string().optional(),
    as: z.enum(parserNames).optional(),
  }),
);

const declared = z.strictObject({
  name: z.string(),
  description: z.string(),
  arguments: z.record(z.string(), term).default({}),
  flags: z.record(z.string(), term).default({}),
  /** The default of `--workspace`; null: without the flags that commands have in common. */
  workspace: z.string().nullable().default('.'),
  examples: z.array(z.string()),
  get commands() {
    return z.array(declared).default([]);
  },
});

const groups = templateData(
  'cli/commands',
  z.array(z.strictObject({ group: z.string(), commands: z.array(declared), help: z.string().optional() })),
);

export function buildProgram(perform: Perform, version: string) {
  const program = new Command('inspection-batch')
    .description('Orders property inspections from spreadsheets, and brings the results back as a workbook.')
    .version(version)
    .showHelpAfterError('(--help shows every command and flag)')
    .showSuggestionAfterError(true)
    .configureHelp({ styleTitle: bold, styleCommandText: bold, subcommandTerm: (command) => command.name() });
  for (const { group, commands, help } of groups()) {
    program.commandsGroup(group);
    for (const command of commands) addCommand(program, command, perform);
    if (help !== undefined) program.helpCommand('help [command]', help);
  }
  addSandboxHelp(program);
  return program;
}

function addCommand(parent: Command, one: z.infer<typeof declared>, perform: Perform, inside = '') {
  const command = parent.command(one.name).description(one.description);
  if (one.workspace !== null) withCommonFlags(command, one.workspace);
  for (const [name, { text, default: byDefault, choices }] of Object.entries(one.arguments)) {
    const argument = new Argument(name, text).default(byDefault);
    command.addArgument(choices === undefined ? argument : argument.choices(choices));
  }
  for (const [flags, { text, default: byDefault, choices, conflicts, as }] of Object.entries(one.flags)) {
    const option = new Option(flags, text).default(byDefault).conflicts(conflicts ?? []);
    if (as !== undefined) option.argParser<unknown>(FLAG_PARSERS[as]);
    command.addOption(choices === undefined ? option : option.choices(choices));
  }
  command.addHelpText('after', examplesText(one.examples));
  const path = inside + one.name;
  for (const each of one.commands) addCommand(command, each, perform, `${path} `);
  const action = ACTIONS[path] as ((...given: readonly unknown[]) => Promise<CommandResult>) | undefined;
  if (action !== undefined)
    command.action((...given: readonly unknown[]) =>
      perform((print) => action(...given, print), command.opts<CommonFlags>().json === true),
    );
}

type RunFlags = CommonFlags &
  Readonly<{
    all?: boolean;
    since?: number;
    quiet?: boolean;
    standby?: boolean;
  }>;

/** By command. Files are loaded when called. */
const ACTIONS: Readonly<Record<string, (...given: never[]) => Promise<CommandResult>>> = {
  init: async (dir: string | undefined, { workspace }: CommonFlags) =>
    (await import('./init-command.ts')).initCommand(dir ?? workspace),
  template: async (file: string) => (await import('./init-command.ts')).templateCommand(file),
  doctor: async ({ workspace }: CommonFlags) => (await import('./doctor-command.ts')).doctorCommand(workspace),
  account: async ({ workspace, ...flags }: CommonFlags & { same?: boolean; new?: boolean }) =>
    (await import('./account-command.ts')).accountCommand(flags.same ? 'same' : flags.new ? 'new' : null, workspace),
  demo: async ({ workspace }: CommonFlags) => (await import('./demo-command.ts')).demoCommand(workspace),
  'results columns': resultsStarter('columns'),
  'results attention': resultsStarter('attention'),
  sandbox: sandboxFromFlags,
  run: async (flags: RunFlags, _: Command, print: Print) =>
    flags.standby
      ? quietly(flags.quiet, await (await import('./worker-command.ts')).standByCommand(flags.workspace))
      : run('run', [], flags, print),
  submit: (files: string[], flags: RunFlags, _: Command, print: Print) => run('submit', files, flags, print),
  collect: async (ids: string[], flags: RunFlags, _: Command, print: Print) => {
    if (ids.length === 0) return run('collect', [], flags, print);
    if (flags.all || flags.since !== undefined) throw usageErrorOf('flags-exclude-each-other');
    return quietly(flags.quiet, await (await import('./follow-command.ts')).collectProjectsNow(ids, flags.workspace));
  },
  status: async (search: string | undefined, { workspace, json = false, all = false }: RunFlags) =>
    (await import('./status-command.ts')).statusCommand(search, workspace, { withJson: json, all }),
  check: async (files: string[], { workspace, json = false, confirm = false }: CommonFlags & { confirm?: boolean }) =>
    (await import('./check-command.ts')).checkCommand(files, workspace, { withJson: json, confirms: confirm }),
  rehearse: async ({ workspace, to }: CommonFlags & { to?: string }) =>
    (await import('./rehearse-command.ts')).rehearseCommand(workspace, to),
  projects: async (flags: ProjectsFlags) => (await import('./project-commands.ts')).projectsCommand(flags),
  show: async (id: string, { workspace }: CommonFlags) =>
    (await import('./project-commands.ts')).showCommand(id, workspace),
  resolve: async (order: string, flags: CommonFlags & Resolution) =>
    (await import('./resolve-command.ts')).resolveCommand(order, flags, flags.workspace),
  confirm: async (file: string, { workspace, asProposed = false }: CommonFlags & { asProposed?: boolean }) =>
    (await import('./confirm-command.ts')).confirmCommand(file, asProposed, workspace),
  layouts: async (named: string | undefined, { workspace, forget = false }: CommonFlags & { forget?: boolean }) =>
    (await import('./layouts-command.ts')).layoutsCommand(named, forget, workspace),
  approve: async (file: string, { workspace }: CommonFlags) =>
    (await import('./resolve-command.ts')).approveFileCommand(file, workspace),
  follow: async (ids: string[], { workspace, stop = false }: CommonFlags & { stop?: boolean }) =>
    (await import('./follow-command.ts')).followCommand(ids, workspace, stop),
  cancel: update('cancel'),
  receive: update('receive'),
  amend: update('amend'),
  verify: async ({ workspace, quiet }: RunFlags) =>
    quietly(quiet, await (await import('./verify-command.ts')).verifyCommand(workspace)),
  backup: async ({ workspace, to }: CommonFlags & { to?: string }) =>
    (await import('./ledger-commands.ts')).backupCommand(to, workspace),
  recover: async ({ workspace, from }: CommonFlags & { from?: string }) =>
    (await import('./ledger-commands.ts')).recoverCommand(from, workspace),
  prune: async ({ workspace, dryRun = false }: CommonFlags & { dryRun?: boolean }) =>
    (await import('./prune-command.ts')).pruneCommand(workspace, dryRun),
  'support-bundle': async (file: string, { workspace }: CommonFlags) =>
    (await import('./support-bundle-command.ts')).supportBundleCommand(file, workspace),
  worker: async ({ workspace }: CommonFlags) => (await import('./worker-command.ts')).workerCommand(workspace),
  ledger: async (_action: string, to: string | undefined, { workspace }: CommonFlags) =>
    (await import('./ledger-commands.ts')).moveCommand(to, workspace),
};

async function run(
  name: 'submit' | 'collect' | 'run',
  files: readonly string[],
  { workspace, quiet, all = false, since }: RunFlags,
  print: Print,
) {
  const { runCommand } = await import('./run-command.ts');
  const printed = async (result: CommandResult) => print?.(quietly(quiet, result));
  return quietly(quiet, await runCommand(name, { workspace, files, all, since }, printed));
}

function quietly(quiet: boolean | undefined, result: CommandResult) {
  return quiet && result.exitCode === 0 ? { ...result, text: '' } : result;
}

function resultsStarter(what: 'columns' | 'attention') {
  return async (file: string, { workspace }: CommonFlags) =>
    (await import('./init-command.ts')).resultsCommand(what, file, workspace);
}

function update(kind: UpdateKind) {
  return async (named: string[], flags: CommonFlags) =>
    (await import('./update-commands.ts')).updateCommand(kind, named, flags);
}
