import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { expect, test, vi } from 'vitest';
import { runCommand } from '../../../src/cli/run-command.ts';
import { inRunSession, type LedgerOpener } from '../../../src/night/run-session.ts';
import { ExplainedError } from '../../../src/domain/errors.ts';
import { Notifier } from '../../../src/notify/notifier.ts';
import { parseConfig } from '../../../src/ops/config.ts';
import { createRedactor } from '../../../src/ops/redactor.ts';
import { openGuardedLedger } from '../../../src/upkeep/guarded-ledger.ts';
import { type MailServer, startMailServer } from '../../support/mail-server.ts';
import { orderCsv } from '../../support/order-csv.ts';
import { type Script, type ScriptedServer, sendJson, startScriptedServer } from '../../support/scripted-server.ts';
import { temporaryWorkspace, type TemporaryWorkspace } from '../../support/temporary-workspace.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const AWAY: Script = (_request, response) => sendJson(response, 403, { error: { message: 'not now' } });
const REFUSES: Script = (_request, response) =>
  sendJson(response, 422, { error: { message: 'The house is not known.' } });
let nextId = 0;
const creates: Script = (_request, response) => sendJson(response, 200, { project: [{ id: (nextId += 1) }] });

/** A service, and beside it whatever is told over HTTP. */
interface Outside extends AsyncDisposable {
  readonly server: ScriptedServer;
  create: Script;
  hook: Script;
  /** The paths that were called, but for the service's. */
  readonly told: () => readonly string[];
}

async function startOutside(): Promise<Outside> {
  const outside: { create: Script; hook: Script } = { create: creates, hook: (_request, response) => response.end() };
  const server = await startScriptedServer((request, response) => {
    if (!request.url.startsWith('/v1/')) outside.hook(request, response);
    else if (request.url === '/v1/oauth/token') sendJson(response, 200, { access_token: 't', token_type: 'bearer' });
    else if (request.method === 'POST') outside.create(request, response);
    else sendJson(response, 200, { project: [] });
  });
  const told = (): readonly string[] => server.seen.filter(({ url }) => !url.startsWith('/v1/')).map(({ url }) => url);
  return Object.assign(outside, { server, told, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() });
}

const ONE_ROW: unknown = expect.stringMatching(/^1 .*\bj\.csv$/);
const oneWrong = (series: number): string =>
  orderCsv(2, { keys: ['inspection'], series }).replace(/\d+ Oak Street(?=[^]*Oak Street)/, '');

async function workspaceFor({ server }: Outside, notify: string): Promise<TemporaryWorkspace> {
  const names = {
    BASE_URL: server.origin,
    CLIENT_ID: 'client',
    CLIENT_SECRET: 'c-secret',
    USERNAME: 'user',
    PASSWORD: 'p-secret',
    WEBHOOK_SECRET: 'w-secret',
  };
  const workspace = await temporaryWorkspace({
    env: Object.entries(names)
      .map(([name, value]) => `INSPECTION_${name}=${value}\n`)
      .join(''),
    config: `notify:\n${notify}`,
  });
  for (const sender of ['smith', 'jones']) await mkdir(workspace.at('inbox', sender));
  return workspace;
}

function mailTo(port: number, more = ''): string {
  return `  mail: { smtp: "smtp://127.0.0.1:${port}", from: batch@example.com, analysts: [ops@example.com], engineers: [oncall@example.com]${more} }\n`;
}

const submit = (workspace: TemporaryWorkspace) => runCommand('submit', { workspace: workspace.path });

async function logOf(workspace: TemporaryWorkspace): Promise<string> {
  const logs = await readdir(workspace.at('logs'));
  return (await Promise.all(logs.map((log) => readFile(workspace.at('logs', log), 'utf8')))).join('');
}

function subjectsTo(address: string, { mails }: MailServer): readonly string[] {
  return mails.filter(({ to }) => to.includes(address)).map(({ subject }) => subject);
}

