import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { Host } from '../../../src/fleet/hosts.ts';

const HOUR = 3_600_000;
/** No silence counts within a test: only the end of the session does. */
const PATIENT = { everyMs: HOUR, sureMs: HOUR, endedMs: HOUR };

/** A message of PostgreSQL's protocol 3: its type, its length, its body. */
function message(type: string, body = Buffer.alloc(0)): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
}

const READY = message('Z', Buffer.from('I'));
const DONE = Buffer.concat([message('C', Buffer.from('SELECT 0\0')), READY]);
const ANSWERS: Readonly<Record<string, Buffer>> = {
  Q: DONE,
  S: Buffer.concat([message('1'), message('2'), message('n'), DONE]),
};

/** As much of PostgreSQL as lets a host in: takes every login, and gives every question no rows. */
function serve(socket: Socket): void {
  let held = Buffer.alloc(0);
  let isIn = false;
  socket.on('error', () => {});
  socket.on('data', (bytes) => {
    held = Buffer.concat([held, Buffer.from(bytes)]);
    if (!isIn) {
      isIn = true;
      held = held.subarray(held.readInt32BE(0));
      socket.write(Buffer.concat([message('R', Buffer.alloc(4)), READY]));
    }
    while (held.length >= 5 && held.length > held.readInt32BE(1)) {
      socket.write(ANSWERS[held.toString('latin1', 0, 1)] ?? Buffer.alloc(0));
      held = held.subarray(held.readInt32BE(1) + 1);
    }
  });
}

async function openHost() {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    serve(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = await Host.open({
    target: { url: `postgres://127.0.0.1:${(server.address() as AddressInfo).port}/db`, schema: 'a' },
    run: 'a run',
    role: 'run',
    command: 'run',
    clock: { now: () => 0 },
    sleep: (_ms, signal) =>
      new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(new Error('closed')))),
    signs: PATIENT,
  });
  return {
    host,
    cutOff: () => {
      for (const socket of sockets) socket.destroy();
    },
    async [Symbol.asyncDispose]() {
      await host[Symbol.asyncDispose]();
      server.close();
    },
  };
}

describe('check', () => {
  test('lets a host send while its session lasts', async () => {
    await using opened = await openHost();
    await opened.host.check();
    await opened.host.check('now');
    expect(opened.host.isSure).toBe(true);
  });

  test('stops a host as soon as its session has ended', async () => {
    await using opened = await openHost();
    opened.cutOff();
    await vi.waitUntil(() => !opened.host.isSure, { timeout: 20_000, interval: 5 });
    await expect(opened.host.check()).rejects.toMatchObject({ code: 'host-replaced', kind: 'lost-place' });
  });
});

describe('living', () => {
  test('throws that the host was replaced after its session ended', async () => {
    await using opened = await openHost();
    opened.cutOff();
    await vi.waitUntil(() => !opened.host.isSure, { timeout: 20_000, interval: 5 });
    await expect(opened.host.living()).rejects.toMatchObject({ code: 'host-replaced', kind: 'lost-place' });
  });
});
