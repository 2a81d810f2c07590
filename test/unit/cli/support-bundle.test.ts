import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { supportBundleCommand } from '../../../src/cli/support-bundle-command.ts';
import { temporaryWorkspace } from '../../support/temporary-workspace.ts';

const entriesOf = async (env: string, ledger: string | null): Promise<readonly string[]> => {
  await using workspace = await temporaryWorkspace({ env });
  await mkdir(workspace.at('state'));
  if (ledger !== null) await writeFile(workspace.at('state/ledger.sqlite'), ledger);
  const { json } = await supportBundleCommand(workspace.at('bundle.zip'), workspace.path);
  return (json as { readonly entries: readonly string[] }).entries;
};

test('supportBundleCommand writes a bundle without a usable ledger and says why', async () => {
  for (const entries of [
    await entriesOf('', 'no database at all, and longer than its header would be'),
    await entriesOf('INSPECTION_LEDGER_URL=postgres://user:secret@127.0.0.1:1/ledger\n', null),
  ]) {
    expect(entries).toEqual(['about.json', 'config.json', 'doctor.json', 'ledger.json']);
  }
});

test('supportBundleCommand refuses a folder that does not exist', async () => {
  await using workspace = await temporaryWorkspace({ env: '' });
  await expect(supportBundleCommand(workspace.at('nowhere/bundle.zip'), workspace.path)).rejects.toMatchObject({
    kind: 'usage',
  });
});

test('supportBundleCommand overwrites no file', async () => {
  await using workspace = await temporaryWorkspace({ env: '' });
  const config = workspace.at('config.yaml');
  await writeFile(config, 'submit: {}\n');
  await expect(supportBundleCommand(config, workspace.path)).rejects.toMatchObject({ code: 'target-exists' });
  expect(await readFile(config, 'utf8')).toBe('submit: {}\n');
});
