import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join, posix } from 'node:path';
import ssh2, { type Attributes, type Connection, type SFTPWrapper } from 'ssh2';
import { readableKeyPair } from './key-pair.ts';

const { Server, utils } = ssh2;
const { STATUS_CODE, flagsToString } = utils.sftp;

/** A real SFTP server over a folder of its own, for tests. Disposing of it stops it and removes the folder. */
export interface SftpServer extends AsyncDisposable {
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** Where its files lie on this machine. To clients it is `/`. */
  readonly folder: string;
  /** The operations that clients asked for, in their order, such as `RENAME .a.part a`. */
  readonly operations: readonly string[];
  /** The fingerprint of its key, `SHA256:…`. */
  readonly hostKey: string;
  stop(): Promise<void>;
}

/** Starts it on a port that is free. */
export async function startSftpServer(): Promise<SftpServer> {
  const folder = mkdtempSync(join(tmpdir(), 'sftp-'));
  const [user, password] = ['carrier', 'sftp-secret'];
  const operations: string[] = [];
  const connections = new Set<Connection>();
  const key = readableKeyPair();
  const server = new Server({ hostKeys: [key.private] }, (connection) => {
    connections.add(connection);
    // The types do not know it: without it every small answer waits for an acknowledgement.
    (connection as Connection & { setNoDelay(on: boolean): void }).setNoDelay(true);
    connection.on('close', () => connections.delete(connection));
    connection.on('error', () => undefined);
    connection.on('authentication', (context) => {
      if (context.method === 'password' && context.username === user && context.password === password) context.accept();
      else context.reject(['password']);
    });
    connection.on('ready', () => {
      connection.on('session', (accept) => {
        accept().on('sftp', (acceptSftp) => serveFolder(acceptSftp(), folder, operations));
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const stop = async (): Promise<void> => {
    for (const connection of connections) connection.end();
    await new Promise((resolve) => void server.close(resolve));
  };
  return {
    port: (address as AddressInfo).port,
    user,
    password,
    folder,
    operations,
    hostKey: fingerprintOf(key.public),
    stop,
    async [Symbol.asyncDispose]() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Of a public key as OpenSSH writes it: `ssh-ed25519 AAAA…`. */
function fingerprintOf(publicKey: string): string {
  const bytes = Buffer.from(publicKey.split(' ')[1] ?? '', 'base64');
  return `SHA256:${createHash('sha256').update(bytes).digest('base64').replace(/=+$/, '')}`;
}

/** What a handle of the protocol stands for: an open file, or a listing, which is given once. */
type Held = { readonly file: number } | { readonly folder: string; listed: boolean };

class Handles {
  readonly #held = new Map<number, Held>();
  #next = 1;

  open(held: Held): Buffer {
    const handle = Buffer.alloc(4);
    handle.writeUInt32BE(this.#next);
    this.#held.set(this.#next, held);
    this.#next += 1;
    return handle;
  }

  find(handle: Buffer): Held | undefined {
    return this.#held.get(handle.readUInt32BE());
  }

  close(handle: Buffer): void {
    const held = this.find(handle);
    if (held !== undefined && 'file' in held) closeSync(held.file);
    this.#held.delete(handle.readUInt32BE());
  }
}

/** A folder, with version 3 of the protocol and none of its extensions: what any server can do. */
function serveFolder(sftp: SFTPWrapper, folder: string, operations: string[]): void {
  const handles = new Handles();
  const local = (path: string): string => join(folder, posix.normalize(`/${path}`));
  const attempt = (reqId: number, work: () => unknown): void => {
    try {
      const opened = work();
      if (Buffer.isBuffer(opened)) sftp.handle(reqId, opened);
      else sftp.status(reqId, STATUS_CODE.OK);
    } catch (failure) {
      const isMissing = failure instanceof Error && 'code' in failure && failure.code === 'ENOENT';
      sftp.status(reqId, isMissing ? STATUS_CODE.NO_SUCH_FILE : STATUS_CODE.FAILURE);
    }
  };
  const noted = (what: string, work: () => unknown) => (reqId: number) => {
    operations.push(what);
    attempt(reqId, work);
  };

  sftp.on('OPEN', (reqId, path, flags) =>
    noted(`OPEN ${basename(path)}`, () => handles.open({ file: openSync(local(path), flagsToString(flags) ?? 'r') }))(
      reqId,
    ),
  );
  sftp.on('WRITE', (reqId, handle, offset, data) =>
    attempt(reqId, () => {
      const held = handles.find(handle);
      if (held === undefined || !('file' in held)) throw new Error('no open file');
      writeSync(held.file, data, 0, data.length, offset);
    }),
  );
  sftp.on('READ', (reqId, handle, offset, length) => {
    const held = handles.find(handle);
    const data = Buffer.alloc(length);
    const bytes = held !== undefined && 'file' in held ? readSync(held.file, data, 0, length, offset) : 0;
    if (bytes === 0) sftp.status(reqId, STATUS_CODE.EOF);
    else sftp.data(reqId, data.subarray(0, bytes));
  });
  const lookAt = (reqId: number, path: string): void => {
    if (existsSync(local(path))) sftp.attrs(reqId, attributesOf(local(path)));
    else sftp.status(reqId, STATUS_CODE.NO_SUCH_FILE);
  };
  sftp.on('STAT', lookAt);
  sftp.on('LSTAT', lookAt);
  sftp.on('MKDIR', (reqId, path) => noted(`MKDIR ${basename(path)}`, () => mkdirSync(local(path)))(reqId));
  sftp.on('FSETSTAT', (reqId) => sftp.status(reqId, STATUS_CODE.OK));
  sftp.on('CLOSE', (reqId, handle) => attempt(reqId, () => handles.close(handle)));
  sftp.on('OPENDIR', (reqId, path) =>
    noted(`OPENDIR ${path}`, () => {
      readdirSync(local(path));
      return handles.open({ folder: local(path), listed: false });
    })(reqId),
  );
  sftp.on('READDIR', (reqId, handle) => {
    const held = handles.find(handle);
    if (held === undefined || !('listed' in held) || held.listed) {
      sftp.status(reqId, STATUS_CODE.EOF);
      return;
    }
    held.listed = true;
    sftp.name(
      reqId,
      readdirSync(held.folder).map((filename) => ({
        filename,
        longname: filename,
        attrs: attributesOf(join(held.folder, filename)),
      })),
    );
  });
  sftp.on('RENAME', (reqId, from, to) =>
    noted(`RENAME ${basename(from)} ${basename(to)}`, () => {
      lstatSync(local(from));
      // A file that stands there is not replaced.
      if (existsSync(local(to))) throw new Error('it exists');
      renameSync(local(from), local(to));
    })(reqId),
  );
  sftp.on('REMOVE', (reqId, path) => noted(`REMOVE ${basename(path)}`, () => unlinkSync(local(path)))(reqId));
}

function attributesOf(path: string): Attributes {
  const { mode, uid, gid, size, atimeMs, mtimeMs } = lstatSync(path);
  return { mode, uid, gid, size, atime: Math.floor(atimeMs / 1000), mtime: Math.floor(mtimeMs / 1000) };
}
