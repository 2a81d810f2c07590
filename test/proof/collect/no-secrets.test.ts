import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { afterEach, expect, test, vi } from 'vitest';
import type { FaultRule } from '../../../src/sandbox/faults/faults.ts';
import { entriesOf } from '../../end-to-end/delivery-archive.ts';
import { callHere, startSandboxHere } from '../../support/command-in-this-process.ts';
import { type Ended, runToEnd } from '../../support/command-line.ts';
import { startMailServer } from '../../support/mail-server.ts';
import { orderCsv } from '../../support/order-csv.ts';
import { orderPayload } from '../../support/order-factory.ts';
import { startScriptedServer } from '../../support/scripted-server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { temporaryWorkspace } from '../../support/temporary-workspace.ts';
import { findInFiles } from './find-in-files.ts';

const FIFTEEN_DAYS_S = 15 * 24 * 60 * 60;

const AT_FILES = { match: { route: '/files/*' }, probability: 0.3 } as const;
const AT_REDIRECTS = { match: { route: '/v1/report/{reportId}/file' }, probability: 0.4 } as const;
const FILE_FAULTS: readonly FaultRule[] = [
  { kind: 'expired-url', ...AT_FILES },
  { kind: 'truncated', ...AT_FILES },
  { kind: 'reset', ...AT_FILES },
  { kind: 'html-file', ...AT_FILES },
  { kind: '500', ...AT_FILES, times: 4 },
  { kind: 'detour', ...AT_REDIRECTS },
  { kind: 'redirect-elsewhere', ...AT_REDIRECTS },
  { kind: 'redirect-loop', ...AT_REDIRECTS },
];
/** Nothing of it makes anybody wait. */
const CREATE = { match: { method: 'POST', route: '/v1/project' }, probability: 0.25 } as const;
const LOST_ANSWERS: readonly FaultRule[] = [
  { kind: 'commit-then-504', ...CREATE },
  { kind: 'commit-then-reset', ...CREATE },
  { kind: '504', ...CREATE },
  { kind: 'lost-refresh', times: 2 },
  { kind: 'html', match: { method: 'GET', route: '/v1/project' }, probability: 0.1 },
];

afterEach(() => vi.restoreAllMocks());

/** What commands in this process write to stderr, from now on. */
function whatIsSaidHere(): string[] {
  const said: string[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    said.push(String(text));
    return true;
  });
  return said;
}

test('submit and collect leak no signed URL, token or password', async () => {
  // On nights full of faults.
  await using sandbox = await startSandboxHere();
  await using workspace = await temporaryWorkspace({
    env: sandbox.lines,
    inbox: { 'orders.csv': orderCsv(12) },
    config: 'submit:\n  quarantineSeconds: 1\ncollect:\n  markReceived: true\nresults:\n  thumbnailsPerProject: 0\n',
  });
  const said = whatIsSaidHere();
  const run = async (call: typeof callHere, ...args: readonly string[]): Promise<number | null> => {
    const ended = await call([...args, '--workspace', workspace.path]);
    said.push(ended.stdout, ended.stderr);
    return ended.code;
  };
  await run(callHere, 'submit');
  await sandbox.advance(FIFTEEN_DAYS_S);
  await sandbox.faults(FILE_FAULTS);
  await run(runToEnd, 'collect', '--json');
  await run(callHere, 'collect');
  const bites = (await sandbox.audit()).faults.filter(({ bites: count }) => count > 0).map(({ rule }) => rule.kind);
  await sandbox.faults([]);
  // 3: a closeout is told by the first follow-up that ends well.
  expect(await run(callHere, 'collect')).toBeOneOf([0, 3]);
  await run(callHere, 'status');
  await run(callHere, 'verify');

  expect(bites.length).toBeGreaterThanOrEqual(6);
  const valueOf = (name: string): string => new RegExp(`^INSPECTION_${name}=(.*)$`, 'm').exec(sandbox.lines)?.[1] ?? '';
  const secrets = [
    valueOf('CLIENT_SECRET'),
    valueOf('PASSWORD'),
    'signature=',
    'Bearer ',
    '/files/report/',
    '/files/image/',
  ];
  expect(secrets.every((secret) => secret.length > 5)).toBe(true);
  expect(secrets.filter((secret) => said.some((text) => text.includes(secret)))).toEqual([]);
  expect(await findInFiles(workspace.path, secrets, (name) => name === '.env')).toEqual([]);
  expect(await sandbox.audit()).toMatchObject({
    authorizationAtFilesOrigin: 0,
    authorizationElsewhere: 0,
    internalErrors: [],
  });
});

