import { CommanderError } from 'commander';
import { afterEach, describe, expect, test } from 'vitest';
import { success, commandResult } from '../../../src/cli/terminal.ts';
import {
  exitCodeOf,
  exitCodeOfCensus,
  exitCodeOfCheck,
  exitCodeOfDoctor,
  exitCodeOfFailure,
  exitCodeOfRecovery,
  exitCodeOfRehearsal,
  exitCodeOfRun,
  exitCodeOfUpdates,
  explainedIn,
  isDone,
  noteStop,
  type RunOutcome,
} from '../../../src/night/exit-codes.ts';
import { ExplainedError } from '../../../src/domain/errors.ts';
import type { UpdateOutcome } from '../../../src/update/update-run.ts';
import type { CensusLine } from '../../../src/upkeep/compare-with-service.ts';

const QUIET: RunOutcome = {
  command: 'run',
  stoppedBy: null,
  faults: [],
  stopped: [],
  openUpdates: 0,
  orders: { submitting: 0, unresolved: 0, held: 0 },
  canSend: false,
  files: [{ outcome: 'processed' }],
  leftToFetch: 0,
  news: [],
  heldFiles: [],
};
const orders = (counts: Partial<RunOutcome['orders']>) => ({ orders: { ...QUIET.orders, ...counts } });

describe('exitCodeOf', () => {
  test('is 0 with nothing to report', () => {
    expect(exitCodeOf({})).toBe(0);
  });

  test.each([
    [130, { stoppedBy: 'SIGINT', fault: true, usage: true, workLeft: true, news: true }],
    [143, { stoppedBy: 'SIGTERM', fault: true }],
    [1, { fault: true, usage: true, workLeft: true, news: true }],
    [2, { usage: true, workLeft: true, news: true }],
    [4, { workLeft: true, news: true }],
    [3, { news: true }],
  ] as const)('ranks %i above everything that follows', (code, ending) => {
    expect(exitCodeOf(ending)).toBe(code);
  });
});

describe('exitCodeOfRun', () => {
  test.each<[number, string, Partial<RunOutcome>]>([
    [0, 'nothing is left', {}],
    [130, 'it was stopped', { stoppedBy: 'SIGINT', faults: [1] }],
    [1, 'a file met a fault of the program', { faults: [new Error('x')], stopped: ['x'] }],
    [4, 'a part ended early', { stopped: ['The service is away.'] }],
    [4, 'the outcome of an update is not known', { openUpdates: 1 }],
    [4, 'files are left to fetch', { leftToFetch: 1 }],
    [4, 'an order can be sent', { canSend: true }],
    [4, 'another host is sending an order', orders({ submitting: 1 })],
    [4, 'an order is in doubt', orders({ unresolved: 1 })],
    [4, 'one of its files is still being written', { files: [{ outcome: 'processed' }, { outcome: 'settling' }] }],
    [3, 'there is news', { news: ['x'] }],
    [3, 'an order is held', orders({ held: 1 })],
    [3, 'a file is held', { heldFiles: ['x'] }],
    [4, 'work is left and there is news', { news: ['x'], canSend: true }],
  ])('is %i if %s', (code, _what, changes) => {
    expect(exitCodeOfRun({ ...QUIET, ...changes })).toBe(code);
  });

  test.each<[number, string, Partial<RunOutcome>]>([
    [0, 'an order can be sent', { canSend: true }],
    [0, 'an order is in doubt', orders({ submitting: 1, unresolved: 1 })],
    [0, 'a file is still being written', { files: [{ outcome: 'settling' }] }],
    [4, 'files are left to fetch', { leftToFetch: 1 }],
  ])('is %i for collect if %s', (code, _what, changes) => {
    expect(exitCodeOfRun({ ...QUIET, ...changes, command: 'collect' })).toBe(code);
  });
});

test.each([
  [0, true],
  [1, false],
  [2, false],
  [3, true],
  [4, false],
  [130, false],
])('isDone of %i is %s', (code, expected) => {
  expect(isDone(code)).toBe(expected);
});

