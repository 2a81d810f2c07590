import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { isProvenDead, readProcessStat, systemProcesses, type ProcessIdentity, type ProcessState } from '../../../src/ops/process-identity.ts';

const self: ProcessIdentity = { host: 'night', machineId: 'm1', bootId: 'b1', pidNamespace: 'pid:[1]', pid: 10, startTime: '500' };
const owner: ProcessIdentity = { ...self, pid: 7, startTime: '100' };
const gone: ProcessState = { kind: 'gone' };
const running = (startTime: string | null): ProcessState => ({ kind: 'running', startTime });

test.each<[string, Partial<ProcessIdentity>, ProcessState, boolean]>([
  ['its pid is gone', {}, gone, true],
  ['its pid belongs to a later process', {}, running('900'), true],
  ['it runs', {}, running('100'), false],
  ['its pid runs, and the start is not told', {}, running(null), false],
  ['its pid runs, and it did not write down its start', { startTime: null }, running('100'), false],
  ['the machine was started anew', { bootId: 'b0' }, running('100'), true],
  ['the machine tells no boot id', { bootId: null }, running('100'), false],
  ['it is on another host', { host: 'day' }, gone, false],
  ['it is on another machine of the same name', { machineId: 'm2', bootId: 'b0' }, gone, false],
  ['it is in another container', { pidNamespace: 'pid:[2]' }, gone, false],
])('%s', (_, differences, state, dead) => {
  expect(isProvenDead({ ...owner, ...differences }, { self, stateOf: () => state })).toBe(dead);
});

test('the start time is found behind a command with spaces and brackets, and a zombie has ended', () => {
  const rest = '1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 4711 0 0';
  expect(readProcessStat(`7 (a) S (b c) S ${rest}`)).toEqual({ kind: 'running', startTime: '4711' });
  expect(readProcessStat(`7 (node) Z ${rest}`)).toEqual({ kind: 'gone' });
});

test('on this machine the own process runs and one that has ended is gone', () => {
  const processes = systemProcesses();
  expect(isProvenDead(processes.self, processes)).toBe(false);
  const ended = spawnSync(process.execPath, ['--version']);
  expect(processes.stateOf(ended.pid)).toEqual({ kind: 'gone' });
});
