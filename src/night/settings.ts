import { resolve } from 'node:path';
import { loadConfig } from '../ops/config.ts';
import { loadEnvironment, loadLedgerUrl, loadLogLevel, loadSftpTarget } from '../ops/environment.ts';
import type { Workspace } from '../ops/workspace.ts';
import { loadAttention } from '../results/attention/rules.ts';
import { intakeSettings } from '../submit/hold.ts';

export async function loadSettings({ root }: Workspace) {
  const config = await loadConfig(root);
  const { intake, submit, collect, results } = config;
  const inRoot = (path: string | null) => path && resolve(root, path);
  const level = await loadLogLevel(root, config);
  const attention = await loadAttention(inRoot(results.attention));
  const environment = await loadEnvironment(root, config);
  const sftp = await loadSftpTarget(root, config);
  const url = await loadLedgerUrl(root);
  return {
    config,
    environment,
    level,
    secrets: [
      environment.clientSecret,
      environment.password,
      sftp?.password,
      url,
      url && decodeURIComponent(new URL(url).password),
    ].filter(Boolean) as string[],
    ...intakeSettings(intake),
    settleMs: intake.settleSeconds * 1000,
    rules: submit,
    maxConcurrency: submit.maxConcurrency,
    quarantineMs: submit.quarantineSeconds * 1000,
    actor: environment.username,
    images: collect.images,
    reports: collect.reports,
    retryNights: collect.patienceNights ?? collect.retryNights,
    sftp,
    afterwards: collect.sftp?.afterwards ?? 'move',
    attention,
    columnsFile: inRoot(results.columns),
    formats: results.formats,
    decisionWords: results.decisions,
    notifiesProjects: config.notify.webhook?.projects ?? false,
    thumbnails: { perProject: results.thumbnailsPerProject, inAll: results.thumbnailsMax },
    archiveBytesMax: results.archiveMaxMegabytes === null ? null : results.archiveMaxMegabytes * 1_000_000,
  };
}