test('mails each sender and the analysts their own rows once', async () => {
  await using outside = await startOutside();
  await using mailServer = await startMailServer();
  await using workspace = await workspaceFor(
    outside,
    mailTo(mailServer.port, ', senders: { smith: [ann@example.com] }'),
  );
  await writeFile(workspace.at('inbox/smith/s.csv'), oneWrong(1));
  await writeFile(workspace.at('inbox/jones/j.csv'), oneWrong(2));
  expect((await submit(workspace)).exitCode).toBe(3);
  expect((await submit(workspace)).exitCode).toBe(0);
  const [ann, ops] = ['ann@example.com', 'ops@example.com'].map((address) =>
    mailServer.mails.filter(({ to }) => to.includes(address)),
  );
  expect([ann, ops].map((mails) => mails?.map(({ subject }) => subject))).toEqual([
    [expect.stringMatching(/^1 .*\bs\.csv$/)],
    [expect.stringMatching(/^1 .*\bj\.csv$/)],
  ]);
  expect([ann, ops].map((mails) => [...(mails?.[0]?.parts.keys() ?? [])])).toEqual([
    ['text/plain', 'text/html', 's - to fix.xlsx', 's - receipt.xlsx'],
    ['text/plain', 'text/html', 'j - to fix.xlsx', 'j - receipt.xlsx'],
  ]);
  expect(ann?.[0]?.parts.get('s - to fix.xlsx')).toEqual(
    await readFile(workspace.at('corrections/smith/s - to fix.xlsx')),
  );
  expect(ann?.[0]?.raw).not.toContain('jones');
  expect(mailServer.mails).toHaveLength(2);
});

test('sends the lightest mail first so large workbooks delay nobody', async () => {
  await using outside = await startOutside();
  await using mailServer = await startMailServer();
  await using workspace = await workspaceFor(
    outside,
    mailTo(mailServer.port, ', senders: { smith: [ann@example.com] }'),
  );
  outside.create = AWAY;
  await writeFile(
    workspace.at('inbox/jones/j.csv'),
    `${oneWrong(11)}\n${orderCsv(400, { keys: ['inspection'], series: 12 })
      .replace(/^.*\n/, '')
      .replaceAll(/\d+ Oak Street/g, '')}`,
  );
  await writeFile(workspace.at('inbox/smith/s.csv'), oneWrong(13));
  expect((await submit(workspace)).exitCode).toBe(4);
  expect(mailServer.mails.map(({ to }) => to[0])).toEqual(['oncall@example.com', 'ann@example.com', 'ops@example.com']);
});

test('reports rows of a failed night once, that same night', async () => {
  await using outside = await startOutside();
  await using mailServer = await startMailServer();
  await using workspace = await workspaceFor(outside, mailTo(mailServer.port));
  outside.create = AWAY;
  await writeFile(workspace.at('inbox/jones/j.csv'), oneWrong(3));
  expect((await submit(workspace)).exitCode).toBe(4);
  expect(subjectsTo('ops@example.com', mailServer)).toEqual([ONE_ROW]);
  expect(subjectsTo('oncall@example.com', mailServer)).toEqual([expect.stringMatching(/: exit code 4$/)]);
  outside.create = REFUSES;
  expect((await submit(workspace)).exitCode).toBe(3);
  // The refused order is news of its own.
  expect(subjectsTo('ops@example.com', mailServer)).toEqual([ONE_ROW, expect.stringMatching(/^2 .*\bj\.csv$/)]);
  expect(mailServer.mails).toHaveLength(3);
});

