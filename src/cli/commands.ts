import { Argument, Command, Option } from 'commander';
import { usageError } from '../domain/errors.ts';
import type { UpdateKind } from '../ledger/updates.ts';
import { systemClock } from '../ops/system.ts';
import type { CommandResult } from './command-result.ts';
import {
  type Act,
  type AddCommand,
  atLeastOne,
  bold,
  type Common,
  examplesText,
  type Perform,
  sinceTime,
  wantsJson,
  withCommonFlags,
} from './flags.ts';
import type { ProjectsFlags } from './project-commands.ts';
import type { Decision } from './resolve-command.ts';
import { addSandbox } from './sandbox-flags.ts';

interface RunFlags extends Common {
  readonly files?: readonly string[];
  readonly all?: boolean;
  readonly since?: number;
  readonly quiet?: boolean;
  readonly standby?: boolean;
}

/** A command's file is loaded when it is called, so that `--help` starts fast. */
export function buildProgram(perform: Perform, version: string): Command {
  const program = new Command('inspection-batch')
    .description(
      'Orders property inspections from spreadsheets, never the same one twice, and brings the results back as a workbook.',
    )
    .version(version)
    .showHelpAfterError('(--help shows every command and flag)')
    .showSuggestionAfterError(true)
    .configureHelp({ styleTitle: bold, styleCommandText: bold, subcommandTerm: (command) => command.name() });
  const act: Act =
    (work) =>
    (...given) =>
      perform(() => work(...given), wantsJson(given));
  const command: AddCommand = (name, description, examples, workspace) =>
    withCommonFlags(program.command(name).description(description), examples, workspace);

  program.commandsGroup('Set up:');
  addSetUp(command, act);
  addResults(program, act);
  addSandbox(program, act);
  program.commandsGroup('Every night:');
  addRuns(command, act);
  program.commandsGroup('Look things up:');
  addLookUps(command, act);
  program.helpCommand('help [command]', 'show the help of a command');
  program.commandsGroup('Decide:');
  addDecisions(command, act);
  addUpdates(command, act);
  program.commandsGroup('Maintain:');
  addUpkeep(command, act);
  program.commandsGroup('Several hosts:');
  addHosts(command, act);
  return program;
}

const QUIET = ['--quiet', 'print nothing if all is done (exit code 0), so that cron sends no mail'] as const;

function quietly(quiet: boolean | undefined, result: CommandResult) {
  return quiet === true && result.exitCode === 0 ? { ...result, text: '' } : result;
}

function addSetUp(command: AddCommand, act: Act) {
  command('init', 'create a workspace: folders, config.yaml, .env.example, intake template, sample', [
    'inspection-batch init inspections',
  ])
    .argument('[dir]', 'the folder; created if it does not exist (default: the workspace)')
    .action(
      act(async (dir: string | undefined, flags: Common) =>
        (await import('./init-command.ts')).initCommand(dir ?? flags.workspace),
      ),
    );

  command('template', 'write the empty intake workbook', ['inspection-batch template orders.xlsx'])
    .argument('[file]', 'the workbook to write', 'inspection-orders-template.xlsx')
    .action(act(async (file: string, _flags: Common) => (await import('./init-command.ts')).templateCommand(file)));

  command('doctor', 'check config, folders, credentials, clock, network and disk, and say how to fix each problem', [
    'inspection-batch doctor',
  ]).action(act(async (flags: Common) => (await import('./doctor-command.ts')).doctorCommand(flags.workspace)));

  command('account', 'show the workspace’s service account, or confirm its new name or address', [
    'inspection-batch account',
    'inspection-batch account --same   # the same account under a new name: keep its records',
    'inspection-batch account --new    # another account, with separate records',
  ])
    .addOption(
      new Option('--same', 'the settings name the same service account differently: keep its records').conflicts('new'),
    )
    .option('--new', 'the settings name another account, with separate records')
    .action(
      act(async (flags: Common & { same?: boolean; new?: boolean }) =>
        (await import('./account-command.ts')).accountCommand(
          flags.same === true ? 'same' : flags.new === true ? 'new' : null,
          flags.workspace,
        ),
      ),
    );

  command(
    'demo',
    'try everything: the sample files, ordered at the sandbox; needs no settings',
    ['inspection-batch demo', 'npm run demo'],
    'demo-workspace',
  ).action(act(async (flags: Common) => (await import('./demo-command.ts')).demoCommand(flags.workspace)));
}

