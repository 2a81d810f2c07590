import { release } from 'node:os';
import { resolve } from 'node:path';
import { ExplainedError, messageOf, hasCode, usageErrorOf } from '../domain/errors.ts';
import { replaceDurably } from '../ops/durable-files.ts';
import { loadConfig } from '../ops/config.ts';
import { packageVersion, systemClock } from '../ops/system.ts';
import { type Workspace, workspaceAt } from '../ops/workspace.ts';
import { inspectLedger, ledgerError } from '../upkeep/guarded-ledger.ts';
import { writeZip } from '../ops/write-zip.ts';
import { type Check, doctorCommand } from './doctor-command.ts';
import { success } from './terminal.ts';
import { refuseExisting } from './init-command.ts';
import { countsPage, filePages, logPages, orderPages, settingsPage } from '../upkeep/support-bundle-pages.ts';
import { sentence } from '../domain/sentences.ts';

/** Includes no text that a person wrote. */
export async function supportBundleCommand(file: string, workspaceDir: string) {
  refuseExisting(file);
  const entries = await pages(workspaceAt(workspaceDir));
  try {
    await replaceDurably(resolve(file), (partial) => writeZip(partial, entries));
  } catch (failure) {
    throw hasCode(failure, 'ENOENT', 'ENOTDIR', 'EISDIR')
      ? usageErrorOf('target-not-writable/bundle', { file, failure: messageOf(failure) })
      : failure;
  }
  const names = entries.map(({ name }) => name);
  const text = [`Wrote ${file}:`, ...names.map((name) => `  ${name}`), sentence('support-bundle/holds')].join('\n');
  return success(text, { file, entries: names });
}

async function pages(workspace: Workspace) {
  return [
    page('about.json', about()),
    page('config.json', await orProblem(async () => settingsPage(await loadConfig(workspace.root)))),
    page('doctor.json', await orProblem(async () => doctorPage(workspace))),
    ...(await ledgerPages(workspace)),
    ...(await logPages(workspace.logs)).map(({ name, lines: all }) => lines(`logs/${name}`, all)),
  ];
}

async function doctorPage(workspace: Workspace) {
  const { exitCode, json } = await doctorCommand(workspace.root);
  const { findings } = json as { readonly findings: readonly Check[] };
  return { exitCode, findings: findings.map(({ what, state, code }) => ({ what, state, code })) };
}

/** Does not throw: an unreadable ledger is a reason for a bundle. */
async function ledgerPages(workspace: Workspace) {
  try {
    const looked = await inspectLedger(workspace);
    await using ledger = looked.ledger;
    if (ledger === null)
      return looked.problem === null ? [] : [page('ledger.json', problemPage(ledgerError(looked.problem)))];
    return [
      page('ledger.json', await countsPage(ledger)),
      lines('orders.jsonl', await orderPages(ledger)),
      lines('files.jsonl', await filePages(ledger)),
    ];
  } catch (failure) {
    return [page('ledger.json', problemPage(failure))];
  }
}

async function orProblem(make: () => Promise<unknown>) {
  try {
    return await make();
  } catch (failure) {
    return problemPage(failure);
  }
}

function problemPage(failure: unknown) {
  return { problem: failure instanceof ExplainedError ? failure.code : 'fault' };
}

function about() {
  const { platform, arch, versions } = process;
  const { node, sqlite, openssl } = versions;
  const { timeZone, locale } = new Intl.DateTimeFormat().resolvedOptions();
  const writtenAt = new Date(systemClock.now()).toISOString();
  const machine = { platform, arch, release: release(), timeZone, locale };
  return { version: packageVersion(), node, sqlite, openssl, ...machine, writtenAt };
}

function page(name: string, content: unknown) {
  return textEntry(name, `${JSON.stringify(content, null, 2)}\n`);
}

function lines(name: string, items: readonly object[]) {
  return textEntry(name, items.map((item) => `${JSON.stringify(item)}\n`).join(''));
}

function textEntry(name: string, text: string) {
  return { name, deflate: true, content: Buffer.from(text) };
}
