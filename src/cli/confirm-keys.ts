import { createInterface } from 'node:readline/promises';
import { escapeLine } from '../domain/text.ts';
import { fieldForAll, type LayoutQuestion } from '../domain/layout.ts';
import { fieldNamed, ORDER_FIELDS } from '../intake/fields.ts';
import { choicesForAll } from '../intake/layout/for-all.ts';
import { QUESTION } from '../intake/own-workbooks.ts';

export async function askByKeys(question: LayoutQuestion, input: NodeJS.ReadableStream, output: NodeJS.WritableStream) {
  const terminal = createInterface({ input, output });
  const closed = new AbortController();
  terminal.once('close', () => closed.abort());
  const ask = (prompt: string) => terminal.question(prompt, { signal: closed.signal });
  const titles = [...ORDER_FIELDS.map((field) => field.title), QUESTION.notSent];
  try {
    const columns: Record<string, string | null> = {};
    for (const { key, letter, header, samples, proposal, why } of question.columns) {
      const ofAll = fieldForAll(key);
      const place = ofAll !== undefined ? `for ${letter}` : letter === '' ? 'gone' : `column ${letter}`;
      const title = `${question.sheet}, ${place} "${header}" (${samples.join(' | ')})\n  ${why}`;
      output.write(`\n${title.split('\n').map(escapeLine).join('\n')}\n`);
      if (ofAll !== undefined) {
        const value = await chosen(ask, output, [...choicesForAll(ofAll), NOT_TOLD], proposal ?? NOT_TOLD);
        columns[key] = value === NOT_TOLD ? null : value;
        continue;
      }
      const said = await chosen(ask, output, titles, fieldNamed(proposal)?.title ?? QUESTION.notSent);
      columns[key] = ORDER_FIELDS.find((field) => field.title === said)?.name ?? null;
    }
    return columns;
  } catch (failure) {
    if (closed.signal.aborted) return null;
    throw failure;
  } finally {
    terminal.close();
  }
}

/** The rows come back. */
const NOT_TOLD = '(not the same for all rows)';

async function chosen(
  ask: (prompt: string) => Promise<string>,
  output: NodeJS.WritableStream,
  choices: readonly string[],
  proposal: string,
) {
  for (;;) {
    const answer = await ask(`  ${proposal}? Enter for yes, ? for the list, or a name or number: `);
    const said = answer.trim().toLowerCase();
    if (said === '') return proposal;
    const begun = choices.filter((one) => one.toLowerCase().startsWith(said));
    const choice =
      choices[Number(said) - 1] ??
      choices.find((one) => one.toLowerCase() === said) ??
      (begun.length === 1 ? begun[0] : undefined);
    if (choice !== undefined) return choice;
    output.write(choices.map((one, at) => `  ${String(at + 1).padStart(2)} ${one}\n`).join(''));
  }
}