function addRuns(command: AddCommand, act: Act) {
  const run = async (name: 'submit' | 'collect' | 'run', { workspace, quiet, ...flags }: RunFlags) => {
    const result = await (
      await import('./run-command.ts')
    ).runCommand(name, { workspace, files: flags.files ?? [], all: flags.all === true, since: flags.since });
    return quietly(quiet, result);
  };
  command('run', 'submit, then collect: the command for cron', [
    'inspection-batch run --workspace /srv/inspections',
    '0 2 * * *  /opt/inspection-batch/bin/inspection-batch run --quiet --workspace /srv/inspections   # crontab',
  ])
    .option('--standby', 'wait for tonight’s run on another host, and continue it if that host fails (docs/fleet.md)')
    .option(...QUIET)
    .action(
      act(async (flags: RunFlags) =>
        flags.standby === true
          ? quietly(flags.quiet, await (await import('./worker-command.ts')).standByCommand(flags.workspace))
          : run('run', flags),
      ),
    );

  command('submit', 'take in the inbox, or the files named, and order every valid row once', [
    'inspection-batch submit',
    'inspection-batch submit rush-orders.xlsx --workspace /srv/inspections',
  ])
    .argument('[file...]', 'spreadsheets to take in instead of the inbox; they stay in their folder')
    .option(...QUIET)
    .action(act((files: string[], flags: RunFlags) => run('submit', { ...flags, files })));

  command('collect', 'fetch statuses, reports, summaries and photos, and write a delivery', [
    'inspection-batch collect',
    'inspection-batch collect --all',
    'inspection-batch collect --since 7d',
    'inspection-batch collect 100017',
  ])
    .argument('[id...]', 'fetch the files of these projects only, now; the next run delivers them with the others')
    .option('--all', 'include every project on record in the workbook')
    .addOption(
      new Option(
        '--since <time>',
        'include every project that changed since a day (2026-11-01) or within a period (36h, 7d, 2w)',
      )
        .argParser((text) => sinceTime(text, systemClock.now()))
        .conflicts('all'),
    )
    .option(...QUIET)
    .action(
      act(async (ids: string[], flags: RunFlags) => {
        if (ids.length === 0) return run('collect', flags);
        if (flags.all === true || flags.since !== undefined)
          throw usageError(
            'flags-exclude-each-other',
            '--all and --since choose what a delivery shows; with project ids there is no delivery.',
          );
        return quietly(flags.quiet, await (await import('./follow-command.ts')).collectNamed(ids, flags.workspace));
      }),
    );
}

