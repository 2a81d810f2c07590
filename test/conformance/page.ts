import { PARTS } from './parts.ts';
import type { Part } from './row.ts';

/** Where the page lies, from the package's root. */
export const PAGE_PATH = 'docs/conformance.md';

/** docs/conformance.md, from the tests themselves. */
export function conformancePage(): string {
  const rows = PARTS.flatMap((part) => part.rows);
  const untestable = PARTS.flatMap((part) => part.untestable);
  return `# Conformance: the service's document, sentence by sentence

The sandbox is held to the service's document over real HTTP. Each line below is a sentence of the document and what the test of that name shows; all of them pass.
Written by \`npx node scripts/conformance.ts\` from the tests in \`test/conformance/\`; a test fails if this page is out of date.

${rows.length} sentences are tested. ${untestable.length} cannot be tested: each section lists its own at the end, with the reasons.

${PARTS.map(partText).join('\n')}`;
}

function partText({ title, file, rows, untestable }: Part): string {
  const tested = rows.map(({ id, sentence, fact }) => `| \`${id}\` | ${cell(sentence)} | ${cell(fact)} |\n`).join('');
  const open = untestable
    .map(({ id, sentence, reason }) => `| \`${id}\` | ${cell(sentence)} | ${cell(reason)} |\n`)
    .join('');
  return `## ${title}

Tests: [test/conformance/${file}](../test/conformance/${file})

| test | the document says | the test shows |
|---|---|---|
${tested}${open === '' ? '' : `\nCannot be tested:\n\n| name | the document says | why not |\n|---|---|---|\n${open}`}`;
}

/** A bar would end the cell; the document's own tables have them between their columns. */
function cell(text: string): string {
  return text
    .replaceAll(/\s*\|\s*$/g, '')
    .replaceAll(' | ', ' · ')
    .replaceAll('|', String.raw`\|`);
}
