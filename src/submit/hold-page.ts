import { posix } from 'node:path';
import type { HoldReason } from './hold-limits.ts';

/** What ends the name of a file that lets the one beside it through. */
export const APPROVAL_ENDING = '.approve';

/** The command that frees a held file; `heldAs` is its path in the workspace, made of safe names. */
export function approveCommandLine(heldAs: string, workspace: string): string {
  return `inspection-batch approve "${heldAs}" --workspace ${shellWord(workspace)}`;
}

/** The page beside a held file: which limits it broke, examples, and the two ways to let it through. */
export function holdPage(file: { readonly name: string; readonly heldAs: string; readonly workspace: string; readonly reasons: readonly HoldReason[] }): string {
  const why = file.reasons.flatMap(({ limit, sentence, examples }) => [`- ${sentence} (intake.hold.${limit} in config.yaml)`, ...examples.map((example) => `    ${example}`)]);
  return [
    `${file.name} is held: nothing in it was ordered, and nothing of it is on record.`,
    '',
    'Why',
    ...why,
    '',
    'If the file is right as it is',
    `  ${approveCommandLine(file.heldAs, file.workspace)}`,
    `or put an empty file named "${posix.basename(file.heldAs)}${APPROVAL_ENDING}" beside it, here in ${posix.dirname(file.heldAs)}/.`,
    'The next run takes it in. That holds for this content alone: a file that is changed afterwards is judged again.',
    '',
    'If it is not',
    '  Delete it here, and drop the right file in the inbox.',
    '',
  ].join('\n');
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
