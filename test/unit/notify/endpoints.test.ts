import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { expect, test, vi } from 'vitest';
import {
  callWebhook,
  inspectEndpoints,
  type NotifyTargets,
  ping,
  callCommand,
  sendMail,
  SIGNATURE_HEADER,
} from '../../../src/notify/endpoints.ts';
import { parseConfig } from '../../../src/ops/config.ts';
import { neededProgram } from '../../end-to-end/needed-program.ts';
import { startMailServer } from '../../support/mail-server.ts';
import { startScriptedServer } from '../../support/scripted-server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const NEVER = new AbortController().signal;
const MAIL = {
  to: ['ann@example.com', 'bob@example.com'],
  subject: 'Rows to fix',
  text: 'text',
  html: '<p>text</p>',
  attachments: [],
  attachedBytes: 0,
};

function targets(notify: string, root = '/', secrets: NotifyTargets['secrets'] = { problems: [] }): NotifyTargets {
  return {
    notify: parseConfig(`notify: { ${notify} }`, 'config.yaml').notify,
    secrets,
    root,
    commandEnvironment: { PATH: '/usr/bin:/bin', ANSWER: '42' },
  };
}

function mailTo(port: number, host = '127.0.0.1') {
  const { mail } = targets(`mail: { smtp: "smtp://${host}:${port}", from: us@example.com }`).notify;
  if (mail === null) throw new Error('no mail');
  return mail;
}

test('callWebhook signs time, dot, and body with HMAC-SHA256 as documented', async () => {
  await using server = await startScriptedServer((_request, response) => response.writeHead(204).end());
  await callWebhook(server.origin, 'key', { run: 'r-1', body: '{"run":"r-1"}' }, 1_763_856_000_999, NEVER);
  const [seen] = server.seen;
  const [, time = '', signature] =
    /^t=(\d+),v1=([\da-f]{64})$/.exec(String(seen?.headers[SIGNATURE_HEADER.toLowerCase()])) ?? [];
  expect([time, signature, seen?.body]).toEqual([
    '1763856000',
    createHmac('sha256', 'key')
      .update(`${time}.${seen?.body ?? ''}`)
      .digest('hex'),
    '{"run":"r-1"}',
  ]);
  expect(seen?.headers['inspection-batch-run']).toBe('r-1');
});

test('ping reports a hanging, refusing, or redirecting endpoint without its URL', async () => {
  await using server = await startScriptedServer(({ url }, response) => {
    if (url === '/refuses') response.writeHead(500).end();
    if (url === '/elsewhere') response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
  });
  const failures = ['/refuses', '/elsewhere'].map((path) => ping(`${server.origin}${path}`, NEVER));
  failures.push(
    ping(`${server.origin}/hangs`, AbortSignal.timeout(100)),
    ping('http://127.0.0.1:1/secret-path', NEVER),
  );
  const [refuses, elsewhere, hangs, dead] = (await Promise.allSettled(failures)).map((one) =>
    one.status === 'rejected' ? String(one.reason) : 'told',
  );
  expect([refuses, elsewhere]).toEqual(['NotifyError: it answered 500', 'NotifyError: it answered 302']);
  expect(server.seen.filter(({ url }) => url === '/refuses')).toHaveLength(1);
  expect(hangs).toMatch(/^NotifyError: /);
  expect(dead).toBe('NotifyError: no answer (ECONNREFUSED)');
});

test('sendMail sends text and HTML, and logs in if asked', async () => {
  await using server = await startMailServer({ login: { user: 'batch', password: 's3cret' } });
  expect(
    await sendMail(mailTo(server.port), { smtpUser: 'batch', smtpPassword: 's3cret', problems: [] }, MAIL, NEVER),
  ).toBe(0);
  const [mail] = server.mails;
  expect([...(mail?.parts.keys() ?? [])]).toEqual(['text/plain', 'text/html']);
  expect([mail?.to, mail?.subject, mail?.user]).toEqual([MAIL.to, 'Rows to fix', 'batch']);
  await expect(
    sendMail(mailTo(server.port), { smtpUser: 'batch', smtpPassword: 'wrong', problems: [] }, MAIL, NEVER),
  ).rejects.toMatchObject({ message: expect.stringContaining('535') as string, isAway: true });
});

