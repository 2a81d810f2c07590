import { readFile } from 'node:fs/promises';
import { ExplainedError, messageOf } from '../../domain/errors.ts';
import { type AttentionRule, readAttentionRules } from './rules-file.ts';

/** The rules that come with the program, for underwriters to start from. */
export const DEFAULT_RULES_FILE = new URL('../../../templates/attention.yaml', import.meta.url);

/** The rules of this file; those that come with the program where none is named. Throws ExplainedError (2). */
export async function loadAttentionRules(path: string | null): Promise<readonly AttentionRule[]> {
  const text = await readFile(path ?? DEFAULT_RULES_FILE, 'utf8').catch((failure: unknown) => {
    throw new ExplainedError(`The attention rules cannot be read: ${messageOf(failure)}`, { exitCode: 2, hint: 'Check results.attention in config.yaml.', cause: failure });
  });
  return readAttentionRules(text, path ?? 'templates/attention.yaml');
}