describe('exitCodeOfUpdates', () => {
  test.each<[number, readonly UpdateOutcome[]]>([
    [0, []],
    [0, ['done']],
    [4, ['done', 'unresolved']],
    [4, ['done', 'waiting']],
    [4, ['refused', 'waiting']],
    [3, ['done', 'rejected']],
    [3, ['done', 'refused']],
  ])('is %i for %j', (code, outcomes) => {
    expect(
      exitCodeOfUpdates(
        outcomes.map((outcome) => ({ outcome })),
        null,
      ),
    ).toBe(code);
  });

  test('ranks a stop above work left over', () => {
    expect(exitCodeOfUpdates([{ outcome: 'waiting' }], 'SIGTERM')).toBe(143);
  });
});

describe('exitCodeOfRecovery', () => {
  const file = {} as never;
  test.each([
    [0, { inDoubt: 0, held: 0 }, [], []],
    [4, { inDoubt: 1, held: 1 }, [], []],
    [3, { inDoubt: 0, held: 1 }, [], []],
    [3, { inDoubt: 0, held: 0 }, [file], []],
    [3, { inDoubt: 0, held: 0 }, [], [file]],
    [3, { inDoubt: 0, held: 0 }, [file], [file]],
    [3, { inDoubt: 0, held: 1 }, [file], []],
  ])('is %i for %j, %j unreadable, %j of others', (code, counts, unreadable, ofOthers) => {
    expect(exitCodeOfRecovery({ ...counts, archive: { unreadable, ofOthers } as never }, null)).toBe(code);
  });

  test('ranks a stop above the rest', () => {
    const archive = { unreadable: [], ofOthers: [] } as never;
    expect(exitCodeOfRecovery({ inDoubt: 1, held: 0, archive }, 'SIGINT')).toBe(130);
  });
});

describe('exitCodeOfCensus', () => {
  const line = (mark: string, isForPerson?: true) => ({ mark, isForPerson }) as CensusLine;
  test.each([
    [0, [line('=')]],
    [4, [line('='), line('!')]],
    [3, [line('='), line('!', true)]],
    [3, [line('='), line('≠')]],
  ])('is %i for the lines %j', (code, lines) => {
    expect(exitCodeOfCensus(lines, null)).toBe(code);
  });

  test('ranks a stop above the lines', () => {
    expect(exitCodeOfCensus([line('!')], 'SIGTERM')).toBe(143);
  });
});

const good = { outcome: 'processed', rows: { rejected: 0 } };

describe('exitCodeOfCheck', () => {
  test.each([
    [0, []],
    [0, [good]],
    [3, [good, { outcome: 'unreadable', rows: { rejected: 0 } }]],
    [3, [good, { outcome: 'processed', rows: { rejected: 1 } }]],
    [3, [{ ...good, notes: [{ code: 'sheet-left-out', text: '' }] }]],
    [3, [{ ...good, notes: [{ code: 'original-not-dropped', text: '' }] }]],
    [0, [{ ...good, notes: [{ code: 'sheet-hidden', text: '' }] }]],
  ])('is %i for %j', (code, files) => {
    expect(exitCodeOfCheck(files)).toBe(code);
  });
});

describe('exitCodeOfRehearsal', () => {
  const wrong = { outcome: 'processed', rows: { rejected: 1 } };
  test.each([
    [0, [0, 3], [good], 0],
    [3, [0, 0], [good], 1],
    [3, [0, 0], [wrong], 0],
    [4, [0, 4], [wrong], 1],
    [1, [1, 4], [good], 0],
    [0, [], [good], 0],
  ])('is %i for runs that ended %j', (code, runs, files, refused) => {
    expect(
      exitCodeOfRehearsal(
        runs.map((exitCode) => ({ exitCode })),
        files,
        refused,
      ),
    ).toBe(code);
  });
});

describe('exitCodeOfDoctor', () => {
  test.each([
    [0, []],
    [0, [{ state: 'ok' }, { state: 'warning' }]],
    [2, [{ state: 'ok' }, { state: 'problem' }]],
    [2, [{ state: 'problem', isAway: true }, { state: 'problem' }]],
    [4, [{ state: 'problem', isAway: true }]],
    [0, [{ state: 'ok', isAway: false }]],
  ] as const)('is %i for %j', (code, findings) => {
    expect(exitCodeOfDoctor(findings)).toBe(code);
  });
});

