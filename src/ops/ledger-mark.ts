import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { fileMode, writeDurably } from './durable-files.ts';
import { parsedOrNull } from './system.ts';
import type { Workspace } from './workspace.ts';
import { nullIfMissing } from '../domain/errors.ts';

const ledgerMark = z.object({
  workspace: z.string().min(1),
  generation: z.number(),
  /** The generation of the ledger's file without `-wal`, when last opened. */
  base: z.number(),
  /** When last closed; null while open and after a kill. */
  closed: z.string().nullable(),
  ledger: z.string().default('sqlite'),
  accounts: z.array(z.object({ account: z.string(), since: z.number() })),
  names: z.array(z.object({ name: z.string(), account: z.string() })).default([]),
});

/** Next to `state/`: it shows that a restored ledger is old, even if all of `state/` was restored. */
export type LedgerMark = z.output<typeof ledgerMark>;

export const LEDGER_MARK = '.ledger-mark.json';
/** Overwritten in place at constant length: a reader finds one mark or the other. */
const BYTES = 2048;
const ACCOUNTS_MAX = 10;

export async function readLedgerMark({ root }: Pick<Workspace, 'root'>) {
  const text = await nullIfMissing(readFile(join(root, LEDGER_MARK), 'utf8'));
  return text === null ? null : (parsedOrNull(ledgerMark, text) ?? 'damaged');
}

/** Hosts share the file; none undoes another's notes. */
export class OpenLedgerMark {
  readonly #path;
  #descriptor: number | null;
  #mark: LedgerMark;

  private constructor(path: string, mark: LedgerMark) {
    this.#path = path;
    this.#descriptor = openSync(path, 'r+');
    this.#mark = mark;
  }

  /** Fulfills after the mark is synced: only then may anything be sent. */
  static async open({ root }: Pick<Workspace, 'root'>, mark: LedgerMark) {
    const path = join(root, LEDGER_MARK);
    // Hosts that have the file open would not see a replaced one.
    const mayBeOpen = mark.ledger !== 'sqlite' && (await stat(path).catch(() => null))?.size === BYTES;
    if (!mayBeOpen) await writeDurably(path, bytesOf(mark), { mode: fileMode() });
    const open = new OpenLedgerMark(path, mark);
    if (mayBeOpen) open.#write({ synced: true, opens: true });
    return open;
  }

  /** A power failure loses only this run's last notes. */
  witness(generation: number) {
    if (generation <= this.#mark.generation) return;
    this.#mark = { ...this.#mark, generation };
    this.#write({ synced: false });
  }

  witnessed() {
    return this.#mark.ledger === 'sqlite'
      ? this.#mark.generation
      : Math.max(this.#mark.generation, markAt(this.#path)?.generation ?? 0);
  }

  /** `closed` is null if the ledger could not be closed whole. */
  close(closed: string | null) {
    if (this.#descriptor === null) return;
    try {
      this.#mark = { ...this.#mark, closed };
      this.#write({ synced: true });
    } finally {
      closeSync(this.#descriptor);
      this.#descriptor = null;
    }
  }

  /** `opens`: sets the account; else the file's stays: another host may have opened the ledger for another one. */
  #write({ synced, opens = false }: { synced: boolean; opens?: boolean }) {
    if (this.#descriptor === null) return;
    const held = this.#mark.ledger === 'sqlite' ? null : markAt(this.#path);
    if (held !== null) {
      const { accounts, names } = opens ? this.#mark : held;
      this.#mark = { ...this.#mark, generation: Math.max(this.#mark.generation, held.generation), accounts, names };
    }
    writeSync(this.#descriptor, bytesOf(this.#mark), 0, BYTES, 0);
    if (synced) fsyncSync(this.#descriptor);
    if (this.#mark.ledger === 'sqlite') return;
    // On a share, only closing makes sure that other hosts see it.
    const written = this.#descriptor;
    this.#descriptor = openSync(this.#path, 'r+');
    closeSync(written);
  }
}

function markAt(path: string) {
  try {
    return parsedOrNull(ledgerMark, readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}

export function withAccount(
  { accounts, names }: Pick<LedgerMark, 'accounts' | 'names'>,
  account: string,
  since: number,
  name: string | null,
) {
  const others = names.filter((one) => one.name !== name);
  return {
    accounts: accounts.at(-1)?.account === account ? accounts : [...accounts, { account, since }].slice(-ACCOUNTS_MAX),
    names: name === null ? names : [...others, { name, account }].slice(-ACCOUNTS_MAX),
  };
}

export async function fingerprintOf(ledgerPath: string) {
  const wal = await stat(`${ledgerPath}-wal`).catch(() => null);
  if (wal !== null && wal.size > 0) return null;
  const own = await stat(ledgerPath, { bigint: true }).catch(() => null);
  return own === null ? null : [own.size, own.mtimeNs, own.ctimeNs, own.ino].join(':');
}

function bytesOf(mark: LedgerMark) {
  return Buffer.from(`${JSON.stringify(mark).padEnd(BYTES - 1)}\n`);
}
