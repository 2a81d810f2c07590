/**
 * The facts of a sentence in their order: what it quotes, its numbers, its cells and columns. They stay when its words
 * are mended.
 */
function factsIn(text: string): string {
  return (
    text.match(
      /"[^"]*"|\b(?:UTF|windows)-\d+|(?<=columns? )A\b|\b(?!A\b|OF|BY)[A-Z]{1,2}\d*\b|\bA\d+|\d+(?:[.,:-]\d+)*/g,
    ) ?? []
  ).join(' ');
}

/** A message as its code and facts: `column-unknown "Orders" K "Rank"`. */
export function codeAndFacts(
  message: { readonly text: string; readonly code: string } | { readonly message: string; readonly rule: string },
): string {
  const [code, text] = 'code' in message ? [message.code, message.text] : [message.rule, message.message];
  return `${code} ${factsIn(text)}`.trimEnd();
}
