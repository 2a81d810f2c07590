/** Posts orders as fast as a server takes them: ready-made requests over plain sockets. Arguments: the server as JSON, orders, connections. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { accessToken } from '../measure/bare-client.ts';
import type { Served } from '../measure/server.ts';
import { argument, report } from '../measure/subject.ts';
import { inventedPayloads } from '../orders.ts';

const served = JSON.parse(argument(0)) as Served;
const { hostname, port, host } = new URL(served.baseUrl);
const token = await accessToken(served);
const requests = [...inventedPayloads(Number(argument(1)))].map((payload) => requestOf(JSON.stringify({ ...payload, allowDuplication: false })));

await report(async () => {
  let created = 0;
  let next = 0;
  const post = async (): Promise<void> => {
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.setNoDelay(true);
    for (let request = requests[next]; request !== undefined; request = requests[next]) {
      next += 1;
      const answered = answerOn(socket);
      socket.write(request);
      if ((await answered).startsWith('HTTP/1.1 200')) created += 1;
    }
    socket.destroy();
  };
  await Promise.all(Array.from({ length: Number(argument(2)) }, post));
  return { created };
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
