import fs from 'node:fs';
import fsPromises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { basename, dirname, join, sep } from 'node:path';
import type { Session } from './session.ts';

/** What would not survive a power cut at this moment, by path, with the number of the last change to it. */
interface Unsynced {
  /** Files whose content was written and not synced. */
  readonly contents: Map<string, number>;
  /** Folders in which a name was made, changed or removed, and which were not synced. */
  readonly folders: Map<string, number>;
}

type Call = (...values: never[]) => unknown;

/** Never settles: what a dead process was waiting for. */
const NEVER = new Promise<never>(() => {});

/**
 * Puts itself between the program and the file system, for what lies under `root`: each change is an effect of the session under way, and
 * what is not yet on disk is known. Disposing of it puts everything back.
 */
export class FileEffects implements AsyncDisposable {
  readonly #root: string;
  readonly #unsynced: Unsynced = { contents: new Map(), folders: new Map() };
  #changes = 0;
  readonly #before: readonly (() => void)[];
  /** A process that dies leaves its files open; the system closes them. */
  readonly #handles = new Set<fsPromises.FileHandle>();
  /** What the system was told to do and has not done yet. */
  readonly #underWay = new Set<Promise<unknown>>();
  #session: Session | null = null;

  constructor(root: string) {
    this.#root = root;
    this.#before = [
      this.#patch(
        fsPromises,
        'rename',
        (call) => (from: string, to: string) =>
          this.#change(
            `rename to ${this.#shown(to)}`,
            [from, to],
            () => call(from, to),
            () => this.#moved(from, to),
          ),
      ),
      this.#patch(
        fsPromises,
        'link',
        (call) => (from: string, to: string) =>
          this.#change(
            `link ${this.#shown(to)}`,
            [to],
            () => call(from, to),
            () => this.#linked(from, to),
          ),
      ),
      this.#patch(
        fsPromises,
        'unlink',
        (call) => (path: string) =>
          this.#change(
            `unlink ${this.#shown(path)}`,
            [path],
            () => call(path),
            () => this.#removed(path),
          ),
      ),
      this.#patch(
        fsPromises,
        'rm',
        (call) => (path: string, options: object) =>
          this.#change(
            `rm ${this.#shown(path)}`,
            [path],
            () => call(path, options),
            () => this.#removed(path),
          ),
      ),
      this.#patch(
        fsPromises,
        'copyFile',
        (call) => (from: string, to: string, mode: number) =>
          this.#change(
            `copy to ${this.#shown(to)}`,
            [to],
            () => call(from, to, mode),
            () => this.#wrote(to),
          ),
      ),
      this.#patch(
        fsPromises,
        'writeFile',
        (call) => (path: string, data: unknown, options?: { readonly flush?: boolean }) =>
          this.#change(
            `write ${this.#shown(path)}`,
            [path],
            () => call(path, data, options),
            () => this.#wrote(path, options?.flush === true),
          ),
      ),
      this.#patch(
        fsPromises,
        'mkdir',
        (call) => (path: string, options: object) => this.#makeFolder(path, async () => call(path, options)),
      ),
      this.#patch(
        fsPromises,
        'open',
        (call) =>
          (path: string, flags: string = 'r', ...more: unknown[]) =>
            this.#open(path, flags, () => call(path, flags, ...more) as Promise<fsPromises.FileHandle>),
      ),
      this.#patch(
        fs,
        'createWriteStream',
        (call) => (path: string, options: { flush?: boolean } | undefined) =>
          this.#stream(path, options, () => call(path, options) as fs.WriteStream),
      ),
    ];
    syncBuiltinESMExports();
  }

  /** From now on this is the process that changes files; what a dead one still does is swallowed. */
  belongTo(session: Session): void {
    this.#session = session;
  }

  /** Waits for what a process that died had begun: the next one must not find it changing. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay);
  }

  /** Names in a folder, and further in, that people or the ledger rely on, and that a power cut now would take or tear. */
  atRisk(folder = this.#root): readonly string[] {
    const isReliedOn = (path: string): boolean =>
      (path === folder || path.startsWith(folder + sep)) && !isTemporary(path, this.#root) && fs.existsSync(path);
    const contents = [...this.#unsynced.contents.keys()].filter(isReliedOn);
    const folders = [...this.#unsynced.folders.keys()].filter(isReliedOn);
    return [
      ...contents.map((path) => `content of ${this.#shown(path)}`),
      ...folders.map((path) => `names in ${this.#shown(path)}`),
    ];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const restore of this.#before) restore();
    syncBuiltinESMExports();
    for (const handle of this.#handles) if (handle.fd !== -1) await handle.close();
  }

  #patch<Holder extends object>(
    holder: Holder,
    name: keyof Holder & string,
    wrap: (call: (...values: unknown[]) => unknown) => Call,
  ): () => void {
    const original = holder[name];
    const call = (original as (...values: unknown[]) => unknown).bind(holder);
    Object.defineProperty(holder, name, { value: wrap(call), configurable: true, writable: true, enumerable: true });
    return () =>
      Object.defineProperty(holder, name, { value: original, configurable: true, writable: true, enumerable: true });
  }

  async #change(name: string, paths: readonly string[], work: () => unknown, done: () => void): Promise<unknown> {
    if (!paths.some((path) => this.#isOurs(path))) return work();
    const { session } = this.#current();
    return session.effect(name, async () => {
      const result = await this.#under(work());
      done();
      return result;
    });
  }

  async #under<T>(work: T): Promise<Awaited<T>> {
    const begun = Promise.resolve(work);
    this.#underWay.add(begun);
    try {
      return await begun;
    } finally {
      this.#underWay.delete(begun);
    }
  }

  async #open(path: string, flags: string, work: () => Promise<fsPromises.FileHandle>): Promise<unknown> {
    if (!this.#isOurs(path)) return work();
    const { session } = this.#current();
    if (session.isDead) return NEVER;
    const writes = /[wa+]/.test(flags);
    const opened = async (): Promise<fsPromises.FileHandle> => {
      const handle = await this.#under(work());
      this.#handles.add(handle);
      return handle;
    };
    const handle = writes ? await session.effect(`open ${this.#shown(path)}`, opened) : await opened();
    if (writes) this.#wrote(path);
    const sync = handle.sync.bind(handle);
    handle.sync = async () => {
      if (session.isDead) return NEVER;
      const begun = this.#changes;
      await sync();
      // What was changed meanwhile need not be in it.
      for (const kept of [this.#unsynced.contents, this.#unsynced.folders])
        if ((kept.get(path) ?? 0) <= begun) kept.delete(path);
    };
    return handle;
  }

  /** No place to die at: the name alone is nothing that anybody relies on. */
  async #makeFolder(path: string, work: () => Promise<unknown>): Promise<unknown> {
    if (!this.#isOurs(path)) return work();
    if (this.#current().session.isDead) return NEVER;
    const isNew = !fs.existsSync(path);
    const made = await this.#under(work());
    if (isNew) this.#named(path);
    return made;
  }

  #stream(path: string, options: { flush?: boolean } | undefined, work: () => fs.WriteStream): fs.WriteStream {
    const stream = work();
    if (!this.#isOurs(path)) return stream;
    const { session } = this.#current();
    this.#wrote(path);
    void this.#under(new Promise<void>((resolve) => stream.once('close', resolve)));
    if (options?.flush === true) stream.once('close', () => this.#unsynced.contents.delete(path));
    // What a process that is dead meanwhile has not written is never written.
    if (session.isDead) stream.destroy();
    return stream;
  }

  #current(): { readonly session: Session } {
    if (this.#session === null) throw new Error('nobody is running');
    return { session: this.#session };
  }

  #isOurs(path: unknown): boolean {
    return typeof path === 'string' && path.startsWith(this.#root + sep);
  }

  #wrote(path: string, isFlushed = false): void {
    if (isFlushed) this.#unsynced.contents.delete(path);
    else this.#unsynced.contents.set(path, ++this.#changes);
    if (!isTemporary(path, this.#root)) this.#named(path);
  }

  /** A name was made or changed. */
  #named(path: string): void {
    this.#unsynced.folders.set(dirname(path), ++this.#changes);
  }

  #removed(path: string): void {
    for (const kept of [this.#unsynced.contents, this.#unsynced.folders])
      for (const held of kept.keys()) if (held === path || held.startsWith(path + sep)) kept.delete(held);
  }

  #moved(from: string, to: string): void {
    for (const kept of [this.#unsynced.contents, this.#unsynced.folders]) {
      for (const [held, change] of kept) {
        if (held !== from && !held.startsWith(from + sep)) continue;
        kept.delete(held);
        kept.set(join(to, held.slice(from.length)), change);
      }
    }
    this.#named(to);
  }

  /** What one name holds, the other does. */
  #linked(from: string, to: string): void {
    const change = this.#unsynced.contents.get(from);
    if (change !== undefined) this.#unsynced.contents.set(to, change);
    this.#named(to);
  }

  #shown(path: string): string {
    return path.slice(this.#root.length + 1).replaceAll(/[0-9a-f]{12,}/g, '…');
  }
}

/** Nobody relies on these: they are made again. */
function isTemporary(path: string, root: string): boolean {
  const parts = path.slice(root.length + 1).split(sep);
  return (
    parts.some((part) => part.startsWith('.') || part.endsWith('.part')) ||
    parts[0] === 'logs' ||
    parts[0] === 'processing' ||
    (parts[0] === 'state' && parts[1] !== 'downloads') ||
    basename(path) === basename(root)
  );
}
