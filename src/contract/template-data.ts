import { existsSync, readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

const TEMPLATES = join(findPackageJSON(import.meta.url) ?? '', '../templates');

export function templateText(name: string) {
  return readFileSync(join(TEMPLATES, name), 'utf8');
}

/**
 * Returns a function that fills in the `{{names}}` of a file in templates/ and leaves out its line breaks and
 * indentation. The result is in pieces, since it may be large.
 */
export function template(name: string): (parts: TemplateParts) => readonly string[] {
  let filled: ReturnType<typeof compileTemplate> | undefined;
  return (parts) => (filled ??= compileTemplate(templateText(name)))(parts);
}

export function compileTemplate(template: string) {
  const pieces = template.replaceAll(/\n\s*/g, '').split(/\{\{(\w+)\}\}/);
  return (parts: TemplateParts) =>
    pieces.flatMap((text, index) => {
      const part = index % 2 === 0 ? text : (parts[text] ?? '');
      return typeof part === 'number' ? String(part) : part;
    });
}

export type TemplateParts = Readonly<Record<string, string | number | readonly string[]>>;

/** The data of templates/<name>.yaml, read once. Throws ZodError. */
export function templateData<Data>(name: string, schema: z.ZodType<Data>) {
  let data: Data | undefined;
  return () => (data ??= schema.parse(content(name)));
}

/** As `templateData`, if it holds texts by name. */
export function templateTexts(name: string) {
  return templateData(name, z.record(z.string(), z.string()));
}

/** The build writes our YAML as JSON next to the bundle. */
function content(name: string) {
  const built = new URL(`${name}.json`, import.meta.url);
  return existsSync(built) ? JSON.parse(readFileSync(built, 'utf8')) : parse(templateText(`${name}.yaml`));
}
