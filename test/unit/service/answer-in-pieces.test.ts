import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import { createTransport, type Exchange } from '../../../src/service/exchange.ts';

/** In a thread of its own, so that it answers while this one is busy. */
const SERVER = `
  const { parentPort } = require('node:worker_threads');
  const server = require('node:net').createServer((socket) => {
    socket.setNoDelay(true).on('error', () => {});
    socket.on('data', () => {
      socket.write('HTTP/1.1 422 Unprocessable Entity\\r\\nContent-Length: 2\\r\\n\\r\\n');
      setTimeout(() => socket.write('{}'), 100);
    });
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

function stayBusy(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

describe('exchange', () => {
  test('reads an answer whose head came before the request was settled', async () => {
    const server = new Worker(SERVER, { eval: true });
    const [port] = (await once(server, 'message')) as [number];
    const transport = createTransport({ timeoutMs: 30_000, connectTimeoutMs: 30_000, socketsMax: 1 });
    try {
      const url = new URL(`http://127.0.0.1:${port}/`);
      const send = () => transport.exchange({ method: 'POST', url, headers: {}, body: '{}' });
      // The second request is written at once, on the open connection.
      await send();
      const answer = await new Promise<Exchange>((resolve, reject) => {
        setImmediate(() => void send().then(resolve, reject));
        setImmediate(stayBusy, 50);
      });
      expect(answer).toMatchObject({ kind: 'answer', status: 422, body: Buffer.from('{}') });
    } finally {
      transport.close();
      await server.terminate();
    }
  });
});
