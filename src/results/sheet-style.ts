import type { CellFormat, Emphasis } from './workbook-writer.ts';
import type { CellStyle, ConditionalStyle } from './xlsx/style-book.ts';

/** Groups of columns take turns with two tints. */
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

/** Set off from the text of the next column. */
const NUMBER = { vertical: 'top', horizontal: 'right', indent: 1 } as const;

const FORMATS: Readonly<Record<CellFormat, CellStyle>> = {
  text: { alignment: { vertical: 'top', horizontal: 'left' } },
  wrapped: { alignment: { vertical: 'top', horizontal: 'left', wrap: true } },
  clipped: { alignment: { vertical: 'top', horizontal: 'left', wrap: true } },
  title: { font: { size: 18, bold: true, colour: '1F3864' } },
  heading: { font: { size: 12, bold: true, colour: '1F3864' }, border: { bottom: { style: 'medium', colour: '2F5597' } } },
  note: { font: { italic: true, colour: '595959' } },
  caption: { font: { size: 8, colour: '595959' }, alignment: { vertical: 'bottom', horizontal: 'center' } },
  word: { alignment: { vertical: 'top', horizontal: 'center' } },
  number: { alignment: NUMBER },
  grouped: { numberFormat: '#,##0', alignment: NUMBER },
  amount: { numberFormat: '#,##0', alignment: { vertical: 'top', horizontal: 'left' } },
  zip: { numberFormat: '00000', alignment: { vertical: 'top', horizontal: 'left' } },
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

/** A light line below the cells of a table. */
const LINE: NonNullable<CellStyle['border']> = { bottom: { style: 'thin', colour: 'D9D9D9' } };

const made = new Map<CellFormat, CellStyle[]>();

/** The style of a cell: the same object each time. */
export function cellStyle(format: CellFormat, emphasis: Emphasis | undefined, linked: boolean, lined: boolean): CellStyle {
  let styles = made.get(format);
  if (styles === undefined) {
    styles = [];
    made.set(format, styles);
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
