import { sentence } from '../domain/sentences.ts';
import { EXIT, noteStop, type StoppedBy } from './exit-codes.ts';
import { progressBar } from './progress-bar.ts';

export type StopSignal = ReturnType<typeof listenForStop>;

/** A second signal ends the process at once. */
export function listenForStop() {
  const controller = new AbortController();
  let by: StoppedBy | null = null;
  noteStop(null);
  const stop = (signal: NodeJS.Signals) => {
    const stoppedBy = signal === 'SIGINT' ? signal : 'SIGTERM';
    if (by !== null) process.exit(EXIT[stoppedBy]);
    by = stoppedBy;
    noteStop(by);
    progressBar.say(sentence('run/stopping'));
    controller.abort(new Error('The run was asked to stop.'));
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  return {
    signal: controller.signal,
    get by() {
      return by;
    },
    [Symbol.dispose]() {
      process.off('SIGINT', stop);
      process.off('SIGTERM', stop);
    },
  };
}
