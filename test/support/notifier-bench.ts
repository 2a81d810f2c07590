import type { Log } from '../../src/domain/ports.ts';
import { type RunEnd, type NotifyContext, Notifier } from '../../src/notify/notifier.ts';
import { parseConfig } from '../../src/ops/config.ts';
import { type MailServer, startMailServer } from './mail-server.ts';
import { type LedgerBench, openLedgerBench } from './run-bench.ts';
import { type Script, type ScriptedServer, startScriptedServer } from './scripted-server.ts';

/** A ledger, and all that a Notifier may tell. */
export interface NotifierBench extends LedgerBench {
  readonly mailServer: MailServer;
  /** Webhook and pings; it does what `hook` says. */
  readonly server: ScriptedServer;
  hook: Script;
  /** What was logged above `info`, and with `info`. */
  readonly lines: readonly object[];
  readonly context: NotifyContext;
  /** `notify.mail` with these recipients. */
  mailTo(recipients: object): object;
  /** A notifier of a run whose config says this under `notify`. */
  notifier(notify: object, webhookSecret?: string): Notifier;
}

/** @param refuses mail addresses that the server refuses. */
export async function openNotifierBench(refuses: readonly string[] = []): Promise<NotifierBench> {
  await using opened = new AsyncDisposableStack();
  const bench = opened.use(await openLedgerBench());
  const mailServer = opened.use(await startMailServer({ refuses }));
  const parts: { hook: Script } = { hook: (_request, response) => void response.end() };
  const server = opened.use(await startScriptedServer((...asked) => parts.hook(...asked)));
  const lines: object[] = [];
  const note =
    (level: string) =>
    (event: string, fields: object = {}): void =>
      void lines.push({ level, event, ...fields });
  const log: Log = { debug() {}, info: note('info'), warn: note('warn'), error: note('error') };
  const resources = opened.move();
  return Object.assign(parts, {
    ...bench,
    mailServer,
    server,
    lines,
    context: { log, newsInWords: async () => [], signal: new AbortController().signal },
    mailTo: (recipients: object) => ({
      smtp: `smtp://127.0.0.1:${mailServer.port}`,
      from: 'us@example.com',
      ...recipients,
    }),
    notifier: (notify: object, webhookSecret?: string) =>
      new Notifier({
        notify: parseConfig(`notify: ${JSON.stringify(notify)}`, 'config.yaml').notify,
        secrets: { problems: [], ...(webhookSecret === undefined ? {} : { webhookSecret }) },
        root: bench.folder,
        commandEnvironment: {},
        clock: bench.clock,
        host: 'batch-1',
      }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  });
}

export function runEnd(run: string, changes: Partial<RunEnd> = {}): RunEnd {
  return { run, exitCode: 0, summary: { run }, trouble: [], night: null, lookedIntoInbox: true, ...changes };
}
