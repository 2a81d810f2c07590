import type { SummaryAttribute } from '../../contract/catalogue/attribute.ts';
import { attributeAt, SUMMARY_CATALOGUE } from '../../contract/summary-catalogue.ts';
import type { Inspection } from './inspection.ts';
import type { Summary } from './summary.ts';

/** A photo in a report, and what is written below it. */
export interface ReportPhoto {
  readonly jpeg: Buffer;
  readonly caption: string;
}

const COVER = { width: 310, height: 232.5 } as const;
const PHOTO = { width: 254, height: 190.5, gap: 12, caption: 18 } as const;
const CONDITION_COLOURS: Readonly<Record<string, string>> = {
  Excellent: '#1e7a46',
  Good: '#3c8a3f',
  Average: '#b98a1a',
  Fair: '#c8691c',
  Poor: '#b3261e',
  Closeout: '#5d6875',
};

/** The report as a PDF: the order, photos, a table of findings and all that the summary says. The same inspection gives the same bytes. */
export async function reportPdf(
  inspection: Inspection,
  summary: Summary,
  photos: readonly ReportPhoto[],
): Promise<Buffer> {
  // Loaded on first use: the server starts without it.
  const { default: PDFDocument } = await import('pdfkit');
  // The date and the title decide the file's ID; a date from the clock would make every file another.
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
  const [cover, ...others] = photos;
  band(pdf, inspection, summary);
  coverPage(pdf, summary, cover);
  heading(pdf, 'Order');
  table(
    pdf,
    [
      { title: 'Order', share: 1 },
      { title: 'As it was placed', share: 3 },
    ],
    orderLines(inspection),
  );
  findings(pdf, summary);
  photoPages(pdf, others);
  for (const { title, lines } of sectionsOf(summary)) {
    heading(pdf, title, 80);
    table(
      pdf,
      [
        { title: 'Attribute', share: 2 },
        { title: 'Value', share: 3 },
      ],
      lines,
    );
  }
  footers(pdf, `Report ${summary.id} - made by the sandbox: nobody has seen this property.`);
  pdf.end();
  return await done;
}

/** One page that names the report. */
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

/** Across the top of the first page. */
function band(pdf: Pdf, { project }: Inspection, summary: Summary): void {
  pdf.rect(0, 0, 612, 84).fill(COLOURS.accent);
  pdf
    .font('Helvetica-Bold')
    .fontSize(20)
    .fillColor(COLOURS.paper)
    .text(summary.type, MARGIN, 24, { width: WIDTH, lineBreak: false });
  const subtitle = [project.policyNumber && `Policy ${project.policyNumber}`, addressOf(project.request)]
    .filter(Boolean)
    .join('   |   ');
  pdf
    .font('Helvetica')
    .fontSize(10)
    .fillColor('#c9d6e4')
    .text(printable(subtitle), MARGIN, 53, { width: WIDTH, height: 12, ellipsis: true });
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
  pdf
    .font('Helvetica')
    .fontSize(7)
    .fillColor('#e3ebf2')
    .text('OVERALL CONDITION', x + 18, top + 14, { lineBreak: false });
  pdf
    .font('Helvetica-Bold')
    .fontSize(12)
    .fillColor(COLOURS.paper)
    .text(printable(condition), x + 18, top + 23, { lineBreak: false });
  let y = top + 50;
  for (const [name, words] of keyLines(summary)) {
    pdf
      .font('Helvetica')
      .fontSize(8)
      .fillColor(COLOURS.quiet)
      .text(name, x + 10, y, { width: 68, lineBreak: false });
    pdf
      .font('Helvetica-Bold')
      .fillColor(COLOURS.ink)
      .text(printable(words), x + 78, y, { width: width - 86, height: 19, ellipsis: true });
    y += Math.max(13, Math.min(22, pdf.y - y + 3));
    if (y > top + COVER.height - 14) break;
  }
  pdf.y = top + COVER.height;
}

function findings(pdf: Pdf, summary: Summary): void {
  const rows = findingRows(summary);
  heading(pdf, 'Findings', 70);
  if (rows.length > 0) {
    table(
      pdf,
      [
        { title: '#', share: 0.3 },
        { title: 'Where', share: 1.3 },
        { title: 'What was found', share: 2.2 },
        { title: 'Recommended', share: 2.2 },
      ],
      rows.map((row, index) => [String(index + 1), ...row]),
    );
    return;
  }
  pdf
    .font('Helvetica')
    .fontSize(9)
    .fillColor(COLOURS.ink)
    .text('No hazards are reported.', MARGIN, pdf.y, { width: WIDTH });
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
      pdf
        .font('Helvetica')
        .fontSize(8)
        .fillColor(COLOURS.quiet)
        .text(printable(caption), x, y + PHOTO.height + 4, { width: PHOTO.width, lineBreak: false });
    }
    pdf.y = Math.min(y + row, BOTTOM);
  }
}

