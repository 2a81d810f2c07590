import { templateTexts } from '../contract/template-data.ts';
import { quoted } from './cells.ts';
import { note, type Problem, rowProblem } from './row.ts';

/** By name, the text in place of each `{name}`. */
export type Parts = Readonly<Record<string, string | number>>;

/** Read once. Call it before file descriptors or the disk may fail. */
export const loadSentences = templateTexts('messages/sentences');

/**
 * The sentence of templates/messages/sentences.yaml for `code`, or `code/variant`; `{its-code}` is another sentence.
 * Throws if it, or one of its parts, is missing.
 */
export function sentence(code: string, parts: Parts = {}): string {
  const text = loadSentences()[code];
  if (text === undefined) throw new Error(`sentences.yaml has no "${code}"`);
  return text.replace(/"\{(\w+)\}"|\{([\w/-]+)\}/g, (_, inQuotes: string | undefined, plain = '') => {
    if (/\W/.test(plain)) return sentence(plain, parts);
    const part = parts[inQuotes ?? plain];
    if (part === undefined) throw new Error(`a part of "${code}" is missing: ${inQuotes ?? plain}`);
    return inQuotes === undefined ? String(part) : quoted(String(part));
  });
}

export function codeOf(code: string) {
  return code.split('/', 1)[0] ?? code;
}

export function ruleAndMessage(code: string, parts?: Parts) {
  return { rule: codeOf(code), message: sentence(code, parts) };
}

export function noteFor(code: string, parts?: Parts) {
  return note(codeOf(code), sentence(code, parts));
}

export function problemFor(severity: Problem['severity'], code: string, parts: Parts, about?: Partial<Problem>) {
  return rowProblem(severity, codeOf(code), sentence(code, parts), about);
}

export function reasonFor(code: string, parts?: Parts) {
  return { code: codeOf(code), reason: sentence(code, parts) };
}