function addLookUps(command: AddCommand, act: Act) {
  command('status', 'show what is outstanding, unresolved or overdue, or the whole story of one order', [
    'inspection-batch status',
    'inspection-batch status HO-4471902',
  ])
    .argument(
      '[question]',
      'a policy number, inspection number, project id, order number, file name, or a part of the insured’s name or of the street',
    )
    .option('--all', 'list more than the first two of each kind')
    .action(
      act(async (question: string | undefined, { workspace, json, all }: Common & { all?: boolean }) =>
        (await import('./status-command.ts')).statusCommand(question, workspace, {
          withJson: json === true,
          all: all === true,
        }),
      ),
    );

  command('check', 'read and validate files and write the corrections workbook; send nothing', [
    'inspection-batch check november.xlsx',
    'inspection-batch check --json inbox/*.csv',
    'inspection-batch check inbox',
    'inspection-batch check november.xlsx --confirm',
  ])
    .argument('<file...>', 'spreadsheets: .xlsx, .xlsm, .csv, .tsv; or a folder of them')
    .addOption(
      new Option(
        '--confirm',
        'answer open questions about the layout on the terminal; only the answers are recorded',
      ).conflicts('json'),
    )
    .action(
      act(async (files: string[], flags: Common & { confirm?: boolean }) =>
        (await import('./check-command.ts')).checkCommand(files, flags.workspace, {
          withJson: flags.json === true,
          confirms: flags.confirm === true,
        }),
      ),
    );

  command('rehearse', 'run tonight’s inbox against a sandbox; send nothing and change nothing', [
    'inspection-batch rehearse',
    'inspection-batch rehearse --to /tmp/tonight --workspace /srv/inspections',
  ])
    .option(
      '--to <folder>',
      'put corrections, orders and delivery in this folder outside the workspace (default: a temporary one)',
    )
    .action(
      act(async (flags: Common & { to?: string }) =>
        (await import('./rehearse-command.ts')).rehearseCommand(flags.workspace, flags.to),
      ),
    );

  const time = (text: string) => sinceTime(text, systemClock.now());
  command('projects', 'search the service’s list of projects, and mark those on record here', [
    'inspection-batch projects --status "Returned to Client"',
    'inspection-batch projects --policy HO-4471902 --json',
    'inspection-batch projects --created-since 7d --limit 1000 --csv',
  ])
    .option('--status <status>', 'only with this status, as the service writes it')
    .option('--policy <number>', 'only with this policy number')
    .option('--inspection <number>', 'only with this inspection number')
    .option('--service <name>', 'only of this service, such as "Roof Only"')
    .addOption(
      new Option(
        '--created-since <time>',
        'created on this day (2026-11-01) or later, or within a period (36h, 7d, 2w)',
      ).argParser(time),
    )
    .addOption(
      new Option('--created-before <time>', 'created before this day, or longer ago than a period').argParser(time),
    )
    .option('--from <id>', 'begin at this project id')
    .option('--no-bundles', 'leave out projects that belong to a bundle')
    .option('--limit <number>', 'list at most this many', atLeastOne, 100)
    .addOption(new Option('--csv', 'print the list as CSV; `cancel`, `receive` and `amend` read it').conflicts('json'))
    .action(act(async (flags: ProjectsFlags) => (await import('./project-commands.ts')).projectsCommand(flags)));

  command('show', 'compare one project at the service with its record here; * marks differences', [
    'inspection-batch show 100017',
    'inspection-batch show 100017 --json',
  ])
    .argument('<id>', 'the project id')
    .action(
      act(async (id: string, flags: Common) =>
        (await import('./project-commands.ts')).showCommand(id, flags.workspace),
      ),
    );
}

function addDecisions(command: AddCommand, act: Act) {
  command('resolve', 'decide about an order that waits for a person, or dismiss rejected rows', [
    'inspection-batch resolve 42 --adopt 100017',
    'inspection-batch resolve 42 --resubmit',
    'inspection-batch resolve 42 --abandon',
    'inspection-batch resolve 42 --give-up',
    'inspection-batch resolve "smith-agency/orders.xlsx" --dismiss',
    'inspection-batch resolve "smith-agency/orders.xlsx:4" --dismiss',
  ])
    .argument(
      '<order, row or file>',
      'the order number, as `inspection-batch status` shows it; for --dismiss also a file, its corrections workbook, or one row of the file as it was dropped (file:row, file:sheet:row)',
    )
    .option('--adopt <project id>', 'this project belongs to the order')
    .option('--anyway', 'with --adopt: even if the project is for another house')
    .option('--resubmit', 'send it again, because no project exists for it')
    .option('--abandon', 'abandon the order: never send it')
    .option('--give-up', 'stop following its project; nothing changes at the service')
    .option('--follow', 'follow its project again')
    .option('--dismiss', 'the rejected rows will not be fixed: stop asking for them')
    .action(
      act(async (order: string, flags: Common & Decision) =>
        (await import('./resolve-command.ts')).resolveCommand(order, flags, flags.workspace),
      ),
    );

  command('confirm', 'confirm how the columns of a file are read; the next run takes the file in', [
    'inspection-batch confirm november.xlsx --as-proposed',
  ])
    .argument('<file>', 'the file in question, or its workbook with the saved answers')
    .option('--as-proposed', 'accept every proposal, whatever the workbook says')
    .action(
      act(async (file: string, flags: Common & { asProposed?: boolean }) =>
        (await import('./confirm-command.ts')).confirmCommand(file, flags.asProposed === true, flags.workspace),
      ),
    );

  command('layouts', 'list the layouts that people were asked about, show one, or forget it', [
    'inspection-batch layouts 3 --forget',
  ])
    .argument('[number]', 'a layout’s number in the list')
    .option('--forget', 'forget the answers: the next file of this layout is asked about again')
    .action(
      act(async (named: string | undefined, flags: Common & { forget?: boolean }) =>
        (await import('./layouts-command.ts')).layoutsCommand(named, flags.forget === true, flags.workspace),
      ),
    );

  command('approve', 'release a held file: the next run takes it in as it is now', [
    'inspection-batch approve orders.xlsx',
    'inspection-batch approve held/smith-agency/orders.xlsx --workspace /srv/inspections',
  ])
    .argument('<file>', 'a file in held/: its name, `sender/name`, or its path')
    .action(
      act(async (file: string, flags: Common) =>
        (await import('./resolve-command.ts')).approveCommand(file, flags.workspace),
      ),
    );

  command('follow', 'follow projects that were created elsewhere: they are collected and delivered', [
    'inspection-batch follow 100017 100018',
    'inspection-batch follow 100017 --stop',
  ])
    .argument('<id...>', 'project ids that the service knows')
    .option('--stop', 'stop following them; nothing changes at the service')
    .action(
      act(async (ids: string[], flags: Common & { stop?: boolean }) =>
        (await import('./follow-command.ts')).followCommand(ids, flags.workspace, flags.stop === true),
      ),
    );
}

