import type { CellFormat, Emphasis } from '../workbook-writer.ts';
import { xmlText } from './xml.ts';

const HEADERS: readonly [CellStyle, CellStyle] = [header('1F3864'), header('2F5597')];

function header(fill: string): CellStyle {
  return {
    font: { bold: true, colour: 'FFFFFF' },
    fill,
    alignment: { vertical: 'center', horizontal: 'left', wrap: true },
    border: { right: { style: 'thin', colour: 'FFFFFF' } },
  };
}

export function headerStyle(tint: 0 | 1): CellStyle {
  return HEADERS[tint];
}

const NUMBER = { vertical: 'top', horizontal: 'right', indent: 1 } as const;

const FORMATS: Readonly<Record<CellFormat, CellStyle>> = {
  text: { alignment: { vertical: 'top', horizontal: 'left' } },
  wrapped: { alignment: { vertical: 'top', horizontal: 'left', wrap: true } },
  input: { fill: 'FFFDF0', alignment: { vertical: 'top', horizontal: 'left', wrap: true } },
  clipped: { alignment: { vertical: 'top', horizontal: 'left', wrap: true } },
  title: { font: { size: 18, bold: true, colour: '1F3864' } },
  heading: {
    font: { size: 12, bold: true, colour: '1F3864' },
    border: { bottom: { style: 'medium', colour: '2F5597' } },
  },
  note: { font: { italic: true, colour: '595959' } },
  caption: { font: { size: 8, colour: '595959' }, alignment: { vertical: 'bottom', horizontal: 'center' } },
  word: { alignment: { vertical: 'top', horizontal: 'center' } },
  number: { alignment: NUMBER },
  grouped: { numberFormat: '#,##0', alignment: NUMBER },
  amount: { numberFormat: '#,##0', alignment: { vertical: 'top', horizontal: 'left' } },
  zip: { numberFormat: '00000', alignment: { vertical: 'top', horizontal: 'left' } },
  dollars: { numberFormat: '"$"#,##0', alignment: NUMBER },
  'dollars and cents': { numberFormat: '"$"#,##0.00', alignment: NUMBER },
  percent: { numberFormat: '0%', alignment: NUMBER },
  'fraction of a percent': { numberFormat: '0.##%', alignment: NUMBER },
  date: { numberFormat: 'yyyy-mm-dd', alignment: { vertical: 'top', horizontal: 'left' } },
  time: { numberFormat: 'yyyy-mm-dd hh:mm', alignment: { vertical: 'top', horizontal: 'left' } },
};

const EMPHASES: Readonly<Record<Emphasis, ConditionalStyle>> = {
  alarm: { fill: 'FBDAD7', colour: '9C0006', bold: true },
  warning: { fill: 'FFF0C9', colour: '7F5F00', bold: false },
};

export function emphasisStyle(emphasis: Emphasis): ConditionalStyle {
  return EMPHASES[emphasis];
}

const LINE: NonNullable<CellStyle['border']> = { bottom: { style: 'thin', colour: 'D9D9D9' } };

const madeStyles = new Map<CellFormat, CellStyle[]>();

/** A cell's style; equal arguments give the same object. */
export function cellStyle(
  format: CellFormat,
  emphasis: Emphasis | undefined,
  linked: boolean,
  lined: boolean,
): CellStyle {
  let styles = madeStyles.get(format);
  if (styles === undefined) {
    styles = [];
    madeStyles.set(format, styles);
  }
  const place = (emphasis === undefined ? 0 : emphasis === 'alarm' ? 2 : 4) + (linked ? 1 : 0) + (lined ? 6 : 0);
  return (styles[place] ??= { ...composed(format, emphasis, linked), ...(lined ? { border: LINE } : {}) });
}

function composed(format: CellFormat, emphasis: Emphasis | undefined, linked: boolean): CellStyle {
  const base = FORMATS[format];
  if (linked) return { ...base, font: { ...base.font, underline: true, colour: '0563C1' } };
  if (emphasis === undefined) return base;
  const { fill, colour, bold } = EMPHASES[emphasis];
  return { ...base, fill, font: { ...base.font, bold, colour } };
}

