import type { Command } from 'commander';
import { type CommandResult, done } from './exit-codes.ts';

// Completions are made from the tree of commands, so that a new flag is in them at once. After a command, what is no flag is completed as a path.

/** The shells that completions can be made for. */
export type Shell = 'bash' | 'zsh' | 'fish';

/** A script that teaches a shell every command and flag of the program. */
export function completionsCommand(program: Command, shell: Shell): CommandResult {
  const script = { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](
    program.name(),
    program.createHelp().visibleCommands(program).map(entryOf),
  );
  return done(script, { shell, script });
}

interface Flag {
  /** With its dashes. */
  readonly long: string;
  readonly description: string;
  readonly takesValue: boolean;
  /** Its values, where there are only so many. */
  readonly values: readonly string[];
}

interface Entry {
  readonly name: string;
  readonly description: string;
  readonly flags: readonly Flag[];
  /** What can follow the name, where that is not a path: commands below it, or the values of its argument. */
  readonly words: readonly string[];
}

function entryOf(command: Command): Entry {
  const help = command.createHelp();
  const below = command.commands.flatMap((each) => help.visibleOptions(each));
  const options = new Map([...help.visibleOptions(command), ...below].map((option) => [option.long, option]));
  const flags = [...options.values()].map(({ long, description, argChoices, required, optional }) => ({
    long: long ?? '',
    description,
    takesValue: required || optional,
    values: argChoices ?? [],
  }));
  const words =
    command.commands.length > 0
      ? command.commands.map((each) => each.name())
      : (command.registeredArguments[0]?.argChoices ?? []);
  return { name: command.name(), description: command.description(), flags, words };
}

function bashScript(program: string, entries: readonly Entry[]): string {
  const values = entries.flatMap(({ name, flags }) =>
    flags.flatMap((flag) =>
      flag.values.length === 0 ? [] : [`    '${name} ${flag.long}') words='${flag.values.join(' ')}' ;;`],
    ),
  );
  const valued = entries.flatMap(({ name, flags }) =>
    flags.filter((flag) => flag.takesValue && flag.values.length === 0).map((flag) => `'${name} ${flag.long}'`),
  );
  const commands = entries.map(
    ({ name, words, flags }) =>
      `        ${name}) flags='${flags.map(({ long }) => long).join(' ')}' words='${words.join(' ')}' ;;`,
  );
  return `# bash completion for ${program}, made by \`${program} completions bash\`
_inspection_batch() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} command=\${COMP_WORDS[1]} words='' flags=''
  COMPREPLY=()
  case "$command $prev" in
    ${valued.join(' | ')}) return ;;
${values.join('\n')}
    *)
      if ((COMP_CWORD == 1)); then
        words='${entries.map(({ name }) => name).join(' ')}' flags='--help --version'
      else case $command in
${commands.join('\n')}
      esac; fi
      [[ $cur != -* ]] || words=$flags
      ;;
  esac
  [[ -z $words ]] || COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _inspection_batch ${program}`;
}

function zshScript(program: string, entries: readonly Entry[]): string {
  const text = (words: string): string => words.replaceAll(/[[\]:\\]/g, (sign) => `\\${sign}`);
  const spec = ({ long, description, takesValue, values }: Flag): string => {
    const value = takesValue ? `:value:${values.length > 0 ? `(${values.join(' ')})` : '_files'}` : '';
    return inQuotes(`${long}[${text(description)}]${value}`);
  };
  const cases = entries.map(
    ({ name, flags, words }) =>
      `    ${name}) _arguments ${[...flags.map(spec), inQuotes(words.length > 0 ? `*:what:(${words.join(' ')})` : '*:file:_files')].join(' ')} ;;`,
  );
  return `#compdef ${program}
# zsh completion for ${program}, made by \`${program} completions zsh\`
_inspection_batch() {
  if (( CURRENT == 2 )); then
    local -a commands=(${entries.map(({ name, description }) => inQuotes(`${name}:${text(description)}`)).join(' ')})
    _describe command commands
    return
  fi
  shift words
  (( CURRENT -= 1 ))
  case $words[1] in
${cases.join('\n')}
  esac
}
if [[ $funcstack[1] == _inspection_batch ]]; then _inspection_batch "$@"; else compdef _inspection_batch ${program}; fi`;
}

function fishScript(program: string, entries: readonly Entry[]): string {
  const after = (name: string): string => `complete -c ${program} -n '__fish_seen_subcommand_from ${name}'`;
  const lines = entries.flatMap(({ name, description, flags, words }) => [
    `complete -c ${program} -n __fish_use_subcommand -f -a ${name} -d ${inQuotes(description)}`,
    ...words.map((word) => `${after(name)} -f -a ${word}`),
    ...flags.map((flag) => {
      const value = flag.values.length > 0 ? ` -x -a '${flag.values.join(' ')}'` : flag.takesValue ? ' -r' : '';
      return `${after(name)} -l ${flag.long.slice(2)}${value} -d ${inQuotes(flag.description)}`;
    }),
  ]);
  return [`# fish completion for ${program}, made by \`${program} completions fish\``, ...lines].join('\n');
}

/** One word for the shell; a single quote inside leaves the quotes for itself. */
function inQuotes(words: string): string {
  return `'${words.split("'").join(String.raw`'\''`)}'`;
}
