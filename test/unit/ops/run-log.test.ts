import { execFile } from 'node:child_process';
import { mkdtempDisposable, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { ExplainedError } from '../../../src/domain/errors.ts';
import { openRunLog } from '../../../src/ops/log.ts';

const clock = { now: () => Date.UTC(2026, 10, 21, 2) };
const newFolder = () => mkdtempDisposable(join(tmpdir(), 'run-log-'));
const linesOf = async (path: string): Promise<unknown[]> =>
  (await readFile(path, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));

describe('openRunLog', () => {
  test('every call writes one JSON line at once', async () => {
    await using folder = await newFolder();
    await using log = openRunLog(folder.path, 'run-1', clock);
    log.info('started', { files: 2, dryRun: false, note: null, line: 'two\nlines', absent: undefined });
    log.warn('slow');
    log.error('stopped', { level: 'mine' });
    expect(log.path).toBe(join(folder.path, 'run-1.jsonl'));
    const at = '2026-11-21T02:00:00.000Z';
    expect(await linesOf(log.path)).toEqual([
      { at, level: 'info', event: 'started', files: 2, dryRun: false, note: null, line: 'two\nlines' },
      { at, level: 'warn', event: 'slow' },
      { at, level: 'error', event: 'stopped', level_: 'mine' },
    ]);
    expect((await stat(log.path)).mode & 0o777).toBe(0o600);
  });

  test('secrets and signed URLs stay out of events, names and values', async () => {
    await using folder = await newFolder();
    await using log = openRunLog(folder.path, 'run-1', clock);
    log.registerSecret('S3CRET-password');
    log.info('tried S3CRET-password', {
      'S3CRET-password': 'x',
      url: 'https://files.example/a.pdf?sig=S3CRET',
      token: 'Bearer S3CRET',
    });
    expect(await readFile(log.path, 'utf8')).not.toContain('S3CRET');
    expect(log.redact('S3CRET-password')).toBe('[redacted]');
  });

  test('a line after the end is dropped, and ending twice is harmless', async () => {
    await using folder = await newFolder();
    const log = openRunLog(folder.path, 'run-1', clock);
    log.info('started');
    await log[Symbol.asyncDispose]();
    log.info('too late');
    await log[Symbol.asyncDispose]();
    expect(await linesOf(log.path)).toHaveLength(1);
  });

  test('a level leaves out what is below it, from then on', async () => {
    await using folder = await newFolder();
    await using log = openRunLog(folder.path, 'run-1', clock);
    log.debug('not asked for');
    log.setLevel('debug');
    log.debug('asked for');
    log.setLevel('error');
    log.warn('too little');
    log.error('enough');
    expect(await linesOf(log.path)).toMatchObject([{ event: 'asked for', level: 'debug' }, { event: 'enough' }]);
  });

  /** Writes to a log that may not grow over a kilobyte, makes room, and writes once more. */
  const ON_A_FULL_DISK = `
  const { truncateSync } = await import('node:fs');
  const { openRunLog } = await import(process.argv[1]);
  const log = openRunLog(process.argv[2], 'run-1', { now: () => 0 });
  for (let line = 0; line < 5; line++) log.info('x'.repeat(400));
  truncateSync(log.path);
  log.info('room again');
  log.info('and still');`;

  test('a full disk stops nothing, and a later line counts lost ones', async () => {
    await using folder = await newFolder();
    const source = join(import.meta.dirname, '../../../src/ops/log.ts');
    await promisify(execFile)('sh', [
      '-c',
      'ulimit -f 2; exec "$@"',
      'sh',
      process.execPath,
      '--input-type=module',
      '--eval',
      ON_A_FULL_DISK,
      source,
      folder.path,
    ]);
    const lines = await linesOf(join(folder.path, 'run-1.jsonl'));
    expect(lines).toMatchObject([
      { event: 'room again', linesLost: expect.any(Number) as number },
      { event: 'and still' },
    ]);
    expect(lines[1]).not.toHaveProperty('linesLost');
  });

  test('a folder that cannot be written to is explained', () => {
    expect(() => openRunLog(join(tmpdir(), 'no', 'such', 'folder'), 'run-1', clock)).toThrow(ExplainedError);
  });
});
