import { existsSync, readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { z } from 'zod';

/** Next to the package.json, for the sources and dist/ alike. */
const TEMPLATES = join(findPackageJSON(import.meta.url) ?? '', '../templates');

/** The text of a file in templates/, such as `sandbox/docs.css`. */
export function templateText(name: string): string {
  return readFileSync(join(TEMPLATES, name), 'utf8');
}

/**
 * Returns a function that gives the data of templates/<name>.yaml, read once.
 *
 * @throws ZodError if the file, our own, does not have the shape of the schema
 */
export function templateData<Data>(name: string, schema: z.ZodType<Data>): () => Data {
  let data: Data | undefined;
  return () => (data ??= schema.parse(content(name)));
}

/** To parse YAML takes some 50 ms, so the build writes it as JSON next to the bundle. */
function content(name: string): unknown {
  const built = new URL(`${name}.json`, import.meta.url);
  return existsSync(built) ? JSON.parse(readFileSync(built, 'utf8')) : parse(templateText(`${name}.yaml`));
}
