// Stands between a driver and its database, in a thread of its own: the driver's blocks. It cuts the connection of whoever says what it was told.
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

/** `before`: the words never reach the server. `after`: they do, and its answer, which says `answer`, never comes back. */
export interface Cut {
  readonly at: string;
  readonly when: 'before' | 'after';
  readonly answer?: string;
}

export interface CuttingProxy extends AsyncDisposable {
  readonly port: number;
  /** The next connection that says this is cut, once. */
  cutNext(cut: Cut): void;
}

export async function startCuttingProxy(to: number): Promise<CuttingProxy> {
  const worker = new Worker(new URL(import.meta.url), {
    workerData: { to },
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  const [port] = (await once(worker, 'message')) as [number];
  return {
    port,
    cutNext: (cut) => worker.postMessage(cut, []),
    [Symbol.asyncDispose]: async () => void (await worker.terminate()),
  };
}

if (!isMainThread && parentPort !== null) {
  const { to } = workerData as { readonly to: number };
  let next: Cut | null = null;
  parentPort.on('message', (cut: Cut) => (next = cut));
  const server = createServer((client) => {
    const database = connect(to, '127.0.0.1');
    let awaited: string | null = null;
    const end = (): void => {
      for (const socket of [client, database] as readonly Socket[]) socket.destroy();
    };
    client.on('data', (said) => {
      if (next === null || !said.includes(next.at)) return void database.write(said);
      const { when, answer = '' } = next;
      next = null;
      if (when === 'before') return end();
      awaited = answer;
      database.write(said);
    });
    database.on('data', (answer) => {
      if (awaited === null) client.write(answer);
      else if (answer.includes(awaited)) end();
    });
    for (const socket of [client, database]) socket.on('error', end).on('close', end);
  });
  server.listen(0, '127.0.0.1', () => parentPort?.postMessage((server.address() as AddressInfo).port, []));
}
