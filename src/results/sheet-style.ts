import type { Fill, Style } from 'exceljs';
import type { CellFormat, Emphasis } from './workbook-writer.ts';

const FONT = 'Calibri';
const solid = (colour: string): Fill => ({ type: 'pattern', pattern: 'solid', fgColor: { argb: `FF${colour}` } });

/** Groups of columns take turns with two tints. */
const HEADERS: readonly [Partial<Style>, Partial<Style>] = [header('1F3864'), header('2F5597')];

function header(colour: string): Partial<Style> {
  return {
    font: { name: FONT, size: 11, bold: true, color: { argb: 'FFFFFFFF' } },
    fill: solid(colour),
    alignment: { vertical: 'middle', horizontal: 'left', wrapText: true },
    border: { right: { style: 'thin', color: { argb: 'FFFFFFFF' } } },
  };
}

export function headerStyle(tint: 0 | 1): Partial<Style> {
  return HEADERS[tint];
}

/** Set off from the text of the next column. */
const NUMBER = { vertical: 'top', horizontal: 'right', indent: 1 } as const;

const FORMATS: Readonly<Record<CellFormat, Partial<Style>>> = {
  text: { alignment: { vertical: 'top', horizontal: 'left' } },
  wrapped: { alignment: { vertical: 'top', horizontal: 'left', wrapText: true } },
  clipped: { alignment: { vertical: 'top', horizontal: 'left', wrapText: true } },
  title: { font: { name: FONT, size: 18, bold: true, color: { argb: 'FF1F3864' } } },
  heading: {
    font: { name: FONT, size: 12, bold: true, color: { argb: 'FF1F3864' } },
    border: { bottom: { style: 'medium', color: { argb: 'FF2F5597' } } },
  },
  note: { font: { name: FONT, size: 11, italic: true, color: { argb: 'FF595959' } } },
  word: { alignment: { vertical: 'top', horizontal: 'center' } },
  number: { alignment: NUMBER },
  grouped: { numFmt: '#,##0', alignment: NUMBER },
  amount: { numFmt: '#,##0', alignment: { vertical: 'top', horizontal: 'left' } },
  zip: { numFmt: '00000', alignment: { vertical: 'top', horizontal: 'left' } },
  percent: { numFmt: '0%', alignment: NUMBER },
  'fraction of a percent': { numFmt: '0.##%', alignment: NUMBER },
  date: { numFmt: 'yyyy-mm-dd', alignment: { vertical: 'top', horizontal: 'left' } },
  time: { numFmt: 'yyyy-mm-dd hh:mm', alignment: { vertical: 'top', horizontal: 'left' } },
};

const EMPHASES: Readonly<Record<Emphasis, { readonly fill: Fill; readonly colour: string }>> = {
  alarm: { fill: solid('FBDAD7'), colour: 'FF9C0006' },
  warning: { fill: solid('FFF0C9'), colour: 'FF7F5F00' },
};

/** A light line below the cells of a table. */
const LINE: Partial<Style> = { border: { bottom: { style: 'thin', color: { argb: 'FFD9D9D9' } } } };

const made = new Map<CellFormat, Partial<Style>[]>();

/** The style of a cell: the same object each time, which spares exceljs the comparing. */
export function cellStyle(format: CellFormat, emphasis: Emphasis | undefined, linked: boolean, lined: boolean): Partial<Style> {
  let styles = made.get(format);
  if (styles === undefined) {
    styles = [];
    made.set(format, styles);
  }
  const place = (emphasis === undefined ? 0 : emphasis === 'alarm' ? 2 : 4) + (linked ? 1 : 0) + (lined ? 6 : 0);
  return (styles[place] ??= { ...composed(format, emphasis, linked), ...(lined ? LINE : {}) });
}

function composed(format: CellFormat, emphasis: Emphasis | undefined, linked: boolean): Partial<Style> {
  const base: Partial<Style> = { font: { name: FONT, size: 11 }, ...FORMATS[format] };
  if (linked) return { ...base, font: { name: FONT, size: 11, underline: true, color: { argb: 'FF0563C1' } } };
  if (emphasis === undefined) return base;
  const { fill, colour } = EMPHASES[emphasis];
  return { ...base, fill, font: { name: FONT, size: 11, bold: emphasis === 'alarm', color: { argb: colour } } };
}
