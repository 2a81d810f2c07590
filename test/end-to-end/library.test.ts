import { chmod, cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PACKAGE_ROOT, runToEnd } from '../support/command-line.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Runs Node in the checkout, where `inspection-batch` is this package, as built. */
const node = (...args: readonly string[]) => runToEnd(args, { file: process.execPath, cwd: PACKAGE_ROOT });

const OLDER = `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.11.1'}})`;

test.concurrent('import and require explain that the library needs a newer Node', async () => {
  const ended = await node(
    '--import',
    OLDER,
    '--eval',
    `(async () => {
       const say = (failure) => console.log(failure.message);
       await import('inspection-batch').catch(say);
       try { require('inspection-batch'); } catch (failure) { say(failure); }
     })();`,
  );
  expect(ended).toMatchObject({
    code: 0,
    stdout:
      'inspection-batch needs Node.js 24 or newer; this is 20.11.1. Install Node.js 24, or run your program with it.\n'.repeat(
        2,
      ),
  });
});

test.concurrent('the client loads no package; import and require give one library', async () => {
  const ended = await node(
    '--eval',
    `const loaded = [];
     require('node:module').registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
     (async () => {
       const { createClient } = await import('inspection-batch/client');
       const packages = loaded.filter((url) => url.includes('/node_modules/'));
       const library = require('inspection-batch');
       const same = await import('inspection-batch');
       console.log(JSON.stringify({ client: typeof createClient, packages, library: typeof library.createClient, isSame: same.createClient === library.createClient }));
     })();`,
  );
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(ended.stdout)).toEqual({ client: 'function', packages: [], library: 'function', isSame: true });
});

test.concurrent('inspection-batch ends with 2 if Node is too old', async () => {
  await using folder = await temporaryFolder();
  await cp(join(PACKAGE_ROOT, 'bin'), join(folder.path, 'bin'), { recursive: true });
  await writeFile(join(folder.path, 'node'), '#!/bin/sh\necho false\n');
  await chmod(join(folder.path, 'node'), 0o755);
  const ended = await runToEnd(['status'], {
    file: join(folder.path, 'bin/inspection-batch'),
    environment: { PATH: `${folder.path}:/usr/bin:/bin` },
  });
  expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('needs Node.js 24 or newer') });
});
