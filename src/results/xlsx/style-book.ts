import { xmlText } from './xml-text.ts';

/** Colours are `RRGGBB`. */
export interface CellStyle {
  readonly font?: { readonly size?: number; readonly bold?: boolean; readonly italic?: boolean; readonly underline?: boolean; readonly colour?: string };
  readonly fill?: string;
  readonly border?: Readonly<Partial<Record<'left' | 'right' | 'top' | 'bottom', { readonly style: 'thin' | 'medium'; readonly colour: string }>>>;
  readonly alignment?: { readonly vertical?: 'top' | 'center' | 'bottom'; readonly horizontal?: 'left' | 'center' | 'right'; readonly wrap?: boolean; readonly indent?: number };
  readonly numberFormat?: string;
}

/** A look that a condition puts over a cell's own. */
export interface ConditionalStyle {
  readonly fill: string;
  readonly colour: string;
  readonly bold: boolean;
}

const FONT_NAME = 'Calibri';
const FONT_SIZE = 11;
/** Formats of one's own are numbered from here. */
const OWN_FORMATS_FROM = 164;

/** The styles of one workbook: each look once, with the number that cells name it by. */
export class StyleBook {
  readonly #known = new Map<CellStyle, number>();
  readonly #fonts = new Numbered(fontXml({}));
  readonly #fills = new Numbered('<fill><patternFill patternType="none"/></fill>', '<fill><patternFill patternType="gray125"/></fill>');
  readonly #borders = new Numbered(borderXml({}));
  readonly #formats = new Numbered();
  readonly #looks = new Numbered('<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>');
  readonly #conditional = new Numbered();

  /** The number of a style. The same object is found again without being looked at. */
  indexOf(style: CellStyle): number {
    const known = this.#known.get(style);
    if (known !== undefined) return known;
    const index = this.#looks.indexOf(this.#lookXml(style));
    this.#known.set(style, index);
    return index;
  }

  conditionalIndexOf({ fill, colour, bold }: ConditionalStyle): number {
    return this.#conditional.indexOf(
      `<dxf><font>${bold ? '<b/>' : ''}<color rgb="FF${colour}"/></font><fill><patternFill patternType="solid"><fgColor rgb="FF${fill}"/><bgColor rgb="FF${fill}"/></patternFill></fill></dxf>`,
    );
  }

  #lookXml({ font = {}, fill, border = {}, alignment, numberFormat }: CellStyle): string {
    const fontId = this.#fonts.indexOf(fontXml(font));
    const fillId = fill === undefined ? 0 : this.#fills.indexOf(`<fill><patternFill patternType="solid"><fgColor rgb="FF${fill}"/><bgColor indexed="64"/></patternFill></fill>`);
    const borderId = this.#borders.indexOf(borderXml(border));
    const formatId = numberFormat === undefined ? 0 : OWN_FORMATS_FROM + this.#formats.indexOf(numberFormat);
    const aligned = alignment === undefined ? '' : alignmentXml(alignment);
    return (
      `<xf numFmtId="${formatId}" fontId="${fontId}" fillId="${fillId}" borderId="${borderId}" xfId="0"` +
      `${formatId > 0 ? ' applyNumberFormat="1"' : ''}${fontId > 0 ? ' applyFont="1"' : ''}${fillId > 0 ? ' applyFill="1"' : ''}` +
      `${borderId > 0 ? ' applyBorder="1"' : ''}${aligned === '' ? '/>' : ` applyAlignment="1">${aligned}</xf>`}`
    );
  }

  /** `xl/styles.xml`. */
  toXml(): string {
    const formats = this.#formats.all.map((code, index) => `<numFmt numFmtId="${OWN_FORMATS_FROM + index}" formatCode="${xmlText(code)}"/>`);
    return (
      '<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">' +
      `${formats.length === 0 ? '' : counted('numFmts', formats)}${counted('fonts', this.#fonts.all)}${counted('fills', this.#fills.all)}${counted('borders', this.#borders.all)}` +
      '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
      `${counted('cellXfs', this.#looks.all)}<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>` +
      `${counted('dxfs', this.#conditional.all)}<tableStyles count="0" defaultTableStyle="TableStyleMedium9" defaultPivotStyle="PivotStyleLight16"/></styleSheet>`
    );
  }
}

/** Texts, each once, numbered from 0 in the order they came. */
class Numbered {
  readonly all: string[];
  readonly #numbers: Map<string, number>;

  constructor(...first: readonly string[]) {
    this.all = [...first];
    this.#numbers = new Map(first.map((text, index) => [text, index]));
  }

  indexOf(text: string): number {
    let number = this.#numbers.get(text);
    if (number === undefined) {
      number = this.all.push(text) - 1;
      this.#numbers.set(text, number);
    }
    return number;
  }
}

function counted(name: string, items: readonly string[]): string {
  return `<${name} count="${items.length}">${items.join('')}</${name}>`;
}

function fontXml({ size = FONT_SIZE, bold = false, italic = false, underline = false, colour }: NonNullable<CellStyle['font']>): string {
  const colourXml = colour === undefined ? '<color theme="1"/>' : `<color rgb="FF${colour}"/>`;
  return `<font>${bold ? '<b/>' : ''}${italic ? '<i/>' : ''}${underline ? '<u/>' : ''}<sz val="${size}"/>${colourXml}<name val="${FONT_NAME}"/><family val="2"/></font>`;
}

function borderXml(border: NonNullable<CellStyle['border']>): string {
  const sides = (['left', 'right', 'top', 'bottom'] as const).map((side) => {
    const line = border[side];
    return line === undefined ? `<${side}/>` : `<${side} style="${line.style}"><color rgb="FF${line.colour}"/></${side}>`;
  });
  return `<border>${sides.join('')}<diagonal/></border>`;
}

function alignmentXml({ vertical, horizontal, wrap = false, indent }: NonNullable<CellStyle['alignment']>): string {
  return (
    `<alignment${horizontal === undefined ? '' : ` horizontal="${horizontal}"`}${vertical === undefined ? '' : ` vertical="${vertical}"`}` +
    `${wrap ? ' wrapText="1"' : ''}${indent === undefined ? '' : ` indent="${indent}"`}/>`
  );
}
