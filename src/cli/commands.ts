import { Command, InvalidArgumentError, Option } from 'commander';
import { ACCOUNT_TEMPLATES, type AccountTemplate } from '../sandbox/deliverables/inspection.ts';
import { SCENARIO_NAMES, scenariosText, type ScenarioName } from '../sandbox/faults/scenarios.ts';
import { notShownText } from '../sandbox/not-shown.ts';
import type { CommandResult } from './result.ts';

/** What a command's work is done by: given to every action, so that nothing but `main.ts` prints or exits. */
export type Perform = (work: () => Promise<CommandResult>, json: boolean) => Promise<void>;

interface Common {
  readonly workspace: string;
  readonly json?: boolean;
}

/** Every command and every flag, on one page. Each command's own file is loaded only when it is called. */
export function buildProgram(perform: Perform, version: string): Command {
  const program = new Command('inspection-batch')
    .description('Orders property inspections from spreadsheets, effectively once, and brings the results back as a workbook.')
    .version(version)
    .showHelpAfterError('(--help shows every command and flag)')
    .showSuggestionAfterError(true);
  const command = (name: string, description: string, examples: readonly string[]): Command =>
    withCommonFlags(program.command(name).description(description), examples);

  command('init', 'lay out a workspace: folders, a commented config, .env.example, the intake template, a sample', ['inspection-batch init inspections'])
    .argument('[dir]', 'the folder, made where it is missing; the workspace by default')
    .action((dir: string | undefined, flags: Common) =>
      perform(async () => (await import('./init-command.ts')).initCommand(dir ?? flags.workspace), flags.json === true),
    );

  command('template', 'write the empty intake workbook', ['inspection-batch template orders.xlsx'])
    .argument('[file]', 'the workbook to write', 'inspection-orders-template.xlsx')
    .action((file: string, flags: Common) =>
      perform(async () => (await import('./template-command.ts')).templateCommand(file), flags.json === true),
    );

  command('check', 'read and validate files, write the corrections workbook, send nothing', [
    'inspection-batch check november.xlsx',
    'inspection-batch check --json inbox/*.csv',
  ])
    .argument('<file...>', 'spreadsheets: .xlsx, .xlsm, .csv, .tsv')
    .action((files: string[], flags: Common) =>
      perform(async () => (await import('./check-command.ts')).checkCommand(files, flags.workspace), flags.json === true),
    );

  addRuns(command, perform);
  addLooks(command, perform);
  addSandbox(program, perform);

  withCommonFlags(program.command('demo'), ['inspection-batch demo', 'npm run demo'], 'demo-workspace')
    .description('the main job end to end on the sandbox with the sample files; nothing to configure, nothing left running')
    .action((flags: Common) => perform(async () => (await import('./demo-command.ts')).demoCommand(flags.workspace), flags.json === true));

  command('doctor', 'check config, folders, credentials, clock, reachability and disk, and say what to do about each', ['inspection-batch doctor']).action(
    (flags: Common) => perform(async () => (await import('./doctor-command.ts')).doctorCommand(flags.workspace), flags.json === true),
  );
  return program;
}

type AddCommand = (name: string, description: string, examples: readonly string[]) => Command;

function addRuns(command: AddCommand, perform: Perform): void {
  command('submit', 'a submission run: take in the inbox, or the files named, and order every valid row once', [
    'inspection-batch submit',
    'inspection-batch submit rush-orders.xlsx --workspace /srv/inspections',
  ])
    .argument('[file...]', 'spreadsheets to take in instead of the inbox; they stay where they are')
    .action((files: string[], flags: Common) =>
      perform(async () => (await import('./run-command.ts')).runCommand('submit', { workspace: flags.workspace, files }), flags.json === true),
    );

  command('collect', 'a follow-up run: statuses, reports, summaries, photos, and a delivery', ['inspection-batch collect', 'inspection-batch collect --all'])
    .option('--all', 'write the workbook over every project on record')
    .action((flags: Common & { all?: boolean }) =>
      perform(
        async () => (await import('./run-command.ts')).runCommand('collect', { workspace: flags.workspace, all: flags.all === true }),
        flags.json === true,
      ),
    );

  command('run', 'submit, then collect: what cron calls', [
    'inspection-batch run --workspace /srv/inspections',
    '0 2 * * *  /opt/inspection-batch/bin/inspection-batch run --workspace /srv/inspections   # crontab',
  ]).action((flags: Common) =>
    perform(async () => (await import('./run-command.ts')).runCommand('run', { workspace: flags.workspace }), flags.json === true),
  );
}

