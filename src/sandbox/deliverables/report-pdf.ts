import type { SummaryAttribute } from '../../contract/summary-catalogue.ts';
import { attributeAt, SUMMARY_CATALOGUE } from '../../contract/summary-catalogue.ts';
import { inspectionData } from './inspection-data.ts';
import type { Inspection } from './inspection.ts';
import type { Summary } from './summary.ts';

export interface ReportPhoto {
  readonly jpeg: Buffer;
  readonly caption: string;
}

type Pdf = PDFKit.PDFDocument;
type Line = readonly [string, string];

/** Points, on US Letter. */
const MARGIN = 46;
const BOTTOM = 730;
const PHOTO = { width: 254, height: 190.5 } as const;
const PHOTO_COLUMN = 266;
const PHOTO_ROW = 212;

/**
 * Returns the report as a PDF: the order, photos, findings, and the whole summary. Equal inspections give equal bytes.
 */
export async function reportPdf(
  inspection: Inspection,
  summary: Summary,
  photos: readonly ReportPhoto[],
): Promise<Buffer> {
  // For a fast start.
  const { default: PDFDocument } = await import('pdfkit');
  // The file's ID depends on this date; the clock would change every file.
  const created = new Date(Number(summary.project['completionTime'] ?? 0) * 1000);
  const info = {
    Title: summary.type,
    Subject: printable(addressOf(inspection.project.request)),
    CreationDate: created,
    Producer: 'sandbox',
    Creator: 'sandbox',
  };
  const pdf = new PDFDocument({ size: 'LETTER', margin: MARGIN, bufferPages: true, info });
  const chunks: Buffer[] = [];
  const done = new Promise<Buffer>((resolve, reject) => {
    pdf.on('data', (chunk: Buffer) => chunks.push(chunk));
    pdf.on('end', () => resolve(Buffer.concat(chunks)));
    pdf.on('error', reject);
  });
  pdf.fontSize(20).text(summary.type);
  const [front, ...others] = photos;
  if (front !== undefined) {
    pdf.image(front.jpeg, MARGIN, pdf.y + 6, PHOTO);
    pdf.y = Math.max(pdf.y, 76 + PHOTO.height);
  }
  table(pdf, 'At a glance', [1, 3], keyLines(summary));
  table(pdf, 'Order', [1, 3], orderLines(inspection));
  const found = findingRows(summary);
  table(
    pdf,
    'Findings',
    [1, 2, 2],
    found.length === 0 ? [['No hazards are reported.', '', '']] : [['Where', 'Found', 'Recommended'], ...found],
  );
  photoRows(pdf, others);
  for (const [title, lines] of sectionsOf(summary)) table(pdf, title, [2, 3], lines);
  footers(pdf, `Report ${summary.id} - made by the sandbox: nobody has seen this property.`);
  pdf.end();
  return await done;
}

function table(pdf: Pdf, title: string, shares: readonly number[], rows: readonly (readonly string[])[]): void {
  if (pdf.y > BOTTOM - 60) pdf.addPage();
  pdf.fontSize(12).text(title, MARGIN, pdf.y + 12);
  const total = shares.reduce((sum, share) => sum + share, 0);
  const width = pdf.page.width - 2 * MARGIN;
  pdf.fontSize(8.5).table({
    columnStyles: shares.map((share) => (share / total) * width),
    defaultStyle: { border: [0, 0, 0.4, 0], padding: 3 },
    data: rows.map((row) => row.map(printable)),
  });
}

function photoRows(pdf: Pdf, photos: readonly ReportPhoto[]): void {
  pdf.fontSize(8);
  for (const [index, { jpeg, caption }] of photos.entries()) {
    const column = index % 2;
    if (column === 0) {
      pdf.y += index === 0 ? 12 : PHOTO_ROW;
      if (pdf.y + PHOTO_ROW > BOTTOM) pdf.addPage();
    }
    const [x, y] = [MARGIN + column * PHOTO_COLUMN, pdf.y];
    pdf.image(jpeg, x, y, PHOTO);
    pdf.text(printable(caption), x, y + PHOTO.height + 4, { lineBreak: false });
    pdf.y = y;
  }
  if (photos.length > 0) pdf.y += PHOTO_ROW;
}

export function onePagePdf({ id, type }: { readonly id: string; readonly type: string }): Buffer {
  const text = `BT /F1 12 Tf 72 720 Td (${type} ${id} - made by the sandbox) Tj ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 4 0 R >> >> /Contents 5 0 R >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    `<< /Length ${text.length} >>\nstream\n${text}\nendstream`,
  ];
  let file = '%PDF-1.4\n';
  const places = objects.map((object, index) => {
    const at = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(at).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join('')}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\n`;
  return Buffer.from(`${file}${table}startxref\n${file.length}\n%%EOF\n`, 'latin1');
}

