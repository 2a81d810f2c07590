import { buffer } from 'node:stream/consumers';

/** A file inside a ZIP. */
export interface ZippedFile {
  readonly name: string;
  readonly bytes: Buffer;
}

/** The clock would make every file another. */
const DATE = new Date(Date.UTC(2026, 0, 5));

/** A report as a ZIP: the PDF, and the photos as files. The same content gives the same bytes, in any time zone. */
export async function reportZip(pdf: Buffer, photos: readonly ZippedFile[]): Promise<Buffer> {
  // Loaded on first use: the server starts without it.
  const { ZipArchive } = await import('archiver');
  // PDF and photos are compressed already.
  const archive = new ZipArchive({ store: true });
  const whole = buffer(archive);
  for (const { name, bytes } of [{ name: 'report.pdf', bytes: pdf }, ...photos]) archive.append(bytes, { name, date: DATE, mode: 0o644 });
  await archive.finalize();
  return await whole;
}
