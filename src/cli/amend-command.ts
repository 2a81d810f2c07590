import { isoDate } from '../contract/document.ts';
import { ExplainedError } from '../domain/errors.ts';
import { CLEAR_WORD } from '../update/read-update-file.ts';
import type { CommandResult } from './result.ts';
import { updateCommand } from './update-command.ts';

export interface AmendFlags {
  readonly workspace: string;
  readonly policyNumber?: string;
  readonly effectiveDate?: string;
  readonly dryRun?: boolean;
}

/** Changes the policy number and effective date of projects, the two fields that can be changed (document: Project update request). */
export async function amendCommand(named: readonly string[], { workspace, policyNumber, effectiveDate, dryRun }: AmendFlags): Promise<CommandResult> {
  const number = valueOf(policyNumber);
  const date = valueOf(effectiveDate);
  if (date !== undefined && date !== '' && !isoDate.safeParse(date).success) {
    throw new ExplainedError(`"${date}" is no date. Write it as YYYY-MM-DD, such as 2026-11-05.`, { exitCode: 2 });
  }
  const saysWhat = number !== undefined || date !== undefined;
  const request = { kind: 'amend' as const, ...(number === undefined ? {} : { policyNumber: number }), ...(date === undefined ? {} : { policyEffectiveDate: date }) };
  return updateCommand({ kind: 'amend', named, request: saysWhat ? request : null, comment: undefined, withoutFiles: false, dryRun: dryRun === true, workspace });
}

/** An empty text is more often a mistake of a script than a wish to clear: that is said in words. */
function valueOf(flag: string | undefined): string | undefined {
  if (flag === undefined) return undefined;
  const text = flag.trim();
  if (text === '') throw new ExplainedError(`An empty value changes nothing. To clear the field, write "${CLEAR_WORD}".`, { exitCode: 2 });
  return text.toLowerCase() === CLEAR_WORD ? '' : text;
}
