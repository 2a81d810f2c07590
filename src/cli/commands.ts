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
    .configureHelp({ styleTitle: bold, styleCommandText: bold });
  const act: Act =
    (work) =>
    (...given) =>
      perform(() => work(...given), wantsJson(given));
  const command = (name: string, description: string, examples: readonly string[]): Command =>
    withCommonFlags(program.command(name).description(description), examples);

  command('init', 'lay out a workspace: folders, a commented config, .env.example, the intake template, a sample', [
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

  command('check', 'read and validate files, write the corrections workbook, send nothing', [
    'inspection-batch check november.xlsx',
    'inspection-batch check --json inbox/*.csv',
    'inspection-batch check inbox',
    'inspection-batch check november.xlsx --confirm',
  ])
    .argument('<file...>', 'spreadsheets: .xlsx, .xlsm, .csv, .tsv; or a folder of them')
    .addOption(
      new Option('--confirm', 'answer by keys what a layout leaves open; only that goes on record').conflicts('json'),
    )
    .action(
      act(async (files: string[], flags: Common & { confirm?: boolean }) =>
        (await import('./check-command.ts')).checkCommand(files, flags.workspace, {
          withJson: flags.json === true,
          confirms: flags.confirm === true,
        }),
      ),
    );

  command(
    'rehearse',
    "run tonight's inbox against a sandbox: see the corrections, orders and delivery to come; nothing is sent, and nothing of the workspace changes",
    ['inspection-batch rehearse', 'inspection-batch rehearse --to /tmp/tonight --workspace /srv/inspections'],
  )
    .option(
      '--to <folder>',
      'put corrections, orders and delivery here; a folder outside the workspace (a temporary one by default)',
    )
    .action(
      act(async (flags: Common & { to?: string }) =>
        (await import('./rehearse-command.ts')).rehearseCommand(flags.workspace, flags.to),
      ),
    );

  addRuns(command, act);
  addProjects(command, act);
  addDecisions(command, act);
  addUpdates(command, act);
  addUpkeep(command, act);
  addResults(program, act);
  addSandbox(program, act);

  withCommonFlags(program.command('demo'), ['inspection-batch demo', 'npm run demo'], 'demo-workspace')
    .description(
      'run the main job end to end on the sandbox with the sample files; nothing to configure, nothing left running',
    )
    .action(act(async (flags: Common) => (await import('./demo-command.ts')).demoCommand(flags.workspace)));

  command('doctor', 'check config, folders, credentials, clock, reachability and disk, and say what to do about each', [
    'inspection-batch doctor',
  ]).action(act(async (flags: Common) => (await import('./doctor-command.ts')).doctorCommand(flags.workspace)));

  return program;
}

const QUIET = ['--quiet', 'print nothing when all is done (exit code 0): cron sends no mail then'] as const;

function quietly(quiet: boolean | undefined, result: CommandResult): CommandResult {
  return quiet === true && result.exitCode === 0 ? { ...result, text: '' } : result;
}

function addRuns(command: AddCommand, act: Act): void {
  const run = async (
    name: 'submit' | 'collect' | 'run',
    { workspace, quiet, ...flags }: RunFlags,
  ): Promise<CommandResult> => {
    const result = await (
      await import('./run-command.ts')
    ).runCommand(name, { workspace, files: flags.files ?? [], all: flags.all === true, since: flags.since });
    return quietly(quiet, result);
  };
  command('submit', 'a submission run: take in the inbox, or the files named, and order every valid row once', [
    'inspection-batch submit',
    'inspection-batch submit rush-orders.xlsx --workspace /srv/inspections',
  ])
    .argument('[file...]', 'spreadsheets to take in instead of the inbox; they stay where they are')
    .option(...QUIET)
    .action(act((files: string[], flags: RunFlags) => run('submit', { ...flags, files })));

  command(
    'collect',
    'a follow-up run: statuses, reports, summaries, photos, and a delivery; of named projects, their files only',
    [
      'inspection-batch collect',
      'inspection-batch collect --all',
      'inspection-batch collect --since 7d',
      'inspection-batch collect 100017',
    ],
  )
    .argument(
      '[id...]',
      'only these projects, now: their files are fetched and their places printed; no delivery is written, the next run delivers them with the others',
    )
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
            '--all and --since choose what a delivery shows; with project ids there is none.',
          );
        return quietly(flags.quiet, await (await import('./follow-command.ts')).collectNamed(ids, flags.workspace));
      }),
    );

  command('run', 'submit, then collect: what cron calls', [
    'inspection-batch run --workspace /srv/inspections',
    '0 2 * * *  /opt/inspection-batch/bin/inspection-batch run --quiet --workspace /srv/inspections   # crontab',
  ])
    .option(
      '--standby',
      'only where no other host brings tonight’s run to its end: wait for that, and go on from there (docs/fleet.md)',
    )
    .option(...QUIET)
    .action(
      act(async (flags: RunFlags) =>
        flags.standby === true
          ? quietly(flags.quiet, await (await import('./worker-command.ts')).standByCommand(flags.workspace))
          : run('run', flags),
      ),
    );

  command(
    'worker',
    'share the work of a run on another host, until it is stopped: a service, where the ledger is on PostgreSQL',
    ['inspection-batch worker --workspace /srv/inspections'],
  ).action(act(async (flags: Common) => (await import('./worker-command.ts')).workerCommand(flags.workspace)));
}

