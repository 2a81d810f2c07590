import type { CommandResult } from './result.ts';
import { updateCommand } from './update-command.ts';

export interface CancelFlags {
  readonly workspace: string;
  readonly comment?: string;
  readonly dryRun?: boolean;
}

/** Cancels projects: only those that are not yet inspected (document: States and transitions). */
export async function cancelCommand(named: readonly string[], { workspace, comment, dryRun }: CancelFlags): Promise<CommandResult> {
  const request = comment === undefined ? { kind: 'cancel' as const } : { kind: 'cancel' as const, comment };
  return updateCommand({ kind: 'cancel', named, request, comment, withoutFiles: false, dryRun: dryRun === true, workspace });
}
