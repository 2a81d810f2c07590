import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A port in front of a server that can be away and come back: closed, it cuts every connection at once. Nobody else can take the port meanwhile. */
export interface Door extends AsyncDisposable {
  readonly port: number;
  open(): void;
  close(): void;
}

/** Opens a door on loopback to the server at this port. */
export async function startDoor(to: number): Promise<Door> {
  const sockets = new Set<Socket>();
  let isOpen = true;
  const server = createServer((client) => {
    if (!isOpen) return void client.resetAndDestroy();
    const behind = connect(to, '127.0.0.1');
    for (const socket of [client, behind]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        behind.destroy();
      });
    }
    client.pipe(behind).pipe(client);
  });
  const cutAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    open: () => void (isOpen = true),
    close() {
      isOpen = false;
      cutAll();
    },
    async [Symbol.asyncDispose]() {
      cutAll();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
