import { SUMMARY_CATALOGUE } from '../../contract/summary-catalogue.ts';
import type { Inspection } from './inspection.ts';
import type { Summary } from './summary.ts';

const MARGIN = 50;
const WIDTH = 512;
const PHOTO = { width: 250, height: 188 } as const;
const FINDINGS_SHOWN_MAX = 60;
const TEXT_LENGTH_MAX = 160;

type Pdf = PDFKit.PDFDocument;

/** The report as a PDF with the order, photos and a table of findings: the same inspection gives the same bytes. */
export async function reportPdf(inspection: Inspection, summary: Summary, photos: readonly Buffer[], compressed: boolean): Promise<Buffer> {
  // Loaded on first use: the server starts without it.
  const { default: PDFDocument } = await import('pdfkit');
  // The date and the title decide the file's ID; a date from the clock would make every file another.
  const created = new Date(Number(summary.project.completionTime) * 1000);
  const pdf = new PDFDocument({ size: 'LETTER', margin: MARGIN, info: { Title: summary.type, CreationDate: created, Producer: 'sandbox', Creator: 'sandbox' } });
  const chunks: Buffer[] = [];
  const done = new Promise<Buffer>((resolve, reject) => {
    pdf.on('data', (chunk: Buffer) => chunks.push(chunk));
    pdf.on('end', () => resolve(Buffer.concat(chunks)));
    pdf.on('error', reject);
  });
  heading(pdf, summary);
  table(pdf, 'Order', orderLines(inspection));
  photoPage(pdf, photos);
  if (!compressed) table(pdf, 'Findings', findingLines(summary));
  pdf.end();
  return await done;
}

function heading(pdf: Pdf, summary: Summary): void {
  pdf.fontSize(18).text(summary.type);
  pdf.fontSize(10).fillColor('#666').text('Made by the sandbox: nobody has seen this property.').fillColor('#000').moveDown();
}

function orderLines({ project }: Inspection): [string, string][] {
  const { request } = project;
  return [
    ['Project', project.id === 0n ? 'sample' : String(project.id)],
    ['Inspection number', request.inspectionNumber ?? ''],
    ['Policy', [project.policyNumber, project.policyEffectiveDate].filter(Boolean).join(', effective ')],
    ['Insured', request.insuredName],
    ['Address', `${request.streetAddress}, ${request.city}, ${request.state} ${request.zipcode}`],
    ['Service', request.serviceName],
    ['Kind of house', `${request.houseType} (${request.policyType})`],
  ];
}

/** Titles and values of what the summary says, in the catalogue's order; of long lists the first lines. */
function findingLines(summary: Summary): [string, string][] {
  const lines: [string, string][] = [];
  for (const { path, title, type } of SUMMARY_CATALOGUE) {
    if (!path.startsWith('summary.') || type === 'objects' || lines.length === FINDINGS_SHOWN_MAX) continue;
    const value = path.split('.').reduce<unknown>((held, key) => (typeof held === 'object' && held !== null ? Reflect.get(held, key) : undefined), summary);
    if (value !== undefined && value !== false) lines.push([title, shown(value)]);
  }
  return lines;
}

function shown(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null) return 'not assessed';
  if (value === true) return 'Yes';
  if (Array.isArray(value)) return value.join('; ') || 'none';
  if (typeof value === 'object') return Object.entries(value).map(([key, held]) => `${key} ${String(held)}`).join(', ');
  return JSON.stringify(value);
}

function photoPage(pdf: Pdf, photos: readonly Buffer[]): void {
  const top = pdf.y + 10;
  for (const [index, photo] of photos.entries()) {
    const [x, y] = [MARGIN + (index % 2) * (PHOTO.width + 12), top + Math.floor(index / 2) * (PHOTO.height + 12)];
    pdf.image(photo, x, y, PHOTO);
  }
  pdf.x = MARGIN;
  pdf.y = top + Math.ceil(photos.length / 2) * (PHOTO.height + 12);
}

function table(pdf: Pdf, title: string, lines: readonly (readonly [string, string])[]): void {
  if (pdf.y > 620) pdf.addPage();
  pdf.moveDown(0.5).fontSize(13).text(title, MARGIN).moveDown(0.3).fontSize(9);
  for (const [name, value] of lines) {
    if (pdf.y > 720) pdf.addPage();
    const y = pdf.y;
    pdf.fillColor('#555').text(printable(name), MARGIN, y, { width: 190, lineBreak: false });
    pdf.fillColor('#000').text(printable(value), MARGIN + 200, y, { width: WIDTH - 200 });
    if (pdf.y <= y) pdf.y = y + 11;
  }
}

/** The PDF's own fonts know the letters of Windows-1252; one line is enough for a sandbox. */
function printable(text: string): string {
  return text.slice(0, TEXT_LENGTH_MAX).replaceAll(/[^\u0020-\u007E\u00A0-\u00FF–—‘’“”•…€]/gu, '?');
}