const OPENSSL = neededProgram('openssl');

test.skipIf(OPENSSL.mayBeSkipped)(
  `${OPENSSL.note}sendMail uses remote servers only over STARTTLS with a trusted certificate`,
  async () => {
    await using folder = await temporaryFolder();
    const [keyFile, certFile] = [join(folder.path, 'key.pem'), join(folder.path, 'cert.pem')];
    // 0.0.0.0 leads to this machine too, and nobody knows it for loopback.
    execFileSync(
      OPENSSL.path,
      [
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-days',
        '2',
        '-subj',
        '/CN=mail',
        '-addext',
        'subjectAltName=IP:0.0.0.0',
        '-keyout',
        keyFile,
        '-out',
        certFile,
      ],
      { stdio: 'ignore' },
    );
    const tls = { key: await readFile(keyFile, 'utf8'), cert: await readFile(certFile, 'utf8') };
    const login = { user: 'batch', password: 's3cret' };
    const secrets = { smtpUser: login.user, smtpPassword: login.password, problems: [] };
    await using open = await startMailServer({ login });
    await using server = await startMailServer({ login, tls });
    const send = ({ port }: { readonly port: number }): Promise<number> =>
      sendMail(mailTo(port, '0.0.0.0'), secrets, MAIL, NEVER);
    await expect(send(open)).rejects.toMatchObject({ name: 'NotifyError', isAway: true });
    await expect(send(server)).rejects.toMatchObject({ name: 'NotifyError', isAway: true });
    expect([...open.mails, ...server.mails]).toEqual([]);
    const before = getCACertificates('default');
    // As NODE_EXTRA_CA_CERTS does for a process.
    setDefaultCACertificates([...before, tls.cert]);
    try {
      expect(await send(server)).toBe(0);
    } finally {
      setDefaultCACertificates(before);
    }
    expect(server.mails).toMatchObject([{ to: MAIL.to, user: 'batch', isEncrypted: true }]);
  },
);

// All refused is a problem of this mail, not of the server.
test('sendMail counts a refused recipient and throws if all are refused', async () => {
  await using server = await startMailServer({ refuses: ['bob@example.com'] });
  const mail = mailTo(server.port);
  expect(await sendMail(mail, { problems: [] }, MAIL, NEVER)).toBe(1);
  await expect(sendMail(mail, { problems: [] }, { ...MAIL, to: ['bob@example.com'] }, NEVER)).rejects.toMatchObject({
    message: expect.stringContaining('550') as string,
    isAway: false,
  });
  await expect(sendMail(mailTo(1), { problems: [] }, MAIL, NEVER)).rejects.toMatchObject({ isAway: true });
});

// The time limit grows with the size of the attachments.
test('sendMail blames the mail for silence after its text, else the server', async () => {
  const { promise: never } = Promise.withResolvers<void>();
  await using slow = await startMailServer({
    beforeTaken: ({ subject }) => (subject === 'slow' ? never : Promise.resolve()),
  });
  const send = (mail: object, limits: object, { port } = slow): Promise<number> =>
    sendMail(mailTo(port), { problems: [] }, { ...MAIL, ...mail }, NEVER, {
      untilDataMs: 20_000,
      dataMs: 20_000,
      attachedBytesPerMs: 1,
      ...limits,
    });
  await expect(send({ subject: 'slow' }, { dataMs: 1000 })).rejects.toMatchObject({
    name: 'NotifyError',
    isAway: false,
  });
  await expect(send({ attachments: [{ filename: 'a.xlsx', path: '/' }] }, {})).rejects.toMatchObject({
    name: 'NotifyError',
    message: expect.stringContaining('attachment') as string,
    isAway: false,
  });
  expect(await send({ attachedBytes: 20_000 }, { dataMs: 0 })).toBe(0);
  const mute = createServer().listen(0, '127.0.0.1');
  await once(mute, 'listening');
  await expect(
    send({}, { untilDataMs: 50 }, { ...slow, port: (mute.address() as AddressInfo).port }),
  ).rejects.toMatchObject({ isAway: true });
  mute.close();
});