/** One of each kind of what must stay out of logs: made-up words that nothing else says. */
const PEOPLE = {
  insuredName: 'Quillfeather Zanzibarne & Ottoline Brackwater',
  insuredPhone: '617-555-0917',
  insuredEmail: 'quillfeather@insured-canary.example',
  streetAddress: '4711 Nightjarring Crescent',
  agentName: 'Wexlerine Agentova',
  agentPhone: '617-555-0918',
  agentEmail: 'wexlerine@agent-canary.example',
  note: 'Gate code 99441 and a dog called Fluffykins',
  insuredBy: 'Corncrake Mutual',
  division: 'Bitternland',
} as const;
/** As they may turn up: whole, in part, in other letters, without their signs. */
const WORDS_OF_PEOPLE = [
  'quillfeather',
  'zanzibarne',
  'ottoline',
  'brackwater',
  '555-0917',
  '6175550917',
  'insured-canary',
  'nightjarring',
  'wexlerine',
  'agentova',
  '555-0918',
  '6175550918',
  'agent-canary',
  '99441',
  'fluffykins',
  'corncrake',
  'bitternland',
  'comment-about-a-person',
  'underwriter-canary',
  'analyst-canary',
  'oncall-canary',
  'sender-canary',
];
const SECRETS = {
  clientSecret: 'cs-Whimbrel-71',
  password: 'pw-Dotterel-72',
  smtpUser: 'su-Godwit-73',
  smtpPassword: 'sp-Curlew-74',
  webhookSecret: 'ws-Plover-75',
  pingPath: '/hc/ping-Lapwing-76',
  webhookPath: '/in/hook-Avocet-77',
} as const;
const SIGNED = ['signature=', '/files/report/', '/files/image/', 'bearer '];

/** Six orders, and rows with the same canaries in places where they are wrong. */
function canaryCsv(series: number): string {
  const row = (index: number): Readonly<Record<string, string>> => ({
    ...(orderPayload() as unknown as Readonly<Record<string, string>>),
    ...PEOPLE,
    streetAddress: `${series * 100 + index} Nightjarring Crescent`,
    inspectionNumber: `INS-${series * 100 + index}`,
  });
  const wrong: readonly Readonly<Record<string, string>>[] = [
    { ...row(90), insuredPhone: '555-0917 ask Ottoline' },
    { ...row(91), insuredEmail: 'quillfeather at insured-canary' },
    { ...row(92), state: 'Zanzibarne' },
    { ...row(93), dueDate: 'when Wexlerine says' },
    { ...row(94), serviceName: 'Fluffykins' },
  ];
  const rows = [...Array.from({ length: 6 }, (_, index) => row(index)), ...wrong];
  const names = [...new Set(rows.flatMap((each) => Object.keys(each)))];
  return [names, ...rows.map((each) => names.map((name) => each[name] ?? ''))]
    .map((cells) => cells.join(','))
    .join('\n');
}

