/** What SIGINT and SIGTERM do to a run: nothing new is begun, what is in flight is finished, and the exit code says so. */
export interface StopSignal extends Disposable {
  readonly signal: AbortSignal;
  /** 130 or 143 once it was asked to stop, else null. */
  readonly exitCode: 130 | 143 | null;
}

/** Listens until it is disposed of. A second signal ends the process at once: whoever sends two means it. */
export function listenForStop(): StopSignal {
  const controller = new AbortController();
  let exitCode: 130 | 143 | null = null;
  const stop = (code: 130 | 143) => () => {
    if (exitCode !== null) process.exit(code);
    exitCode = code;
    process.stderr.write('Stopping: what is in flight is finished first. (Once more to stop at once.)\n');
    controller.abort(new Error('The run was asked to stop.'));
  };
  const onInterrupt = stop(130);
  const onTerminate = stop(143);
  process.on('SIGINT', onInterrupt);
  process.on('SIGTERM', onTerminate);
  return {
    signal: controller.signal,
    get exitCode() {
      return exitCode;
    },
    [Symbol.dispose]() {
      process.off('SIGINT', onInterrupt);
      process.off('SIGTERM', onTerminate);
    },
  };
}
