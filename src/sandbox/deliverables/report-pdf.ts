import { deflateSync } from 'node:zlib';
import { z } from 'zod';
import { templateData } from '../../contract/template-data.ts';
import type { Inspection } from './inspection.ts';
import type { GeneratedSummary } from './summary.ts';

const fixedObjects = templateData('sandbox/report-pdf', z.array(z.string()));

const LINE_LENGTH_MAX = 110;

/** Equal inspections give equal bytes. A checksum of the text shows damage. */
export function reportPdf({ project }: Inspection, summary: GeneratedSummary, compressed: boolean) {
  const { request } = project;
  const order = {
    Project: project.id === 0n ? 'sample' : project.id,
    'Inspection number': request.inspectionNumber,
    Policy: project.policyNumber,
    Insured: request.insuredName,
    Address: `${request.streetAddress}, ${request.city}, ${request.state} ${request.zipcode}`,
    Service: request.serviceName,
  };
  const findings = (summary.summary['factors'] ?? []) as readonly { readonly text?: unknown }[];
  return pdfOf(
    [
      `${summary.type} ${summary.id}`,
      'Made by the sandbox: nobody has seen this property.',
      '',
      ...Object.entries(order).map(([name, value]) => `${name}: ${value ?? ''}`),
      '',
      ...(findings.length === 0 ? ['No hazards are reported.'] : findings.map(({ text }) => `Found: ${String(text)}`)),
    ],
    compressed,
  );
}

/** Letters outside Latin-1, which the font lacks, become question marks. */
function pdfOf(lines: readonly string[], compressed: boolean) {
  const shown = lines.map((line) => {
    const known = line.slice(0, LINE_LENGTH_MAX).normalize('NFC');
    return `(${known.replaceAll(/[^ -~\u00A0-\u00FF]/gu, '?').replaceAll(/[()\\]/g, (mark) => `\\${mark}`)}) '`;
  });
  const text = Buffer.from(`BT /F1 11 Tf 15 TL 60 740 Td ${shown.join('\n')} ET`, 'latin1');
  const stream = deflateSync(text, { level: compressed ? 9 : 0 });
  const objects = [
    ...fixedObjects(),
    `<< /Length ${stream.length} /Filter /FlateDecode >>\nstream\n${stream.toString('latin1')}\nendstream`,
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