/** Colors are `RRGGBB`. */
export interface CellStyle {
  readonly font?: {
    readonly size?: number;
    readonly bold?: boolean;
    readonly italic?: boolean;
    readonly underline?: boolean;
    readonly colour?: string;
  };
  readonly fill?: string;
  readonly border?: Readonly<
    Partial<Record<'left' | 'right' | 'top' | 'bottom', { readonly style: 'thin' | 'medium'; readonly colour: string }>>
  >;
  readonly alignment?: {
    readonly vertical?: 'top' | 'center' | 'bottom';
    readonly horizontal?: 'left' | 'center' | 'right';
    readonly wrap?: boolean;
    readonly indent?: number;
  };
  readonly numberFormat?: string;
}

export interface ConditionalStyle {
  readonly fill: string;
  readonly colour: string;
  readonly bold: boolean;
}

const FONT_NAME = 'Calibri';
const FONT_SIZE = 11;
const OWN_FORMATS_FROM = 164;

/** A workbook's styles: each look once, by number. */
export class Styles {
  readonly #known = new Map<CellStyle, number>();
  readonly #fonts = new Numbered(fontXml({}));
  readonly #fills = new Numbered(
    '<fill><patternFill patternType="none"/></fill>',
    '<fill><patternFill patternType="gray125"/></fill>',
  );
  readonly #borders = new Numbered(borderXml({}));
  readonly #formats = new Numbered();
  readonly #looks = new Numbered('<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>');
  readonly #conditional = new Numbered();

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
    const fillId =
      fill === undefined
        ? 0
        : this.#fills.indexOf(
            `<fill><patternFill patternType="solid"><fgColor rgb="FF${fill}"/><bgColor indexed="64"/></patternFill></fill>`,
          );
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
    const formats = this.#formats.all.map(
      (code, index) => `<numFmt numFmtId="${OWN_FORMATS_FROM + index}" formatCode="${xmlText(code)}"/>`,
    );
    return (
      '<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">' +
      `${formats.length === 0 ? '' : counted('numFmts', formats)}${counted('fonts', this.#fonts.all)}${counted('fills', this.#fills.all)}${counted('borders', this.#borders.all)}` +
      '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
      `${counted('cellXfs', this.#looks.all)}<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>` +
      `${counted('dxfs', this.#conditional.all)}<tableStyles count="0" defaultTableStyle="TableStyleMedium9" defaultPivotStyle="PivotStyleLight16"/></styleSheet>`
    );
  }
}

/** Numbers distinct texts from 0, in order of arrival. */
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

function fontXml({
  size = FONT_SIZE,
  bold = false,
  italic = false,
  underline = false,
  colour,
}: NonNullable<CellStyle['font']>): string {
  const colourXml = colour === undefined ? '<color theme="1"/>' : `<color rgb="FF${colour}"/>`;
  return `<font>${bold ? '<b/>' : ''}${italic ? '<i/>' : ''}${underline ? '<u/>' : ''}<sz val="${size}"/>${colourXml}<name val="${FONT_NAME}"/><family val="2"/></font>`;
}

function borderXml(border: NonNullable<CellStyle['border']>): string {
  const sides = (['left', 'right', 'top', 'bottom'] as const).map((side) => {
    const line = border[side];
    return line === undefined
      ? `<${side}/>`
      : `<${side} style="${line.style}"><color rgb="FF${line.colour}"/></${side}>`;
  });
  return `<border>${sides.join('')}<diagonal/></border>`;
}

function alignmentXml({ vertical, horizontal, wrap = false, indent }: NonNullable<CellStyle['alignment']>): string {
  return (
    `<alignment${horizontal === undefined ? '' : ` horizontal="${horizontal}"`}${vertical === undefined ? '' : ` vertical="${vertical}"`}` +
    `${wrap ? ' wrapText="1"' : ''}${indent === undefined ? '' : ` indent="${indent}"`}/>`
  );
}