function addProjects(command: AddCommand, act: Act): void {
  const time = (text: string): number => sinceTime(text, systemClock.now());
  command('projects', "search the service's own list of projects, and see which of them are on record here", [
    'inspection-batch projects --status "Returned to Client"',
    'inspection-batch projects --policy HO-4471902 --json',
    'inspection-batch projects --created-since 7d --limit 1000 --csv',
  ])
    .option('--status <status>', 'only those with this status, as the service writes it')
    .option('--policy <number>', 'only those with this policy number')
    .option('--inspection <number>', 'only those with this inspection number')
    .option('--service <name>', 'only those of this service, such as "Roof Only"')
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
    .option('--limit <number>', 'list so many at most', atLeastOne, 100)
    .addOption(new Option('--csv', 'print the list as CSV; `cancel`, `receive` and `amend` read it').conflicts('json'))
    .action(act(async (flags: ProjectsFlags) => (await import('./project-commands.ts')).projectsCommand(flags)));

  command('show', 'one project as it stands at the service now, beside what is on record here; * marks what differs', [
    'inspection-batch show 100017',
    'inspection-batch show 100017 --json',
  ])
    .argument('<id>', 'the project id')
    .action(
      act(async (id: string, flags: Common) =>
        (await import('./project-commands.ts')).showCommand(id, flags.workspace),
      ),
    );

  command('follow', 'follow projects that were made elsewhere: from now on they are collected and delivered', [
    'inspection-batch follow 100017 100018',
    'inspection-batch follow 100017 --stop',
  ])
    .argument('<id...>', 'project ids that the service knows')
    .option('--stop', 'stop following them; they stay as they are at the service')
    .action(
      act(async (ids: string[], flags: Common & { stop?: boolean }) =>
        (await import('./follow-command.ts')).followCommand(ids, flags.workspace, flags.stop === true),
      ),
    );
}

