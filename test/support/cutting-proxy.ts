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
  /** Cuts all connections, with what is still on its way; those that come later go to this port. */
  sendTo(port: number): void;
  /** Cuts all connections, with what is still on its way, and takes none any more. */
  dropAll(): void;
}

/** `lagMs`: how long each word of the server is on its way. */
export async function startCuttingProxy(to: number, lagMs = 0): Promise<CuttingProxy> {
  const worker = new Worker(new URL(import.meta.url), {
    workerData: { to, lagMs },
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  const [port] = (await once(worker, 'message')) as [number];
  return {
    port,
    cutNext: (cut) => worker.postMessage(cut, []),
    sendTo: (other) => worker.postMessage({ to: other }, []),
    dropAll: () => worker.postMessage({ to: null }, []),
    [Symbol.asyncDispose]: async () => void (await worker.terminate()),
  };
}

if (!isMainThread && parentPort !== null) {
  const { to: first, lagMs } = workerData as { readonly to: number; readonly lagMs: number };
  let to: number | null = first;
  let next: Cut | null = null;
  const open = new Set<() => void>();
  parentPort.on('message', (told: Cut | { readonly to: number | null }) => {
    if ('at' in told) return void (next = told);
    to = told.to;
    for (const end of open) end();
  });
  const server = createServer((client) => {
    if (to === null) return void client.destroy();
    const database = connect(to, '127.0.0.1');
    let awaited: string | null = null;
    const end = (): void => {
      open.delete(end);
      for (const socket of [client, database] as readonly Socket[]) socket.destroy();
    };
    open.add(end);
    client.on('data', (said) => {
      if (next === null || !said.includes(next.at)) return void database.write(said);
      const { when, answer = '' } = next;
      next = null;
      if (when === 'before') return end();
      awaited = answer;
      database.write(said);
    });
    database.on('data', (answer) => {
      if (lagMs > 0) setTimeout(() => client.write(answer), lagMs);
      else if (awaited === null) client.write(answer);
      else if (answer.includes(awaited)) end();
    });
    for (const socket of [client, database]) socket.on('error', end).on('close', end);
  });
  server.listen(0, '127.0.0.1', () => parentPort?.postMessage((server.address() as AddressInfo).port, []));
}
