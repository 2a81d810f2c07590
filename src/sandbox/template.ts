import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { z } from 'zod';

/** The same for the sources and for dist/. */
const FOLDER = join(findPackageJSON(import.meta.url) ?? '', '../templates/sandbox');

/** The text of a file in templates/sandbox/. */
export function templateText(name: string): string {
  return readFileSync(join(FOLDER, name), 'utf8');
}

/** Returns a function that gives the content of a YAML file in templates/sandbox/, read on first use. */
export function templateData<Data>(name: string, schema: z.ZodType<Data>): () => Data {
  let data: Data | undefined;
  return () => (data ??= schema.parse(parse(templateText(name))));
}
