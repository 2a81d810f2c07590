import type { CellFormat, Emphasis } from '../workbook-writer.ts';
import { xmlText } from './xml.ts';

/** Colors are `RRGGBB`; an alignment is attributes of XML. */
interface CellStyle {
  readonly font?: Font;
  readonly fill?: string;
  readonly border?: { readonly side: 'right' | 'bottom'; readonly style: 'thin' | 'medium'; readonly color: string };
  readonly alignment?: string;
  readonly numberFormat?: string;
}

interface Font {
  readonly size?: number;
  readonly bold?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly color?: string;
}

const NAVY = '1F3864';
const BLUE = '2F5597';
const GRAY = '595959';
const LEFT = 'horizontal="left" vertical="top"';
const WRAPPED = `${LEFT} wrapText="1"`;
const RIGHT = 'horizontal="right" vertical="top" indent="1"';

const HEADERS = [header(NAVY), header(BLUE)] as const;

function header(fill: string): CellStyle {
  return {
    font: { bold: true, color: 'FFFFFF' },
    fill,
    alignment: 'horizontal="left" vertical="center" wrapText="1"',
    border: { side: 'right', style: 'thin', color: 'FFFFFF' },
  };
}

const FORMATS: Readonly<Record<CellFormat, CellStyle>> = {
  text: { alignment: LEFT },
  wrapped: { alignment: WRAPPED },
  input: { fill: 'FFFDF0', alignment: WRAPPED },
  clipped: { alignment: WRAPPED },
  title: { font: { size: 18, bold: true, color: NAVY } },
  heading: {
    font: { size: 12, bold: true, color: NAVY },
    border: { side: 'bottom', style: 'medium', color: BLUE },
  },
  note: { font: { italic: true, color: GRAY } },
  caption: { font: { size: 8, color: GRAY }, alignment: 'horizontal="center" vertical="bottom"' },
  word: { alignment: 'horizontal="center" vertical="top"' },
  number: { alignment: RIGHT },
  grouped: { numberFormat: '#,##0', alignment: RIGHT },
  amount: { numberFormat: '#,##0', alignment: LEFT },
  zip: { numberFormat: '00000', alignment: LEFT },
  dollars: { numberFormat: '"$"#,##0', alignment: RIGHT },
  'dollars and cents': { numberFormat: '"$"#,##0.00', alignment: RIGHT },
  percent: { numberFormat: '0%', alignment: RIGHT },
  'fraction of a percent': { numberFormat: '0.##%', alignment: RIGHT },
  date: { numberFormat: 'yyyy-mm-dd', alignment: LEFT },
  time: { numberFormat: 'yyyy-mm-dd hh:mm', alignment: LEFT },
};

const EMPHASES = {
  alarm: { fill: 'FBDAD7', color: '9C0006', bold: true },
  warning: { fill: 'FFF0C9', color: '7F5F00', bold: false },
} as const;

const LINE = { side: 'bottom', style: 'thin', color: 'D9D9D9' } as const;

function styleOf(format: CellFormat, emphasis: Emphasis | undefined, linked: boolean): CellStyle {
  const base = FORMATS[format];
  if (linked) return { ...base, font: { ...base.font, underline: true, color: '0563C1' } };
  if (emphasis === undefined) return base;
  const { fill, ...font } = EMPHASES[emphasis];
  return { ...base, fill, font: { ...base.font, ...font } };
}

const OWN_FORMATS_FROM = 164;

export class Styles {
  /** Of a format's cells, by emphasis, link and line. */
  readonly #known = new Map<CellFormat, number[]>();
  readonly #fonts = new Numbered(fontXml({}));
  readonly #fills = new Numbered(
    '<fill><patternFill patternType="none"/></fill>',
    '<fill><patternFill patternType="gray125"/></fill>',
  );
  readonly #borders = new Numbered(borderXml(undefined));
  readonly #formats = new Numbered();
  readonly #looks = new Numbered('<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>');
  readonly #conditional = new Numbered();

  headerIndex(tint: 0 | 1): number {
    return this.#looks.indexOf(this.#lookXml(HEADERS[tint]));
  }

  cellIndex(format: CellFormat, emphasis: Emphasis | undefined, linked: boolean, lined: boolean): number {
    let known = this.#known.get(format);
    if (known === undefined) {
      known = [];
      this.#known.set(format, known);
    }
    const place = (emphasis === undefined ? 0 : emphasis === 'alarm' ? 2 : 4) + (linked ? 1 : 0) + (lined ? 6 : 0);
    return (known[place] ??= this.#looks.indexOf(
      this.#lookXml({ ...styleOf(format, emphasis, linked), ...(lined ? { border: LINE } : {}) }),
    ));
  }

  conditionalIndex(emphasis: Emphasis): number {
    const { fill, color, bold } = EMPHASES[emphasis];
    return this.#conditional.indexOf(
      `<dxf><font>${bold ? '<b/>' : ''}<color rgb="FF${color}"/></font><fill><patternFill patternType="solid"><fgColor rgb="FF${fill}"/><bgColor rgb="FF${fill}"/></patternFill></fill></dxf>`,
    );
  }

  #lookXml({ font = {}, fill, border, alignment, numberFormat }: CellStyle): string {
    const fontId = this.#fonts.indexOf(fontXml(font));
    const fillId =
      fill === undefined
        ? 0
        : this.#fills.indexOf(
            `<fill><patternFill patternType="solid"><fgColor rgb="FF${fill}"/><bgColor indexed="64"/></patternFill></fill>`,
          );
    const borderId = this.#borders.indexOf(borderXml(border));
    const formatId = numberFormat === undefined ? 0 : OWN_FORMATS_FROM + this.#formats.indexOf(numberFormat);
    return (
      `<xf numFmtId="${formatId}" fontId="${fontId}" fillId="${fillId}" borderId="${borderId}" xfId="0"` +
      `${formatId > 0 ? ' applyNumberFormat="1"' : ''}${fontId > 0 ? ' applyFont="1"' : ''}${fillId > 0 ? ' applyFill="1"' : ''}` +
      `${borderId > 0 ? ' applyBorder="1"' : ''}${alignment === undefined ? '/>' : ` applyAlignment="1"><alignment ${alignment}/></xf>`}`
    );
  }

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

function counted(name: string, items: readonly string[]) {
  return `<${name} count="${items.length}">${items.join('')}</${name}>`;
}

function fontXml({ size = 11, bold = false, italic = false, underline = false, color }: Font) {
  const colorXml = color === undefined ? '' : `<color rgb="FF${color}"/>`;
  return `<font>${bold ? '<b/>' : ''}${italic ? '<i/>' : ''}${underline ? '<u/>' : ''}<sz val="${size}"/>${colorXml}<name val="Calibri"/><family val="2"/></font>`;
}

function borderXml(line: CellStyle['border']) {
  const sides = ['left', 'right', 'top', 'bottom'].map((side) =>
    line?.side === side ? `<${side} style="${line.style}"><color rgb="FF${line.color}"/></${side}>` : `<${side}/>`,
  );
  return `<border>${sides.join('')}<diagonal/></border>`;
}
