import { z } from 'zod';
import { compileTemplate, templateData, type TemplateParts } from '../contract/template-data.ts';

/** The HTML or XML of templates/<name>.yaml, by name: `{{names}}` are filled in, line breaks and indentation left out. */
export function markup(name: string) {
  const texts = templateData(name, z.record(z.string(), z.string().transform(compileTemplate)));
  return (text: string, parts: TemplateParts) => {
    const filled = texts()[text];
    if (filled === undefined) throw new Error(`${name}.yaml has no "${text}"`);
    return filled(parts).join('');
  };
}
