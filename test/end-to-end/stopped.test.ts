import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CRON_ENVIRONMENT, runToEnd, startCommand } from '../support/command-line.ts';
import { orderCsv } from '../support/order-csv.ts';
import { until } from '../support/sandbox-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('projects ends with 143 if SIGTERM interrupts its request', async () => {
  await using folder = await temporaryFolder();
  const mute = createServer().listen(0, '127.0.0.1');
  try {
    await once(mute, 'listening');
    const names = {
      BASE_URL: `http://127.0.0.1:${(mute.address() as AddressInfo).port}`,
      CLIENT_ID: 'a',
      CLIENT_SECRET: 'b',
      USERNAME: 'c',
      PASSWORD: 'd',
    };
    const environment = {
      ...CRON_ENVIRONMENT,
      ...Object.fromEntries(Object.entries(names).map(([name, value]) => [`INSPECTION_${name}`, value])),
    };
    await using asking = startCommand(['projects', '--workspace', folder.path], { environment });
    await once(mute, 'connection');
    asking.kill('SIGTERM');
    expect((await asking.ended).code).toBe(143);
  } finally {
    mute.close();
  }
});

test('check leaves no temporary files behind when stopped', async () => {
  await using folder = await temporaryFolder();
  const temporary = join(folder.path, 'tmp');
  const environment = { ...CRON_ENVIRONMENT, TMPDIR: temporary };
  await writeFile(join(folder.path, 'many.csv'), orderCsv(30_000));
  const args = ['check', 'many.csv'];
  expect(await runToEnd(args, { cwd: folder.path, environment })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('No temporary folder'),
  });
  await mkdir(temporary);
  await using checking = startCommand(args, { cwd: folder.path, environment });
  await until(
    async () => (await readdir(temporary, { recursive: true })).some((name) => name.endsWith('ledger.sqlite')),
    checking,
  );
  checking.kill('SIGINT');
  expect((await checking.ended).code).toBe(130);
  expect(await readdir(temporary)).toEqual([]);
});

test('check ends at once if a setting is wrong', async () => {
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, 'orders.csv'), orderCsv(3));
  await writeFile(join(folder.path, 'config.yaml'), 'intake: { hiddenRows: perhaps }\n');
  const ended = await runToEnd(['check', 'orders.csv'], { cwd: folder.path, environment: CRON_ENVIRONMENT });
  expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('hiddenRows') });
});

test('demo does not start the next night when stopped', async () => {
  await using folder = await temporaryFolder();
  await using demo = startCommand(['demo', '--workspace', folder.path]);
  await until(() => existsSync(join(folder.path, 'state/run.lock.json')), demo);
  demo.kill('SIGINT');
  expect(await demo.ended).toMatchObject({ code: 130, stderr: expect.not.stringContaining('Night 2') });
});