function addDecisions(command: AddCommand, act: Act): void {
  command('status', "what is outstanding, unresolved, overdue; with a question, one order's whole story", [
    'inspection-batch status',
    'inspection-batch status HO-4471902',
  ])
    .argument(
      '[question]',
      'a policy number, inspection number, project id, order number, the name of a file, or a part of the insured’s name or of the street',
    )
    .action(
      act(async (question: string | undefined, flags: Common) =>
        (await import('./status-command.ts')).statusCommand(question, flags.workspace, flags.json === true),
      ),
    );

  command('resolve', 'decide about an order that is waiting for a person, or dismiss rows that went back', [
    'inspection-batch resolve 42 --adopt 100017',
    'inspection-batch resolve 42 --resubmit',
    'inspection-batch resolve 42 --abandon',
    'inspection-batch resolve 42 --give-up',
    'inspection-batch resolve "smith-agency/orders.xlsx" --dismiss',
    'inspection-batch resolve "smith-agency/orders.xlsx:4" --dismiss',
  ])
    .argument(
      '<order, row or file>',
      'the number of the order, as `inspection-batch status` shows it; for --dismiss also a file, its corrections workbook, or one row of the file as it was dropped (file:row, file:sheet:row)',
    )
    .option('--adopt <project id>', 'this project is the order’s')
    .option('--anyway', 'with --adopt: although the project is for another house')
    .option('--resubmit', 'send it again, because no project exists for it')
    .option('--abandon', 'abandon the order: never send it')
    .option('--give-up', 'give up its project: stop following it; nothing changes at the service')
    .option('--follow', 'follow its project again')
    .option('--dismiss', 'rows that went back will not be fixed: stop asking for them')
    .action(
      act(async (order: string, flags: Common & Decision) =>
        (await import('./resolve-command.ts')).resolveCommand(order, flags, flags.workspace),
      ),
    );

  command('confirm', 'take the question about a file’s layout as answered; the next run takes the file in', [
    'inspection-batch confirm november.xlsx --as-proposed',
  ])
    .argument('<file>', 'the file that is asked about, or its workbook, whose answers count as they are saved there')
    .option('--as-proposed', 'take every proposal, whatever the workbook says')
    .action(
      act(async (file: string, flags: Common & { asProposed?: boolean }) =>
        (await import('./confirm-command.ts')).confirmCommand(file, flags.asProposed === true, flags.workspace),
      ),
    );

  command('layouts', 'list the layouts that people were asked about, show one, or forget it', [
    'inspection-batch layouts 3 --forget',
  ])
    .argument('[number]', 'a layout, as the list numbers it')
    .option('--forget', 'forget what was confirmed: the next file of this layout is asked about again')
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
}

function addResults(program: Command, act: Act): void {
  const results = program
    .command('results')
    .description('write starter files that control what the results workbook shows')
    .addHelpText('after', examplesText(['inspection-batch results columns', 'inspection-batch results attention']));
  const starter = (what: 'columns' | 'attention', description: string): void => {
    withCommonFlags(results.command(what), [
      `inspection-batch results ${what}`,
      `inspection-batch results ${what} ${what}-of-ours.yaml`,
    ])
      .description(description)
      .argument('[file]', 'the file to write; an existing file is never overwritten', `${what}.yaml`)
      .action(
        act(async (file: string, flags: Common) =>
          (await import('./init-command.ts')).resultsCommand(what, file, flags.workspace),
        ),
      );
  };
  starter('columns', 'a file to choose, rename and reorder the columns of the results workbook');
  starter('attention', 'a file to change the rules of the Attention sheet');
}

function addUpdates(command: AddCommand, act: Act): void {
  const update = (kind: UpdateKind) =>
    act(async (named: string[], flags: Common) =>
      (await import('./update-commands.ts')).updateCommand(kind, named, flags),
    );
  const NAMED =
    'project IDs, policy or inspection numbers (also project:…, policy:…, inspection:…), or spreadsheets that list them';
  command('cancel', 'cancel projects that have not been inspected yet', [
    'inspection-batch cancel 100017 --comment "Policy canceled"',
    'inspection-batch cancel HO-4471902 --dry-run',
    'inspection-batch cancel to-cancel.xlsx',
  ])
    .argument('<named...>', NAMED)
    .option('--comment <text>', 'stored by the service with the status; a "Comment" column takes precedence')
    .option('--dry-run', 'show what would be sent, and send nothing')
    .action(update('cancel'));

  command(
    'receive',
    'mark returned projects as received, once their files and the delivery that holds them are safe here',
    ['inspection-batch receive 100017 100018', 'inspection-batch receive received.csv --json'],
  )
    .argument('<named...>', NAMED)
    .option('--comment <text>', 'stored by the service with the status; a "Comment" column takes precedence')
    .option('--without-files', 'even if their files are not here; the service stops offering them')
    .option('--dry-run', 'show what would be sent, and send nothing')
    .action(update('receive'));

  command(
    'amend',
    'change the policy number or effective date of projects; an empty cell leaves the value as it is, "(clear)" removes it',
    [
      'inspection-batch amend corrections-of-policies.xlsx',
      'inspection-batch amend 100017 --policy-number HO-4471903',
      'inspection-batch amend 100017 --effective-date 2026-11-05 --dry-run',
    ],
  )
    .argument(
      '<named...>',
      'spreadsheets with a "New policy number" or "New effective date" column next to the project; or projects, with one of the flags below',
    )
    .option('--policy-number <number>', 'the new policy number of the projects named; "(clear)" empties it')
    .option('--effective-date <date>', 'their new effective date, YYYY-MM-DD; "(clear)" empties it')
    .option('--dry-run', 'show what would be sent, and send nothing')
    .action(update('amend'));
}