test('debug logs, stderr and the support bundle hold no detail or secret', async () => {
  await using outside = await startScriptedServer((_request, response) => response.end());
  await using mails = await startMailServer({ login: { user: SECRETS.smtpUser, password: SECRETS.smtpPassword } });
  const { clientSecret, password } = SECRETS;
  await using sandbox = await startSandboxHere({
    credentials: { clientId: 'client', clientSecret, username: 'analyst', password },
  });
  const secrets = {
    SMTP_USER: SECRETS.smtpUser,
    SMTP_PASSWORD: SECRETS.smtpPassword,
    WEBHOOK_SECRET: SECRETS.webhookSecret,
    LOG_LEVEL: 'debug',
  };
  const ping = `${outside.origin}${SECRETS.pingPath}`;
  await using workspace = await temporaryWorkspace({
    env: `${sandbox.lines}${Object.entries(secrets)
      .map(([name, value]) => `INSPECTION_${name}=${value}\n`)
      .join('')}`,
    config: [
      'submit: { quarantineSeconds: 0, maxConcurrency: 4 }',
      'collect: { markReceived: true, images: referenced }',
      'notify:',
      `  mail: { smtp: "smtp://127.0.0.1:${mails.port}", from: batch@example.com, analysts: [analyst-canary@example.com], underwriters: [underwriter-canary@example.com], engineers: [oncall-canary@example.com], senders: { theirs: [sender-canary@example.com] } }`,
      `  webhook: { url: "${outside.origin}${SECRETS.webhookPath}" }`,
      '  command: /bin/cat',
      `  ping: { start: "${ping}", success: "${ping}", failure: "${ping}" }`,
      '',
    ].join('\n'),
    inbox: { 'orders.csv': canaryCsv(1), 'broken.xlsx': `PK ${PEOPLE.insuredName}` },
  });
  await mkdir(workspace.at('inbox/theirs'));
  await writeFile(workspace.at('inbox/theirs/more.csv'), canaryCsv(2));
  const said = whatIsSaidHere();
  const call = async (how: typeof callHere, args: readonly string[]): Promise<Ended> => {
    const ended = await how([...args, '--workspace', workspace.path]);
    said.push(ended.stderr);
    return ended;
  };
  const run = (...args: readonly string[]): Promise<Ended> => call(callHere, args);
  await using out = await temporaryFolder();
  await run('rehearse', '--to', out.path);
  await sandbox.faults(LOST_ANSWERS);
  await call(runToEnd, ['run']);
  await run('backup', '--to', workspace.at('before.sqlite'));
  await writeFile(workspace.at('inbox/later.csv'), canaryCsv(3));
  await run('submit');
  await sandbox.advance(FIFTEEN_DAYS_S);
  await sandbox.faults(FILE_FAULTS);
  await run('collect');
  await run('cancel', 'INS-101', 'INS-102', '--comment', 'comment-about-a-person');
  await run('amend', 'INS-103', '--policy-number', 'P-NEW');
  await sandbox.faults([]);
  await run('run');
  await run('receive', 'INS-104', '--comment', 'comment-about-a-person');
  await run('amend', 'INS-105', '--policy-number', 'P-NEWER');
  await run('verify');
  await run('recover', '--from', workspace.at('before.sqlite'));
  await run('run');
  const bundle = workspace.at('bundle.zip');
  expect(await run('support-bundle', bundle)).toMatchObject({ code: 0 });

  const logs = await readdir(workspace.at('logs'));
  expect(logs.length).toBeGreaterThanOrEqual(9);
  const texts = new Map<string, string>([['stderr', said.join('\n')]]);
  for (const name of logs) texts.set(name, await readFile(workspace.at('logs', name), 'utf8'));
  for (const [name, bytes] of await entriesOf(bundle)) texts.set(`bundle/${name}`, bytes.toString());
  const canaries = [...WORDS_OF_PEOPLE, ...Object.values(SECRETS), ...SIGNED].map((word) => word.toLowerCase());
  expect(
    [...texts].flatMap(([name, text]) =>
      canaries.filter((word) => text.toLowerCase().includes(word)).map((word) => `${word} in ${name}`),
    ),
  ).toEqual([]);
  // The test is worth something only if all of it was there to be told.
  expect(mails.mails.length).toBeGreaterThan(3);
  expect(new Set(outside.seen.map(({ url }) => url))).toEqual(new Set([SECRETS.pingPath, SECRETS.webhookPath]));
  expect([...texts.values()].join('')).toContain('"event":"notify.command ran"');
}, 900_000);
