/** The words of a command line as a shell makes them, up to a comment, a pipe or a redirection. */
export function wordsOf(line: string): readonly string[] {
  const words: string[] = [];
  for (const [word] of line.matchAll(/(?:"[^"]*"|'[^']*'|<[^>]*>|[^\s"'])+/g)) {
    if (/^(?:#|[|>;]|&&|2>)/.test(word)) break;
    words.push(word.replaceAll(/["']/g, ''));
  }
  return words;
}

/** The arguments of the program in a line, or null if it does not call the program or leaves something out. */
function callIn(line: string): string | null {
  const command = line.replace(/\s#\s.*$/, '').trim();
  const [, args = null] = /(?:^|\s)(?:npx )?(?:[\w./]*\/)?inspection-batch ([a-z](?:(?!: ).)*)$/.exec(command) ?? [];
  return args === null || /<command>|…|^batch/.test(args) ? null : args;
}

function callsInLines(lines: readonly string[]): readonly string[] {
  return lines
    .flatMap((line) => line.split(' && '))
    .map(callIn)
    .filter((call) => call !== null);
}

/** Each call of the program in the blocks and code spans of a page. */
export function callsIn(page: string): readonly string[] {
  const blocks = [...page.matchAll(/^ *```(?:sh|text)\n([\s\S]*?)^ *```$/gm)].flatMap(([, block = '']) =>
    block.replaceAll(/\\\n\s*/g, ' ').split('\n'),
  );
  const prose = page.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');
  return callsInLines([...blocks, ...[...prose.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span)]);
}

/** A block for a shell. */
export interface ShellBlock {
  readonly lines: readonly string[];
  readonly calls: readonly string[];
  /** It has a comment that gives the reason why nobody runs it. */
  readonly isMarked: boolean;
}

export function shellBlocksOf(page: string): readonly ShellBlock[] {
  return [...page.matchAll(/(<!-- not run: [^>]+-->\n\n)?^ *```sh\n([\s\S]*?)^ *```$/gm)].map(
    ([, mark, block = '']) => {
      const lines = block.trim().split('\n');
      return { lines, calls: callsInLines(lines), isMarked: mark !== undefined };
    },
  );
}
