import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Saves spreadsheets anew by LibreOffice, as somebody does who opens them there and saves them; gives the paths of what was saved.
 * @param folder a folder of the test's own: the profile of LibreOffice lies there as well.
 */
export async function savedByLibreOffice(
  soffice: string,
  paths: readonly string[],
  folder: string,
  format = 'xlsx',
): Promise<readonly string[]> {
  const saved = join(folder, 'saved');
  await mkdir(saved, { recursive: true });
  await run(
    soffice,
    [
      `-env:UserInstallation=file://${join(folder, 'profile')}`,
      '--headless',
      '--convert-to',
      format,
      '--outdir',
      saved,
      ...paths,
    ],
    { timeout: 600_000 },
  );
  return paths.map((path) => join(saved, basename(path).replace(/\.\w+$/, `.${format}`)));
}
