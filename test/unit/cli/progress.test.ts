import { expect, test } from 'vitest';
import { createProgress } from '../../../src/cli/terminal.ts';

function recorder(isTTY: boolean, columns = 80) {
  const written: string[] = [];
  return { isTTY, columns, written, write: (text: string) => written.push(text) };
}

test('a terminal sees a bar that replaces itself and is gone in the end', () => {
  const stream = recorder(true);
  const progress = createProgress(stream, 'Submitting');
  progress.update(1, 4);
  progress.update(1, 4);
  progress.update(5, 4);
  progress.done();
  progress.done();
  expect(stream.written).toEqual([
    `\r\u001B[2KSubmitting ${'█'.repeat(6)}${'░'.repeat(18)}  25 % 1/4`,
    `\r\u001B[2KSubmitting ${'█'.repeat(24)} 100 % 5/4`,
    '\r\u001B[2K',
  ]);
});

test('a total that is not known yet is not divided by, and a narrow terminal is not overrun', () => {
  const stream = recorder(true, 13);
  const progress = createProgress(stream, 'Collecting');
  progress.update(3, 0);
  progress.update(3, 9);
  expect(stream.written).toEqual(['\r\u001B[2KCollecting 3', '\r\u001B[2KCollecting █']);
});

test('a pipe sees nothing', () => {
  const stream = recorder(false);
  const progress = createProgress(stream, 'Submitting');
  progress.update(1, 4);
  progress.done();
  expect(stream.written).toEqual([]);
});
