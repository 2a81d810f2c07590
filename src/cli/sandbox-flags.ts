import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { SCENARIO_NAMES, scenariosText } from '../sandbox/faults/scenarios.ts';
import { unspecifiedText } from '../sandbox/unspecified.ts';
import { ACCOUNT_TEMPLATES, type SandboxOptions } from '../sandbox/options.ts';
import { type Act, examplesText, wholeNumber } from './flags.ts';
import type { TextFlags } from './sandbox-command.ts';
import { wrapLines } from './terminal.ts';

interface SandboxFlags
  extends
    Pick<
      SandboxOptions,
      | 'port'
      | 'filesPort'
      | 'controlPort'
      | 'host'
      | 'environment'
      | 'seed'
      | 'timeScale'
      | 'scenario'
      | 'accountTemplate'
      | 'sftpAutoReceived'
    >,
    TextFlags {
  readonly data?: string;
  readonly firstId?: string;
  readonly progress: boolean;
  readonly latency: number;
  readonly workspace: string;
  readonly json?: boolean;
}

export function addSandbox(program: Command, act: Act): void {
  program
    .command('sandbox')
    .description('run the service locally, as its document specifies it, until stopped')
    .option('--port <number>', 'port of the service; 0: any free port', wholeNumber, 0)
    .option('--files-port <number>', 'port of the signed URLs', wholeNumber, 0)
    .option('--control-port <number>', 'port of the control server: time, faults, audit', wholeNumber, 0)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .addOption(
      new Option('--environment <name>', 'the environment to imitate')
        .choices(['staging', 'production'])
        .default('staging'),
    )
    .option(
      '--data <file>',
      'keep all state in this SQLite file, so that a restart loses nothing (in memory by default)',
    )
    .option('--workspace <dir>', 'the folder of a relative --data', '.')
    .option('--seed <text>', 'decides everything that varies between projects (1 by default)')
    .option('--time-scale <number>', 'seconds of sandbox time per real second (1 by default)', positiveNumber)
    .option(
      '--first-id <number>',
      'ID of the first project (100001 by default); 9007199254740993 does not fit a double',
    )
    .option(
      '--user <name:password[:role]>',
      'a further platform user; roles: full, read-only, no-search, none',
      collected,
    )
    .option('--option <name=value>', 'one way, if the document allows several; see below', collected)
    .option('--no-progress', 'projects change status only on request')
    .option('--latency <ms>', 'delay of every answer, in milliseconds', wholeNumber, 0)
    .addOption(
      new Option('--scenario <name>', 'a night to rehearse: a set of faults').choices(SCENARIO_NAMES).default('calm'),
    )
    .addOption(
      new Option('--account-template <name>', 'which attributes the summaries hold')
        .choices(ACCOUNT_TEMPLATES)
        .default('standard'),
    )
    .option(
      '--sftp <url>',
      'push results to sftp://user@host:port/folder; the password comes from INSPECTION_SANDBOX_SFTP_PASSWORD',
    )
    .option('--sftp-host-key <fingerprint>', 'the key that the SFTP server must have, SHA256:…; any by default')
    .option('--no-sftp-auto-received', 'removing a delivered file does not set its project to Client Received')
    .option('--json', 'print the addresses and credentials as one JSON document')
    .addHelpText(
      'after',
      examplesText([
        'inspection-batch sandbox > .env',
        'inspection-batch sandbox --port 8080 --time-scale 3600',
        'inspection-batch sandbox --scenario stormy-night',
      ]),
    )
    .addHelpText('after', wrapLines(`\nScenarios:\n${scenariosText()}`, 80))
    .addHelpText('after', wrapLines(`\nOptions (--option), the default first:\n${unspecifiedText()}`, 80))
    .action(
      act(async (flags: SandboxFlags) => {
        const {
          progress,
          latency,
          json: _json,
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
          ...(progress ? {} : { autoProgress: false }),
          latencyMs: latency,
        };
        return sandboxCommand(choices, flags.json === true, { sftp, sftpHostKey, user, option });
      }),
    );
}

function collected(text: string, before: readonly string[] = []) {
  return [...before, text];
}

function positiveNumber(text: string) {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) throw new InvalidArgumentError('It must be a number above 0.');
  return value;
}
