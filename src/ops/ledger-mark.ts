import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { fileMode, writeFileDurably } from './durable-files.ts';
import { hasCode } from './system.ts';
import type { Workspace } from './workspace.ts';

const ledgerMark = z.object({
  /** Says which workspace this is; the same stands in its ledger. */
  workspace: z.string().min(1),
  /** The highest generation of the ledger that was seen. */
  generation: z.number(),
  /** The generation of the ledger's own file, without its `-wal`, when it was last opened. */
  base: z.number(),
  /** How the ledger's file was left by whoever closed it last; null while it is open, and after a kill. */
  closed: z.string().nullable(),
  /** Where the ledger is: `sqlite`, or `postgres` and its schema. */
  ledger: z.string().default('sqlite'),
  /** The accounts that it was used for, each since when; the latest last. */
  accounts: z.array(z.object({ account: z.string(), since: z.number() })),
  /** By which names, as keys, they are known; the latest last. */
  names: z.array(z.object({ name: z.string(), account: z.string() })).default([]),
});

/**
 * What a workspace remembers of its ledger. It stands beside `state/`, not in it, so that a ledger that was restored, alone or with all
 * of `state/`, is seen to be older than its workspace.
 */
export type LedgerMark = z.output<typeof ledgerMark>;

/** The file's name in the workspace. */
export const LEDGER_MARK = '.ledger-mark.json';
/** Overwritten in place, always with the same number of bytes: a reader finds one mark or the other. */
const BYTES = 2048;
const ACCOUNTS_MAX = 10;

/** Null if there is none; `damaged` if it cannot be read as one. */
export async function readLedgerMark({ root }: Pick<Workspace, 'root'>): Promise<LedgerMark | 'damaged' | null> {
  try {
    const parsed = ledgerMark.safeParse(JSON.parse(await readFile(join(root, LEDGER_MARK), 'utf8')));
    return parsed.success ? parsed.data : 'damaged';
  } catch (failure) {
    if (hasCode(failure, 'ENOENT')) return null;
    if (failure instanceof SyntaxError) return 'damaged';
    throw failure;
  }
}

/** A mark that is kept up while the ledger is open. Hosts that share a ledger write into one file, and none takes back what another has seen. */
export class OpenLedgerMark {
  readonly #path: string;
  #descriptor: number | null;
  #mark: LedgerMark;

  private constructor(path: string, mark: LedgerMark) {
    this.#path = path;
    this.#descriptor = openSync(path, 'r+');
    this.#mark = mark;
  }

  /** Fulfils once the mark is on disk, synced: only then may anything be sent. */
  static async open({ root }: Pick<Workspace, 'root'>, mark: LedgerMark): Promise<OpenLedgerMark> {
    const path = join(root, LEDGER_MARK);
    // A file in its place would be another one than that which the other hosts hold open.
    const mayBeOpen = mark.ledger !== 'sqlite' && (await stat(path).catch(() => null))?.size === BYTES;
    if (!mayBeOpen) await writeFileDurably(path, bytesOf(mark), { mode: fileMode() });
    const open = new OpenLedgerMark(path, mark);
    if (mayBeOpen) open.#write({ synced: true, opens: true });
    return open;
  }

  /** Notes a commit that is on disk. Not synced: a kill loses nothing, and a power cut only what this run noted last. */
  witness(generation: number): void {
    if (generation <= this.#mark.generation) return;
    this.#mark = { ...this.#mark, generation };
    this.#write({ synced: false });
  }

  /** The generation of the latest commit that any host noted. */
  witnessed(): number {
    return this.#mark.ledger === 'sqlite'
      ? this.#mark.generation
      : Math.max(this.#mark.generation, markIn(this.#path)?.generation ?? 0);
  }

  /** `closed` is null if the ledger could not be closed whole. */
  close(closed: string | null): void {
    if (this.#descriptor === null) return;
    try {
      this.#mark = { ...this.#mark, closed };
      this.#write({ synced: true });
    } finally {
      closeSync(this.#descriptor);
      this.#descriptor = null;
    }
  }

  /** Another host may have opened it for another account meanwhile: only who opens it says for which. */
  #write({ synced, opens = false }: { readonly synced: boolean; readonly opens?: boolean }): void {
    if (this.#descriptor === null) return;
    const held = this.#mark.ledger === 'sqlite' ? null : markIn(this.#path);
    if (held !== null) {
      const { accounts, names } = opens ? this.#mark : held;
      this.#mark = {
        ...this.#mark,
        generation: Math.max(this.#mark.generation, held.generation),
        accounts,
        names,
      };
    }
    writeSync(this.#descriptor, bytesOf(this.#mark), 0, BYTES, 0);
    if (synced) fsyncSync(this.#descriptor);
    if (this.#mark.ledger === 'sqlite') return;
    // On a share, other hosts see what was written once the file is closed, and see it for sure in one that they open then.
    const written = this.#descriptor;
    this.#descriptor = openSync(this.#path, 'r+');
    closeSync(written);
  }
}

/** What another host noted meanwhile. */
function markIn(path: string): LedgerMark | null {
  try {
    return ledgerMark.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    // It is being written, or damaged: what this host knows stands.
    return null;
  }
}

/** The accounts with this one as the latest, known by `name` where that is given. */
export function withAccount(
  { accounts, names }: Pick<LedgerMark, 'accounts' | 'names'>,
  account: string,
  since: number,
  name: string | null,
): Pick<LedgerMark, 'accounts' | 'names'> {
  const others = names.filter((one) => one.name !== name);
  return {
    accounts: accounts.at(-1)?.account === account ? accounts : [...accounts, { account, since }].slice(-ACCOUNTS_MAX),
    names: name === null ? names : [...others, { name, account }].slice(-ACCOUNTS_MAX),
  };
}

/** What tells a file that nobody wrote to since from any other; null where it is not there, or a `-wal` stands beside it. */
export async function fingerprintOf(ledgerPath: string): Promise<string | null> {
  const beside = await stat(`${ledgerPath}-wal`).catch(() => null);
  if (beside !== null && beside.size > 0) return null;
  const own = await stat(ledgerPath, { bigint: true }).catch(() => null);
  return own === null ? null : [own.size, own.mtimeNs, own.ctimeNs, own.ino].join(':');
}

function bytesOf(mark: LedgerMark): Buffer {
  return Buffer.from(`${JSON.stringify(mark).padEnd(BYTES - 1)}\n`);
}
