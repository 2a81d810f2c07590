import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { access, constants } from 'node:fs/promises';
import { connect } from 'node:net';
import { resolve } from 'node:path';
import { messageOf } from '../domain/errors.ts';
import { raceAbort } from '../domain/ports.ts';
import { isLoopback } from '../domain/service-address.ts';
import type { Config } from '../ops/config.ts';
import type { NotifySecrets } from '../ops/environment.ts';
import got, { type OptionsOfTextResponseBody } from 'got';

// One attempt each, with its own time limit. Errors name no URL: its path may be a secret.

export type NotifyTargets = Readonly<{
  notify: Config['notify'];
  secrets: NotifySecrets;
  root: string;
  commandEnvironment: Readonly<Record<string, string>>;
}>;

/** Its message is for the log and the engineers. */
export class NotifyError extends Error {
  override readonly name = 'NotifyError';
  /** It is away or refuses the login, so it would accept no other message either. */
  readonly isAway: boolean;

  constructor(message: string, isAway: boolean) {
    super(message);
    this.isAway = isAway;
  }
}

const CONNECT_MS_MAX = 8000;
/** Until the server wants the text, until it accepts it, and extra for attachments. */
const MAIL_LIMITS = { untilDataMs: 20_000, dataMs: 45_000, attachedBytesPerMs: 100 };
const WEBHOOK_MS_MAX = 10_000;
const PING_MS_MAX = 5000;
const COMMAND_MS_MAX = 20_000;

export type Mail = Readonly<{
  to: readonly string[];
  subject: string;
  text: string;
  html: string;
  attachments: readonly Readonly<{ filename: string; path: string }>[];
  attachedBytes: number;
}>;

type MailSettings = NonNullable<Config['notify']['mail']>;

/** Requires STARTTLS except on this machine, where a certificate may be self-signed. */
async function transportTo({ smtp }: MailSettings, { smtpUser, smtpPassword }: NotifySecrets, silentMsMax: number) {
  const { createTransport } = await import('nodemailer');
  const url = new URL(smtp);
  const secure = url.protocol === 'smtps:';
  const isLocal = isLoopback(url);
  return createTransport({
    ...hostAndPort(url, secure ? 465 : 587),
    secure,
    requireTLS: !secure && !isLocal,
    tls: { rejectUnauthorized: !isLocal },
    ...(smtpUser === undefined || smtpPassword === undefined ? {} : { auth: { user: smtpUser, pass: smtpPassword } }),
    connectionTimeout: CONNECT_MS_MAX,
    greetingTimeout: CONNECT_MS_MAX,
    dnsTimeout: CONNECT_MS_MAX,
    socketTimeout: silentMsMax,
    disableUrlAccess: true,
  });
}

/** An IPv6 address without its brackets. */
function hostAndPort({ hostname, port }: URL, usual: number) {
  return { host: hostname.replace(/^\[(.*)\]$/, (_, address: string) => address), port: Number(port) || usual };
}

/** Any other failure before the text would also stop the next mail. */
const ABOUT_ONE_MAIL: ReadonlySet<unknown> = new Set(['EENVELOPE', 'EMESSAGE', 'ESTREAM']);

/** Some recipients may be refused. Throws NotifyError. */
export async function sendMail(
  settings: MailSettings,
  secrets: NotifySecrets,
  { attachedBytes, ...mail }: Mail,
  signal: AbortSignal,
  limits = MAIL_LIMITS,
) {
  const dataMs = limits.dataMs + Math.ceil(attachedBytes / limits.attachedBytesPerMs);
  // A server that scans a mail is silent meanwhile.
  const transport = await transportTo(settings, secrets, dataMs);
  const ended = new AbortController();
  const { promise: wanted, resolve: wantText } = Promise.withResolvers<null>();
  let isWanted = false;
  transport.use('stream', ({ message }, done) => {
    message.processFunc((text) =>
      text.once('resume', () => {
        isWanted = true;
        wantText(null);
      }),
    );
    done();
  });
  try {
    const sent = transport.sendMail({
      from: settings.from,
      ...mail,
      to: [...mail.to],
      attachments: [...mail.attachments],
      headers: { 'Auto-Submitted': 'auto-generated' },
      signal: ended.signal,
    });
    await within(Promise.race([sent, wanted]), limits.untilDataMs, signal);
    const { rejected } = await within(sent, dataMs, signal);
    return rejected.length;
  } catch (failure) {
    const { code, responseCode } = failure as { code?: unknown; responseCode?: unknown };
    // 4xx may be greylisting or a full box; 421 means the server closes. A server that asked for the text may accept
    // the next mail.
    const isAboutMail = (isWanted && !signal.aborted) || ABOUT_ONE_MAIL.has(code);
    throw new NotifyError(
      code === 'ESTREAM' ? 'an attachment could not be read' : reasonOf(failure),
      !isAboutMail || responseCode === 421,
    );
  } finally {
    ended.abort();
    transport.close();
  }
}

/** The work is abandoned. Throws NotifyError. */
async function within<T>(work: Promise<T>, ms: number, signal: AbortSignal) {
  const late = AbortSignal.any([AbortSignal.timeout(ms), signal]);
  return raceAbort(work, late).catch((failure: unknown) => {
    throw late.aborted && failure === late.reason ? new NotifyError('it took too long', true) : failure;
  });
}

export const SIGNATURE_HEADER = 'Inspection-Batch-Signature';

