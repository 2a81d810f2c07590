import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { raceAbort } from '../../domain/ports.ts';
import { sentence } from '../../domain/sentences.ts';
import type { SftpTarget } from '../../ops/environment.ts';
import type { Client, SFTPWrapper } from 'ssh2';

export type RemoteFile = Readonly<{
  name: string;
  bytes: number;
  /** Epoch seconds of the server's clock. */
  changedAt: number;
}>;

/** The message has no secrets. */
export class SftpUnavailable extends Error {
  override readonly name = 'SftpUnavailable';
}

const NO_SUCH_FILE = 2;
const READY_MS_MAX = 20_000;
const KEEP_ALIVE_MS = 10_000;
const ANSWER_MS_MAX = 60_000;
const NAMES_TRIED_MAX = 1_000;
const PIECE_BYTES = 32 * 1024;
const TYPE_OF_MODE = 0o170_000;
const ORDINARY_FILE = 0o100_000;

/** After a loss, every call throws SftpUnavailable. */
export class RemoteFolder implements AsyncDisposable {
  readonly #client;
  readonly #sftp;
  readonly #ended;
  readonly #folder;

  private constructor(client: Client, sftp: SFTPWrapper, ended: Promise<never>, folder: string) {
    this.#client = client;
    this.#sftp = sftp;
    this.#ended = ended;
    this.#folder = folder.replace(/(?<=.)\/+$/, '');
  }

  /** Throws SftpUnavailable. */
  static async open(target: SftpTarget, signal: AbortSignal) {
    const { Client } = await import('ssh2');
    const client = new Client();
    const { promise: ended, reject: end } = Promise.withResolvers<never>();
    const where = `${target.host}:${target.port}`;
    ended.catch(() => undefined);
    const away = (reason: string) => end(new SftpUnavailable(`The SFTP server ${where} ${reason}`));
    client.on('close', () => away('ended the connection.'));
    const stop = () => {
      away('was left: the run was asked to stop.');
      client.destroy();
    };
    signal.addEventListener('abort', stop, { once: true });
    client.on('close', () => signal.removeEventListener('abort', stop));
    const sftp = new Promise<SFTPWrapper>((resolve, reject) => {
      client.on('error', (failure) => away(`cannot be used: ${failure.message}.`));
      client.on('ready', () =>
        client.sftp((failure, wrapper) => (failure === undefined ? resolve(wrapper) : reject(failure))),
      );
    });
    const { host, port, username, password, privateKey, hostKey } = target;
    const isTheServer = (key: Buffer) => {
      const shown = `SHA256:${hash('sha256', key, 'base64').replace(/=+$/, '')}`;
      if (shown === hostKey) return true;
      away(hostKey === null ? sentence('sftp/key', { shown }) : sentence('sftp/another-key', { shown, hostKey }));
      return false;
    };
    try {
      if (signal.aborted) stop();
      else
        client
          .connect({
            host,
            port,
            username,
            readyTimeout: READY_MS_MAX,
            keepaliveInterval: KEEP_ALIVE_MS,
            hostVerifier: isTheServer,
            ...(password === undefined ? {} : { password }),
            ...(privateKey === undefined ? {} : { privateKey }),
          })
          .setNoDelay(true);
      return new RemoteFolder(client, await Promise.race([sftp, ended]), ended, target.folder);
    } catch (failure) {
      client.destroy();
      throw failure instanceof SftpUnavailable
        ? failure
        : new SftpUnavailable(
            `The SFTP server ${where} cannot be used: ${failure instanceof Error ? failure.message : 'for an unknown reason'}.`,
          );
    }
  }

