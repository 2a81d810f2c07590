import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { ProgressBar } from '../../../src/night/progress-bar.ts';

/** A terminal, or what is none, with a clock that is moved by hand. */
function screen({ isTTY = true, columns = 80 } = {}) {
  const written: string[] = [];
  const clock = { at: 0, now: () => clock.at };
  const bar = new ProgressBar({ isTTY, columns, write: (text: string) => written.push(text) }, clock);
  /** What the line shows after this update. */
  const at = (ms: number, ...update: Parameters<ProgressBar['update']>): string => {
    clock.at = ms;
    bar.update(...update);
    return stripVTControlCharacters(written.at(-1) ?? '').trimStart();
  };
  return { bar, written, at };
}

test('shows progress and time left of a step', () => {
  const { at } = screen();
  at(0, 'ordering', 0, 400);
  expect(at(600, 'ordering', 40, 400)).toBe(`Ordering ${'█'.repeat(2)}${'░'.repeat(22)}  10%  40/400`);
  expect(at(2000, 'ordering', 100, 400)).toBe(`Ordering ${'█'.repeat(6)}${'░'.repeat(18)}  25%  100/400  6 s left`);
});

test('shows nothing for a step shorter than half a second', () => {
  const { bar, written, at } = screen();
  at(0, 'writing', 1, 3);
  at(400, 'writing', 3, 3);
  bar.end();
  expect(written).toEqual([]);
});

test('never runs backward when the total grows or a step restarts', () => {
  const { at } = screen();
  const shares: number[] = [];
  const look = (line: string): void => void shares.push(Number(/(\d+)%/.exec(line)?.[1]));
  at(0, 'ordering', 0, 100);
  look(at(1000, 'ordering', 60, 100));
  look(at(2000, 'ordering', 61, 500));
  look(at(3000, 'ordering', 400, 500));
  // A second pass over what was freed meanwhile.
  look(at(4000, 'ordering', 1, 50));
  look(at(5000, 'ordering', 50, 50));
  expect(shares).toEqual([60, 60, 80, 89, 100]);
});

test('draws each step on its own line and clears it', () => {
  const { bar, written, at } = screen();
  at(0, 'asking', 0, 10);
  at(1000, 'asking', 10, 10);
  at(1001, 'fetching', 1, 4);
  expect(written.at(-1)).toBe('\r\u001B[2K');
  expect(at(2000, 'fetching', 1, 4)).toMatch(/^Fetching .* 25% {2}1\/4$/);
  bar.end();
  bar.end();
  expect(written.slice(-2).filter((text) => text === '\r\u001B[2K')).toHaveLength(1);
});

test('prints a message on its own line and redraws the bar below', () => {
  const { bar, written, at } = screen();
  at(0, 'ordering', 0, 4);
  at(1000, 'ordering', 2, 4);
  bar.say('Stopping.');
  expect(written.slice(-2)).toEqual(['\r\u001B[2K', 'Stopping.\n']);
  expect(at(1010, 'ordering', 3, 4)).toMatch(/75%/);
});

test('does not divide by an unknown total', () => {
  const { at } = screen();
  at(0, 'reading', 0, 0);
  expect(at(2000, 'reading', 12_345, 0)).toBe('Reading   12,345');
});

test.each([100, 60, 44, 30, 13, 0])('fits a terminal of %d columns, where 0 is unknown', (columns) => {
  const { at } = screen({ columns });
  at(0, 'fetching', 0, 100_000);
  const line = at(60_000, 'fetching', 50_000, 100_000);
  expect(line.length).toBeLessThan(columns || 80);
  expect(line).toMatch(/^Fetching/);
});

test('writes only messages to a pipe', () => {
  const { bar, written, at } = screen({ isTTY: false });
  at(0, 'fetching', 0, 4);
  at(5000, 'fetching', 1, 4);
  bar.say('Stopping.');
  bar.end();
  expect(written).toEqual(['Stopping.\n']);
});
