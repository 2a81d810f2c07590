export type Pdf = PDFKit.PDFDocument;

/** Points, on US Letter. */
export const MARGIN = 46;
export const WIDTH = 612 - 2 * MARGIN;
export const BOTTOM = 792 - 62;

export const COLOURS = { ink: '#1d2733', quiet: '#5d6875', line: '#cfd6dd', stripe: '#f3f5f8', accent: '#1f3a57', paper: '#ffffff' } as const;

const TEXT_LENGTH_MAX = 400;
const CELL = { size: 8.5, pad: 4 } as const;

/** A column of a table: its title and its share of the width. */
interface Column {
  readonly title: string;
  readonly share: number;
}

/** Goes to the next page where fewer points than these are left. */
export function keepTogether(pdf: Pdf, height: number): void {
  if (pdf.y + height > BOTTOM) {
    pdf.addPage();
    pdf.y = MARGIN;
  }
}

export function heading(pdf: Pdf, title: string, room = 60): void {
  keepTogether(pdf, room);
  pdf.y += 12;
  pdf.font('Helvetica-Bold').fontSize(12).fillColor(COLOURS.accent).text(printable(title), MARGIN, pdf.y, { width: WIDTH });
  pdf.y += 3;
}

/** A table with a header that is repeated on every page, and stripes. */
export function table(pdf: Pdf, columns: readonly Column[], rows: readonly (readonly string[])[]): void {
  const total = columns.reduce((sum, { share }) => sum + share, 0);
  let left = MARGIN;
  const places = columns.map(({ share }) => {
    const place = { x: left, width: (share / total) * WIDTH };
    left += place.width;
    return place;
  });
  const row = (cells: readonly string[], fill: string | undefined, ink: string, font: string): void => {
    pdf.font(font).fontSize(CELL.size);
    const texts = cells.map(printable);
    const height = Math.max(...texts.map((text, index) => pdf.heightOfString(text || ' ', { width: (places[index]?.width ?? 0) - 2 * CELL.pad }))) + 2 * CELL.pad - 1;
    if (pdf.y + height > BOTTOM) {
      pdf.addPage();
      pdf.y = MARGIN;
      if (fill !== COLOURS.accent) header();
    }
    const y = pdf.y;
    if (fill !== undefined) pdf.rect(MARGIN, y, WIDTH, height).fill(fill);
    pdf.font(font).fontSize(CELL.size).fillColor(ink);
    for (const [index, text] of texts.entries()) {
      const { x = 0, width = 0 } = places[index] ?? {};
      pdf.text(text, x + CELL.pad, y + CELL.pad, { width: width - 2 * CELL.pad });
    }
    pdf.moveTo(MARGIN, y + height).lineTo(MARGIN + WIDTH, y + height).lineWidth(0.4).stroke(COLOURS.line);
    pdf.y = y + height;
  };
  const header = (): void => row(columns.map(({ title }) => title), COLOURS.accent, COLOURS.paper, 'Helvetica-Bold');
  header();
  for (const [index, cells] of rows.entries()) row(cells, index % 2 === 1 ? COLOURS.stripe : undefined, COLOURS.ink, 'Helvetica');
}

/** Writes the same line at the foot of every page, and which page of how many it is. The document must keep its pages until its end. */
export function footers(pdf: Pdf, text: string): void {
  const { start, count } = pdf.bufferedPageRange();
  for (let page = start; page < start + count; page += 1) {
    pdf.switchToPage(page);
    // Below the margin a text would begin another page.
    pdf.page.margins.bottom = 0;
    const y = BOTTOM + 20;
    pdf.moveTo(MARGIN, y - 6).lineTo(MARGIN + WIDTH, y - 6).lineWidth(0.4).stroke(COLOURS.line);
    pdf.font('Helvetica').fontSize(7.5).fillColor(COLOURS.quiet);
    pdf.text(printable(text), MARGIN, y, { width: WIDTH - 80, lineBreak: false });
    pdf.text(`Page ${page - start + 1} of ${count}`, MARGIN, y, { width: WIDTH, align: 'right', lineBreak: false });
  }
}

/** The PDF's own fonts know the letters of Windows-1252: of others the plain letter is written, or a question mark. */
export function printable(text: string): string {
  const known = /[\u0020-\u007E\u00A0-\u00FF–—‘’“”•…€]/u;
  return Array.from(text.slice(0, TEXT_LENGTH_MAX).normalize('NFC'), (letter) => {
    if (known.test(letter)) return letter;
    const [plain = '?'] = letter.normalize('NFD');
    return known.test(plain) ? plain : '?';
  }).join('');
}
