import type { CommandResult } from './result.ts';
import { updateCommand } from './update-command.ts';

export interface ReceiveFlags {
  readonly workspace: string;
  readonly comment?: string;
  readonly withoutFiles?: boolean;
  readonly dryRun?: boolean;
}

/** Marks projects `Client Received`: only those that are returned, and whose files are safe here unless a person says otherwise. */
export async function receiveCommand(named: readonly string[], { workspace, comment, withoutFiles = false, dryRun }: ReceiveFlags): Promise<CommandResult> {
  const request = { kind: 'receive' as const, withoutFiles, ...(comment === undefined ? {} : { comment }) };
  return updateCommand({ kind: 'receive', named, request, comment, withoutFiles, dryRun: dryRun === true, workspace });
}
