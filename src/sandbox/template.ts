import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { join } from 'node:path';

/** The same for the sources and for dist/. */
const FOLDER = join(findPackageJSON(import.meta.url) ?? '', '../templates/sandbox');

/** The text of a file in templates/sandbox/. */
export function templateText(name: string): string {
  return readFileSync(join(FOLDER, name), 'utf8');
}
