import type { Inspection } from './inspection.ts';
import { BOTTOM, COLOURS, footers, heading, keepTogether, MARGIN, printable, table, WIDTH, type Pdf } from './pdf-layout.ts';
import { addressOf, findingRows, keyFacts, orderLines, overallCondition, sectionsOf } from './report-contents.ts';
import type { Summary } from './summary.ts';

/** A photo in a report, and what is written below it. */
export interface ReportPhoto {
  readonly jpeg: Buffer;
  readonly caption: string;
}

const COVER = { width: 310, height: 232.5 } as const;
const PHOTO = { width: 254, height: 190.5, gap: 12, caption: 18 } as const;
const CONDITION_COLOURS: Readonly<Record<string, string>> = { Excellent: '#1e7a46', Good: '#3c8a3f', Average: '#b98a1a', Fair: '#c8691c', Poor: '#b3261e', Closeout: '#5d6875' };

/** The report as a PDF: the order, photos, a table of findings and all that the summary says. The same inspection gives the same bytes. */
export async function reportPdf(inspection: Inspection, summary: Summary, photos: readonly ReportPhoto[]): Promise<Buffer> {
  // Loaded on first use: the server starts without it.
  const { default: PDFDocument } = await import('pdfkit');
  // The date and the title decide the file's ID; a date from the clock would make every file another.
  const created = new Date(Number(summary.project['completionTime'] ?? 0) * 1000);
  const info = { Title: summary.type, Subject: printable(addressOf(inspection.project.request)), CreationDate: created, Producer: 'sandbox', Creator: 'sandbox' };
  const pdf = new PDFDocument({ size: 'LETTER', margin: MARGIN, bufferPages: true, info });
  const chunks: Buffer[] = [];
  const done = new Promise<Buffer>((resolve, reject) => {
    pdf.on('data', (chunk: Buffer) => chunks.push(chunk));
    pdf.on('end', () => resolve(Buffer.concat(chunks)));
    pdf.on('error', reject);
  });
  const [cover, ...others] = photos;
  band(pdf, inspection, summary);
  coverPage(pdf, summary, cover);
  heading(pdf, 'Order');
  table(pdf, [{ title: 'Order', share: 1 }, { title: 'As it was placed', share: 3 }], orderLines(inspection));
  findings(pdf, summary);
  photoPages(pdf, others);
  for (const { title, lines } of sectionsOf(summary)) {
    heading(pdf, title, 80);
    table(pdf, [{ title: 'Attribute', share: 2 }, { title: 'Value', share: 3 }], lines);
  }
  footers(pdf, `Report ${summary.id} - made by the sandbox: nobody has seen this property.`);
  pdf.end();
  return await done;
}

/** Across the top of the first page. */
function band(pdf: Pdf, { project }: Inspection, summary: Summary): void {
  pdf.rect(0, 0, 612, 84).fill(COLOURS.accent);
  pdf.font('Helvetica-Bold').fontSize(20).fillColor(COLOURS.paper).text(summary.type, MARGIN, 24, { width: WIDTH, lineBreak: false });
  const subtitle = [project.policyNumber && `Policy ${project.policyNumber}`, addressOf(project.request)].filter(Boolean).join('   |   ');
  pdf.font('Helvetica').fontSize(10).fillColor('#c9d6e4').text(printable(subtitle), MARGIN, 53, { width: WIDTH, height: 12, ellipsis: true });
  pdf.y = 100;
}

/** The photo of the front, and beside it what matters most. */
function coverPage(pdf: Pdf, summary: Summary, cover: ReportPhoto | undefined): void {
  const top = pdf.y;
  if (cover !== undefined) pdf.image(cover.jpeg, MARGIN, top, COVER);
  const [x, width] = [MARGIN + COVER.width + 14, WIDTH - COVER.width - 14];
  pdf.roundedRect(x, top, width, COVER.height, 4).fill(COLOURS.stripe);
  const condition = overallCondition(summary) ?? 'not assessed';
  pdf.roundedRect(x + 10, top + 10, width - 20, 30, 4).fill(CONDITION_COLOURS[condition] ?? COLOURS.quiet);
  pdf.font('Helvetica').fontSize(7).fillColor('#e3ebf2').text('OVERALL CONDITION', x + 18, top + 14, { lineBreak: false });
  pdf.font('Helvetica-Bold').fontSize(12).fillColor(COLOURS.paper).text(printable(condition), x + 18, top + 23, { lineBreak: false });
  let y = top + 50;
  for (const [name, words] of keyFacts(summary)) {
    pdf.font('Helvetica').fontSize(8).fillColor(COLOURS.quiet).text(name, x + 10, y, { width: 68, lineBreak: false });
    pdf.font('Helvetica-Bold').fillColor(COLOURS.ink).text(printable(words), x + 78, y, { width: width - 86, height: 19, ellipsis: true });
    y += Math.max(13, Math.min(22, pdf.y - y + 3));
    if (y > top + COVER.height - 14) break;
  }
  pdf.y = top + COVER.height;
}

function findings(pdf: Pdf, summary: Summary): void {
  const rows = findingRows(summary);
  heading(pdf, 'Findings', 70);
  if (rows.length > 0) {
    table(pdf, [{ title: '#', share: 0.3 }, { title: 'Where', share: 1.3 }, { title: 'What was found', share: 2.2 }, { title: 'Recommended', share: 2.2 }], rows.map((row, index) => [String(index + 1), ...row]));
    return;
  }
  pdf.font('Helvetica').fontSize(9).fillColor(COLOURS.ink).text('No hazards are reported.', MARGIN, pdf.y, { width: WIDTH });
}

function photoPages(pdf: Pdf, photos: readonly ReportPhoto[]): void {
  if (photos.length === 0) return;
  heading(pdf, 'Photos', PHOTO.height + 60);
  const row = PHOTO.height + PHOTO.caption;
  for (let first = 0; first < photos.length; first += 2) {
    keepTogether(pdf, row);
    const y = pdf.y + 2;
    for (const [column, { jpeg, caption }] of photos.slice(first, first + 2).entries()) {
      const x = MARGIN + column * (PHOTO.width + PHOTO.gap);
      pdf.image(jpeg, x, y, { width: PHOTO.width, height: PHOTO.height });
      pdf.font('Helvetica').fontSize(8).fillColor(COLOURS.quiet).text(printable(caption), x, y + PHOTO.height + 4, { width: PHOTO.width, lineBreak: false });
    }
    pdf.y = Math.min(y + row, BOTTOM);
  }
}