function addResults(program: Command, act: Act) {
  const results = program
    .command('results')
    .description('write a file to start from, to change what the results workbook shows')
    .addHelpText('after', examplesText(['inspection-batch results columns', 'inspection-batch results attention']));
  const starter = (what: 'columns' | 'attention', description: string) => {
    withCommonFlags(results.command(what), [
      `inspection-batch results ${what}`,
      `inspection-batch results ${what} our-${what}.yaml`,
    ])
      .description(description)
      .argument('[file]', 'the file to write; an existing file is never overwritten', `${what}.yaml`)
      .action(
        act(async (file: string, flags: Common) =>
          (await import('./init-command.ts')).resultsCommand(what, file, flags.workspace),
        ),
      );
  };
  starter('columns', 'to choose, rename and reorder the columns of the results workbook');
  starter('attention', 'to change the rules of the Attention sheet');
}

function addUpdates(command: AddCommand, act: Act) {
  const update = (kind: UpdateKind) =>
    act(async (named: string[], flags: Common) =>
      (await import('./update-commands.ts')).updateCommand(kind, named, flags),
    );
  const NAMED =
    'project ids, policy or inspection numbers (also project:…, policy:…, inspection:…), or spreadsheets that list them';
  const COMMENT = [
    '--comment <text>',
    'stored by the service with the status; a "Comment" column takes precedence',
  ] as const;
  const DRY_RUN = ['--dry-run', 'show what would be sent, and send nothing'] as const;
  command('cancel', 'cancel projects that have not been inspected yet', [
    'inspection-batch cancel 100017 --comment "Policy canceled"',
    'inspection-batch cancel HO-4471902 --dry-run',
    'inspection-batch cancel to-cancel.xlsx',
  ])
    .argument('<named...>', NAMED)
    .option(...COMMENT)
    .option(...DRY_RUN)
    .action(update('cancel'));

  command('receive', 'mark returned projects as received, once their files are delivered and safe', [
    'inspection-batch receive 100017 100018',
    'inspection-batch receive received.csv --json',
  ])
    .argument('<named...>', NAMED)
    .option(...COMMENT)
    .option('--without-files', 'even if their files are not here; the service stops offering them')
    .option(...DRY_RUN)
    .action(update('receive'));

  command('amend', 'change the policy number or effective date of projects', [
    'inspection-batch amend new-policy-numbers.xlsx',
    'inspection-batch amend 100017 --policy-number HO-4471903',
    'inspection-batch amend 100017 --effective-date 2026-11-05 --dry-run',
  ])
    .argument(
      '<named...>',
      'spreadsheets with a "New policy number" or "New effective date" column next to the project (an empty cell changes nothing, "(clear)" removes the value); or projects, with one of the flags below',
    )
    .option('--policy-number <number>', 'the new policy number of the projects named; "(clear)" removes it')
    .option('--effective-date <date>', 'their new effective date, YYYY-MM-DD; "(clear)" removes it')
    .option(...DRY_RUN)
    .action(update('amend'));
}

