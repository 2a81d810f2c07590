import type { Argument, Command, Option } from 'commander';
import { describe, expect, test } from 'vitest';
import { buildProgram } from '../../src/cli/commands.ts';
import { EXIT } from '../../src/night/exit-codes.ts';

// The surface: it changes on purpose only (`vitest run test/surface -u`), and then the documentation changes with it.

/** The program with nothing behind it: what a command line would do is only noted. */
function hollowProgram() {
  const called: string[] = [];
  const shown: string[] = [];
  const program = buildProgram(async (_work, json) => void called.push(json ? 'json' : 'text'), '0.0.0');
  for (const command of [program, ...program.commands]) {
    command
      .exitOverride()
      .configureOutput({ writeOut: (text) => shown.push(text), writeErr: (text) => shown.push(text) });
  }
  return { program, called, shown };
}

test('every command, argument, flag, default and description matches the snapshot', async () => {
  const { program } = hollowProgram();
  const surface = {
    name: program.name(),
    description: program.description(),
    options: program.options.map(optionOf),
    commands: program.commands.map(commandOf),
  };
  await expect(`${JSON.stringify(surface, null, 2)}\n`).toMatchFileSnapshot('commands.snapshot.json');
});

function commandOf(command: Command): object {
  return {
    name: command.name(),
    description: command.description(),
    arguments: command.registeredArguments.map(argumentOf),
    options: command.options.map(optionOf),
  };
}

function argumentOf(argument: Argument): object {
  const { description, required, variadic } = argument;
  return {
    name: argument.name(),
    description,
    required,
    variadic,
    default: (argument.defaultValue as unknown) ?? null,
  };
}

function optionOf({ flags, description, defaultValue, argChoices }: Option): object {
  return { flags, description, default: (defaultValue as unknown) ?? null, choices: argChoices ?? null };
}

test('EXIT has the documented exit codes', () => {
  expect(EXIT).toEqual({ done: 0, fault: 1, usage: 2, news: 3, workLeft: 4, locked: 5, SIGINT: 130, SIGTERM: 143 });
});

const NAMES = hollowProgram().program.commands.map((command) => command.name());

describe.each(NAMES)('%s --help', (name) => {
  const examples = examplesIn(helpOf(name));

  test('shows examples', () => {
    expect(examples.filter((line) => line.includes(`inspection-batch ${name}`)).length).toBeGreaterThan(0);
  });

  test.each(examples)('shows an example that parses: %s', async (example) => {
    const line =
      /(?:^|\/)inspection-batch (.*?)(?: +[#>].*)?$/.exec(example)?.[1] ?? /^npm run (demo)$/.exec(example)?.[1];
    expect(line).toBeDefined();
    const { program, called } = hollowProgram();
    await program.parseAsync(
      (line?.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', '')),
      { from: 'user' },
    );
    expect(called).toEqual([line?.includes('--json') === true ? 'json' : 'text']);
  });
});

function helpOf(name: string): string {
  const { program, shown } = hollowProgram();
  program.commands.find((command) => command.name() === name)?.outputHelp();
  return shown.join('');
}

function examplesIn(help: string): readonly string[] {
  const [, after = ''] = help.split('\nExamples:\n');
  const [examples = ''] = after.split('\n\n');
  return examples.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
}
