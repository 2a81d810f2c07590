import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

/** A mail as it arrived. */
export interface SeenMail {
  readonly to: readonly string[];
  readonly subject: string;
  /** The bodies of its parts, decoded, by media type; of an attachment by its file name. */
  readonly parts: ReadonlyMap<string, Buffer>;
  readonly raw: string;
  readonly user: string | null;
  /** Whether it came over TLS. */
  readonly isEncrypted: boolean;
}

export interface MailServer extends AsyncDisposable {
  readonly port: number;
  readonly mails: readonly SeenMail[];
}

interface MailServerOptions {
  readonly port?: number;
  /** Recipients that it refuses. */
  readonly refuses?: readonly string[];
  /** What it waits for before it says that it has taken a mail. */
  readonly beforeTaken?: (mail: SeenMail) => Promise<void>;
  /** Its answer to a text, instead of taking it. */
  readonly answersText?: number;
  /** The login that it asks for. */
  readonly login?: { readonly user: string; readonly password: string };
  /** It offers STARTTLS with this, in PEM form, and takes a login only behind it. */
  readonly tls?: { readonly key: string; readonly cert: string };
}

/** A real SMTP server on loopback. */
export async function startMailServer({
  port = 0,
  refuses = [],
  beforeTaken,
  answersText,
  login,
  tls,
}: MailServerOptions = {}): Promise<MailServer> {
  const mails: SeenMail[] = [];
  const server = new SMTPServer({
    authOptional: login === undefined,
    disabledCommands: [...(login === undefined ? ['AUTH'] : []), ...(tls === undefined ? ['STARTTLS'] : [])],
    allowInsecureAuth: tls === undefined,
    ...tls,
    onAuth: ({ username, password }, _session, done) =>
      username === login?.user && password === login?.password
        ? done(null, { user: username ?? '' })
        : done(new Error('wrong login')),
    onRcptTo: ({ address }, _session, done) =>
      done(refuses.includes(address) ? Object.assign(new Error('no such box'), { responseCode: 550 }) : null),
    async onData(stream, session, done) {
      const raw = await buffer(stream).catch(() => null);
      // The other side hung up in the middle.
      if (raw === null) return done(null);
      if (answersText !== undefined) return done(Object.assign(new Error('not taken'), { responseCode: answersText }));
      const mail = read(
        raw.toString('latin1'),
        session.envelope.rcptTo.map(({ address }) => address),
        typeof session.user === 'string' ? session.user : null,
        session.secure,
      );
      mails.push(mail);
      await beforeTaken?.(mail);
      done(null);
    },
  });
  server.on('error', () => undefined);
  server.listen(port, '127.0.0.1');
  await once(server.server, 'listening');
  return {
    port: (server.server.address() as AddressInfo).port,
    mails,
    async [Symbol.asyncDispose]() {
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(resolve);
      await promise;
    },
  };
}

function read(raw: string, to: readonly string[], user: string | null, isEncrypted: boolean): SeenMail {
  const parts = new Map<string, Buffer>();
  const { headers } = entity(raw);
  gather(raw, parts);
  return { to, subject: decodedWords(headers.get('subject') ?? ''), parts, raw, user, isEncrypted };
}

/** As far as MIME is needed for what nodemailer writes. */
function gather(raw: string, parts: Map<string, Buffer>): void {
  const { headers, body } = entity(raw);
  const type = headers.get('content-type') ?? 'text/plain';
  const boundary = /boundary="?([^";]+)"?/.exec(type)?.[1];
  if (boundary !== undefined) {
    for (const part of body.split(`--${boundary}`).slice(1, -1)) gather(part.replace(/^\r\n/, ''), parts);
    return;
  }
  const encoding = headers.get('content-transfer-encoding');
  const bytes =
    encoding === 'base64'
      ? Buffer.from(body, 'base64')
      : encoding === 'quoted-printable'
        ? quotedPrintable(body)
        : Buffer.from(body, 'latin1');
  parts.set(
    /filename="?([^";]+)"?/.exec(headers.get('content-disposition') ?? '')?.[1] ?? type.split(';')[0] ?? '',
    bytes,
  );
}

function entity(raw: string): { headers: ReadonlyMap<string, string>; body: string } {
  const end = raw.indexOf('\r\n\r\n');
  const lines = raw
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  return { headers, body: raw.slice(end + 4) };
}

function quotedPrintable(text: string): Buffer {
  const joined = text.replaceAll('=\r\n', '');
  return Buffer.from(
    joined.replaceAll(/=([\dA-F]{2})/g, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16))),
    'latin1',
  );
}

function decodedWords(text: string): string {
  return text.replaceAll(/=\?UTF-8\?Q\?(.*?)\?=\s*/gi, (_, word: string) =>
    quotedPrintable(word.replaceAll('_', ' ')).toString('utf8'),
  );
}