test('runs the same with dead endpoints and reports once later', async () => {
  await using outside = await startOutside();
  const dead = 'http://127.0.0.1:1/dead-secret-path';
  const ping = `  ping: { start: "${dead}", success: "${dead}", failure: "${dead}" }\n`;
  const hook = `  webhook: { url: "${outside.server.origin}/hook" }\n  command: missing\n`;
  await using down = await workspaceFor(outside, `${mailTo(1)}${hook}${ping}`);
  await using without = await workspaceFor(outside, '');
  outside.hook = (_request, response) => response.writeHead(503).end();
  for (const workspace of [down, without]) await writeFile(workspace.at('inbox/jones/j.csv'), oneWrong(4));
  const [told, plain] = [await submit(down), await submit(without)];
  const text = ({ text: said, json: { run } }: typeof told): string => said.replaceAll(run, () => 'RUN');
  expect([told.exitCode, text(told)]).toEqual([plain.exitCode, text(plain)]);
  expect({ ...told.json, run: '', startedAt: '', finishedAt: '', delivery: null }).toEqual({
    ...plain.json,
    run: '',
    startedAt: '',
    finishedAt: '',
    delivery: null,
  });

  await using mailServer = await startMailServer();
  outside.hook = (_request, response) => response.end();
  const config = (await readFile(down.at('config.yaml'), 'utf8')).replace(
    '127.0.0.1:1"',
    `127.0.0.1:${mailServer.port}"`,
  );
  await writeFile(
    down.at('config.yaml'),
    config
      .replaceAll('http://127.0.0.1:1/dead-secret-path', `${outside.server.origin}/ping`)
      .replace('  command: missing\n', ''),
  );
  const before = outside.server.seen.length;
  expect((await submit(down)).exitCode).toBe(0);
  expect(subjectsTo('ops@example.com', mailServer)).toEqual([ONE_ROW]);
  const trouble =
    mailServer.mails
      .find(({ to }) => to.includes('oncall@example.com'))
      ?.parts.get('text/plain')
      ?.toString() ?? '';
  for (const words of [
    'The start ping did not get through: no answer (ECONNREFUSED)',
    'notify.webhook failed: it answered 503',
    'notify.command failed',
  ])
    expect(trouble).toContain(words);
  const hooks = outside.server.seen.slice(before).filter(({ url }) => url === '/hook');
  expect(hooks.map(({ body }) => (JSON.parse(body) as { exitCode: number }).exitCode)).toEqual([3, 0]);
  expect(outside.told().filter((path) => path === '/ping')).toHaveLength(2);
  expect((await submit(down)).exitCode).toBe(0);
  expect(mailServer.mails).toHaveLength(2);
  expect(await logOf(down)).not.toMatch(/dead-secret-path|w-secret|@example/);
});

test('retries a refused mailbox without mailing the others twice', async () => {
  await using outside = await startOutside();
  await using refusing = await startMailServer({ refuses: ['ann@example.com'] });
  await using workspace = await workspaceFor(outside, mailTo(refusing.port, ', senders: { smith: [ann@example.com] }'));
  for (const [sender, series] of [
    ['smith', 5],
    ['jones', 6],
  ] as const)
    await writeFile(workspace.at(`inbox/${sender}/x.csv`), oneWrong(series));
  await submit(workspace);
  expect(refusing.mails.map(({ to }) => to)).toEqual([['ops@example.com']]);
  const { port } = refusing;
  await refusing[Symbol.asyncDispose]();
  await using mailServer = await startMailServer({ port });
  await submit(workspace);
  expect(mailServer.mails.map(({ to }) => to)).toEqual([['oncall@example.com'], ['ann@example.com']]);
  expect(mailServer.mails[0]?.parts.get('text/plain')?.toString()).toMatch(/\bsmith\b.* 550\b/);
});

// A run that cannot get the lock notifies nobody.
test('pings failure and mails engineers when the credentials are missing', async () => {
  await using outside = await startOutside();
  await using mailServer = await startMailServer();
  const ping = `  ping: { start: "${outside.server.origin}/start", success: "${outside.server.origin}/success", failure: "${outside.server.origin}/failure" }\n`;
  await using workspace = await workspaceFor(outside, `${mailTo(mailServer.port)}${ping}`);
  const env = await readFile(workspace.at('.env'), 'utf8');
  await writeFile(workspace.at('.env'), env.replace('INSPECTION_PASSWORD=p-secret\n', ''));
  await expect(submit(workspace)).rejects.toMatchObject({ kind: 'usage' });
  expect(outside.told()).toEqual(['/start', '/failure']);
  expect(mailServer.mails.map(({ subject, to }) => [to, subject])).toEqual([
    [['oncall@example.com'], expect.stringMatching(/: exit code 2$/)],
  ]);
  expect(mailServer.mails[0]?.parts.get('text/plain')?.toString()).toContain('INSPECTION_PASSWORD is missing');

  await writeFile(workspace.at('.env'), env);
  let lockedOut: unknown = null;
  const answerOnceLockedOut = async (...asked: Parameters<Script>): Promise<void> => {
    lockedOut = await submit(workspace).catch((failure: unknown) => failure);
    creates(...asked);
  };
  outside.create = (...asked) => void answerOnceLockedOut(...asked);
  await writeFile(workspace.at('inbox/jones/j.csv'), orderCsv(1, { keys: ['inspection'], series: 7 }));
  expect((await submit(workspace)).exitCode).toBe(0);
  expect(lockedOut).toMatchObject({ kind: 'locked' });
  expect(outside.told().slice(2)).toEqual(['/start', '/success']);
  expect(mailServer.mails).toHaveLength(1);
});

