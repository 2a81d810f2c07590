import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import type { OpenFile } from '../../../src/service/redirects.ts';
import type { ReadOutcome } from '../../../src/service/outcome.ts';
import { clientThat, collectContext, openLedgerBench, type LedgerBench } from '../../support/run-bench.ts';
import { download, type Download, storeFile } from '../../../src/collect/project-files.ts';
import { ServiceUnavailable } from '../../../src/service/reads.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const PDF = Buffer.from(`%PDF-1.7\n${'x'.repeat(5000)}\nstartxref\n9\n%%EOF\n`);

type Opening = () => ReadOutcome<OpenFile>;

const file =
  (bytes: Uint8Array, contentLength: number | null = bytes.length): Opening =>
  () => ({
    kind: 'ok',
    value: {
      stream: Readable.from([bytes.subarray(0, 100), bytes.subarray(100)].map((chunk) => Buffer.from(chunk))),
      contentType: 'application/pdf',
      contentLength,
    },
  });

const tornOff: Opening = () => {
  const stream = Readable.from(
    (async function* () {
      yield PDF.subarray(0, 1000);
      throw new Error('the connection was cut');
    })(),
  );
  return { kind: 'ok', value: { stream, contentType: null, contentLength: null } };
};

interface Result {
  readonly result: Download;
  readonly opened: number;
  readonly files: readonly string[];
}

/** Downloads what these openings give, one after the other; the last one is given again and again. */
async function downloadOf(
  openings: readonly Opening[],
  use: (bench: LedgerBench, result: Download) => Promise<void> = async () => {},
): Promise<Result> {
  await using bench = await openLedgerBench();
  let opened = 0;
  const openFile = async (): Promise<ReadOutcome<OpenFile>> => {
    const opening = openings[Math.min(opened, openings.length - 1)];
    opened += 1;
    if (opening === undefined) throw new Error('no opening');
    return opening();
  };
  const store = join(bench.folder, 'store');
  const result = await bench.clock.drive(
    download(
      openFile,
      join(store, '11', 'report-R1-v1'),
      'report',
      collectContext({ ...bench, client: clientThat({}) }),
    ),
  );
  await use(bench, result);
  const files = await readdir(join(store, '11')).catch(() => []);
  return { result, opened, files };
}

test('download stores a whole file under its name, with length and hash', async () => {
  const { result, opened, files } = await downloadOf([file(PDF)], async (bench) => {
    expect(await readFile(join(bench.folder, 'store/11/report-R1-v1.pdf'))).toEqual(PDF);
  });
  expect(result).toEqual({
    kind: 'stored',
    path: expect.stringMatching(/report-R1-v1\.pdf$/),
    bytes: PDF.length,
    sha256: createHash('sha256').update(PDF).digest('hex'),
    mediaType: 'application/pdf',
  });
  expect([opened, files]).toEqual([1, ['report-R1-v1.pdf']]);
});

// Another host may have recorded the existing name.
test('storeFile never replaces a file, and reuses one with equal bytes', async () => {
  await using folder = await temporaryFolder();
  const stored = async (bytes: Buffer): Promise<string> => {
    const opened = file(bytes)();
    const result =
      opened.kind === 'ok'
        ? await storeFile(opened.value, join(folder.path, 'report-R1-v1'), 'report', createVirtualClock())
        : null;
    return result?.kind === 'stored' ? basename(result.path) : 'nothing';
  };
  const other = Buffer.from(PDF.toString().replaceAll('x', 'y'));
  expect([await stored(PDF), await stored(PDF), await stored(other), await stored(other)]).toEqual([
    'report-R1-v1.pdf',
    'report-R1-v1.pdf',
    expect.stringMatching(/^report-R1-v1-[0-9a-f]{12}\.pdf$/),
    expect.stringMatching(/^report-R1-v1-[0-9a-f]{12}\.pdf$/),
  ]);
  expect([await readFile(join(folder.path, 'report-R1-v1.pdf')), (await readdir(folder.path)).length]).toEqual([
    PDF,
    2,
  ]);
});

test('download stores a file that comes whole on the third try', async () => {
  const { result, opened, files } = await downloadOf([file(PDF.subarray(0, 3000), null), tornOff, file(PDF)]);
  expect([result.kind, opened, files]).toEqual(['stored', 3, ['report-R1-v1.pdf']]);
  expect(result).toMatchObject({ bytes: PDF.length });
});

test.each<[string, Opening, string]>([
  ['cut short without anybody saying so', file(PDF.subarray(0, 3000), null), 'no end'],
  ['shorter than was said', file(PDF, PDF.length + 1), `${PDF.length} bytes came instead of ${PDF.length + 1}`],
  ['longer than was said', file(PDF, PDF.length - 1), 'instead of'],
  ['torn off', tornOff, 'the transfer broke off'],
  ['empty', file(Buffer.alloc(0)), 'empty'],
  ['a web page', file(Buffer.from('<html>Sign in</html>')), 'web page'],
])('download gives up a file %s after three tries, leaving nothing behind', async (_what, opening, reason) => {
  const { result, opened, files } = await downloadOf([opening]);
  expect([result, opened, files]).toEqual([{ kind: 'broken', reason: expect.stringContaining(reason) }, 3, []]);
});

test('download reports a file that is not found as missing, without retrying', async () => {
  const { result, opened } = await downloadOf([() => ({ kind: 'not-found', message: 'no' })]);
  expect([result, opened]).toEqual([{ kind: 'missing' }, 1]);
});

test('download throws ServiceUnavailable when the service does not answer', async () => {
  await expect(
    downloadOf([() => ({ kind: 'transient', reason: 'HTTP 503', status: 503, retryAfterMs: null })]),
  ).rejects.toThrow(ServiceUnavailable);
});