function addAccount(command: AddCommand, act: Act): void {
  command('account', 'show the service account that the workspace orders for, or settle one under a new name', [
    'inspection-batch account',
    'inspection-batch account --same   # the settings name the same service anew: its records come along',
    'inspection-batch account --new    # they name another account, with records of its own',
  ])
    .addOption(
      new Option(
        '--same',
        'the settings name the same service account in another way: the records come along',
      ).conflicts('new'),
    )
    .option('--new', 'the settings name another account: its records are its own')
    .action(
      act(async (flags: Common & { same?: boolean; new?: boolean }) =>
        (await import('./account-command.ts')).accountCommand(
          flags.same === true ? 'same' : flags.new === true ? 'new' : null,
          flags.workspace,
        ),
      ),
    );
}

function addUpkeep(command: AddCommand, act: Act): void {
  command('verify', 'check that ledger, service and archive agree; one line per check, marked = - + * or !', [
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

  command('backup', 'make a consistent copy of the ledger, even during a run, and check it', [
    'inspection-batch backup',
    'inspection-batch backup --to /mnt/backup/inspections',
    '0 6 * * *  /opt/inspection-batch/bin/inspection-batch backup --to /mnt/backup --workspace /srv/inspections   # crontab',
  ])
    .option(
      '--to <path>',
      'a folder, made if it is missing (backups/ in the workspace by default); or, if it ends in .sqlite, a file that does not exist yet',
    )
    .action(
      act(async (flags: Common & { to?: string }) =>
        (await import('./ledger-commands.ts')).backupCommand(flags.to, flags.workspace),
      ),
    );

  command('ledger', 'move the ledger into a database that several hosts share, or back', [
    'inspection-batch ledger move   # into the database that INSPECTION_LEDGER_URL names',
    'inspection-batch ledger move postgres://ledger@db.example.com/inspections?sslmode=verify-full',
    'inspection-batch ledger move sqlite   # back into state/ledger.sqlite',
  ])
    .addArgument(new Argument('<action>', 'what to do with it').choices(['move']))
    .argument('[to]', 'the address of a database, or sqlite (the database of INSPECTION_LEDGER_URL by default)')
    .action(
      act(async (_action: string, to: string | undefined, flags: Common) =>
        (await import('./ledger-commands.ts')).moveCommand(to, flags.workspace),
      ),
    );

  addAccount(command, act);

  command(
    'recover',
    'after an old ledger was restored, or the ledger was lost: find what was ordered since, before anything is sent',
    [
      'inspection-batch recover --from backups/ledger-20261103-060000.sqlite',
      'inspection-batch recover',
      'inspection-batch recover --json --workspace /srv/inspections',
    ],
  )
    .option('--from <backup>', 'restore this copy of the ledger first; the current one is kept next to it')
    .action(
      act(async (flags: Common & { from?: string }) =>
        (await import('./ledger-commands.ts')).recoverCommand(flags.from, flags.workspace),
      ),
    );

  command(
    'prune',
    "remove what is older than `retention` in config.yaml says: originals, deliveries, stored files, logs, people's details in the ledger",
    ['inspection-batch prune --dry-run', 'inspection-batch prune --workspace /srv/inspections'],
  )
    .option('--dry-run', 'list what would be removed, and change nothing')
    .action(
      act(async (flags: Common & { dryRun?: boolean }) =>
        (await import('./prune-command.ts')).pruneCommand(flags.workspace, flags.dryRun === true),
      ),
    );

  command(
    'support-bundle',
    'write a ZIP for support: versions, settings, counts, codes and times; no names, no file names, no secrets',
    ['inspection-batch support-bundle', 'inspection-batch support-bundle bundle.zip --workspace /srv/inspections'],
  )
    .argument('[file]', 'the ZIP to write', 'support-bundle.zip')
    .action(
      act(async (file: string, flags: Common) =>
        (await import('./support-bundle-command.ts')).supportBundleCommand(file, flags.workspace),
      ),
    );
}
