import { z } from 'zod';
import { template, templateData } from '../../contract/template-data.ts';
import { CELL_FORMATS, type CellFormat, type Emphasis } from '../workbook.ts';
import { sheetXml, TextNumbers, xmlText } from './xml.ts';

/** Colors are `RRGGBB`; an alignment is attributes of XML. */
const cellStyle = z
  .strictObject({
    font: z
      .strictObject({
        size: z.int(),
        bold: z.boolean(),
        italic: z.boolean(),
        underline: z.boolean(),
        color: z.string(),
      })
      .partial(),
    fill: z.string(),
    border: z.strictObject({ side: z.enum(['right', 'bottom']), style: z.string(), color: z.string() }),
    alignment: z.string(),
    numberFormat: z.string(),
  })
  .partial();

type CellStyle = z.output<typeof cellStyle>;

const styleData = templateData(
  'workbook/styles',
  z.strictObject({
    headers: z.tuple([cellStyle, cellStyle]),
    formats: z.record(z.enum(CELL_FORMATS), cellStyle),
    emphases: z.record(
      z.enum(['alarm', 'warning']),
      z.strictObject({ fill: z.string(), color: z.string(), bold: z.boolean() }),
    ),
  }),
);

const stylesTemplate = template('workbook/styles.xml');

const LINE = { side: 'bottom', style: 'thin', color: 'D9D9D9' } as const;

function styleOf(format: CellFormat, emphasis: Emphasis | undefined, linked: boolean) {
  const base = styleData().formats[format];
  if (linked) return { ...base, font: { ...base.font, underline: true, color: '0563C1' } };
  if (emphasis === undefined) return base;
  const { fill, ...font } = styleData().emphases[emphasis];
  return { ...base, fill, font: { ...base.font, ...font } };
}

const OWN_FORMATS_FROM = 164;

export class Styles {
  readonly #known = new Map(CELL_FORMATS.map((format): [CellFormat, number[]] => [format, []]));
  readonly #fonts = new TextNumbers(fontXml({}));
  readonly #fills = new TextNumbers(
    '<fill><patternFill patternType="none"/></fill>',
    '<fill><patternFill patternType="gray125"/></fill>',
  );
  readonly #borders = new TextNumbers(borderXml(undefined));
  readonly #formats = new TextNumbers();
  readonly #looks = new TextNumbers('<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>');
  readonly #conditional = new TextNumbers();

  headerIndex(tint: 0 | 1) {
    return this.#looks.indexOf(this.#lookXml(styleData().headers[tint]));
  }

  cellIndex(format: CellFormat, emphasis: Emphasis | undefined, linked: boolean, lined: boolean) {
    const known = this.#known.get(format) ?? [];
    const place = (emphasis === undefined ? 0 : emphasis === 'alarm' ? 2 : 4) + (linked ? 1 : 0) + (lined ? 6 : 0);
    return (known[place] ??= this.#looks.indexOf(
      this.#lookXml({ ...styleOf(format, emphasis, linked), ...(lined ? { border: LINE } : {}) }),
    ));
  }

  conditionalIndex(emphasis: Emphasis) {
    const { fill, color, bold } = styleData().emphases[emphasis];
    return this.#conditional.indexOf(sheetXml('conditional-style', { fill, color, bold: bold ? '<b/>' : '' }));
  }

  #lookXml({ font = {}, fill, border, alignment, numberFormat }: CellStyle) {
    const fontId = this.#fonts.indexOf(fontXml(font));
    const fillId = fill === undefined ? 0 : this.#fills.indexOf(sheetXml('fill', { fill }));
    const borderId = this.#borders.indexOf(borderXml(border));
    const formatId = numberFormat === undefined ? 0 : OWN_FORMATS_FROM + this.#formats.indexOf(numberFormat);
    const ids = { NumberFormat: formatId, Font: fontId, Fill: fillId, Border: borderId };
    const applied = Object.entries(ids).map(([what, id]) => (id > 0 ? ` apply${what}="1"` : ''));
    const end = alignment === undefined ? '/>' : ` applyAlignment="1"><alignment ${alignment}/></xf>`;
    return sheetXml('look', { formatId, fontId, fillId, borderId, applied: [...applied, end] });
  }

  toXml() {
    const formats = this.#formats.all.map(
      (code, index) => `<numFmt numFmtId="${OWN_FORMATS_FROM + index}" formatCode="${xmlText(code)}"/>`,
    );
    return stylesTemplate({
      formats: formats.length === 0 ? '' : counted('numFmts', formats),
      fonts: counted('fonts', this.#fonts.all),
      fills: counted('fills', this.#fills.all),
      borders: counted('borders', this.#borders.all),
      looks: counted('cellXfs', this.#looks.all),
      conditional: counted('dxfs', this.#conditional.all),
    }).join('');
  }
}

function counted(name: string, items: readonly string[]) {
  return `<${name} count="${items.length}">${items.join('')}</${name}>`;
}

function fontXml({ size = 11, bold, italic, underline, color }: NonNullable<CellStyle['font']>) {
  const marks = [bold ? '<b/>' : '', italic ? '<i/>' : '', underline ? '<u/>' : ''];
  return sheetXml('font', { marks, size, color: color === undefined ? '' : `<color rgb="FF${color}"/>` });
}

function borderXml(line: CellStyle['border']) {
  const sides = ['left', 'right', 'top', 'bottom'].map((side) =>
    line?.side === side ? `<${side} style="${line.style}"><color rgb="FF${line.color}"/></${side}>` : `<${side}/>`,
  );
  return `<border>${sides.join('')}<diagonal/></border>`;
}
