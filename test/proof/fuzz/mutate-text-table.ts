import { mutatedBytes } from './mutate-bytes.ts';
import { CHARACTERS_MAX, repeated } from './random.ts';
import type { SeededRandom } from './random.ts';

const SEPARATORS = [',', ';', '\t', '|'];
const STRANGE_CELLS = [
  '',
  ' ',
  '"',
  '""',
  '"""',
  "'",
  '="1"',
  '="',
  '=1+1',
  '@x',
  '-',
  '#N/A',
  '1E+15',
  '1.5E3',
  '00',
  '-0',
  '99999999999999999999',
  '03/04/2026',
  '13/13/2026',
  '2026-02-30',
  '29/02/1900',
  'TRUE',
  'Yes',
  '\u0000',
  '\u001a',
  '\u0007',
  '\ufeff',
  '\u200b',
  '\ufffd',
  '\u2028',
  'a\nb',
  '"a\nb"',
  '"a"b',
  'a"b',
  '€',
  '😀',
  '__proto__',
  'Total',
  'Policy number',
  'City',
  'sep=;',
  '$1,000.50',
  '1.000,50',
  '(5)',
  '1 2/3',
  '12:30',
];

type TableMutation = (text: string, random: SeededRandom) => string;

/** Changes one line. */
function atLine(change: (line: string, random: SeededRandom) => string): TableMutation {
  return (text, random) => {
    const lines = text.split('\n');
    const place = random.below(lines.length);
    return lines.map((line, index) => (index === place ? change(line, random) : line)).join('\n');
  };
}

const TABLE_MUTATIONS: readonly TableMutation[] = [
  (text, random) => text.replaceAll(random.oneOf(SEPARATORS), random.oneOf(SEPARATORS)),
  (text, random) => text.replaceAll(/\r?\n/g, random.oneOf(['\n', '\r', '\r\n', '\n\n', '\n\r', '\u2028', ''])),
  (text, random) =>
    `${random.oneOf(['sep=;\n', 'sep=,\r\n', '"sep=|"\n', '\ufeff', 'A title, with a comma\n', '\n\n\n', '#comment\n'])}${text}`,
  atLine((line, random) => repeated(`${line}\n`, random.size(300))),
  atLine(() => ''),
  atLine((line, random) => line.slice(0, random.below(line.length + 1))),
  atLine((line, random) => line + random.oneOf(SEPARATORS).repeat(random.size(20_000))),
  atLine((line, random) => {
    const place = random.below(line.length + 1);
    return line.slice(0, place) + random.oneOf(STRANGE_CELLS) + line.slice(place);
  }),
  atLine((line, random) => changedCell(line, random, () => random.oneOf(STRANGE_CELLS))),
  atLine((line, random) => changedCell(line, random, (cell) => repeated(cell, random.size(200_000)))),
  atLine((line, random) => changedCell(line, random, (cell) => `"${cell}`)),
  atLine((line, random) => changedCell(line, random, (cell) => `"${cell}\r\n\n${cell}"`)),
];

function changedCell(line: string, random: SeededRandom, change: (cell: string) => string): string {
  const separator = SEPARATORS.find((mark) => line.includes(mark)) ?? ',';
  const cells = line.split(separator);
  const place = random.below(cells.length);
  return cells.map((cell, index) => (index === place ? change(cell) : cell)).join(separator);
}

/** A text table whose lines, cells, marks or bytes are changed. */
export function mutatedTextTable(bytes: Buffer, random: SeededRandom): Buffer {
  const wide = bytes[0] === 0xff && bytes[1] === 0xfe;
  let text = bytes.toString(wide ? 'utf16le' : 'utf8');
  for (let times = random.size(6); times > 0; times -= 1)
    text = random.oneOf(TABLE_MUTATIONS)(text, random).slice(0, CHARACTERS_MAX);
  const again = Buffer.from(text, random.oneOf(['utf8', 'utf8', 'utf8', 'utf16le', 'latin1']));
  return random.below(4) === 0 && again.length > 0 ? mutatedBytes(again, random) : again;
}