test.each([
  [421, true],
  [452, false],
])('sendMail after the answer %i to its text: is the server away? %s', async (answersText, isAway) => {
  await using server = await startMailServer({ answersText });
  await expect(sendMail(mailTo(server.port), { problems: [] }, MAIL, NEVER)).rejects.toMatchObject({
    message: expect.stringContaining(String(answersText)),
    isAway,
  });
});

test('sendMail counts no failure if a stop ends the wait', async () => {
  const stop = new AbortController();
  await using server = await startMailServer({ beforeTaken: async () => stop.abort() });
  await expect(sendMail(mailTo(server.port), { problems: [] }, MAIL, stop.signal)).rejects.toMatchObject({
    isAway: true,
  });
});

test('runCommand passes the summary on stdin, without shell or our environment', async () => {
  await using folder = await temporaryFolder();
  const script = async (name: string, lines: string): Promise<NotifyTargets> => {
    await writeFile(join(folder.path, name), `#!/bin/sh\n${lines}\n`);
    await chmod(join(folder.path, name), 0o755);
    return targets(`command: ${name}`, folder.path);
  };
  expect(
    await callCommand(
      await script('tell it', 'cat > told.json; echo "to $ANSWER in $PWD"; echo "and $INSPECTION_PASSWORD." >&2'),
      '{"run":"r-1"}',
      NEVER,
    ),
  ).toContain(`to 42 in ${folder.path}`);
  expect(await readFile(join(folder.path, 'told.json'), 'utf8')).toBe('{"run":"r-1"}');
  await expect(callCommand(await script('fails', 'exit 3'), 'x'.repeat(1_000_000), NEVER)).rejects.toThrow(
    'it ended with 3',
  );
  await expect(callCommand(await script('hangs', 'exec sleep 60'), '', AbortSignal.timeout(100))).rejects.toMatchObject(
    {
      name: 'NotifyError',
    },
  );
  expect(await callCommand(await script('leaves', 'sleep 2 & echo done'), '', NEVER)).toBe('done\n');
  await expect(callCommand(targets('command: missing', folder.path), '', NEVER)).rejects.toMatchObject({
    name: 'NotifyError',
  });
});

test('callCommand ends a command that ignores SIGTERM', async () => {
  await using folder = await temporaryFolder();
  const [command, pid] = [join(folder.path, 'stubborn'), join(folder.path, 'pid')];
  await writeFile(command, "#!/bin/sh\ntrap '' TERM\necho $$ > pid\nexec sleep 60\n");
  await chmod(command, 0o755);
  const stop = new AbortController();
  const called = callCommand(targets('command: stubborn', folder.path), '', stop.signal).catch(() => {});
  await vi.waitUntil(async () => (await readFile(pid, 'utf8').catch(() => '')).endsWith('\n'), 20_000);
  stop.abort();
  await called;
  const number = Number(await readFile(pid, 'utf8'));
  await vi.waitUntil(() => !isRunning(number), 20_000);
  expect(isRunning(number)).toBe(false);
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('inspectEndpoints logs in without a mail and connects without a request', async () => {
  await using mailServer = await startMailServer({ login: { user: 'batch', password: 's3cret' } });
  await using server = await startScriptedServer((_request, response) => response.end());
  const notify = `mail: { smtp: "smtp://127.0.0.1:${mailServer.port}", from: us@example.com }, webhook: { url: "${server.origin}/hook" }, command: bin/sh, ping: { success: "http://127.0.0.1:1/x" }`;
  expect(
    await inspectEndpoints(
      targets(notify, '/', { smtpUser: 'batch', smtpPassword: 's3cret', webhookSecret: 'key', problems: [] }),
    ),
  ).toEqual([
    { what: 'notify.mail', problem: null },
    { what: 'notify.webhook', problem: null },
    { what: 'notify.command', problem: null },
    { what: 'notify.ping.success', problem: 'no answer (ECONNREFUSED)' },
  ]);
  expect([mailServer.mails, server.seen]).toEqual([[], []]);
  const [wrong] = await inspectEndpoints(
    targets(notify, '/', { smtpUser: 'batch', smtpPassword: 'wrong', problems: [] }),
  );
  expect(wrong?.problem).toContain('535');
});