describe('exitCodeOfFailure', () => {
  afterEach(() => noteStop(null));

  test('is 0 for a help request, 2 for a wrong command line', () => {
    expect(exitCodeOfFailure(new CommanderError(0, 'commander.help', ''))).toBe(0);
    expect(exitCodeOfFailure(new CommanderError(1, 'commander.unknownOption', ''))).toBe(2);
  });

  test.each([
    ['usage', 2],
    ['work-left', 4],
    ['locked', 5],
    ['lost-place', 4],
  ] as const)('is %i for an explained failure of kind %s', (kind, code) => {
    expect(exitCodeOfFailure(new ExplainedError('code-of-a-test', 'x', { kind, hint: '' }))).toBe(code);
  });

  test('is 1 for an unexplained failure', () => {
    expect(exitCodeOfFailure(new Error('x'))).toBe(1);
  });

  test("is the signal's code after a signal", () => {
    noteStop('SIGTERM');
    expect(exitCodeOfFailure(new Error('x'))).toBe(143);
    expect(exitCodeOfFailure(new CommanderError(0, 'commander.help', ''))).toBe(0);
  });
});

test('commandResult puts the exit code into the document; done puts 0', () => {
  expect(commandResult(4, 'words', { a: 1 })).toEqual({ exitCode: 4, text: 'words', json: { a: 1, exitCode: 4 } });
  expect(success('words', { a: 1 })).toEqual({ exitCode: 0, text: 'words', json: { a: 1, exitCode: 0 } });
});

describe('explainedIn', () => {
  const explained = new ExplainedError('code-of-a-test', 'explained', { kind: 'usage', hint: '' });
  const withCode = (code: string, more: object = {}) => Object.assign(new Error(`it was ${code}`), { code, ...more });

  test('returns an explained failure itself', () => {
    expect(explainedIn(explained)).toBe(explained);
  });

  test.each([
    ['a plain failure', new Error('x')],
    ['what is no error', 'x'],
    ['nothing', undefined],
    ['an explained one that is only the cause', new Error('x', { cause: explained })],
    ['a refused right without a path', withCode('EACCES')],
    ['a path with another code', withCode('ENOENT', { path: '/x' })],
  ])('is null for %s', (_what, thrown) => {
    expect(explainedIn(thrown)).toBeNull();
  });

  test('keeps the first failure when closing fails too', () => {
    expect(explainedIn(new SuppressedError(new Error('while closing'), explained))).toBe(explained);
  });

  test.each(['ENOSPC', 'EDQUOT', 'EFBIG'])('ranks a full disk (%s) above all else at any depth', (code) => {
    const full = withCode(code);
    for (const thrown of [
      full,
      new Error('x', { cause: full }),
      new AggregateError([new Error('y'), full]),
      new SuppressedError(full, explained),
      new SuppressedError(new Error('z'), new Error('x', { cause: new AggregateError([full]) })),
    ]) {
      const found = explainedIn(thrown);
      expect(found?.message).toContain(`it was ${code}`);
      expect(found?.cause).toBe(thrown);
    }
  });

  test('names a deleted current folder', () => {
    const thrown = withCode('ENOENT', { syscall: 'uv_cwd' });
    expect(explainedIn(thrown)).toMatchObject({ code: 'no-current-folder', kind: 'usage' });
  });

  test.each(['EACCES', 'EPERM', 'EROFS'])('asks the user to fix a forbidden file (%s)', (code) => {
    const thrown = withCode(code, { path: '/x' });
    const found = explainedIn(thrown);
    expect(found?.message).toContain(`it was ${code}`);
    expect(found?.kind).toBe('usage');
    expect(found?.cause).toBe(thrown);
  });

  test('ends when causes refer to each other', () => {
    const one: Error & { cause?: unknown } = new Error('one');
    one.cause = new Error('two', { cause: one });
    expect(explainedIn(one)).toBeNull();
  });
});