/** What a person asks of single orders, and decides about them. */
function addLooks(command: AddCommand, perform: Perform): void {
  command('status', "what is outstanding, unresolved, overdue; with a question, one order's whole story", [
    'inspection-batch status',
    'inspection-batch status HO-4471902',
  ])
    .argument('[question]', 'a policy number, inspection number, project id, order number, or the name of a file')
    .action((question: string | undefined, flags: Common) =>
      perform(async () => (await import('./status-command.ts')).statusCommand(question, flags.workspace), flags.json === true),
    );

  command('resolve', 'free an order that waits for a person', [
    'inspection-batch resolve 42 --adopt 100017',
    'inspection-batch resolve 42 --resubmit',
    'inspection-batch resolve 42 --abandon',
  ])
    .argument('<order>', 'the number of the order, as `inspection-batch status` shows it')
    .option('--adopt <project id>', 'this project is the order’s')
    .option('--resubmit', 'send it again: no project of it exists')
    .option('--abandon', 'give it up')
    .action((order: string, flags: Common & { adopt?: string; resubmit?: boolean; abandon?: boolean }) =>
      perform(async () => (await import('./resolve-command.ts')).resolveCommand(order, flags, flags.workspace), flags.json === true),
    );
}

interface SandboxFlags {
  readonly port: number;
  readonly filesPort: number;
  readonly controlPort: number;
  readonly host: string;
  readonly environment: 'staging' | 'production';
  readonly seed?: string;
  readonly timeScale?: number;
  readonly data?: string;
  readonly firstId?: string;
  readonly user?: readonly string[];
  readonly option?: readonly string[];
  readonly progress: boolean;
  readonly latency: number;
  readonly scenario: ScenarioName;
  readonly accountTemplate: AccountTemplate;
  readonly sftp?: string;
  readonly sftpHostKey?: string;
  readonly sftpAutoReceived: boolean;
  readonly json?: boolean;
}

function addSandbox(program: Command, perform: Perform): void {
  program
    .command('sandbox')
    .description('the service itself, locally, as its document specifies it; serves until it is stopped')
    .option('--port <number>', 'port of the service; 0 takes any that is free', wholeNumber, 0)
    .option('--files-port <number>', 'port that signed URLs lead to', wholeNumber, 0)
    .option('--control-port <number>', 'port of the control server: time, faults, audit', wholeNumber, 0)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .addOption(new Option('--environment <name>', 'which environment it is').choices(['staging', 'production']).default('staging'))
    .option('--data <file>', 'keep all state in this SQLite file, so that a restart loses nothing (in memory by default)')
    .option('--seed <text>', 'decides everything that varies from project to project (1 by default)')
    .option('--time-scale <number>', 'seconds of sandbox time in a real second (1 by default)', positiveNumber)
    .option('--first-id <number>', 'id of the first project (100001 by default); 9007199254740993 is one that a double does not hold')
    .option('--user <name:password[:role]>', 'a further platform user; roles: full, read-only, no-search, none', collected)
    .option('--option <name=value>', 'a way to take where the document leaves one open; see below', collected)
    .option('--no-progress', 'projects move only when they are told to')
    .option('--latency <ms>', 'milliseconds that every answer takes', wholeNumber, 0)
    .addOption(new Option('--scenario <name>', 'a night to rehearse: faults that come and heal by themselves').choices(SCENARIO_NAMES).default('calm'))
    .addOption(new Option('--account-template <name>', 'which attributes the summaries hold').choices(ACCOUNT_TEMPLATES).default('standard'))
    .option('--sftp <url>', 'push results to sftp://user@host:port/folder; the password comes from INSPECTION_SANDBOX_SFTP_PASSWORD')
    .option('--sftp-host-key <fingerprint>', 'the key that the SFTP server must have, SHA256:…; any by default')
    .option('--no-sftp-auto-received', 'a delivered file that is taken away does not make its project Client Received')
    .option('--json', 'print the addresses and credentials as one JSON document')
    .addHelpText('after', examplesText(['inspection-batch sandbox > .env', 'inspection-batch sandbox --port 8080 --time-scale 3600', 'inspection-batch sandbox --scenario stormy-night']))
    .addHelpText('after', `\nScenarios:\n${scenariosText()}`)
    .addHelpText('after', `\nOptions (--option), the default first:\n${notShownText()}`)
    .action((flags: SandboxFlags) =>
      perform(async () => {
        const { progress, latency, json: _json, sftp, sftpHostKey, user, option, data, firstId, ...options } = flags;
        const { sandboxCommand } = await import('./sandbox-command.ts');
        // A data file knows whether its projects move: only who says no says anything.
        const choices = { ...options, dataFile: data, firstProjectId: firstId, ...(progress ? {} : { autoProgress: false }), latencyMs: latency };
        return sandboxCommand(choices, flags.json === true, { sftp, sftpHostKey, user, option });
      }, flags.json === true),
    );
}

function withCommonFlags(command: Command, examples: readonly string[], workspace = '.'): Command {
  return command
    .option('--workspace <dir>', 'the workspace', workspace)
    .option('--json', 'print exactly one JSON document on stdout')
    .addHelpText('after', examplesText(examples));
}

function examplesText(examples: readonly string[]): string {
  return `\nExamples:\n${examples.map((example) => `  ${example}`).join('\n')}`;
}

function collected(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('A whole number from 0 is needed.');
  return Number(text);
}

function positiveNumber(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) throw new InvalidArgumentError('A number above 0 is needed.');
  return value;
}