function orderLines({ project }: Inspection): Line[] {
  const { request } = project;
  return [
    ['Project', project.id === 0n ? 'sample' : String(project.id)],
    ['Inspection number', request.inspectionNumber ?? ''],
    ['Policy', [project.policyNumber, project.policyEffectiveDate].filter(Boolean).join(', effective ')],
    ['Insured', request.insuredName],
    ['Insured by', request.insuredBy ?? ''],
    ['Address', addressOf(request)],
    ['Service', [request.serviceName, ...(request.supplementalServices ?? [])].join(', ')],
    ['Kind of house', `${request.houseType} (${request.policyType})`],
    ['Note', request.note ?? ''],
  ].filter((line): line is [string, string] => line[1] !== '');
}

function addressOf({ streetAddress, city, state, zipcode }: Inspection['project']['request']): string {
  return `${streetAddress}, ${city}, ${state} ${zipcode}`;
}

function keyLines(summary: Summary): Line[] {
  const shown = Object.entries(inspectionData().atAGlance);
  return shown.map(([name, path]): Line => [name, wordsAt(summary, path)]).filter(([, words]) => words !== '');
}

function findingRows({ summary }: Summary): string[][] {
  const factors = listOf(summary['factors']);
  const recommendations = listOf(summary['recommendations']);
  return factors.map((factor, index) => [
    textOf(factor['location']),
    textOf(factor['text']),
    textOf(recommendations[index]?.['text']),
  ]);
}

/** By the catalogue's groups, without false or absent values. */
function sectionsOf(summary: Summary): ReadonlyMap<string, readonly Line[]> {
  const sections = new Map<string, Line[]>();
  for (const attribute of SUMMARY_CATALOGUE) {
    if (!attribute.path.startsWith('summary.') || attribute.type === 'objects') continue;
    const value = valueAt(summary, attribute.path);
    const words = value === false ? '' : inWords(attribute, value);
    if (words === '') continue;
    const lines = sections.get(attribute.group) ?? [];
    sections.set(attribute.group, lines);
    const [, name = attribute.title] = attribute.title.split(': ');
    lines.push([capitalised(name), words]);
  }
  return sections;
}

function wordsAt(summary: Summary, path: string): string {
  const attribute = attributeAt(path);
  return attribute === undefined ? '' : inWords(attribute, valueAt(summary, path));
}

function valueAt(summary: Summary, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (held, key) => (typeof held === 'object' && held !== null ? Reflect.get(held, key) : undefined),
      summary,
    );
}

function inWords({ type, unit }: SummaryAttribute, value: unknown): string {
  if (value === undefined) return '';
  if (value === null) return 'not assessed';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value === 'number') return numberInWords(value, unit);
  if (Array.isArray(value)) return value.map(textOf).join('; ');
  if (typeof value !== 'object') return textOf(value);
  const entries = Object.entries(value);
  switch (type) {
    case 'flags':
      return entries
        .filter(([, held]) => held === true)
        .map(([key]) => spaced(key))
        .join(', ');
    case 'counts':
      return entries
        .filter(([, held]) => held !== 0)
        .map(([key, held]) => `${textOf(held)} ${spaced(key)}`)
        .join(', ');
    case 'percentages':
      return entries.map(([key, held]) => `${capitalised(spaced(key))} ${textOf(held)} %`).join(', ');
    case 'text':
    case 'number':
    case 'boolean':
    case 'texts':
    case 'objects':
    case 'details':
      return entries.map(([key, held]) => `${spaced(key)} ${textOf(held)}`).join(', ');
  }
}

function numberInWords(value: number, unit: SummaryAttribute['unit']): string {
  if (unit === 'epoch seconds') return new Date(value * 1000).toISOString().slice(0, 10);
  if (unit === 'sq ft' || unit === 'acres' || unit === 'years') return `${value} ${unit}`;
  return unit === 'percent' ? `${value} %` : String(value);
}

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? (value as Record<string, unknown>[]) : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);
}

function spaced(key: string): string {
  return key.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Needs a document that buffers its pages. */
function footers(pdf: Pdf, text: string): void {
  const { start, count } = pdf.bufferedPageRange();
  for (let page = start; page < start + count; page += 1) {
    pdf.switchToPage(page);
    pdf.page.margins.bottom = 0;
    const line = `${printable(text)}   Page ${page - start + 1} of ${count}`;
    pdf.fontSize(7.5).text(line, MARGIN, BOTTOM + 20, { lineBreak: false });
  }
}

const TEXT_LENGTH_MAX = 400;

/** Replaces letters outside Windows-1252, which the PDF's fonts lack, with a plain letter or a question mark. */
export function printable(text: string): string {
  const known = /[\u0020-\u007E\u00A0-\u00FF–—‘’“”•…€]/u;
  return Array.from(text.slice(0, TEXT_LENGTH_MAX).normalize('NFC'), (letter) => {
    if (known.test(letter)) return letter;
    const [plain = '?'] = letter.normalize('NFD');
    return known.test(plain) ? plain : '?';
  }).join('');
}
