import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { UnreadableFileError } from '../../../../../src/intake/readers/row-source.ts';
import { openSpreadsheet } from '../../../../../src/intake/readers/open-spreadsheet.ts';
import { readBytes } from '../../../../support/made-files.ts';
import { inProof } from '../../../../support/proof-size.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';

const MIB = 1024 * 1024;
const TABLE = `a,b\n${'one,two\n'.repeat(5_000)}`;

test.each([
  [inProof({ share: 16, whole: 64 }), 'nothing else', ''],
  [8, 'a byte order mark of UTF-16', '\ufeff'],
  [8, 'a header', 'a,b\n'],
  [8, 'a table', TABLE],
])('refuses %d MB of NULs after %s at once', async (mebibytes, _, start) => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'orders.csv');
  const handle = await open(path, 'w');
  await handle.write(Buffer.from(start, start === '\ufeff' ? 'utf16le' : 'utf8'));
  // A hole: it takes no room on the disk.
  await handle.truncate(mebibytes * MIB);
  await handle.close();
  const before = process.memoryUsage().heapUsed;
  const failure: unknown = await openSpreadsheet(path, 'orders.csv').catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(UnreadableFileError);
  expect(failure).toMatchObject({ code: 'not-text' });
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(32 * MIB);
});

test('reads a table without its NULs, and UTF-16 without a mark', async () => {
  const { rows } = await readBytes(Buffer.from(TABLE.replace('one,', 'o\0ne,\0\0\0')), 'orders.csv');
  expect(rows[0]?.length).toBe(5_001);
  const wide = await readBytes(Buffer.from(TABLE, 'utf16le'), 'orders.csv');
  expect(wide.rows[0]?.length).toBe(5_001);
  const padded = TABLE.replaceAll('one,', `one${'\0'.repeat(30)},`);
  expect((await readBytes(Buffer.from(padded), 'orders.csv')).rows[0]?.length).toBe(5_001);
});