function addUpkeep(command: AddCommand, act: Act) {
  command('verify', 'check that ledger, service and archive agree; each line is marked = - + * or !', [
    'inspection-batch verify',
    'inspection-batch verify --json --workspace /srv/inspections',
    'inspection-batch verify --quiet',
  ])
    .option(...QUIET)
    .action(
      act(async (flags: Common & { quiet?: boolean }) =>
        quietly(flags.quiet, await (await import('./verify-command.ts')).verifyCommand(flags.workspace)),
      ),
    );

  command('backup', 'copy the ledger, even during a run, and check the copy', [
    'inspection-batch backup',
    'inspection-batch backup --to /mnt/backup/inspections',
    '0 6 * * *  /opt/inspection-batch/bin/inspection-batch backup --to /mnt/backup --workspace /srv/inspections   # crontab',
  ])
    .option(
      '--to <path>',
      'a folder, created if missing (default: backups/ in the workspace), or a new file that ends in .sqlite',
    )
    .action(
      act(async (flags: Common & { to?: string }) =>
        (await import('./ledger-commands.ts')).backupCommand(flags.to, flags.workspace),
      ),
    );

  command('recover', 'after the ledger was lost or an old one restored: find what was ordered since', [
    'inspection-batch recover --from backups/ledger-20261103-060000.sqlite',
    'inspection-batch recover',
    'inspection-batch recover --json --workspace /srv/inspections',
  ])
    .option('--from <backup>', 'restore this copy of the ledger first; the current one is kept next to it')
    .action(
      act(async (flags: Common & { from?: string }) =>
        (await import('./ledger-commands.ts')).recoverCommand(flags.from, flags.workspace),
      ),
    );

  command('prune', 'remove files and personal details older than `retention` in config.yaml', [
    'inspection-batch prune --dry-run',
    'inspection-batch prune --workspace /srv/inspections',
  ])
    .option('--dry-run', 'list what would be removed, and change nothing')
    .action(
      act(async (flags: Common & { dryRun?: boolean }) =>
        (await import('./prune-command.ts')).pruneCommand(flags.workspace, flags.dryRun === true),
      ),
    );

  command('support-bundle', 'write a ZIP for support, without personal details, file names or secrets', [
    'inspection-batch support-bundle',
    'inspection-batch support-bundle bundle.zip --workspace /srv/inspections',
  ])
    .argument('[file]', 'the ZIP to write', 'support-bundle.zip')
    .action(
      act(async (file: string, flags: Common) =>
        (await import('./support-bundle-command.ts')).supportBundleCommand(file, flags.workspace),
      ),
    );
}

function addHosts(command: AddCommand, act: Act) {
  command('worker', 'share the work of runs on another host, until stopped; needs PostgreSQL', [
    'inspection-batch worker --workspace /srv/inspections',
  ]).action(act(async (flags: Common) => (await import('./worker-command.ts')).workerCommand(flags.workspace)));

  command('ledger', 'move the ledger into a database that several hosts share, or back', [
    'inspection-batch ledger move   # into the database in INSPECTION_LEDGER_URL',
    'inspection-batch ledger move postgres://ledger@db.example.com/inspections?sslmode=verify-full',
    'inspection-batch ledger move sqlite   # back into state/ledger.sqlite',
  ])
    .addArgument(new Argument('<action>', 'what to do with the ledger').choices(['move']))
    .argument('[to]', 'the address of a database, or sqlite (default: INSPECTION_LEDGER_URL)')
    .action(
      act(async (_action: string, to: string | undefined, flags: Common) =>
        (await import('./ledger-commands.ts')).moveCommand(to, flags.workspace),
      ),
    );
}