  async files() {
    const entries = await this.#answer<
      readonly { filename: string; attrs: { size: number; mtime: number; mode: number } }[]
    >('list the folder', (answer) => this.#sftp.readdir(this.#folder, answer));
    return entries
      .filter(({ attrs }) => (attrs.mode & TYPE_OF_MODE) === ORDINARY_FILE)
      .map(({ filename, attrs }) => ({ name: filename, bytes: attrs.size, changedAt: attrs.mtime }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  async find(name: string) {
    try {
      const { size, mtime } = await this.#answer<{ size: number; mtime: number }>(`look at ${name}`, (answer) =>
        this.#sftp.stat(this.#path(name), answer),
      );
      return { name, bytes: size, changedAt: mtime };
    } catch (failure) {
      if (failure instanceof SftpRefused && failure.code === NO_SUCH_FILE) return null;
      throw failure;
    }
  }

  /** The library's own stream would wait forever after a loss. */
  read(file: RemoteFile) {
    return Readable.from(this.#content(file), { objectMode: false });
  }

  /** More bytes than announced: another file by now, or endless. */
  async *#content({ name, bytes: said }: RemoteFile) {
    const handle = await this.#answer<Buffer>(`open ${name}`, (answer) =>
      this.#sftp.open(this.#path(name), 'r', answer),
    );
    for (let offset = 0; offset <= said;) {
      const piece = Buffer.allocUnsafe(PIECE_BYTES);
      const bytes = await this.#answer<number>(`read ${name}`, (answer) =>
        this.#sftp.read(handle, piece, 0, PIECE_BYTES, offset, (failure, read) => answer(failure, read)),
      );
      if (bytes === 0) break;
      yield piece.subarray(0, bytes);
      offset += bytes;
    }
    await this.#done(`close ${name}`, (answer) => this.#sftp.close(handle, answer));
  }

  async moveInto(folder: string, name: string) {
    // Servers answer an existing folder with an unspecific failure.
    await this.#done(`make ${folder}`, (answer) => this.#sftp.mkdir(this.#path(folder), answer)).catch(
      (failure: unknown) => {
        if (!(failure instanceof SftpRefused)) throw failure;
      },
    );
    for (let number = 1; number <= NAMES_TRIED_MAX; number += 1) {
      const to = `${folder}/${number === 1 ? name : name.replace(/(\.[^.]*)?$/, (ending) => ` (${number})${ending}`)}`;
      if ((await this.find(to)) === null) {
        await this.#done(`move ${name} to ${folder}`, (answer) =>
          this.#sftp.rename(this.#path(name), this.#path(to), answer),
        );
        return;
      }
    }
    throw new SftpRefused(`move ${name} to ${folder}`, 0, 'every name is taken there');
  }

  async remove(name: string) {
    await this.#done(`remove ${name}`, (answer) => this.#sftp.unlink(this.#path(name), answer));
  }

  async [Symbol.asyncDispose]() {
    const closed = this.#ended.catch(() => undefined);
    this.#client.end();
    this.#client.destroy();
    await closed;
  }

  #path(name: string) {
    return `${this.#folder === '/' ? '' : this.#folder}/${name}`;
  }

  async #done(what: string, ask: (answer: (failure?: Error | null) => void) => void) {
    await this.#answer<undefined>(what, (answer) => ask((failure) => answer(failure ?? undefined, undefined)));
  }

  async #answer<T>(what: string, ask: (answer: (failure: Error | undefined, value: T) => void) => void) {
    const answered = new Promise<T>((resolve, reject) => {
      ask((failure, value) => (failure === undefined ? resolve(value) : reject(this.#why(what, failure))));
    });
    const late = AbortSignal.timeout(ANSWER_MS_MAX);
    return raceAbort(Promise.race([answered, this.#ended]), late).catch((failure: unknown) => {
      if (!late.aborted || failure !== late.reason) throw failure;
      this.#client.destroy();
      throw new SftpUnavailable(`The SFTP server did not ${what} within ${ANSWER_MS_MAX / 1000} seconds.`);
    });
  }

  /** Only a protocol answer has a number. */
  #why(what: string, failure: Error & { readonly code?: unknown }) {
    return typeof failure.code === 'number'
      ? new SftpRefused(what, failure.code, failure.message)
      : new SftpUnavailable(`The SFTP server could not ${what}: ${failure.message}.`);
  }
}

export class SftpRefused extends Error {
  override readonly name = 'SftpRefused';
  readonly code: number;

  constructor(what: string, code: number, message: string) {
    super(`could not ${what}: ${message}`);
    this.code = code;
  }
}