/** What a name stands for, in words. */
type Line = readonly [string, string];

/** Lines that belong together, under a title. */
export interface Section {
  readonly title: string;
  readonly lines: readonly Line[];
}

/** The order that the report answers. */
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

/** What an underwriter looks at first. What the template leaves out is not among it. */
function keyLines(summary: Summary): Line[] {
  const shown: readonly Line[] = [
    ['Inspected', 'project.inspectionTime'],
    ['Hazard score', 'summary.risk.hazardScore'],
    ['Year built', 'summary.yearBuilt'],
    ['Living area', 'summary.livingArea'],
    ['Stories', 'summary.bldg.numStories'],
    ['Construction', 'summary.bldg.construction'],
    ['Roof', 'summary.roof.material'],
    ['Roof life left', 'summary.roof.estLife'],
    ['Siding', 'summary.exterior.siding'],
  ];
  return shown.map(([name, path]): Line => [name, wordsAt(summary, path)]).filter(([, words]) => words !== '');
}

/** The condition in one word; undefined where the report does not say. */
function overallCondition(summary: Summary): string | undefined {
  return wordsAt(summary, 'summary.risk.overallCondition') || undefined;
}

/** A row a hazard: where it is, what it is, and what to do about it. */
function findingRows({ summary }: Summary): string[][] {
  const factors = listOf(summary['factors']);
  const recommendations = listOf(summary['recommendations']);
  return factors.map((factor, index) => [
    textOf(factor['location']),
    textOf(factor['text']),
    textOf(recommendations[index]?.['text']),
  ]);
}

/** Everything else that the summary says, by the catalogue's groups and in its order; what is simply not there is left out. */
function sectionsOf(summary: Summary): Section[] {
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
  return [...sections].map(([title, lines]) => ({ title, lines }));
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

/** A value as a person reads it; empty where there is nothing to say. */
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

/** `livingRoom` as `living room`. */
function spaced(key: string): string {
  return key.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export type Pdf = PDFKit.PDFDocument;

/** Points, on US Letter. */
const MARGIN = 46;
const WIDTH = 612 - 2 * MARGIN;
const BOTTOM = 792 - 62;

const COLOURS = {
  ink: '#1d2733',
  quiet: '#5d6875',
  line: '#cfd6dd',
  stripe: '#f3f5f8',
  accent: '#1f3a57',
  paper: '#ffffff',
} as const;

const TEXT_LENGTH_MAX = 400;
const CELL = { size: 8.5, pad: 4 } as const;

/** A column of a table: its title and its share of the width. */
interface Column {
  readonly title: string;
  readonly share: number;
}

/** Goes to the next page where fewer points than these are left. */
function keepTogether(pdf: Pdf, height: number): void {
  if (pdf.y + height > BOTTOM) {
    pdf.addPage();
    pdf.y = MARGIN;
  }
}

function heading(pdf: Pdf, title: string, room = 60): void {
  keepTogether(pdf, room);
  pdf.y += 12;
  pdf
    .font('Helvetica-Bold')
    .fontSize(12)
    .fillColor(COLOURS.accent)
    .text(printable(title), MARGIN, pdf.y, { width: WIDTH });
  pdf.y += 3;
}

/** A table with a header that is repeated on every page, and stripes. */
function table(pdf: Pdf, columns: readonly Column[], rows: readonly (readonly string[])[]): void {
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
    const height =
      Math.max(
        ...texts.map((text, index) =>
          pdf.heightOfString(text || ' ', { width: (places[index]?.width ?? 0) - 2 * CELL.pad }),
        ),
      ) +
      2 * CELL.pad -
      1;
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
    pdf
      .moveTo(MARGIN, y + height)
      .lineTo(MARGIN + WIDTH, y + height)
      .lineWidth(0.4)
      .stroke(COLOURS.line);
    pdf.y = y + height;
  };
  const header = (): void =>
    row(
      columns.map(({ title }) => title),
      COLOURS.accent,
      COLOURS.paper,
      'Helvetica-Bold',
    );
  header();
  for (const [index, cells] of rows.entries())
    row(cells, index % 2 === 1 ? COLOURS.stripe : undefined, COLOURS.ink, 'Helvetica');
}

/** Writes the same line at the foot of every page, and which page of how many it is. The document must keep its pages until its end. */
function footers(pdf: Pdf, text: string): void {
  const { start, count } = pdf.bufferedPageRange();
  for (let page = start; page < start + count; page += 1) {
    pdf.switchToPage(page);
    // Below the margin a text would begin another page.
    pdf.page.margins.bottom = 0;
    const y = BOTTOM + 20;
    pdf
      .moveTo(MARGIN, y - 6)
      .lineTo(MARGIN + WIDTH, y - 6)
      .lineWidth(0.4)
      .stroke(COLOURS.line);
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
