import { templateText } from '../../../src/contract/template-data.ts';
import { chmod, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, test } from 'vitest';
import { ExplainedError } from '../../../src/domain/errors.ts';
import { parseConfig } from '../../../src/ops/config.ts';
import { describeVariable, inspectEnvironment, loadEnvironment, loadLogLevel } from '../../../src/ops/environment.ts';

const config = parseConfig('', 'config.yaml');
const configWithAddress = parseConfig('service: { baseUrl: https://from-config.example }', 'config.yaml');
const complete = {
  INSPECTION_BASE_URL: 'https://inspections.example.com',
  INSPECTION_CLIENT_ID: 'client-7',
  INSPECTION_CLIENT_SECRET: 'S3CRET-client',
  INSPECTION_USERNAME: 'nightly',
  INSPECTION_PASSWORD: 'S3CRET-password',
};
const newFolder = () => mkdtempDisposable(join(tmpdir(), 'environment-'));

async function failureOf(work: Promise<unknown>): Promise<ExplainedError> {
  const thrown = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (thrown instanceof ExplainedError) return thrown;
  throw new Error('no ExplainedError', { cause: thrown });
}

describe('environment', () => {
  test('loadLogLevel reads environment, .env and config.yaml', async () => {
    await using folder = await newFolder();
    const quiet = parseConfig('log: { level: error }', 'config.yaml');
    expect(await loadLogLevel(folder.path, quiet, {})).toBe('error');
    await writeFile(join(folder.path, '.env'), 'INSPECTION_LOG_LEVEL=warn\n', { mode: 0o600 });
    expect(await loadLogLevel(folder.path, quiet, {})).toBe('warn');
    expect(await loadLogLevel(folder.path, quiet, { INSPECTION_LOG_LEVEL: 'debug' })).toBe('debug');
    expect((await failureOf(loadLogLevel(folder.path, quiet, { INSPECTION_LOG_LEVEL: 'loud' }))).hint).toMatch(
      /\bdebug, .*\berror\b/,
    );
  });

  test('the environment outranks .env, which outranks config.yaml', async () => {
    await using folder = await newFolder();
    const { INSPECTION_BASE_URL: _, ...withoutAddress } = complete;
    expect((await loadEnvironment(folder.path, configWithAddress, withoutAddress)).baseUrl).toBe(
      'https://from-config.example',
    );

    await writeFile(
      join(folder.path, '.env'),
      'INSPECTION_BASE_URL=https://from-dotenv.example\r\nINSPECTION_PASSWORD="two words"\r\n',
      { mode: 0o600 },
    );
    const { INSPECTION_PASSWORD: __, ...withoutPassword } = withoutAddress;
    const fromFile = await loadEnvironment(folder.path, configWithAddress, {
      ...withoutPassword,
      INSPECTION_PASSWORD: '',
    });
    expect(fromFile).toMatchObject({
      baseUrl: 'https://from-dotenv.example',
      password: 'two words',
      clientId: 'client-7',
      warnings: [],
    });

    const fromEnvironment = await loadEnvironment(folder.path, configWithAddress, complete);
    expect(fromEnvironment).toMatchObject({ baseUrl: 'https://inspections.example.com', password: 'S3CRET-password' });
  });

  test('a variable may name a file, without its last line break', async () => {
    await using folder = await newFolder();
    await writeFile(join(folder.path, 'password'), ' pass word \n\r\n');
    const { INSPECTION_PASSWORD: _, ...rest } = complete;
    const loaded = await loadEnvironment(folder.path, config, { ...rest, INSPECTION_PASSWORD_FILE: 'password' });
    expect(loaded.password).toBe(' pass word \n');
  });

  test('a value file loses its byte order mark and one line break', async () => {
    await using folder = await newFolder();
    const file = join(folder.path, 'password');
    const read = async (text: string) => {
      await writeFile(file, text);
      const { environment } = await inspectEnvironment(folder.path, config, {
        ...complete,
        INSPECTION_PASSWORD: '',
        INSPECTION_PASSWORD_FILE: file,
      });
      return [environment?.password, environment?.warnings.length];
    };
    expect([await read('\uFEFFs3cret\r\n'), await read('s3cret\n\n'), await read('s3cret ')]).toEqual([
      ['s3cret', 0],
      ['s3cret\n', 1],
      ['s3cret ', 1],
    ]);
  });

  test('a # within a value of .env gives a warning', async () => {
    await using folder = await newFolder();
    const lines = [
      'INSPECTION_CLIENT_SECRET=ab#cd',
      'INSPECTION_PASSWORD=#ab',
      "INSPECTION_USERNAME='a#b'",
      'INSPECTION_CLIENT_ID=id # a comment',
      'INSPECTION_SMTP_USER= # nobody',
    ];
    await writeFile(join(folder.path, '.env'), lines.join('\n'), { mode: 0o600 });
    const { warnings } = await inspectEnvironment(folder.path, config, {});
    expect(warnings.map((warning) => /INSPECTION_\w+/.exec(warning)?.[0])).toEqual([
      'INSPECTION_CLIENT_SECRET',
      'INSPECTION_PASSWORD',
    ]);
    expect(warnings.join('')).not.toMatch(/ab|cd/);
  });

  test('warns about a quarantine that is too short', async () => {
    await using folder = await newFolder();
    const { warnings } = await inspectEnvironment(
      folder.path,
      parseConfig('submit: { quarantineSeconds: 0 }', 'config.yaml'),
      complete,
    );
    expect(warnings).toEqual([expect.stringContaining('submit.quarantineSeconds in config.yaml is 0')]);
  });

  test('warns about the old name of a setting', async () => {
    await using folder = await newFolder();
    const { warnings } = await inspectEnvironment(
      folder.path,
      parseConfig('collect: { patienceNights: 2 }', 'config.yaml'),
      complete,
    );
    expect(warnings).toEqual([expect.stringMatching(/^collect\.patienceNights .* collect\.retryNights/)]);
  });

  test('warns about a setting without effect, of one sender too', async () => {
    await using folder = await newFolder();
    for (const text of [
      'intake: { hold: { changedLayout: false } }',
      'intake: { senders: { smith: { hold: { changedLayout: true } } } }',
    ]) {
      const { warnings } = await inspectEnvironment(folder.path, parseConfig(text, 'config.yaml'), complete);
      expect(warnings).toEqual([expect.stringMatching(/^intake\.hold\.changedLayout .* no effect/)]);
    }
  });

  test('loadEnvironment names everything missing or wrong, without values', async () => {
    await using folder = await newFolder();
    await writeFile(join(folder.path, 'empty'), '\n');
    const failure = await failureOf(
      loadEnvironment(folder.path, config, {
        INSPECTION_BASE_URL: 'https://u:S3CRET@inspections.example.com',
        INSPECTION_CLIENT_SECRET: 'S3CRET',
        INSPECTION_CLIENT_SECRET_FILE: 'empty',
        INSPECTION_USERNAME_FILE: 'empty',
        INSPECTION_PASSWORD_FILE: 'nowhere',
      }),
    );
    expect(failure.code).toBe('credentials-missing');
    expect(failure.message.split('\n').slice(1)).toEqual([
      expect.stringMatching(/^ {2}INSPECTION_BASE_URL .*environment.*password/),
      '  INSPECTION_CLIENT_ID is missing',
      expect.stringMatching(/^ {2}INSPECTION_CLIENT_SECRET and INSPECTION_CLIENT_SECRET_FILE .*environment/),
      expect.stringMatching(/^ {2}INSPECTION_USERNAME is empty: .*INSPECTION_USERNAME_FILE .*environment/),
      expect.stringMatching(/^ {2}INSPECTION_PASSWORD .*INSPECTION_PASSWORD_FILE.*ENOENT/),
    ]);
    expect(failure.hint).toContain(join(folder.path, '.env'));
    expect(`${failure.message}${failure.hint}`).not.toContain('S3CRET');
  });

  test('doctor gets the state of each variable, and no value', async () => {
    await using folder = await newFolder();
    const { INSPECTION_USERNAME: _, ...withoutUser } = complete;
    const inspection = await inspectEnvironment(folder.path, config, {
      ...withoutUser,
      INSPECTION_BASE_URL: 'ftp://inspections.example.com',
    });
    expect(inspection.environment).toBeNull();
    expect(inspection.variables.map(describeVariable)).toEqual([
      expect.stringMatching(/^INSPECTION_BASE_URL .*https:\/\/$/),
      expect.stringMatching(/^INSPECTION_CLIENT_ID comes from .*environment$/),
      expect.stringMatching(/^INSPECTION_CLIENT_SECRET comes from .*environment$/),
      'INSPECTION_USERNAME is missing',
      expect.stringMatching(/^INSPECTION_PASSWORD comes from .*environment$/),
    ]);
    expect(JSON.stringify(inspection)).not.toContain('S3CRET');
  });

  test('a readable .env and a misspelled name give warnings', async () => {
    await using folder = await newFolder();
    const path = join(folder.path, '.env');
    await writeFile(path, 'INSPECTION_PASWORD=x\nINSPECTION_SANDBOX_CONTROL_URL=http://127.0.0.1:1\nOTHER=1\n');
    await chmod(path, 0o640);
    const { warnings } = await loadEnvironment(folder.path, config, complete);
    expect(warnings).toEqual([
      expect.stringMatching(/^\.env: INSPECTION_PASWORD .* INSPECTION_PASSWORD\.$/),
      expect.stringMatching(new RegExp(`${path}.*: chmod 600 ${path}$`)),
    ]);
  });

  test('an address ending in /v1 works with a warning', async () => {
    await using folder = await newFolder();
    const loaded = await loadEnvironment(folder.path, config, {
      ...complete,
      INSPECTION_BASE_URL: 'https://inspections.example.com/v1/',
    });
    expect(loaded.baseUrl).toBe('https://inspections.example.com');
    expect(loaded.warnings).toEqual([expect.stringMatching(/^INSPECTION_BASE_URL .*\/v1\b/)]);
  });

  test('the example names the five variables and gives none', () => {
    expect(parseEnv(templateText('env.example'))).toEqual(
      Object.fromEntries(Object.keys(complete).map((name) => [name, ''])),
    );
  });
});
