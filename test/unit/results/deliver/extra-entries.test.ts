import { hash } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { verifyArchive } from '../../../../src/results/deliver/archive.ts';
import { writeZip } from '../../../../src/ops/write-zip.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

describe('compare', () => {
  const MANIFEST = 'manifest.sha256';
  const content = (name: string): Buffer => Buffer.from(`content of ${name}`);
  const entry = (name: string) => ({ name, path: '', sha256: hash('sha256', content(name)) });

  /** An archive of these files, compared with what should be in there. */
  async function compared(held: readonly string[], wanted: readonly string[]): Promise<void> {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'reports.zip');
    await writeZip(
      path,
      held.map((name) => ({ name, deflate: false, content: content(name) })),
    );
    await verifyArchive(path, wanted.map(entry), entry(MANIFEST));
  }

  test('accepts the entries with their manifest', async () => {
    await expect(compared(['a.pdf', 'b.pdf', MANIFEST], ['a.pdf', 'b.pdf'])).resolves.toBeUndefined();
  });

  test('refuses an extra entry', async () => {
    await expect(compared(['a.pdf', 'b.pdf', MANIFEST], ['a.pdf'])).rejects.toThrow('holds more');
  });

  test('refuses a missing entry by its name', async () => {
    await expect(compared(['a.pdf', MANIFEST], ['a.pdf', 'b.pdf'])).rejects.toThrow('lacks b.pdf');
  });

  test('refuses an archive without its manifest', async () => {
    await expect(compared(['a.pdf'], ['a.pdf'])).rejects.toThrow(`lacks ${MANIFEST}`);
  });
});
