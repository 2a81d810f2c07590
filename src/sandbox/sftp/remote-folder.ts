import { createHash } from 'node:crypto';
import type { Client, SFTPWrapper } from 'ssh2';
import type { SftpTarget } from '../options.ts';

const KEEP_ALIVE_MS = 10_000;

interface Session {
  readonly client: Client;
  readonly sftp: SFTPWrapper;
  /** Rejects when the connection ends: what is asked of it after that is never answered. */
  readonly ended: Promise<never>;
}

/** A folder on an SFTP server. It connects when it is needed, and again after the connection was lost. */
export class RemoteFolder {
  readonly #target: SftpTarget;
  #session: Promise<Session> | undefined;

  constructor(target: SftpTarget) {
    this.#target = target;
  }

  /** Puts a file into the folder, replacing one of that name: whoever lists the folder sees it whole or not at all. */
  async put(name: string, bytes: Buffer): Promise<void> {
    const { sftp, ended } = await this.#connected();
    const step = async (start: Start): Promise<void> => await Promise.race([done(start), ended]);
    const [partial, whole] = [this.#path(`.${name}.part`), this.#path(name)];
    await step((callback) => sftp.writeFile(partial, bytes, callback));
    // SFTP's own rename refuses to replace a file; OpenSSH's extension, where the server has it, does so in one step.
    if (await succeeded(step((callback) => sftp.ext_openssh_rename(partial, whole, callback)))) return;
    await succeeded(step((callback) => sftp.unlink(whole, callback)));
    await step((callback) => sftp.rename(partial, whole, callback));
  }

  /** The names of the entries of the folder. */
  async names(): Promise<Set<string>> {
    const { sftp, ended } = await this.#connected();
    const listing = new Promise<readonly { readonly filename: string }[]>((resolve, reject) => {
      sftp.readdir(this.#target.folder, (failure, list) => (failure === undefined ? resolve(list) : reject(failure)));
    });
    const entries = await Promise.race([listing, ended]);
    return new Set(entries.map(({ filename }) => filename));
  }

  /** Ends the connection; what was under way fails. */
  async close(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    await session?.then(
      ({ client }) => client.destroy(),
      () => undefined,
    );
  }

  #path(name: string): string {
    return `${this.#target.folder.replace(/\/$/, '')}/${name}`;
  }

  async #connected(): Promise<Session> {
    // A connection that ends late must not take its successor with it.
    const session = (this.#session ??= this.#connect(() => {
      if (this.#session === session) this.#session = undefined;
    }));
    return await session;
  }

  /** `onEnd` is called, after this has returned, when the connection ends or fails. */
  async #connect(onEnd: () => void): Promise<Session> {
    // Loaded on first use: most sandboxes deliver nothing.
    const { Client } = await import('ssh2');
    const client = new Client();
    const { promise: ended, reject: end } = Promise.withResolvers<never>();
    ended.catch(onEnd);
    const { host, port, user, password, privateKey, hostKey } = this.#target;
    return await new Promise<Session>((resolve, reject) => {
      ended.catch(reject);
      client.on('error', end);
      client.on('close', () => end(new Error(`${host}:${port} ended the connection`)));
      client.on('ready', () => {
        client.sftp((failure, sftp) => (failure === undefined ? resolve({ client, sftp, ended }) : reject(failure)));
      });
      client.connect({
        host,
        port,
        username: user,
        keepaliveInterval: KEEP_ALIVE_MS,
        hostVerifier: (key: Buffer) => hostKey === undefined || fingerprintOf(key) === hostKey,
        ...(password === undefined ? {} : { password }),
        ...(privateKey === undefined ? {} : { privateKey }),
      });
      // SFTP asks and answers in small pieces: each would wait for the other side's acknowledgement.
      client.setNoDelay(true);
    });
  }
}

/** As ssh-keygen prints it. */
function fingerprintOf(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
}

type Start = (callback: (failure?: Error | null) => void) => void;

async function succeeded(step: Promise<void>): Promise<boolean> {
  try {
    await step;
    return true;
  } catch {
    return false;
  }
}

async function done(start: Start): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    start((failure) => (failure ? reject(failure) : resolve()));
  });
}
