import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ExplainedError } from '../../../src/domain/errors.ts';
import { templateText } from '../../../src/contract/template-data.ts';
import { configSchema, knownPaths } from '../../../src/ops/config-schema.ts';
import { loadConfig, parseConfig } from '../../../src/ops/config.ts';

const defaults = configSchema.parse({});

/** The lines of the error that a config text gives, without the first. */
function problemsOf(text: string): string[] {
  try {
    parseConfig(text, 'config.yaml');
  } catch (thrown) {
    if (thrown instanceof ExplainedError && thrown.kind === 'usage')
      return thrown.message
        .split('\n')
        .slice(1)
        .map((line) => line.trim());
    throw thrown;
  }
  return [];
}

describe('parseConfig', () => {
  test('every setting has its default', () => {
    expect(defaults).toEqual({
      workspace: { sharedWith: null },
      service: { baseUrl: null },
      intake: {
        headers: new Map(),
        values: new Map(),
        senders: new Map(),
        dateOrder: 'auto',
        unreadableOptional: 'warn',
        hiddenRows: 'ask',
        skipSheets: [],
        receipts: true,
        newLayout: 'ask',
        settleSeconds: 10,
        hold: { maxWrongPercent: null, maxDuplicatePercent: null, maxTimesUsualRows: null },
      },
      submit: {
        onDuplicate: 'link',
        whenNoKey: 'mark',
        renewalAfterDays: 300,
        quarantineSeconds: 300,
        maxConcurrency: 8,
        maxConcurrencyOfAllHosts: null,
      },
      run: { remindAfterDays: 3, finishBy: null },
      collect: { reports: 'full', images: 'all', retryNights: 5, markReceived: false, sftp: null },
      results: {
        columns: null,
        attention: null,
        archiveMaxMegabytes: null,
        thumbnailsPerProject: 3,
        thumbnailsMax: 1500,
        formats: ['xlsx'],
        decisions: ['Accept', 'Re-inspect', 'Repair', 'Non-renew', 'Decline or cancel'],
      },
      notify: { mail: null, webhook: null, command: null, ping: { start: null, success: null, failure: null } },
      log: { level: 'info' },
      metrics: { textfile: null },
      retention: { archiveDays: null, deliveriesDays: null, downloadsDays: null, logsDays: null },
    });
  });

  test('a workspace without config.yaml, or with an empty one, has the defaults', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'config-'));
    expect(await loadConfig(folder.path)).toEqual(defaults);
    await writeFile(join(folder.path, 'config.yaml'), '\uFEFF# nothing\r\n');
    expect(await loadConfig(folder.path)).toEqual(defaults);
  });

  test('a config.yaml that is no UTF-8 text, or no file, is explained', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'config-'));
    await writeFile(join(folder.path, 'config.yaml'), Buffer.from('run:\n  finishBy: "\xe9"\n', 'latin1'));
    await expect(loadConfig(folder.path)).rejects.toThrow(/config\.yaml is not UTF-8 text/);
    await expect(loadConfig(join(folder.path, 'config.yaml'))).rejects.toThrow(ExplainedError);
  });

  const COMMENTED_CONFIG = templateText('config.yaml');

  test('the commented config means the defaults, also with every commented key uncommented', () => {
    const uncommented = COMMENTED_CONFIG.replaceAll(/^( *)#(?=[a-zA-Z])/gm, '$1');
    expect(uncommented).not.toBe(COMMENTED_CONFIG);
    expect(parseConfig(COMMENTED_CONFIG, 'config.yaml')).toEqual(defaults);
    expect(parseConfig(uncommented, 'config.yaml')).toEqual(defaults);
  });

  test('the commented config shows every key', () => {
    const keys = new Set([...COMMENTED_CONFIG.matchAll(/^ *#? *([a-zA-Z]+):/gm)].map((match) => match[1]));
    const shown = knownPaths()
      .filter((path) => !path.startsWith('collect.sftp.'))
      .map((path) => path.slice(path.lastIndexOf('.') + 1));
    expect(shown.filter((key) => !keys.has(key))).toEqual([]);
  });

  test('every value can be set', () => {
    const config = parseConfig(
      `
service: { baseUrl: "https://inspections.example.com" }
intake: { settleSeconds: 0, hold: { maxWrongPercent: 12.5, maxTimesUsualRows: 4 } }
submit: { onDuplicate: reject, whenNoKey: mint, quarantineSeconds: 60, maxConcurrency: 2 }
run: { finishBy: 05:30 }
collect: { images: referenced, markReceived: true, sftp: { host: files.example.com, username: ib } }
results: { columns: columns.yaml, formats: [csv, xlsx] }
retention: { logsDays: 90 }
`,
      'config.yaml',
    );
    expect(config.run.finishBy).toBe('05:30');
    expect(config.collect.sftp).toEqual({
      host: 'files.example.com',
      port: 22,
      folder: '/',
      username: 'ib',
      hostKey: null,
      privateKey: null,
      afterwards: 'move',
    });
    expect(config.intake.hold).toMatchObject({
      maxWrongPercent: 12.5,
      maxTimesUsualRows: 4,
      maxDuplicatePercent: null,
    });
    expect(config.results.formats).toEqual(['csv', 'xlsx']);
  });

  test('parseConfig reports all problems with line, value and allowed values', () => {
    const text = `submit:
  onDuplicate: linkk
  maxConcurency: 9
  maxConcurrency: 0
collect:
  markReceived: yes
  sftp:
    host: files.example.com
onDuplicate: skip
sumbit: { whenNoKey: mint }
run:
  finishBy: "25:00"
results:
  formats: [xlsx, pdf]
intake:
  headers:
    Ref No.: inspectonNumber
  settleSeconds:
retention: 90
`;
    expect(problemsOf(text)).toEqual([
      expect.stringMatching(/^line 2: submit\.onDuplicate .*"linkk".* link, skip, reject, create\.$/),
      expect.stringMatching(/^line 3: submit\.maxConcurency .* submit\.maxConcurrency\.$/),
      expect.stringMatching(/^line 4: submit\.maxConcurrency .* 0;.* 1 to 64\.$/),
      expect.stringMatching(/^line 6: collect\.markReceived .*"yes";.* true or false\.$/),
      expect.stringMatching(/^line 7: collect\.sftp\.username .*missing/),
      expect.stringMatching(/^line 9: onDuplicate .* submit\.onDuplicate\.$/),
      expect.stringMatching(/^line 10: sumbit .* submit\.$/),
      expect.stringMatching(/^line 12: run\.finishBy .*"25:00";.* 05:30\b/),
      expect.stringMatching(/^line 14: results\.formats .*\["xlsx","pdf"\];.* xlsx, csv, jsonl\b/),
      expect.stringMatching(/^line 17: intake\.headers\.Ref No\. .*"inspectonNumber";.*inspectionNumber/),
      expect.stringMatching(/^line 18: intake\.settleSeconds .*empty;.* 0 to 3600\.$/),
      expect.stringMatching(/^line 19: retention .* 90;.*: archiveDays, deliveriesDays, downloadsDays, logsDays\.$/),
    ]);
  });

  test('reads all kinds of recipients under notify', () => {
    const { notify } = parseConfig(
      `
notify:
  mail: { smtp: "smtp://mail.example.com:587", from: inspections@example.com, analysts: [ops@example.com], underwriters: [uw@example.com], engineers: [oncall@example.com], senders: { smith-agency: [ann@example.com] } }
  webhook: { url: "https://hooks.example.com/x" }
  command: /usr/local/bin/tell
  ping: { start: "https://ping.example.com/x/start", success: "http://127.0.0.1:8000/x" }
`,
      'config.yaml',
    );
    expect(notify).toMatchObject({
      mail: { analysts: ['ops@example.com'], senders: new Map([['smith-agency', ['ann@example.com']]]) },
      command: '/usr/local/bin/tell',
      ping: { success: 'http://127.0.0.1:8000/x', failure: null },
    });
  });

  test.each([
    ['webhook: { url: "http://hooks.example.com/x" }', 'notify.webhook.url'],
    ['webhook: { url: "https://me:secret@hooks.example.com/x" }', 'notify.webhook.url'],
    ['ping: { start: "http://ping.example.com" }', 'notify.ping.start'],
    ['mail: { smtp: "smtp://me:secret@mail.example.com", from: a@b.example }', 'notify.mail.smtp'],
    ['mail: { smtp: "http://mail.example.com", from: a@b.example }', 'notify.mail.smtp'],
    ['mail: { smtp: "smtp://mail.example.com?ignoreTLS=true", from: a@b.example }', 'notify.mail.smtp'],
    ['mail: { smtp: "smtp://mail.example.com", from: "Ann <a@b.example>" }', 'notify.mail.from'],
    [
      'mail: { smtp: "smtp://mail.example.com", from: a@b.example, analysts: ["a@b.example, c@d.example"] }',
      'notify.mail.analysts',
    ],
    [
      'mail: { smtp: "smtp://mail.example.com", from: a@b.example, senders: { smith: [] } }',
      'notify.mail.senders.smith',
    ],
  ])('notify: %s is refused', (line, key) => {
    expect(problemsOf(`notify:\n  ${line}\n`)).toEqual([expect.stringMatching(`^line 2: ${key} is .*; allowed: `)]);
  });

  test('a key stays as written', () => {
    const { intake, notify } = parseConfig(
      'intake:\n  headers: { 007: note, 1e1: city, True: state, ~: zip }\n  values: { 03: Exterior }\n  senders: { 0012: { headers: { 0x10: note } } }\nnotify: { mail: { smtp: "smtp://localhost", from: a@example.com, senders: { 0012: [b@example.com] } } }\n'.replace(
        'zip',
        'zipcode',
      ),
      'config.yaml',
    );
    expect([
      [...intake.headers.keys()],
      [...intake.values.keys()],
      [...intake.senders.keys()],
      [...(intake.senders.get('0012')?.headers.keys() ?? [])],
      [...(notify.mail?.senders.keys() ?? [])],
    ]).toEqual([['007', '1e1', 'True', '~'], ['03'], ['0012'], ['0x10'], ['0012']]);
  });

  test('headers may be any text, even __proto__', () => {
    const config = parseConfig(
      'intake:\n  headers:\n    __proto__: policyNumber\n    2026: note\n    constructor: city\n',
      'config.yaml',
    );
    expect([...config.intake.headers]).toEqual([
      ['__proto__', 'policyNumber'],
      ['2026', 'note'],
      ['constructor', 'city'],
    ]);
    expect(parseConfig('intake:\n  headers:\n', 'config.yaml').intake.headers.size).toBe(0);
    expect(problemsOf('__proto__: 1\nsubmit: { constructor: 2, __proto__: { onDuplicate: skip } }\n')).toEqual([
      expect.stringMatching(/^line 1: __proto__ /),
      expect.stringMatching(/^line 2: submit\.constructor /),
      expect.stringMatching(/^line 2: submit\.__proto__ /),
    ]);
  });

  test.each([
    ['run:\n  finishBy: "05:30\n', /^line \d: not readable as YAML: /],
    ['run:\n\tfinishBy: 1\n', /^line 2: not readable as YAML: /],
    ['run: {}\n---\nrun: {}\n', /^line \d: not readable as YAML: /],
    ['run: !secret {}\n', /^line 1: not readable as YAML: Unresolved tag/],
    ['submit:\n  whenNoKey: mark\n  whenNoKey: hold\n', /^line 3: this key appears twice/],
    ['- run\n', /^line 1: the file holds \["run"\]; expected keys/],
    ['notify:\n  email: a@b.example\n', /^line 2: notify\.email is not a known key; the nearest is /],
    ['<<: { run: {} }\n', /^line 1: << is not a known key/],
  ])('%j is refused with its line', (text, expected) => {
    expect(problemsOf(text)).toEqual([expect.stringMatching(expected)]);
  });
});
