import { type MadeEntry, zipBytes } from '../../support/made-files.ts';
import { mutatedBytes } from './mutate-bytes.ts';
import { CHARACTERS_MAX, repeated, type SeededRandom } from './random.ts';

const STRANGE_TEXTS = [
  '',
  ' ',
  '0',
  '-1',
  '1e309',
  'NaN',
  '99999999999',
  '1.7976931348623157E+308',
  '0.1',
  '60',
  '2958466',
  '_x0000_',
  '_xD83D_',
  '&#0;',
  '&#xD800;',
  '&#x110000;',
  '&amp;',
  '&nope;',
  '&',
  '<',
  '<!--',
  '-->',
  '<![CDATA[',
  ']]>',
  '<!DOCTYPE x [<!ENTITY a "b">]>',
  '<?xml version="1.0" encoding="UTF-16"?>',
  '<?pi ?>',
  '\u0000',
  '\u0001',
  '\ufffe',
  '\ud800',
  '😀',
  'A1',
  'XFE1',
  'ZZZZZZZ1',
  'A0',
  'A1048577',
  'A-1',
  '__proto__',
  'true',
  '#N/A',
  '<v>1</v>',
  '<c>',
  '</c>',
  '<row>',
  '</row>',
  '</sheetData>',
  '<t xml:space="preserve"> </t>',
  '<f t="shared" si="0"/>',
  '<is><t>x</t></is>',
  'x:',
];
const CELL_TYPES = ['s', 'n', 'b', 'e', 'd', 'str', 'inlineStr', '', 'zzz'];

type TextMutation = (xml: string, random: SeededRandom) => string;

/** Puts something in the place of one of the stretches that a pattern finds. */
function atOne(pattern: RegExp, change: (found: string, random: SeededRandom) => string): TextMutation {
  return (xml, random) => {
    const found = [...xml.matchAll(pattern)];
    if (found.length === 0) return xml;
    const one = random.oneOf(found);
    return xml.slice(0, one.index) + change(one[0], random) + xml.slice(one.index + one[0].length);
  };
}

const XML_MUTATIONS: readonly TextMutation[] = [
  atOne(/<[^>]+>/g, () => ''),
  atOne(/<[^>]+>/g, (tag) => tag + tag),
  atOne(/<[^>]+>/g, (tag, random) => random.oneOf(STRANGE_TEXTS) + tag),
  atOne(/<[^>]+>/g, (tag) => tag.replace('>', '/>')),
  atOne(/="[^"]*"/g, (_, random) => `="${random.oneOf(STRANGE_TEXTS)}"`),
  atOne(/ [\w:]+="[^"]*"/g, () => ''),
  atOne(/ [\w:]+="[^"]*"/g, (attribute) => attribute + attribute),
  atOne(/ [\w:]+="[^"]*"/g, (attribute) => attribute.replaceAll('"', "'")),
  atOne(/ t="[^"]*"/g, (_, random) => ` t="${random.oneOf(CELL_TYPES)}"`),
  atOne(
    / r="[^"]*"/g,
    (_, random) => ` r="${random.oneOf(['A', 'B', 'XFD', 'XFE', ''])}${String(random.size(2_000_000))}"`,
  ),
  atOne(/ s="\d+"/g, (_, random) => ` s="${String(random.below(40))}"`),
  atOne(/>[^<]+</g, (_, random) => `>${random.oneOf(STRANGE_TEXTS)}<`),
  atOne(/<v>[^<]*<\/v>/g, (_, random) => `<v>${String(random.next() * 10 ** random.below(20))}</v>`),
  atOne(/<(row|c|si|sheet|xf|Relationship)\b[^>]*>.*?(?:<\/\1>|\/>)/gs, (element, random) =>
    repeated(element, random.size(40)),
  ),
  atOne(/<(row|c|si|sheet|xf|Relationship)\b[^>]*>.*?(?:<\/\1>|\/>)/gs, () => ''),
  atOne(/<(row|c)\b[^>]*>/g, (tag, random) => `${tag}${'<x>'.repeat(random.size(400))}`),
  atOne(
    /<c\b[^>]*>.*?<\/c>/gs,
    (_, random) =>
      `<c t="inlineStr"><is>${'<r><t>ab</t></r>'.repeat(random.size(50))}<t>${'y'.repeat(random.size(3_000_000))}</t></is></c>`,
  ),
  atOne(
    /formatCode="[^"]*"/g,
    (_, random) =>
      `formatCode="${random.oneOf(['yyyy', '[h]:mm', '"', '\\', '0'.repeat(random.size(5000)), ';;;', '@', '[$-F800]', 'General;x'])}"`,
  ),
  (xml, random) => xml.slice(0, random.below(xml.length)),
  (xml) => xml.replaceAll('<', '<x:').replaceAll('<x:/', '</x:').replaceAll('<x:?', '<?'),
];

/** A workbook whose parts are changed, one of them or the zip's list of them. */
export function mutatedWorkbook(entries: readonly MadeEntry[], random: SeededRandom): Buffer {
  const place = random.below(entries.length);
  const changed = entries.flatMap((entry, index) => (index === place ? mutatedEntry(entry, random) : [entry]));
  return zipBytes(random.below(8) === 0 ? changed.toReversed() : changed);
}

function mutatedEntry(entry: MadeEntry, random: SeededRandom): MadeEntry[] {
  const bytes = Buffer.from(entry.content as string);
  switch (random.below(24)) {
    case 0:
      return [];
    case 1:
      return [entry, entry];
    case 2:
      return [
        {
          ...entry,
          name: random.oneOf([
            entry.name.toUpperCase(),
            `/${entry.name}`,
            `../${entry.name}`,
            entry.name.replaceAll('/', '\\'),
            '',
            'x'.repeat(500),
          ]),
        },
      ];
    case 3:
      return [{ ...entry, claimedLength: random.oneOf([0, 1, bytes.length - 1, bytes.length + 1, 0xffffffff]) }];
    case 4:
      return [{ ...entry, content: mutatedBytes(bytes, random) }];
    case 5:
      return [{ ...entry, content: Buffer.from(bytes.toString('utf8'), random.oneOf(['utf16le', 'latin1'])) }];
    default:
      return [{ ...entry, content: mutatedXml(bytes.toString('utf8'), random), stored: random.below(10) === 0 }];
  }
}

function mutatedXml(xml: string, random: SeededRandom): string {
  let mutated = xml;
  for (let times = random.size(6); times > 0 && mutated !== ''; times -= 1)
    mutated = random.oneOf(XML_MUTATIONS)(mutated, random).slice(0, CHARACTERS_MAX);
  return mutated;
}
