/** Writes docs/commands.md from the help of the commands, and docs/settings.md from the schema and the comments of config.yaml. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { buildProgram } from '../src/cli/commands.ts';
import { templateText } from '../src/contract/template-data.ts';
import { configSchema, knownPaths, settingAt } from '../src/ops/config-schema.ts';
import { afterHelp, commandsOf, termsOf } from './man-page.ts';

const GENERATED = 'This page is generated (`npm run docs:generate`): do not edit the page by hand.';

export function commandsPage(program: Command): string {
  const commands = commandsOf(program);
  const lines = [
    '# Commands',
    '',
    `${GENERATED} The same text is in \`inspection-batch <command> --help\` and in the man page.`,
    '',
    table(
      ['command', 'does'],
      commands.map((command) => [
        `[\`${fullName(command)}\`](#${anchor(fullName(command))})`,
        command.createHelp().commandDescription(command),
      ]),
    ),
    ...commands.map(commandSection),
  ];
  return `${lines.join('\n')}\n`;
}

function commandSection(command: Command): string {
  const help = command.createHelp();
  const terms = termsOf(command).filter(([term]) => term !== '-h, --help');
  return [
    '',
    `## ${fullName(command)}`,
    '',
    sentence(help.commandDescription(command)),
    '',
    fenced(help.commandUsage(command)),
    ...(terms.length === 0
      ? []
      : [
          '',
          table(
            ['argument or flag', 'meaning'],
            terms.map(([term, description]) => [`\`${term}\``, description]),
          ),
        ]),
    ...(afterHelp(command) === '' ? [] : ['', fenced(afterHelp(command))]),
  ].join('\n');
}

/** The name with that of its parent, such as `results columns`. */
function fullName(command: Command): string {
  const parent = command.parent?.parent ? `${command.parent.name()} ` : '';
  return `${parent}${command.name()}`;
}

interface Comment {
  /** The prose, as one line. */
  readonly text: string;
  /** YAML of the example, without its margin. */
  readonly example: readonly string[];
}

export function settingsPage(): string {
  const comments = commentsOf(templateText('config.yaml'));
  const groups = Object.entries(Object.groupBy(knownPaths(), (path) => path.split('.')[0] ?? ''));
  const lines = [
    '# Settings',
    '',
    `${GENERATED} The settings are in \`config.yaml\` in the workspace; \`inspection-batch init\` writes it with these comments. Every key has a default, and an unknown key is an error. Credentials belong in the [environment](operations.md#install).`,
    ...groups.flatMap(([group, paths = []]) => [
      '',
      `## ${group}`,
      ...(comments.get(group)?.text ? ['', comments.get(group)?.text ?? ''] : []),
      ...paths.flatMap((path) => settingSection(path, comments)),
    ]),
  ];
  return `${lines.join('\n')}\n`;
}

function settingSection(path: string, comments: ReadonlyMap<string, Comment>): readonly string[] {
  const place = settingAt(path.split('.'));
  if (place === undefined || !path.includes('.')) return [];
  const { text = '', example = [] } = comments.get(path) ?? {};
  if (place.keys !== null)
    return text === ''
      ? []
      : ['', `### ${path}`, '', text, ...(example.length === 0 ? [] : ['', fenced(example.join('\n'), 'yaml')])];
  return [
    '',
    `### ${path}`,
    ...(text === '' ? [] : ['', text]),
    '',
    `- Allowed: ${(place.allowed ?? 'text').replaceAll('|', () => String.raw`\|`)}`,
    `- Default: ${defaultOf(path)}`,
    ...(example.length === 0 ? [] : ['', fenced(example.join('\n'), 'yaml')]),
  ];
}

/** The comment above each key of the commented file, by dotted path. */
function commentsOf(file: string): ReadonlyMap<string, Comment> {
  const comments = new Map<string, Comment>();
  let prose: string[] = [];
  let example: string[] = [];
  const parents: string[] = [];
  for (const line of file.split('\n')) {
    const [, indent = '', key] = /^( *)#?([a-zA-Z]+):/.exec(line) ?? [];
    if (line.trim() === '') [prose, example] = [[], []];
    else if (key === undefined) {
      const [, margin = '', text = ''] = /^ *#( *)(.*)$/.exec(line) ?? [];
      if (margin.length > 1) example.push(`${margin.slice(3)}${text}`);
      else prose.push(text);
    } else {
      parents.splice(indent.length / 2);
      // A bare address is no link in the file either.
      const text = prose.join(' ').replaceAll(/https?:\/\/[^\s,]*[^\s,.]/g, (url) => `\`${url}\``);
      comments.set([...parents, key].join('.'), { text, example });
      parents.push(key);
      [prose, example] = [[], []];
    }
  }
  return comments;
}

/** In a file that names only the keys without a default. */
const DEFAULTS: unknown = configSchema.parse({
  collect: { sftp: { host: 'host', username: 'user' } },
  notify: { mail: { smtp: 'smtp://host', from: 'a@example.com' }, webhook: { url: 'https://host' } },
});
const WITHOUT_DEFAULT = new Set([
  'collect.sftp.host',
  'collect.sftp.username',
  'notify.mail.smtp',
  'notify.mail.from',
  'notify.webhook.url',
]);
/** Null unless they are named. */
const NULL_GROUPS = new Set(['collect.sftp', 'notify.mail', 'notify.webhook']);

function defaultOf(path: string): string {
  if (WITHOUT_DEFAULT.has(path)) return 'none; required within its group';
  let value: unknown = NULL_GROUPS.has(path) ? null : DEFAULTS;
  if (value !== null)
    for (const key of path.split('.')) value = typeof value === 'object' && value ? Reflect.get(value, key) : undefined;
  return `\`${JSON.stringify(value instanceof Map ? Object.fromEntries(value) : value)}\``;
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', () => String.raw`\|`).replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(heads), `|${'---|'.repeat(heads.length)}`, ...rows.map(line)].join('\n');
}

function fenced(text: string, language = 'text'): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`;
}

function anchor(heading: string): string {
  return heading.toLowerCase().replaceAll(' ', '-');
}

if (import.meta.main) {
  const docs = join(import.meta.dirname, '../docs');
  writeFileSync(join(docs, 'commands.md'), commandsPage(buildProgram(async () => {}, '')));
  writeFileSync(join(docs, 'settings.md'), settingsPage());
}
