/**
 * Posts orders over plain sockets, ready-made: as fast as a server takes them, or so many a second. Arguments: the server as JSON, orders, connections,
 * orders a second (0: no limit). Tells how long the answers took; at a rate from the moment that each was due, so that one that had to wait for a
 * connection has waited.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { accessToken } from '../measure/bare-client.ts';
import type { Served } from '../measure/server.ts';
import { argument, report } from '../measure/subject.ts';
import { inventedPayloads } from '../orders.ts';

const served = JSON.parse(argument(0)) as Served;
const { hostname, port, host } = new URL(served.baseUrl);
const token = await accessToken(served);
const requests = [...inventedPayloads(Number(argument(1)))].map((payload) =>
  requestOf(JSON.stringify({ ...payload, allowDuplication: false })),
);

const aSecond = Number(argument(3));
/** At a rate, the first second is not counted: server and this process still compile. */
const warmUpMs = aSecond === 0 ? 0 : 1000;

await report(async () => {
  const began = performance.now();
  const tookMs: number[] = [];
  let created = 0;
  let next = 0;
  const post = async (): Promise<void> => {
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.setNoDelay(true);
    for (let request = requests[next]; request !== undefined; request = requests[next]) {
      const dueAt = aSecond === 0 ? performance.now() : began + (next / aSecond) * 1000;
      next += 1;
      const early = dueAt - performance.now();
      if (early > 0) await pause(early);
      const answered = answerOn(socket);
      socket.write(request);
      if ((await answered).startsWith('HTTP/1.1 200')) created += 1;
      if (dueAt >= began + warmUpMs) tookMs.push(performance.now() - dueAt);
    }
    socket.destroy();
  };
  await Promise.all(Array.from({ length: Number(argument(2)) }, post));
  tookMs.sort((a, b) => a - b);
  const slowest = (share: number): number => tookMs[Math.floor((tookMs.length - 1) * share)] ?? Number.NaN;
  return { created, p50Ms: slowest(0.5), p99Ms: slowest(0.99), maxMs: slowest(1) };
});

function requestOf(body: string): Buffer {
  return Buffer.from(
    `POST /v1/project HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/** The whole of the next answer. */
function answerOn(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer: Buffer = Buffer.alloc(0);
    const take = (chunk: Buffer): void => {
      answer = Buffer.concat([answer, chunk]);
      const headEnd = answer.indexOf('\r\n\r\n');
      if (headEnd === -1) return;
      const head = answer.toString('latin1', 0, headEnd);
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (answer.length < headEnd + 4 + length) return;
      socket.off('data', take);
      socket.off('error', reject);
      resolve(head);
    };
    socket.on('data', take);
    socket.once('error', reject);
  });
}
