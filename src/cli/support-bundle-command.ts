import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import { release } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { messageOf, usageError } from '../domain/errors.ts';
import { syncFolder, writeFileDurably } from '../ops/durable-files.ts';
import { type Config, loadConfig } from '../ops/config.ts';
import { createRedactor } from '../ops/redactor.ts';
import { hasCode, packageVersion, systemClock } from '../ops/system.ts';
import { type Workspace, workspaceAt } from '../ops/workspace.ts';
import { lookIntoLedger } from '../recover/guarded-ledger.ts';
import { createPseudonyms, maskedLedger, maskedLogs, maskJson, type Pseudonyms } from '../support/masking.ts';
import { writeZip, type ZipEntry } from '../ops/write-zip.ts';
import { doctorCommand } from './doctor-command.ts';
import { type CommandResult, done } from './exit-codes.ts';

/** Packs what a helper needs to find out what went wrong, and nothing private. */
export async function supportBundleCommand(file: string, workspaceDir: string): Promise<CommandResult> {
  const workspace = workspaceAt(workspaceDir);
  const pseudonyms = createPseudonyms(await keyOf(workspace));
  const entries = [...(await pages(workspace, pseudonyms))];
  const path = resolve(file);
  const partial = join(dirname(path), `.${randomBytes(6).toString('hex')}.partial`);
  try {
    await writeZip(partial, entries);
    await rename(partial, path);
  } catch (failure) {
    await rm(partial, { force: true });
    throw hasCode(failure, 'ENOENT', 'ENOTDIR', 'EISDIR')
      ? usageError(
          'target-not-writable',
          `${file} cannot be written: ${messageOf(failure)}.`,
          'Name a file in a folder that is there.',
        )
      : failure;
  }
  await syncFolder(dirname(path));
  const names = entries.map(({ name }) => name);
  const text = [
    `Wrote ${file}:`,
    ...names.map((name) => `  ${name}`),
    'Names, addresses, phones, e-mails, policy and inspection numbers are stand-ins, secrets are left out. Look through it before you send it.',
  ].join('\n');
  return done(text, { file, entries: names });
}

async function pages(workspace: Workspace, pseudonyms: Pseudonyms): Promise<readonly ZipEntry[]> {
  const doctor = await doctorCommand(workspace.root).catch((failure: unknown) => ({
    json: { problem: messageOf(failure) },
  }));
  const entries: ZipEntry[] = [
    page('about.json', await about()),
    page('config.json', await config(workspace, pseudonyms)),
    page('doctor.json', withoutPlaces(doctor.json, workspace)),
  ];
  entries.push(...(await ledgerPages(workspace, pseudonyms)));
  for (const { name, text } of await maskedLogs(workspace.logs, pseudonyms))
    entries.push(textEntry(`logs/${name}`, `${text}\n`));
  return entries;
}

/** What the ledger holds. Where it cannot be read a bundle is needed most: then, why. */
async function ledgerPages(workspace: Workspace, pseudonyms: Pseudonyms): Promise<readonly ZipEntry[]> {
  const problemPage = (problem: string): readonly ZipEntry[] => [
    page('ledger.json', { problem: maskJson(problem, pseudonyms) }),
  ];
  try {
    const looked = await lookIntoLedger(workspace, systemClock);
    if (looked.ledger === null) return looked.problem === null ? [] : problemPage(looked.problem.message);
    await using ledger = looked.ledger;
    const { counts, orders, files } = await maskedLedger(ledger, pseudonyms);
    return [page('ledger.json', counts), lines('orders.jsonl', orders), lines('files.jsonl', files)];
  } catch (failure) {
    return problemPage(messageOf(failure));
  }
}

/** What doctor says is all our own, but for the places on this machine. */
function withoutPlaces(found: unknown, workspace: Workspace): unknown {
  const redactor = createRedactor();
  const clean = (text: string): string =>
    redactor
      .redact(text.replaceAll(workspace.root, '<workspace>'))
      .replaceAll(/(?<![\w<>.:/])(?:\/[^\s"',;:)]+)+/g, '<path>');
  return JSON.parse(JSON.stringify(found), (_name, value: unknown) =>
    typeof value === 'string' ? clean(value) : value,
  ) as unknown;
}

async function about(): Promise<object> {
  const version = packageVersion();
  const { node, sqlite, openssl } = process.versions;
  const { timeZone, locale } = new Intl.DateTimeFormat().resolvedOptions();
  return {
    version,
    node,
    sqlite,
    openssl,
    platform: process.platform,
    arch: process.arch,
    release: release(),
    timeZone,
    locale,
    writtenAt: new Date(systemClock.now()).toISOString(),
  };
}

/** The settings in force. A sender's name, headers and words, and whatever names a machine or a person are stand-ins. */
async function config(workspace: Workspace, pseudonyms: Pseudonyms): Promise<unknown> {
  try {
    const loaded = await loadConfig(workspace.root);
    const standIns = (words: ReadonlyMap<string, string>): object =>
      Object.fromEntries([...words].map(([word, meant]) => [pseudonyms.of('header', word), meant]));
    const inStandIns = (settings: Pick<Config['intake'], 'headers' | 'values'>): object => ({
      ...settings,
      headers: standIns(settings.headers),
      values: standIns(settings.values),
    });
    const senders: Record<string, object> = {};
    for (const [folder, settings] of loaded.intake.senders)
      senders[pseudonyms.of('sender', folder)] = inStandIns(settings);
    return maskJson({ ...loaded, intake: { ...inStandIns(loaded.intake), senders } }, pseudonyms);
  } catch (failure) {
    return { problem: maskJson(messageOf(failure), pseudonyms) };
  }
}

const KEY_BYTES = 32;

/** The workspace's own key, made at the first bundle: it makes the stand-ins of one bundle those of the next. */
async function keyOf({ state }: Workspace): Promise<Uint8Array> {
  const path = join(state, 'pseudonyms.key');
  const before = await readFile(path).catch(() => null);
  if (before?.length === KEY_BYTES) return before;
  const key = randomBytes(KEY_BYTES);
  // Without it, the next bundle has other stand-ins.
  if (existsSync(state)) await writeFileDurably(path, key, { mode: 0o600 }).catch(() => undefined);
  return key;
}

function page(name: string, content: unknown): ZipEntry {
  return textEntry(name, `${JSON.stringify(content, null, 2)}\n`);
}

function lines(name: string, items: readonly object[]): ZipEntry {
  return textEntry(name, items.map((item) => `${JSON.stringify(item)}\n`).join(''));
}

function textEntry(name: string, text: string): ZipEntry {
  return { name, deflate: true, content: Buffer.from(text) };
}