test.each(['is there', 'is away'])('mails engineers when a host lost its place; the ledger %s', async (state) => {
  await using outside = await startOutside();
  await using mailServer = await startMailServer();
  await using workspace = await workspaceFor(outside, mailTo(mailServer.port));
  const lost = new ExplainedError('code-of-a-test', 'This host has lost its place among the hosts.', {
    kind: 'lost-place',
  });
  let isAway = false;
  const openLedger: LedgerOpener = async (...asked) => {
    const opened = await openGuardedLedger(...asked);
    const unlessAway = <T>(look: () => Promise<T>): Promise<T> =>
      isAway ? Promise.reject(new Error('The database is away.')) : look();
    const ledger = {
      ...opened.ledger,
      lastRuns: (limit: number) => unlessAway(() => opened.ledger.lastRuns(limit)),
      unsentEntries: () => unlessAway(() => opened.ledger.unsentEntries()),
    };
    return { ledger, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
  };
  const work = (): Promise<never> => {
    isAway = state === 'is away';
    return Promise.reject(lost);
  };
  await expect(inRunSession(workspace.path, 'run', work, { notifies: true, openLedger })).rejects.toBe(lost);
  expect(mailServer.mails.map(({ to, subject }) => [to, subject])).toEqual([
    [['oncall@example.com'], expect.stringMatching(/: exit code 4$/)],
  ]);
  expect(mailServer.mails[0]?.parts.get('text/plain')?.toString()).toContain(lost.message);
});

test('calls no webhook without its key, warns, and calls it later', async () => {
  await using outside = await startOutside();
  await using workspace = await workspaceFor(outside, `  webhook: { url: "${outside.server.origin}/hook" }\n`);
  const env = await readFile(workspace.at('.env'), 'utf8');
  await writeFile(workspace.at('.env'), env.replace(/^INSPECTION_WEBHOOK_SECRET=.*$/m, ''));
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    expect((await submit(workspace)).exitCode).toBe(0);
    expect(said.mock.calls.map(([text]) => String(text))).toContainEqual(
      expect.stringMatching(/^INSPECTION_WEBHOOK_SECRET .*\n$/),
    );
  } finally {
    said.mockRestore();
  }
  expect(await logOf(workspace)).toContain('INSPECTION_WEBHOOK_SECRET is missing');
  expect(outside.told()).toEqual([]);
  await writeFile(workspace.at('.env'), env);
  expect((await submit(workspace)).exitCode).toBe(0);
  expect(outside.told()).toEqual(['/hook', '/hook']);
});

test('Notifier.secrets holds passwords, every called URL, and long paths', async () => {
  const webhook = { url: 'https://hooks.example.com/run' };
  const ping = { start: null, success: 'https://ping.example.com/0b5c8a1e-77f2', failure: null };
  const notify = parseConfig(`notify: ${JSON.stringify({ webhook, ping })}`, 'config.yaml').notify;
  const { secrets } = new Notifier({
    notify,
    secrets: { smtpPassword: 's3cret', webhookSecret: 'key', problems: [] },
    root: '/',
    commandEnvironment: {},
    clock: createVirtualClock(),
    host: 'batch-1',
  });
  expect(secrets).toEqual(['s3cret', 'key', webhook.url, ping.success, '/0b5c8a1e-77f2']);
  const redactor = createRedactor();
  for (const secret of secrets) redactor.registerSecret(secret);
  expect(redactor.redact('deliveries/run-1 was told')).toBe('deliveries/run-1 was told');
  expect(redactor.redact('https://hooks.example.com/run refused')).toBe('[redacted] refused');
});
