import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { templateText } from '../src/contract/template-data.ts';

/** The man page, made from the same tree as `--help`; the exit codes are those of docs/operations.md. Source for man(7). */
export function manPage(program: Command, version: string, root: string): string {
  const lines = [
    `.TH INSPECTION-BATCH 1 "" "inspection-batch ${version}" "User Commands"`,
    '.SH NAME',
    `inspection-batch \\- ${escaped(lowerFirst(program.description()))}`,
    '.SH SYNOPSIS',
    '.B inspection-batch',
    '.I command',
    '[options]',
    '.SH COMMANDS',
    ...commandsOf(program).flatMap(commandSection),
    '.SH "EXIT STATUS"',
    ...exitCodes(readFileSync(join(root, 'docs/operations.md'), 'utf8')).flatMap(([code, means]) => [
      '.TP',
      `.B ${escaped(code)}`,
      escaped(means),
    ]),
    '.SH ENVIRONMENT',
    'As in',
    '.IR .env ;',
    'each variable may also be given as',
    '.IR NAME _FILE,',
    'the path of a file that holds the value.',
    ...verbatim(templateText('env.example')),
    '.SH "SEE ALSO"',
    escaped('docs/operations.md and docs/deployment.md in the folder of the program'),
  ];
  return `${lines.join('\n')}\n`;
}

/** Every command with its subcommands, without `help`. */
export function commandsOf(program: Command): readonly Command[] {
  return program
    .createHelp()
    .visibleCommands(program)
    .filter((command) => command.name() !== 'help')
    .flatMap((command) => (command.commands.length > 0 ? [command, ...command.commands] : [command]));
}

/** Arguments, then flags, each with its description. */
export function termsOf(command: Command): readonly (readonly [term: string, description: string])[] {
  const help = command.createHelp();
  return [
    ...help
      .visibleArguments(command)
      .map((argument) => [help.argumentTerm(argument), help.argumentDescription(argument)] as const),
    ...help.visibleOptions(command).map((option) => [help.optionTerm(option), help.optionDescription(option)] as const),
  ];
}

function commandSection(command: Command): readonly string[] {
  const help = command.createHelp();
  return [
    `.SS "${escaped(help.commandUsage(command))}"`,
    escaped(help.commandDescription(command)),
    ...termsOf(command).flatMap(([term, description]) => ['.TP', `.B "${escaped(term)}"`, escaped(description)]),
    ...verbatim(afterHelp(command)),
  ];
}

/** The text below the flags: examples, and lists of names. */
export function afterHelp(command: Command): string {
  let shown = '';
  command.configureOutput({ writeOut: (text) => void (shown += text) }).outputHelp();
  return shown.slice(command.helpInformation().length).trim();
}

function verbatim(text: string): readonly string[] {
  return text === '' ? [] : ['.PP', '.nf', ...text.trimEnd().split('\n').map(escaped), '.fi'];
}

/** The table's rows: the code, and what it means. */
function exitCodes(page: string): readonly (readonly [string, string])[] {
  const [, table = ''] = page.split('## Exit codes');
  return [...table.matchAll(/^\| (\d[\d, ]*) \| ([^|]+) \|/gm)].map(([, code = '', means = '']) => [code, means]);
}

/** For man(7): a backslash, a dash and anything beyond ASCII are escaped, code is bold, and no line begins with the sign of a request. */
function escaped(text: string): string {
  const signs = text.replaceAll(
    /[\\"-]/g,
    (sign) => ({ '\\': String.raw`\e`, '"': String.raw`\(dq`, '-': String.raw`\-` })[sign] ?? sign,
  );
  const ascii = signs.replaceAll(
    /[^\n -~]/gu,
    (sign) => String.raw`\[u` + (sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0') + ']',
  );
  const code = ascii.replaceAll(/`([^`]+)`/g, (_, span: string) => String.raw`\fB${span}\fR`);
  return code.replaceAll(/^[.']/gm, (sign) => String.raw`\&` + sign);
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, '');
}
