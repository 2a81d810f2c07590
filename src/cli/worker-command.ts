import { sentence } from '../domain/sentences.ts';
import { formatCount } from '../domain/text.ts';
import { EXIT } from '../night/exit-codes.ts';
import { standBy } from '../night/standby.ts';
import { listenForStop } from '../night/stop-signal.ts';
import { workOnPages } from '../night/worker-host.ts';
import { commandResult, success } from './terminal.ts';
import { runCommand } from './run-command.ts';

export async function workerCommand(workspaceDir: string) {
  using stop = listenForStop();
  const pages = await workOnPages(workspaceDir, stop);
  const text = sentence('worker/pages', { ...pages, orders: formatCount(pages.orders, 'page') });
  return commandResult(EXIT[stop.by ?? 'SIGTERM'], text, { pages });
}

export async function standByCommand(workspaceDir: string) {
  const ended = await standBy(workspaceDir, () => runCommand('run', { workspace: workspaceDir }));
  if (ended === 'finished') return success(sentence('standby/finished'), { tookOver: false });
  return typeof ended === 'string' ? commandResult(EXIT[ended], 'Asked to stop.', { tookOver: false }) : ended;
}