/** `t=<epoch seconds>,v1=<hex HMAC-SHA256 of "<t>.<body>">`: signs the time too, against replays. */
function webhookSignature(secret: string, body: string, now: number) {
  const time = Math.floor(now / 1000);
  return `t=${time},v1=${createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')}`;
}

/** Receivers recognize repeats by `id`, by default the run. Throws NotifyError. */
export async function callWebhook(
  url: string,
  secret: string,
  { run, id = run, body }: { run: string; id?: string; body: string },
  now: number,
  signal: AbortSignal,
) {
  const headers = {
    'content-type': 'application/json',
    [SIGNATURE_HEADER]: webhookSignature(secret, body, now),
    'Inspection-Batch-Run': run,
    'Inspection-Batch-Id': id,
  };
  await request(url, WEBHOOK_MS_MAX, { method: 'POST', body, headers, signal });
}

/** Throws NotifyError. */
export async function ping(url: string, signal: AbortSignal) {
  await request(url, PING_MS_MAX, { signal });
}

async function request(url: string, ms: number, options: OptionsOfTextResponseBody) {
  try {
    const { statusCode } = await got(url, {
      ...options,
      timeout: { request: ms },
      retry: { limit: 0 },
      followRedirect: false,
      throwHttpErrors: false,
    });
    if (statusCode >= 300) throw new NotifyError(`it answered ${statusCode}`, statusCode >= 500);
  } catch (failure) {
    throw failure instanceof NotifyError ? failure : new NotifyError(reasonOf(failure), true);
  }
}

/** Only the code: messages of got, nodemailer and mail servers may hold addresses. */
function reasonOf(failure: unknown) {
  if (failure instanceof NotifyError) return failure.message;
  if (failure instanceof Error && 'responseCode' in failure && typeof failure.responseCode === 'number')
    return `the mail server answered ${failure.responseCode}`;
  const code = failure instanceof Error && 'code' in failure ? String(failure.code) : 'no connection';
  return code === 'ETIMEDOUT' ? 'it took too long (ETIMEDOUT)' : `no answer (${code})`;
}

const OUTPUT_LENGTH_MAX = 4000;
const OUTPUT_MS_MAX = 1000;

/** Runs the command without a shell, with `body` on stdin. Throws NotifyError unless it exits with 0 in time. */
export async function callCommand(
  { notify: { command }, root, commandEnvironment }: NotifyTargets,
  body: string,
  signal: AbortSignal,
) {
  const child = spawn(resolve(root, command ?? ''), [], {
    cwd: root,
    env: commandEnvironment,
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: COMMAND_MS_MAX,
    killSignal: 'SIGKILL',
    signal,
  });
  const exited = once(child, 'exit') as Promise<[code: number | null, killedBy: NodeJS.Signals | null]>;
  const closed = once(child, 'close').catch(() => undefined);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      if (output.length < OUTPUT_LENGTH_MAX) output += chunk;
    });
  }
  child.stdin.on('error', () => undefined);
  child.stdin.end(body);
  const problem = await exited.then(
    ([code, killedBy]) => {
      if (code === 0) return null;
      return killedBy === 'SIGKILL'
        ? new NotifyError('it took too long, or was killed', true)
        : new NotifyError(`it ended with ${killedBy ?? code ?? ''}`, false);
    },
    (failure: unknown) =>
      new NotifyError(signal.aborted ? 'there was no time left' : `it could not be run: ${messageOf(failure)}`, true),
  );
  // A child that it leaves running may hold its output open.
  await within(closed, OUTPUT_MS_MAX, signal).catch(() => undefined);
  child.stdout.destroy();
  child.stderr.destroy();
  if (problem !== null) throw problem;
  return output.slice(0, OUTPUT_LENGTH_MAX);
}

/** Sends nothing: the mail server up to its login, webhook and pings up to a connection. `problem`: null if all is well. */
export async function inspectEndpoints({ notify, secrets, root }: NotifyTargets) {
  const { mail, webhook, command } = notify;
  const look = async <Target>(what: string, target: Target | null, tries: (target: Target) => Promise<unknown>) =>
    target === null ? [] : [{ what, problem: await tries(target).then(() => null, reasonOf) }];
  const found = await Promise.all([
    look('notify.mail', mail, (settings) => loginTo(settings, secrets)),
    look('notify.webhook', webhook, ({ url }) => connectTo(url)),
    look('notify.command', command, (path) =>
      access(resolve(root, path), constants.X_OK).catch((failure: unknown) => {
        throw new NotifyError(`it cannot be run: ${messageOf(failure)}`, true);
      }),
    ),
    ...Object.entries(notify.ping).map(([name, url]) => look(`notify.ping.${name}`, url, connectTo)),
  ]);
  return [...secrets.problems.map((problem) => ({ what: 'notify', problem })), ...found.flat()];
}

async function loginTo(settings: MailSettings, secrets: NotifySecrets) {
  const transport = await transportTo(settings, secrets, MAIL_LIMITS.untilDataMs);
  try {
    await within(transport.verify(), MAIL_LIMITS.untilDataMs, new AbortController().signal);
  } finally {
    transport.close();
  }
}

async function connectTo(address: string) {
  const url = new URL(address);
  const socket = connect(hostAndPort(url, url.protocol === 'https:' ? 443 : 80));
  try {
    await within(once(socket, 'connect'), CONNECT_MS_MAX, new AbortController().signal);
  } finally {
    socket.destroy();
  }
}
